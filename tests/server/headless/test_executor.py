"""Games handed out in chunks, and workers that die."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor

import pytest

from server.headless.executor import Batch, GameExecutor, WorkersDiedError
from server.headless.game import Task
from tests.server.headless.players import finished

TASKS = [Task(number, ("ada", "bob")) for number in range(40)]


class Counting:
    """PlayChunk that counts its chunks and says that each game took so long."""

    def __init__(self, game_s: float) -> None:
        self.chunks: list[int] = []
        self._game_s = game_s

    def __call__(self, tasks: tuple[Task, ...]) -> Batch:
        """Make the games up."""
        self.chunks.append(len(tasks))
        return Batch(tuple(finished(task) for task in tasks), self._game_s * len(tasks))


class Mortal(Executor):
    """Works for a while, then breaks as a pool of processes does."""

    def __init__(self, chunks: int) -> None:
        self._left = chunks

    def submit(self, fn: Callable[..., Batch], /, *args: object, **_: object) -> Future[Batch]:  # type: ignore[override]  # chunks only
        """Play the chunk immediately, or break."""
        if self._left < 0:
            raise BrokenExecutor
        future: Future[Batch] = Future()
        self._left -= 1
        if self._left < 0:
            future.set_exception(BrokenExecutor())
        else:
            future.set_result(fn(*args))
        return future


def numbers(crew: GameExecutor) -> list[int]:
    """Play all tasks and list the games that came back."""
    return sorted(game.number for batch in crew.play(TASKS) for game in batch.games)


def test_every_game_comes_back_once() -> None:
    """Several workers share the tasks without losing or repeating one."""
    with ThreadPoolExecutor(3) as pool:
        assert numbers(GameExecutor(lambda: pool, Counting(0.01), workers=3)) == list(range(40))


def test_short_games_travel_together_and_long_ones_alone() -> None:
    """A chunk takes about half a second, and never less than a game."""
    short, long = Counting(0.01), Counting(3.0)
    with ThreadPoolExecutor(1) as pool:
        assert numbers(GameExecutor(lambda: pool, short, workers=1)) == list(range(40))
        assert numbers(GameExecutor(lambda: pool, long, workers=1)) == list(range(40))
    assert max(short.chunks) > 10
    assert set(long.chunks[2:]) == {1}


def test_the_same_workers_may_be_given_other_work() -> None:
    """Hiring takes a second or two; what is to be done with games may change in between."""
    usual, other = Counting(0.01), Counting(0.01)
    with ThreadPoolExecutor(1) as pool:
        crew = GameExecutor(lambda: pool, usual, workers=1)
        assert sum(len(batch.games) for batch in crew.play(TASKS, other)) == len(TASKS)
    assert (sum(usual.chunks), sum(other.chunks)) == (0, len(TASKS))


def test_what_a_dead_worker_had_is_played_by_the_next() -> None:
    """A pool that breaks is replaced, and its games are handed out again, each once."""
    pools = iter([Mortal(3), Mortal(0), Mortal(2), Mortal(1000)])
    crew = GameExecutor(lambda: next(pools), Counting(0.1), workers=2)
    assert numbers(crew) == list(range(40))


def test_workers_that_only_die_end_the_event() -> None:
    """A player that takes every worker down with it does not hold the event for ever."""
    crew = GameExecutor(lambda: Mortal(0), Counting(0.1), workers=2)
    with pytest.raises(WorkersDiedError, match="died 4 times"):
        numbers(crew)


def test_a_fault_in_the_work_is_not_hidden() -> None:
    """An error that is no death of a worker reaches the caller."""

    def fail(_: tuple[Task, ...]) -> Batch:
        raise LookupError("no such player")

    with ThreadPoolExecutor(1) as pool, pytest.raises(LookupError, match="no such player"):
        numbers(GameExecutor(lambda: pool, fail, workers=1))


def test_leaving_early_hands_out_nothing_more() -> None:
    """A test with its verdict ends the match; tasks that wait are not begun."""
    work = Counting(0.1)
    with ThreadPoolExecutor(1) as pool:
        batches = GameExecutor(lambda: pool, work, workers=1).play(TASKS)
        next(batches)
        batches.close()  # type: ignore[attr-defined]  # it is a generator
    assert sum(work.chunks) < 40
