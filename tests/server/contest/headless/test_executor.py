"""Games handed out in chunks, and workers that die."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from mancala.server.contest.headless.executor import Batch, GameExecutor, PlayChunk, WorkerLostError
from mancala.server.contest.headless.game import Task, Unfinished
from tests.server.contest.headless.players import conditions, finished

TASKS = [Task(number, ("ada", "bob")) for number in range(40)]


class Counting:
    """PlayChunk that counts its chunks and says that each game took so long."""

    def __init__(self, game_s: float) -> None:
        self.chunks: list[int] = []
        self._game_s = game_s

    def __call__(self, tasks: tuple[Task, ...]) -> Batch:
        self.chunks.append(len(tasks))
        return Batch(tuple(finished(task) for task in tasks), self._game_s * len(tasks))


class Unreliable(Executor):
    """Loses the worker of some chunks, and plays the others immediately.

    Args:
        lose: returns how a chunk is lost, given its tasks; None when it is not.
    """

    def __init__(self, lose: Callable[[tuple[Task, ...]], WorkerLostError | None]) -> None:
        self._lose = lose
        self._play = Counting(0.1)

    def submit(self, fn: Callable[..., Batch], /, *args: Any, **_: object) -> Future[Batch]:  # type: ignore[override]  # noqa: ARG002, ANN401  # chunks only
        future: Future[Batch] = Future()
        loss = self._lose(args[0])
        if loss is not None:
            future.set_exception(loss)
        else:
            future.set_result(self._play(args[0]))
        return future


def losing(number: int, *, times: int, is_hung: bool = False) -> Unreliable:
    """Return an executor that loses the worker that plays a game, the first N times."""
    left = [times]

    def lose(tasks: tuple[Task, ...]) -> WorkerLostError | None:
        if left[0] == 0 or number not in [task.number for task in tasks]:
            return None
        left[0] -= 1
        return WorkerLostError("gone", Unfinished(number, 1, (2, 0), 1.0), is_hung=is_hung)

    return Unreliable(lose)


def executor_of(
    executor: Executor, work: PlayChunk | None = None, *, workers: int = 2
) -> GameExecutor:
    return GameExecutor(executor, work or Counting(0.1), workers=workers, conditions=conditions())


def reasons(playing: GameExecutor) -> dict[int, str]:
    games = [game for batch in playing.play(TASKS) for game in batch.games]
    assert len(games) == len(TASKS)
    return {game.number: game.record.result.reason for game in games if game.record.result}


def numbers(playing: GameExecutor) -> list[int]:
    return sorted(game.number for batch in playing.play(TASKS) for game in batch.games)


def test_every_game_comes_back_once() -> None:
    """Several workers share the tasks without losing or repeating one."""
    with ThreadPoolExecutor(3) as pool:
        assert numbers(executor_of(pool, Counting(0.01), workers=3)) == list(range(40))


def test_short_games_travel_together_and_long_ones_alone() -> None:
    """A chunk takes about half a second, and never less than a game."""
    short, long = Counting(0.01), Counting(3.0)
    with ThreadPoolExecutor(1) as pool:
        assert numbers(executor_of(pool, short, workers=1)) == list(range(40))
        assert numbers(executor_of(pool, long, workers=1)) == list(range(40))
    assert max(short.chunks) > 10
    assert set(long.chunks[2:]) == {1}


def test_the_same_workers_may_be_given_other_work() -> None:
    """Hiring takes a second or two; what is to be done with games may change in between."""
    usual, other = Counting(0.01), Counting(0.01)
    with ThreadPoolExecutor(1) as pool:
        games = executor_of(pool, usual, workers=1)
        assert sum(len(batch.games) for batch in games.play(TASKS, other)) == len(TASKS)
    assert (sum(usual.chunks), sum(other.chunks)) == (0, len(TASKS))


@pytest.mark.parametrize(
    ("times", "is_hung", "reason"),
    [(1, False, "normal"), (2, False, "wedged"), (1, True, "wedged")],
)
def test_a_game_whose_worker_is_lost_is_played_once_more_unless_its_player_hung(
    times: int, *, is_hung: bool, reason: str
) -> None:
    """A player that takes two workers down, or hangs, loses; all other games are played."""
    found = reasons(executor_of(losing(7, times=times, is_hung=is_hung)))
    assert found == dict.fromkeys(range(40), "normal") | {7: reason}


def test_workers_that_only_die_end_the_event() -> None:
    """Workers that die before any game do not hold the event for ever."""
    games = executor_of(Unreliable(lambda _: WorkerLostError("gone")))
    with pytest.raises(WorkerLostError, match="gone"):
        numbers(games)


def test_a_fault_in_the_work_is_not_hidden() -> None:
    """An error that is no death of a worker reaches the caller."""

    def fail(_: tuple[Task, ...]) -> Batch:
        raise LookupError("no such player")

    with ThreadPoolExecutor(1) as pool, pytest.raises(LookupError, match="no such player"):
        numbers(executor_of(pool, fail, workers=1))


def test_leaving_early_hands_out_nothing_more() -> None:
    """A test with its verdict ends the match; tasks that wait are not begun."""
    work = Counting(0.1)
    with ThreadPoolExecutor(1) as pool:
        batches = executor_of(pool, work, workers=1).play(TASKS)
        next(batches)
        batches.close()
    assert sum(work.chunks) < 40
