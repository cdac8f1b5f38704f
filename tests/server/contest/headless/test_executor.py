"""Games handed out in chunks; `test_pool.py` has workers that die."""

from concurrent.futures import Executor, ThreadPoolExecutor

import pytest

from mancala.server.contest.headless.executor import Batch, GameExecutor, PlayChunk
from mancala.server.contest.headless.game import Task
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


def executor_of(executor: Executor, work: PlayChunk, *, workers: int) -> GameExecutor:
    return GameExecutor(executor, work, workers=workers, conditions=conditions())


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
