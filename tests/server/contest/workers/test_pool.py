"""Real workers that are lost in every way, and the games that they had."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from mancala.protocol.record import verify
from mancala.server.contest.headless.executor import GameExecutor, PlayChunk, WorkersDiedError
from mancala.server.contest.headless.game import Task
from mancala.server.contest.headless.played_game import PlayedGame
from mancala.server.contest.workers import pool
from mancala.server.contest.workers.pool import Here, WorkerPool, _without_main
from tests.patience import PATIENCE_S
from tests.server.contest.headless.players import conditions
from tests.server.contest.workers import faulty

TASKS = [Task(number, ("ada", "bob")) for number in range(12)]
TERMS = conditions(move_ms=5000)
FAULTY = 5


@contextmanager
def workers(work: PlayChunk) -> Iterator[GameExecutor]:
    """Yield two workers that are watched impatiently."""
    pool = WorkerPool(2, grace_s=3.0, silence_s=6.0)
    try:
        yield GameExecutor(pool, work, workers=2, conditions=TERMS)
    finally:
        pool.shutdown()


def played(fault: str, once: Path | None = None) -> dict[int, PlayedGame]:
    with workers(partial(faulty.play_chunk, FAULTY, fault, once, TERMS)) as executor:
        games = [game for batch in executor.play(TASKS) for game in batch.games]
    assert sorted(game.number for game in games) == [task.number for task in TASKS]
    for game in games:
        verify(game.record)
    return {game.number: game for game in games}


def moves(games: dict[int, PlayedGame]) -> dict[int, list[int]]:
    return {
        number: [move.pit for move in game.record.moves]
        for number, game in games.items()
        if number != FAULTY
    }


@pytest.mark.parametrize("fault", ["hang", "SIGSTOP", "SIGKILL"])
def test_a_fault_that_repeats_loses_its_game_and_no_other(fault: str, tmp_path: Path) -> None:
    """A player that hangs once, or stops or kills its worker twice, loses that game as wedged."""
    games = played(fault, tmp_path / "once" if fault == "hang" else None)
    result = games[FAULTY].record.result
    assert result is not None
    assert (result.winner, result.reason) == (0, "wedged")
    assert result.evidence is not None
    assert result.evidence.player == 1
    assert len([move for move in games[FAULTY].record.moves if move.player == 1]) == 2
    others = {
        game.record.result.reason for n, game in games.items() if n != FAULTY and game.record.result
    }
    assert others == {"normal"}


@pytest.mark.parametrize("fault", ["SIGSTOP", "SIGKILL"])
def test_a_worker_that_is_lost_once_costs_no_game(fault: str, tmp_path: Path) -> None:
    """What stops or kills a worker from outside changes no game of the event."""
    (tmp_path / "happened").touch()
    undisturbed = played(fault, tmp_path / "happened")
    disturbed = played(fault, tmp_path / "once")
    assert (tmp_path / "once").exists()
    assert moves(disturbed) == moves(undisturbed)
    pits = [[move.pit for move in each[FAULTY].record.moves] for each in (disturbed, undisturbed)]
    assert pits[0] == pits[1]


def test_workers_that_die_before_every_game_end_the_event() -> None:
    """What kills workers without a game under way is reported after a few of them."""
    with workers(faulty.die) as executor, pytest.raises(WorkersDiedError, match="exit code -9"):
        list(executor.play(TASKS))


def test_a_call_whose_worker_is_killed_is_made_again(tmp_path: Path) -> None:
    """What was being made, such as positions of a data set, was not the cause."""
    with WorkerPool(1) as pool:
        assert pool.submit(faulty.die_once, tmp_path / "once").result(PATIENCE_S) > 0
        with pytest.raises(WorkersDiedError, match=r"3 workers died; the last: .* exit code -9"):
            pool.submit(faulty.die, ()).result(PATIENCE_S)


def test_a_machine_without_room_for_a_process_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A call that no worker was found for was given up at the first failure."""
    hire, failures = WorkerPool._hire, iter([True, False])

    def hire_later(hiring: WorkerPool) -> object:
        if next(failures, True):
            raise BlockingIOError("no more processes")
        return hire(hiring)

    monkeypatch.setattr(pool, "LOOK_S", 0.01)
    monkeypatch.setattr(WorkerPool, "_hire", hire_later)
    with WorkerPool(1) as here:
        assert here.submit(os.getpid).result(PATIENCE_S) > 0
    with WorkerPool(1) as here, pytest.raises(WorkersDiedError, match="no more processes"):
        here.submit(os.getpid).result(PATIENCE_S)


def test_arguments_by_name_are_refused() -> None:
    """They were dropped by all but processes of this machine."""
    with Here() as here, WorkerPool(1) as pool_here:
        for each in (here, pool_here):
            with pytest.raises(TypeError, match="by position only"):
                each.submit(int, "3", base=4)


def test_calls_return_results_and_raise_errors() -> None:
    """An error names what happened in the worker; the worker goes on."""
    with WorkerPool(1) as pool:
        first = pool.submit(os.getpid).result(PATIENCE_S)
        with pytest.raises(LookupError, match="no such player") as caught:
            pool.submit(faulty.fail).result(PATIENCE_S)
        assert "in a worker" in caught.value.__notes__[0]
        with pytest.raises(RuntimeError, match=r"IllegalMoveError: .*3"):
            pool.submit(faulty.move_illegally).result(PATIENCE_S)
        with pytest.raises(RuntimeError, match="cannot be sent back"):
            pool.submit(faulty.local).result(PATIENCE_S)
        assert pool.submit(os.getpid).result(PATIENCE_S) == first


def test_workers_ignore_ctrl_c() -> None:
    """Ctrl-C reaches all processes of a terminal; a worker leaves it to its owner."""
    with WorkerPool(1) as pool:
        worker = pool.submit(os.getpid).result(PATIENCE_S)
        os.kill(worker, signal.SIGINT)
        assert pool.submit(os.getpid).result(PATIENCE_S) == worker


def test_calls_made_here_end_after_the_running_one() -> None:
    """After Ctrl-C all that was submitted was still made."""
    here, begun, go_on = Here(), threading.Event(), threading.Event()

    def run() -> bool:
        begun.set()
        return go_on.wait(PATIENCE_S)

    running, waiting = here.submit(run), here.submit(os.getpid)
    assert begun.wait(PATIENCE_S)
    here.shutdown()
    go_on.set()
    assert running.result(PATIENCE_S)
    assert waiting.cancelled()


def test_a_player_here_that_exits_is_no_end_of_its_thread() -> None:
    """Its caller waited for ever."""
    with Here() as here:
        with pytest.raises(SystemExit):
            here.submit(sys.exit, 3).result(PATIENCE_S)
        assert here.submit(os.getpid).result(PATIENCE_S) == os.getpid()


def test_pools_that_start_workers_together_leave_the_main_module_as_it_is() -> None:
    """The second one took the first one's changes for the module, and put them back."""
    main, entered = sys.modules["__main__"], threading.Event()
    before = main.__spec__, vars(main).get("__file__")

    def start() -> None:
        with _without_main():
            entered.set()

    other = threading.Thread(target=start)
    with _without_main():
        other.start()
        assert not entered.wait(0.05)
    other.join(PATIENCE_S)
    assert (main.__spec__, vars(main).get("__file__")) == before
