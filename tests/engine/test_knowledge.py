"""What is known of a position without a search."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mancala.engine.knowledge import known, with_known
from mancala.engine.search.solver import Bounds, Solution
from mancala.protocol.rules import PRESETS, Board, Rules


@pytest.mark.parametrize(("seeds", "value"), [(4, 8), (6, 4)])
def test_the_value_of_a_start_is_known(seeds: int, value: int) -> None:
    """From the book or the certificate, with a best move, whose value it is."""
    found = known(Board.start(Rules(seeds=seeds)))
    assert found is not None
    assert found.value == Bounds(value, value)
    assert found.best is not None
    assert found.moves[found.best] == Bounds(value, value)
    assert all(bounds.high <= value for bounds in found.moves.values())


def test_stores_are_added() -> None:
    """A position three seeds ahead is worth three more to its mover."""
    board = Board.start(Rules(seeds=6))
    ahead = known(replace(board, stores=(5, 2)))
    assert ahead is not None
    assert ahead.value == Bounds(7, 7)


def test_of_other_rules_and_of_most_positions_nothing_is_known() -> None:
    """Nothing is claimed from nothing."""
    assert known(Board.start(PRESETS["article"])) is None
    assert known(Board.from_text("<6,3,9,0,3,1,2,2,9,1,4,4,4,3,3>")) is None


def solution(value: Bounds, best: int | None, moves: dict[int, Bounds]) -> Solution:
    """Return how far a search has come."""
    return Solution(value=value, best=best, moves=moves, nodes=9, seconds=1.0)


def test_what_a_search_finds_is_added() -> None:
    """Each bound is the better one of both."""
    sure = solution(Bounds(4, 4), 0, {0: Bounds(4, 4), 1: Bounds(-10, 4)})
    found = solution(Bounds(-10, 6), None, {0: Bounds(-10, 6), 1: Bounds(0, 2)})
    both = solution(Bounds(4, 4), 0, {0: Bounds(4, 4), 1: Bounds(0, 2)})
    assert with_known(found, sure) == both
    assert with_known(found, None) == found
