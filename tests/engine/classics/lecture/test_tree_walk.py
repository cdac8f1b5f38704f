"""Walks of a tree, with and without pruning."""

import pytest

from mancala.engine.classics.lecture.game_tree import TreeError, value_of
from mancala.engine.classics.lecture.tree_text import parse, write
from mancala.engine.classics.lecture.tree_walk import WalkEvent, walk
from tests.engine.classics.lecture.random_trees import LEAST, MOST, generator, random_tree

LECTURE = "((3 12 8) (2 4 6) (14 5 2))"


def test_the_lectures_tree_is_worth_three_and_two_leaves_are_cut() -> None:
    """Kinds alternate below a max root; after the 2 the second min node cannot matter."""
    steps = list(walk(parse(LECTURE)))
    assert steps[-1].value == 3
    assert [(step.path, step.skipped) for step in steps if step.event is WalkEvent.CUT] == [
        ((1,), 2)
    ]
    assert sum(step.event is WalkEvent.LEAF for step in steps) == 7


def test_without_pruning_every_node_is_entered() -> None:
    """Minimax sees all nine leaves, and no window narrows."""
    steps = list(walk(parse(LECTURE), prune=False))
    assert sum(step.event is WalkEvent.LEAF for step in steps) == 9
    assert {(step.alpha, step.beta) for step in steps} == {(float("-inf"), float("inf"))}


def test_pruning_never_changes_the_value() -> None:
    """With bounds or without, the walk ends with the value of the definition."""
    rng = generator()
    cuts = 0
    for _ in range(300):
        tree = random_tree(rng, 4)
        for bounds in (None, (LEAST, MOST)):
            steps = list(walk(tree, bounds=bounds))
            assert steps[-1].value == pytest.approx(value_of(tree)), write(tree)
            cuts += sum(step.event is WalkEvent.CUT for step in steps)
    assert cuts


def test_a_chance_node_is_pruned_only_where_values_are_bounded() -> None:
    """The mean of 2 and at most 9 cannot reach 5.8."""
    tree = parse("(chance(0.8:5 0.2:9) chance(2 8))")
    cut = [step.path for step in walk(tree, bounds=(-3, 9)) if step.event is WalkEvent.CUT]
    assert cut == [(1,)]
    assert not [step for step in walk(tree) if step.event is WalkEvent.CUT]


def test_an_unknown_leaf_does_not_matter_where_it_is_cut_off() -> None:
    """Strong's tree: 10 is the value whatever the leaves marked ? are."""
    tree = parse("((10 (12 ?)) (7 ? (? ?)))")
    steps = list(walk(tree))
    assert steps[-1].value == 10
    assert [step.path for step in steps if step.event is WalkEvent.CUT] == [(0, 1), (1,)]
    with pytest.raises(TreeError, match="so it matters"):
        list(walk(tree, prune=False))


def test_a_leaf_outside_the_bounds_is_refused() -> None:
    """Pruning by bounds that do not hold would give a wrong value."""
    with pytest.raises(ValueError, match="outside the bounds 0 and 10"):
        list(walk(parse("(3 12)"), bounds=(0, 10)))
