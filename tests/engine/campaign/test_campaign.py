"""A campaign proves published values, however often it is broken off."""

import random
from itertools import islice
from pathlib import Path

import pytest

from mancala.engine.campaign import home, journal, positions
from mancala.engine.campaign.campaign import Effort
from mancala.engine.search.solver import Solver
from mancala.protocol.rules import Board, Rules
from tests.engine.campaign.campaigns import EFFORT, begun, finished, resumed, tables

PUBLISHED = {
    "kalah:pits=4,seeds=3": 6,
    "kalah:pits=5,seeds=2": 2,
    "kalah:seeds=2": 6,
    "kalah:seeds=3": 2,
    "kalah-empty-capture:pits=4,seeds=3": 8,
    "kalah-empty-capture:seeds=2": 10,
}
"""Irving, Donkers and Uiterwijk, "Solving Kalah", table 9, and solvers without empty capture."""


@pytest.mark.parametrize("text", PUBLISHED)
def test_published_values_are_proven(text: str, tmp_path: Path) -> None:
    """Kalah of known values comes out as published."""
    campaign = finished(tmp_path, Board.start(Rules.parse(text)))
    assert campaign.value.low == campaign.value.high == PUBLISHED[text]
    assert campaign.asked is None
    assert campaign.remaining is None
    assert campaign.proven > 0
    assert campaign.best is not None
    assert campaign.moves[campaign.best].low == PUBLISHED[text]


def test_no_move_may_be_worth_more_than_is_proven_of_the_position(tmp_path: Path) -> None:
    """A position proven whole says so of its moves, too: they kept the widest bounds once."""
    campaign = finished(tmp_path, Board.start(Rules.parse("kalah:pits=3,seeds=3")))
    assert {each.high for each in campaign.moves.values()} == {2}


@pytest.mark.parametrize(
    "text", ["kalah:pits=4,seeds=4", "kalah:pits=5,seeds=3", "article:pits=3,seeds=3"]
)
def test_every_move_is_worth_what_the_solver_proves(text: str, tmp_path: Path) -> None:
    """Asked for every move, a campaign and the solver agree on each."""
    rules = Rules.parse(text)
    campaign = finished(tmp_path, Board.start(rules), Effort(every_move=True, subproof_nodes=256))
    solver = Solver(rules, tables=tables(rules), table_bits=16)
    *_, solution = solver.solve(Board.start(rules), every_move=True)
    assert campaign.moves == solution.moves
    assert campaign.value == solution.value


def test_stores_count(tmp_path: Path) -> None:
    """A board with seeds in its stores is worth those, too, and player 1 may be its mover."""
    rules = Rules.parse("kalah:pits=4,seeds=3")
    start = Board.start(rules)
    board = Board(rules, start.pits, (2, 9), 1)
    assert finished(tmp_path, board).value.low == 6 + 7


def test_thresholds_are_asked_first(tmp_path: Path) -> None:
    """A given threshold is decided before the value is looked for; odd ones are rounded up."""
    rules = Rules.parse("kalah:seeds=2")
    campaign = begun(tmp_path, Board.start(rules), Effort(thresholds=(-3, 8)))
    steps = campaign.run()
    next(steps)
    assert campaign.asked == -2
    for _ in steps:
        if campaign.asked != -2:
            break
    assert campaign.value.low >= -2
    assert campaign.asked == 8
    campaign.close()


def test_a_campaign_goes_on_where_it_was_broken_off(tmp_path: Path, rng: random.Random) -> None:
    """Broken off at random, sometimes in the middle of a line, it keeps what was proven."""
    rules = Rules.parse("kalah:seeds=3")
    campaign = begun(tmp_path, Board.start(rules))
    for _ in range(6):
        for _ in islice(campaign.run(), rng.randrange(1, 40)):
            pass
        if rng.random() < 0.5:
            campaign.save()
        campaign.close()
        if rng.random() < 0.5:
            with (tmp_path / journal.NAME).open("ab") as file:
                file.write(b'0123abcd {"type":"proven"')
        before = campaign.proven
        campaign = resumed(tmp_path, rules)
        assert campaign.proven == before
    for _ in campaign.run():
        pass
    assert campaign.value.low == campaign.value.high == 2
    campaign.close()


def test_a_damaged_line_costs_its_subproof_only(tmp_path: Path) -> None:
    """After a line was damaged the campaign proves the same value again."""
    rules = Rules.parse("kalah:seeds=2")
    campaign = finished(tmp_path, Board.start(rules))
    path = tmp_path / journal.NAME
    lines = path.read_bytes().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b'"proven"' in line)
    lines[at] = lines[at].replace(b'"low":', b'"low":1')
    path.write_bytes(b"".join(lines))
    again = resumed(tmp_path, rules)
    assert again.journal.damaged == [at + 1]
    assert again.proven == campaign.proven - 1
    for _ in again.run():
        pass
    assert again.value == campaign.value
    again.close()


def test_the_speed_is_that_of_this_run(tmp_path: Path) -> None:
    """Earlier seconds are those of all workers together, so a forecast was far too long."""
    rules = Rules.parse("kalah:seeds=3")
    campaign = begun(tmp_path, Board.start(rules))
    known = positions.widest(Board.start(rules))
    slow = journal.Proven(Board.start(rules).text, known.low, known.high, 1, 1e9)
    campaign.journal.add(slow)
    campaign.close()
    campaign = resumed(tmp_path, rules)
    assert campaign.speed == pytest.approx(1e-9)
    for _ in campaign.run():
        if campaign.proven > 1:
            break
    assert campaign.speed > 1
    campaign.close()


def test_the_table_is_saved_now_and_then(tmp_path: Path) -> None:
    """While it runs, a campaign saves its transposition table and its certificate."""
    rules = Rules.parse("kalah:seeds=3")
    effort = Effort(subproof_nodes=EFFORT.subproof_nodes, save_s=0.0)
    campaign = begun(tmp_path, Board.start(rules), effort)
    for _ in campaign.run():
        if (tmp_path / home.TABLE).exists():
            break
    assert (tmp_path / home.CERTIFICATE).exists()
    campaign.close()
    again = resumed(tmp_path, rules)
    assert again.restored is not None
    again.close()
