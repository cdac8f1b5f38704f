"""Proven positions of the first third of a game."""

from __future__ import annotations

import pytest

from mancala.engine.search.engine import tables_for
from mancala.engine.search.solver import Solver
from mancala.protocol.rules import KALAH, Board
from mancala.scripts.rating.answers import PositionAnswer
from mancala.scripts.rating.baselines import THUMBS
from mancala.scripts.rating.openings import OPENING, openings
from mancala.scripts.rating.positions import ProvenPosition
from mancala.scripts.rating.rating import PlayerRating


def test_a_seed_draws_openings_each_once() -> None:
    """The same seed draws the same ones, in the seeds of the phase; another seed draws others."""
    drawn = openings(3, 6, first=40)
    assert [each.number for each in drawn] == list(range(40, 46))
    boards = [each.board for each in drawn]
    assert len(set(boards)) == 6
    assert boards == [each.board for each in openings(3, 6)]
    assert boards != [each.board for each in openings(4, 6)]
    for board in boards:
        assert OPENING.fewest <= Board.from_text(board, KALAH).in_play <= OPENING.most


def test_two_openings_of_three_are_beyond_rules_of_thumb() -> None:
    """No rule of thumb is best in them, as in the other positions."""
    for number, opening in enumerate(openings(3, 6)):
        if number % 3 < 2:
            assert [opening.best_share(name) for name in THUMBS] == [0] * len(THUMBS)


@pytest.mark.parametrize("seed", [1])
def test_what_is_kept_of_an_opening_is_its_value(seed: int) -> None:
    """A proof of the smallest of some finds the values that are kept."""
    opening = min(openings(seed, 12), key=lambda each: Board.from_text(each.board, KALAH).in_play)
    board = Board.from_text(opening.board, KALAH)
    solver = Solver(KALAH, tables=tables_for(KALAH), table_bits=18)
    children = {pit: board.sow(pit).board for pit in opening.values}
    pit, child = min(children.items(), key=lambda each: each[1].in_play)
    *_, solution = solver.solve(child)
    worth = solution.value.low
    assert opening.values[pit] == (worth if child.player == board.player else -worth)


def test_openings_are_stated_apart() -> None:
    """They have a phase of their own, and do not count in the loss of the others."""
    rating = PlayerRating("greedy", 1)
    for phase, pit in (("opening", 0), ("late", 1)):
        rating.take(PositionAnswer(ProvenPosition(0, phase, "", {0: 0, 1: 4}), pit))
    assert {name: loss.loss for name, loss in rating.phases.items()} == {"opening": 4, "late": 0}
    assert rating.loss is not None
    assert rating.loss.loss == 0
    assert [answer.lost for answer in rating.dearest] == [4]
