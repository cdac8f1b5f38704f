"""Game trees: made from positions, sorted, and seen to a depth."""

import pytest

from mancala.engine.classics.alphabeta import AlphaBetaPlayer, Remedies
from mancala.engine.classics.chance import ExpectimaxPlayer
from mancala.engine.classics.lecture.game_tree import (
    NodeKind,
    TreeError,
    mapped,
    ordered,
    seen,
    tree_of,
    value_of,
)
from mancala.engine.classics.lecture.tree_text import parse, write
from mancala.engine.classics.lecture.tree_walk import WalkEvent, walk
from mancala.engine.classics.trees import MinimaxPlayer
from mancala.protocol.rules import KALAH, Board
from tests.engine.classics.lecture.random_trees import generator, random_tree
from tests.engine.classics.positions import boards_of

LECTURE = "((3 12 8) (2 4 6) (14 5 2))"


def test_the_best_first_prunes_most_and_the_worst_first_least() -> None:
    """The value stays; only what is visited changes."""
    rng = generator()
    visited = dict.fromkeys(("best", "none", "worst"), 0)
    for _ in range(50):
        tree = random_tree(rng, 4)
        for order in visited:
            steps = list(walk(ordered(tree, order)))
            assert steps[-1].value == pytest.approx(value_of(tree))
            visited[order] += sum(step.event is WalkEvent.LEAF for step in steps)
    assert visited["best"] <= visited["none"] <= visited["worst"]


def test_a_tree_with_unknown_leaves_has_no_order() -> None:
    """What is best first is not known."""
    with pytest.raises(TreeError, match="unknown leaves"):
        ordered(parse("((1 ?) 2)"), "best")
    assert write(ordered(parse("((1 ?) 2)"), "none")) == "max(min(1 ?) 2)"


def test_an_unknown_order_is_refused() -> None:
    """Its name is in the message."""
    with pytest.raises(ValueError, match="'random'"):
        ordered(parse(LECTURE), "random")


@pytest.mark.parametrize(
    ("player", "opponent"), [(MinimaxPlayer, NodeKind.MIN), (ExpectimaxPlayer, NodeKind.CHANCE)]
)
def test_a_positions_tree_has_the_value_that_the_player_finds(
    player: type[MinimaxPlayer | ExpectimaxPlayer], opponent: NodeKind
) -> None:
    """The tree on paper and the player's search are the same search."""
    board = Board.from_text("<6,20,18,0,0,2,0,0,1,0,3,0,1,2,1>")
    searcher = player(seed=0, depth=3)
    tree = tree_of(board, 3, opponent=opponent)
    assert value_of(tree) == pytest.approx(max(searcher.rate(board).values()))
    assert tree.size == searcher.nodes


def test_a_position_with_too_large_a_tree_is_refused() -> None:
    """It would be unreadable, and must not fill the memory."""
    with pytest.raises(TreeError, match="ask for less depth"):
        tree_of(Board.start(), 6)


def test_a_search_sees_a_tree_to_its_depth() -> None:
    """Past the depth a node is worth what is said of it; a loud move is followed if asked for."""
    tree = parse("(@4(3 9) @5!(6 @7!(1 2)) 2)")
    assert write(seen(tree, 1)) == "max(4 5! 2)"
    assert write(seen(tree, 2)) == "max(min@4(3 9) min@5!(6 7!) 2)"
    assert seen(tree, 3) == tree
    quiet = seen(tree, 1, quiescence=1)
    assert write(quiet) == "max(4 min@5!(5! 7!) 2)"
    assert quiet.children[1].children[0].move == "stand"


def test_a_search_cannot_stop_where_nothing_is_said() -> None:
    """The message shows how to say it."""
    with pytest.raises(TreeError, match="write it as @4"):
        seen(parse(LECTURE), 1)


@pytest.mark.parametrize("quiescence", [0, 1, 3])
@pytest.mark.parametrize("depth", [1, 2])
def test_what_is_seen_of_a_position_is_what_the_player_sees(depth: int, quiescence: int) -> None:
    """The tree on paper has the value that alpha-beta finds, quiescence included."""
    player = AlphaBetaPlayer(seed=0, depth=depth, remedies=Remedies(quiescence=quiescence))
    for board in boards_of(KALAH, seed=15):
        tree = seen(tree_of(board, depth, quiescence=quiescence), depth, quiescence=quiescence)
        assert value_of(tree) == max(player.rate(board).values())


def test_the_value_at_each_depth_is_that_of_a_search_to_it() -> None:
    """One tree serves all depths of iterative deepening."""
    board = Board.from_text("<6,20,18,0,0,2,0,0,1,0,3,0,1,2,1>")
    whole = tree_of(board, 4)
    for depth in range(1, 5):
        found = max(MinimaxPlayer(depth=depth).rate(board).values())
        assert value_of(seen(whole, depth)) == found


def test_a_scale_that_grows_leaves_minimax_and_changes_the_mean() -> None:
    """The lecture's 0, 40, 20 and 30: by x², the gamble becomes better."""
    for text, changes in (("((0 40) (20 30))", False), ("(chance(0 40) chance(20 30))", True)):
        best = []
        for tree in (parse(text), mapped(parse(text), lambda value: value * value)):
            values = [value_of(child) for child in tree.children]
            best.append(values.index(max(values)))
        assert (best[0] != best[1]) is changes
