"""For which values of an unknown leaf which branches are pruned."""

from itertools import product
from math import inf
from typing import Any

import pytest

from mancala.engine.classics.lecture.game_tree import TreeError
from mancala.engine.classics.lecture.tree_text import parse, write
from mancala.engine.classics.lecture.tree_walk import WalkEvent, walk
from mancala.engine.classics.lecture.unknown_leaf import ValueRange, pruned_by_value
from tests.engine.classics.lecture.random_trees import generator


@pytest.mark.parametrize(
    ("tree", "ranges"),
    [
        (
            "((3 5) (? 2))",  # with 3 in hand, a first leaf of at most 3 needs no second look
            [(-inf, False, 3, True, ((1, 1),)), (3, False, inf, False, ())],
        ),
        (
            "((? 5) (2 9))",  # the first is worth ? up to 5; the second is cut once that is 2
            [(-inf, False, 2, False, ()), (2, True, inf, False, ((1, 1),))],
        ),
        ("((3 5) (2 ?))", [(-inf, False, inf, False, ((1, 1),))]),
        ("(?)", [(-inf, False, inf, False, ())]),
    ],
    ids=["up to what is in hand", "decides what comes later", "pruned itself", "alone"],
)
def test_a_branch_is_pruned_by_the_values_of_a_leaf(tree: str, ranges: list[Any]) -> None:
    """The ranges hold all values; a leaf that is pruned itself changes nothing."""
    assert pruned_by_value(parse(tree)) == tuple(ValueRange(*each) for each in ranges)


def test_each_range_of_a_leaf_has_ranges_of_the_next() -> None:
    """Ends may be the first leaf, since only the order of values counts."""
    low, high = pruned_by_value(parse("((? 5) (? 2))"))
    assert (low.high, high.low) == (5, 5)
    assert low.inner == (
        ValueRange(-inf, False, "?1", True, ((1, 1),)),
        ValueRange("?1", False, inf, False, ()),
    )
    assert [each.pruned for each in high.inner] == [((1, 1),), ()]
    assert high.inner[0].high == 5


@pytest.mark.parametrize("text", ["((3 5) (2 4))", "((? ?) (? ?))", "(chance(? 5) 2)"])
def test_other_trees_are_refused(text: str) -> None:
    """Up to three unknown leaves are asked about, and no means are taken."""
    with pytest.raises(TreeError):
        pruned_by_value(parse(text))


def test_every_value_prunes_what_its_range_says() -> None:
    """Walks with values drawn at random cut off as many children as is said."""
    rng = generator()
    for _ in range(100):
        leaves = [str(rng.randint(0, 9)) for _ in range(8)]
        place, value = rng.randrange(8), rng.randint(-2, 11)
        texts = [
            "((({} {}) ({} {})) (({} {}) ({} {})))".format(*filled)
            for filled in (
                [*leaves[:place], "?", *leaves[place + 1 :]],
                [*leaves[:place], str(value), *leaves[place + 1 :]],
            )
        ]
        (found,) = [each for each in pruned_by_value(parse(texts[0])) if holds(each, value)]
        cut = sum(step.skipped for step in walk(parse(texts[1])) if step.event is WalkEvent.CUT)
        assert len(found.pruned) == cut, write(parse(texts[1]))


def test_every_pair_of_values_prunes_what_its_range_says() -> None:
    """Also where they are equal, or one of them is a known leaf's."""
    tree = "(((? 4) (6 2)) ((? 5) (3 7)))"
    for first, second in product(range(1, 9), repeat=2):
        (outer,) = [each for each in pruned_by_value(parse(tree)) if holds(each, first)]
        (found,) = [each for each in outer.inner if holds(each, second, first)]
        filled = parse(tree.replace("?", str(first), 1).replace("?", str(second)))
        cut = sum(step.skipped for step in walk(filled) if step.event is WalkEvent.CUT)
        assert len(found.pruned) == cut, (first, second)


def holds(given: ValueRange, value: float, first: float = 0.0) -> bool:
    """Return whether a range has a value, where ``?1`` is the first."""
    low, high = (first if isinstance(end, str) else end for end in (given.low, given.high))
    above = low < value or (given.low_included and low == value)
    return above and (value < high or (given.high_included and high == value))
