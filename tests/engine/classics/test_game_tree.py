"""Game trees on paper: read, walked with and without pruning, and made from positions."""

from __future__ import annotations

import os
from random import Random

import pytest

from engine.classics.chance import ExpectimaxPlayer
from engine.classics.game_tree import (
    Event,
    Kind,
    Tree,
    TreeError,
    exercise,
    ordered,
    parse,
    tree_of,
    value_of,
    walk,
    write,
)
from engine.classics.trees import MinimaxPlayer
from protocol.rules import Board

LECTURE = "((3 12 8) (2 4 6) (14 5 2))"
LEAST, MOST = 0.0, 10.0


@pytest.fixture
def rng() -> Random:
    """Return a random generator; MANCALA_SEED repeats a run."""
    seed = int(os.environ.get("MANCALA_SEED") or Random().getrandbits(32))
    print(f"MANCALA_SEED={seed}")  # noqa: T201  # pytest shows it beside a failure
    return Random(seed)


def random_tree(rng: Random, depth: int) -> Tree:
    """Return a tree of any kinds, its leaves within the bounds."""
    if depth == 0:
        return Tree(Kind.LEAF, float(rng.randint(int(LEAST), int(MOST))))
    kind = rng.choice((Kind.MAX, Kind.MIN, Kind.CHANCE))
    children = tuple(random_tree(rng, depth - 1) for _ in range(rng.randint(1, 3)))
    weights = (1 / len(children),) * len(children) if kind is Kind.CHANCE else ()
    return Tree(kind, None, children, weights)


def test_the_lectures_tree_is_worth_three_and_two_leaves_are_cut() -> None:
    """Kinds alternate below a max root; after the 2 the second min node cannot matter."""
    steps = list(walk(parse(LECTURE)))
    assert steps[-1].value == 3
    assert [(step.path, step.skipped) for step in steps if step.event is Event.CUT] == [((1,), 2)]
    assert sum(step.event is Event.LEAF for step in steps) == 7


def test_without_pruning_every_node_is_entered() -> None:
    """Minimax sees all nine leaves, and no window narrows."""
    steps = list(walk(parse(LECTURE), prune=False))
    assert sum(step.event is Event.LEAF for step in steps) == 9
    assert {(step.alpha, step.beta) for step in steps} == {(float("-inf"), float("inf"))}


def test_pruning_never_changes_the_value(rng: Random) -> None:
    """With bounds or without, the walk ends with the value of the definition."""
    cuts = 0
    for _ in range(300):
        tree = random_tree(rng, 4)
        for bounds in (None, (LEAST, MOST)):
            steps = list(walk(tree, bounds=bounds))
            assert steps[-1].value == pytest.approx(value_of(tree)), write(tree)
            cuts += sum(step.event is Event.CUT for step in steps)
    assert cuts


def test_a_chance_node_is_pruned_only_where_values_are_bounded() -> None:
    """The mean of 2 and at most 9 cannot reach 5.8."""
    tree = parse("(chance(0.8:5 0.2:9) chance(2 8))")
    cut = [step.path for step in walk(tree, bounds=(-3, 9)) if step.event is Event.CUT]
    assert cut == [(1,)]
    assert not [step for step in walk(tree) if step.event is Event.CUT]


def test_a_leaf_outside_the_bounds_is_refused() -> None:
    """Pruning by bounds that do not hold would give a wrong value."""
    with pytest.raises(ValueError, match="outside the bounds 0 and 10"):
        list(walk(parse("(3 12)"), bounds=(0, 10)))


def test_a_tree_is_written_as_it_is_read(rng: Random) -> None:
    """Kinds, weights and values come back."""
    tree = random_tree(rng, 3)
    assert parse(write(tree)) == tree
    assert write(parse("chance(0.8:5 0.2:-3)")) == "chance(0.8:5 0.2:-3)"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty"),
        ("(1 2", "not closed"),
        ("()", "holds nothing"),
        ("(1 2) 3", "more after the tree"),
        ("(1 x)", "not a number"),
        ("max 3", "comes a parenthesis"),
        ("(0.5:1 0.5:2)", "only a chance node"),
        ("chance(0.5:1 0.9:2)", "add up to 1"),
        ("(" * 100 + ")" * 100, "at most 64 levels"),
    ],
)
def test_a_text_that_is_no_tree_is_refused_with_the_place(text: str, what: str) -> None:
    """The message names what was wrong."""
    with pytest.raises(TreeError, match=what):
        parse(text)


def test_the_best_first_prunes_most_and_the_worst_first_least(rng: Random) -> None:
    """The value stays; only what is visited changes."""
    visited = dict.fromkeys(("best", "none", "worst"), 0)
    for _ in range(50):
        tree = random_tree(rng, 4)
        for order in visited:
            steps = list(walk(ordered(tree, order)))
            assert steps[-1].value == pytest.approx(value_of(tree))
            visited[order] += sum(step.event is Event.LEAF for step in steps)
    assert visited["best"] <= visited["none"] <= visited["worst"]


def test_an_unknown_order_is_refused() -> None:
    """Its name is in the message."""
    with pytest.raises(ValueError, match="'random'"):
        ordered(parse(LECTURE), "random")


@pytest.mark.parametrize(
    ("player", "opponent"), [(MinimaxPlayer, Kind.MIN), (ExpectimaxPlayer, Kind.CHANCE)]
)
def test_a_positions_tree_has_the_value_that_the_player_finds(
    player: type[MinimaxPlayer | ExpectimaxPlayer], opponent: Kind
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


def test_an_exercise_repeats_by_its_number_and_has_something_to_prune() -> None:
    """Two readers of one number talk of the same tree."""
    for number in range(1, 20):
        assert exercise(number) == exercise(number)
        assert any(step.event is Event.CUT for step in walk(exercise(number)))
