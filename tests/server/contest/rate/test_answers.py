"""What a player answers in proven positions, though a worker is lost with it."""

import shlex
import sys
from pathlib import Path

import pytest

from mancala.headless import SOURCE
from mancala.protocol.loss import ProvenPosition
from mancala.protocol.messages import Reason
from mancala.protocol.rules import KALAH, Board
from mancala.server.contest.headless.event import Contender
from mancala.server.contest.headless.executor import WorkerLostError
from mancala.server.contest.rate.answers import answers
from mancala.server.contest.workers import pool
from mancala.server.contest.workers.players import Job, open_players
from mancala.server.contest.workers.pool import WorkerPool
from tests.server.contest.headless.players import conditions
from tests.server.contest.workers.test_players import KILL_WORKER

KILLING = f"""\
import pathlib, sys
noted = pathlib.Path(sys.argv[1])
deaths = len(noted.read_text()) if noted.exists() else 0
if deaths < int(sys.argv[2]):
    noted.write_text("x" * (deaths + 1))
    {KILL_WORKER.replace(chr(10), chr(10) + "    ")}
for question in sys.stdin:
    print(5, flush=True)
    print("done", flush=True)
"""
"""A program that kills its worker at its first starts, then sows pit 5."""


@pytest.mark.parametrize(("deaths", "fault"), [(1, None), (2, Reason.WEDGED)])
def test_a_worker_that_is_lost_once_costs_no_answer(
    deaths: int, fault: Reason | None, tmp_path: Path
) -> None:
    """What killed it came from outside; a player that two workers were lost with has no answer."""
    program = [sys.executable, "-c", KILLING, str(tmp_path / "noted"), str(deaths)]
    board = Board.start(KALAH)
    position = ProvenPosition(0, "early", board.text, dict.fromkeys(board.legal(), 0), {})
    job = Job((Contender("ada", f"cmd:{shlex.join(program)}"),), conditions(move_ms=60_000), SOURCE)
    with open_players(job, workers=1) as team:
        (found,) = answers(team.executor, job, [position])
    assert found.fault == fault
    assert found.pit == (None if fault else 5)


def test_a_player_that_no_worker_was_found_for_has_no_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was never asked; each answer counted as one that hung."""

    def fail(_: WorkerPool) -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(pool, "LOOK_S", 0.01)
    monkeypatch.setattr(WorkerPool, "_hire", fail)
    board = Board.start(KALAH)
    position = ProvenPosition(0, "early", board.text, dict.fromkeys(board.legal(), 0), {})
    job = Job((Contender("ada", "random"),), conditions(), SOURCE)
    with (
        pytest.raises(WorkerLostError, match="no more processes"),
        open_players(job, workers=1) as team,
    ):
        list(answers(team.executor, job, [position]))
