"""Positions with proven values."""

from functools import cache

import pytest

from mancala.engine import yardstick
from mancala.engine.search.engine import tables_for
from mancala.engine.search.solver import Solver
from mancala.engine.yardstick import (
    DEMANDS,
    THUMBS,
    TREE,
    Demand,
    make_position,
    openings,
    phases_of,
)
from mancala.protocol.loss import OPENING, PHASES, ProvenPosition
from mancala.protocol.rules import KALAH, Board, Rules

SEED = 5
made = cache(make_position)
drawn = cache(openings)


def test_a_position_is_made_from_its_seed_and_number() -> None:
    """The same seed makes the same positions, in any order; another seed makes others."""
    third = make_position(SEED, 2)
    assert [made(SEED, number) for number in (1, 2)][1] == third
    assert make_position(SEED + 1, 2).board != third.board


def test_the_values_are_those_of_perfect_play() -> None:
    """Each move's value is what the position after it is worth."""
    position = made(SEED, 1)
    solver = Solver(KALAH, tables=tables_for(KALAH), table_bits=18)
    board = Board.from_text(position.board, KALAH)
    assert tuple(position.values) == board.legal()
    for pit, value in position.values.items():
        child = board.sow(pit).board
        *_, solution = solver.solve(child)
        worth = solution.value.low
        assert value == (worth if child.player == board.player else -worth)


def test_positions_leave_a_choice_and_take_the_phases_in_turn() -> None:
    """Each has three moves or more of different value, and the seeds of its phase."""
    for number, phase in enumerate(PHASES):
        position = made(SEED, number)
        board = Board.from_text(position.board, KALAH)
        assert position.phase == phase.name
        assert phase.fewest <= board.in_play <= phase.most
        assert len(board.legal()) >= 3
        assert len(set(position.values.values())) > 1


def test_small_boards_have_the_phases_that_they_reach() -> None:
    """What their start does not hold is left out; without any, or none found, it ends."""
    assert phases_of(Rules(pits=4)) == PHASES[1:]
    assert phases_of(Rules(pits=4, seeds=3)) == PHASES[2:]
    assert make_position(3, 0, rules=Rules(pits=4, seeds=3)).phase == "late"
    for rules in (Rules(pits=2, seeds=9), Rules(seeds=1), Rules(pits=5, seeds=2)):
        with pytest.raises(ValueError, match="too few pits or seeds"):
            phases_of(rules)


def test_a_search_for_a_position_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A demand that no position meets would be looked for without end."""
    monkeypatch.setattr(yardstick, "MOST_TRIES", 2)
    with pytest.raises(ValueError, match="no hard late position of kalah was found in 2 games"):
        make_position(SEED, 2)


@pytest.mark.parametrize("number", [2, 5])
def test_two_positions_of_three_are_beyond_rules_of_thumb(number: int) -> None:
    """No rule of thumb is best in them, and in one of them alpha-beta is not, either."""
    position, demand = made(SEED, number), DEMANDS[number // len(PHASES)]
    assert demand > Demand.NONE
    avoided = (*THUMBS, *([TREE] if demand is Demand.NO_TREE else []))
    assert [position.best_share(name) for name in avoided] == [0] * len(avoided)


def test_a_loss_is_counted_from_the_best_move() -> None:
    """No answer counts as the worst move."""
    position = ProvenPosition(0, "late", "", {0: 4, 2: -2, 5: 2}, {"random": (0, 2, 5)})
    assert [position.loss(pit) for pit in (0, 2, 5, None)] == [0, 6, 2, 6]
    assert position.mean_loss("random") == pytest.approx(8 / 3)
    assert position.best_share("random") == pytest.approx(1 / 3)


def test_a_seed_draws_openings_each_once() -> None:
    """The same seed draws the same ones, in the seeds of the phase; another seed draws others."""
    boards = [each.board for each in drawn(3, 6)]
    assert len(set(boards)) == 6
    again = openings(3, 2, first=40)
    assert [(each.number, each.board) for each in again] == [(40, boards[0]), (41, boards[1])]
    assert boards[:2] != [each.board for each in openings(4, 2)]
    for board in boards:
        assert OPENING.fewest <= Board.from_text(board, KALAH).in_play <= OPENING.most


def test_two_openings_of_three_are_beyond_rules_of_thumb() -> None:
    """No rule of thumb is best in them, as in the other positions."""
    for number, opening in enumerate(drawn(3, 6)):
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
