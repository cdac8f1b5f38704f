"""Choosing a pit from a handful of nodes."""

from random import Random

import pytest

from mancala.engine import kernels
from mancala.engine.kernels import state
from mancala.engine.search.engine import DEEPEST, EngineOptions
from mancala.engine.search.fixed_nodes import MOST_NODES, FixedNodeSearch, search_state
from mancala.engine.search.worker import position_of
from mancala.protocol.rules import KALAH, PRESETS, Board, Rules
from tests.engine.classics.positions import boards_of


def sprinter(nodes: int, *, depth: int | None = None, rules: Rules = KALAH) -> FixedNodeSearch:
    return FixedNodeSearch(rules, EngineOptions(), nodes=nodes, depth=depth)


@pytest.mark.parametrize("rules", [*PRESETS.values(), Rules(pits=3, seeds=3), Rules(pits=9)])
@pytest.mark.parametrize("nodes", [1, 7, 300])
def test_every_choice_is_legal_and_within_its_nodes(rules: Rules, nodes: int) -> None:
    """Whole games are played, on every size of board, with no node more than allowed."""
    player, board, rng = sprinter(nodes, rules=rules), Board.start(rules), Random(3)
    while not board.is_over:
        chosen = player.choose(board)
        assert chosen.pit in board.legal()
        assert chosen.nodes <= nodes
        pit = chosen.pit if board.player == 0 else rng.choice(board.legal())
        board = board.sow(pit).board


def plain(search: state.Search, board: Board, nodes: int) -> tuple[int, int, float | None]:
    """Deepen one call of the search at a time, as the kernel does; return pit, depth and value."""
    position, store = position_of(board), board.stores[board.player]
    control, frame = search.stack.control, search.stack.ints
    control[kernels.C_TOTAL_SEEDS], control[kernels.C_NODES] = board.total, 0
    pit, value, depth, before = board.legal()[0], None, 0, -2
    while depth < DEEPEST and before + 1 < control[kernels.C_NODES] < nodes:
        before = int(control[kernels.C_NODES])
        window = -kernels.INFINITY, kernels.INFINITY
        kernels.begin(search, position, store, (depth + 1, *window))
        done = kernels.run(search, nodes - before) == kernels.DONE
        if done or depth == 0:
            found = int(frame[kernels.F_BEST_PIT]), kernels.lookup(search, position, store, 0)[2]
            pit = next((each for each in found if each in board.legal()), pit)
        if not done:
            break
        depth, value = depth + 1, int(frame[kernels.F_BEST]) / kernels.UNIT
    return pit, depth, None if value is None else value + board.score(board.player)


@pytest.mark.parametrize("rules", [KALAH, Rules(pits=9), Rules(majority=True)])
@pytest.mark.parametrize("nodes", [1, 40, 1000])
def test_a_choice_is_that_of_the_searches_one_by_one(rules: Rules, nodes: int) -> None:
    """The kernel deepens as plain Python does, call by call."""
    player, reference = sprinter(nodes, rules=rules), search_state(rules, EngineOptions())
    for board in boards_of(rules, seed=nodes, every=3):
        chosen = player.choose(board)
        assert (chosen.pit, chosen.depth, chosen.value) == plain(reference, board, nodes)


def test_one_node_takes_what_it_can_get() -> None:
    """Without nodes to look ahead, the pit that gains most immediately is chosen."""
    board = Board.from_text("<6,0,0,1,0,4,4,4,4,4,4,4,4,9,4>")
    assert sprinter(1).choose(board).pit == 0


def test_a_depth_limit_ends_the_search_before_the_nodes_do() -> None:
    """Both limits hold."""
    chosen = sprinter(MOST_NODES, depth=2).choose(Board.start())
    assert chosen.depth == 2
    assert chosen.nodes < MOST_NODES


def test_a_game_does_not_depend_on_the_one_before() -> None:
    """After forgetting, the same position takes the same nodes to the same choice."""
    player = sprinter(500)
    fresh = player.choose(Board.start())
    player.choose(Board.from_text("<6,2,1,0,5,5,4,4,4,4,4,4,4,4,3>"))
    player.forget()
    assert player.choose(Board.start()) == fresh


def test_more_nodes_than_a_slice_are_the_engines_business() -> None:
    """A limit that the engine keeps as well is refused, and so is none at all."""
    for nodes in (0, MOST_NODES + 1):
        with pytest.raises(ValueError, match="a fixed-node search has"):
            sprinter(nodes)


def test_a_finished_game_has_no_choice() -> None:
    """A board without moves is the caller's mistake."""
    with pytest.raises(ValueError, match="the game is over"):
        sprinter(5).choose(Board.from_text("<6,30,18,0,0,0,0,0,0,0,0,0,0,0,0>"))
