"""Workers that make their players: what hangs or ends a worker before its first game."""

import shlex
import sys
from collections.abc import Iterator
from functools import partial

import pytest

from mancala.headless import SOURCE
from mancala.protocol.messages import Reason
from mancala.protocol.rules import Rules
from mancala.server.contest.headless.event import Contender
from mancala.server.contest.headless.executor import GameExecutor, WorkerLostError
from mancala.server.contest.headless.game import PREPARING, Conditions, Task
from mancala.server.contest.headless.played_game import PlayedGame
from mancala.server.contest.workers.players import Job, open_workers, play_chunk, prepare
from mancala.server.contest.workers.pool import WorkerPool
from tests.server.contest.headless.players import conditions

SLEEP = "import time; time.sleep(3600)"
KILL_WORKER = """\
import os, signal
fields = open(f"/proc/{os.getppid()}/stat").read().rpartition(")")[2].split()
os.kill(int(fields[1]), signal.SIGKILL)
"""


def setting(program: str) -> Job:
    """Let a program play that may take an hour to start, while some seconds are allowed."""
    command = shlex.join([sys.executable, "-c", program])
    contenders = Contender("ada", f"cmd:{command}"), Contender("bob", "random")
    usual = conditions(move_ms=500)
    slow = Conditions(Rules(3, 2), usual.clock, usual.budget_s, start_up_s=3600.0)
    return Job(contenders, slow, SOURCE, warm_up_s=4.0)


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    """One worker that is watched impatiently."""
    pool = WorkerPool(1, grace_s=0.5)
    yield pool
    pool.shutdown()


def test_a_player_that_hangs_while_it_is_made_is_named(pool: WorkerPool) -> None:
    """Before the first game it is known by its place in the event."""
    with pytest.raises(WorkerLostError, match="hung") as lost:
        pool.submit(prepare, setting(SLEEP)).result()
    assert lost.value.is_hung
    assert lost.value.game is not None
    assert lost.value.game[:2] == (PREPARING, 0)


def test_a_player_that_hangs_while_it_is_made_loses_its_game(pool: WorkerPool) -> None:
    """The event goes on, and the record says who was awaited."""
    slow = setting(SLEEP)
    executor = GameExecutor(pool, partial(play_chunk, slow), workers=1, conditions=slow.conditions)
    (batch,) = executor.play([Task(0, ("ada", "bob"))])
    result = batch.games[0].record.result
    assert result is not None
    assert (result.winner, result.reason) == (1, Reason.WEDGED)


def test_a_program_that_ends_its_worker_at_its_start_loses_its_game() -> None:
    """It is known before the first game, and does not end the event."""
    killing = setting(KILL_WORKER)
    with open_workers(killing, workers=1) as executor:
        (batch,) = executor.play([Task(0, ("ada", "bob"))])
    result = batch.games[0].record.result
    assert result is not None
    assert (result.winner, result.reason) == (1, Reason.WEDGED)


def test_few_games_of_quick_players_are_those_of_many() -> None:
    """They are played without the compiled kernels, move by move the same."""
    players = Contender("ada", "random"), Contender("bob", "greedy")
    tasks = tuple(Task(number, ("ada", "bob")) for number in range(100))
    usual = conditions(move_ms=60_000)
    few = play_chunk(Job(players, usual, SOURCE, games=100), tasks).games
    many = play_chunk(Job(players, usual, SOURCE), tasks).games
    assert [moves(game) for game in few] == [moves(game) for game in many]


def moves(game: PlayedGame) -> list[int]:
    return [move.pit for move in game.record.moves]
