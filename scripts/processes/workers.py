"""Workers that play headless games: processes on this machine, or a Dask cluster.

A worker is handed a chunk of games and everything needed to play them. It keeps its players from
chunk to chunk, since an engine takes half a second to make. Processes on this machine are watched
(`scripts.processes.pool`), and end with the one that hired them, with the programs they started.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct

from bot.players.registry import make_player
from scripts.processes.pool import WorkerPool, progress
from server.headless.event import Contender
from server.headless.executor import Batch, GameExecutor
from server.headless.game import Conditions, Task, play

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from protocol.player import Player
    from protocol.rules import Rules

CONNECT_S: Final = 10
DEATHS_A_CHUNK: Final = 3
"""How often a cluster retries a chunk whose worker died."""


class ClusterError(RuntimeError):
    """The cluster cannot be used; the message says why."""


class Setting(Struct, frozen=True):
    """What a worker needs to know to play a chunk.

    Attributes:
        contenders: the players by name, and how they are made.
        conditions: what holds for every game.
    """

    contenders: tuple[Contender, ...]
    conditions: Conditions


class _KeptPlayers(threading.local):
    """The players, by name, that a worker keeps from chunk to chunk."""

    def __init__(self) -> None:
        self.setting: Setting | None = None
        self.players: dict[str, Player] = {}

    def set_up(self, setting: Setting) -> None:
        """Close the players of another setting."""
        if setting != self.setting:
            for player in self.players.values():
                player.close()
            self.setting, self.players = setting, {}

    def player(self, name: str, rules: Rules) -> Player:
        """Return a player, made on first use."""
        if name not in self.players and self.setting is not None:
            specs = {contender.name: contender.spec for contender in self.setting.contenders}
            start_up_s = self.setting.conditions.start_up_s
            self.players[name] = make_player(specs[name], start_up_s=start_up_s)
            self.players[name].warm_up(rules)
            gc.collect()
            gc.freeze()  # collecting the compiler's objects would take 120 ms of a move
        return self.players[name]


_kept = _KeptPlayers()


def play_chunk(setting: Setting, tasks: tuple[Task, ...]) -> Batch:
    """Play games one after the other; what a worker does.

    Raises:
        SpecError: when a player cannot be made.
    """
    _kept.set_up(setting)
    conditions = setting.conditions
    pairs = [
        (
            _kept.player(task.players[0], conditions.rules),
            _kept.player(task.players[1], conditions.rules),
        )
        for task in tasks
    ]
    began = time.perf_counter()
    games = tuple(
        play(task, pair, conditions, time.monotonic, progress())
        for task, pair in zip(tasks, pairs, strict=True)
    )
    return Batch(games, time.perf_counter() - began)


def prepare(setting: Setting) -> None:
    """Make every player once, so that what they share is on disk before many make them.

    Raises:
        SpecError: when a player cannot be made.
    """
    _kept.set_up(setting)
    for contender in setting.contenders:
        _kept.player(contender.name, setting.conditions.rules)


@contextmanager
def crew(
    setting: Setting, *, workers: int | None, cluster: str | None = None
) -> Iterator[GameExecutor]:
    """Hire workers for as long as the block lasts.

    Args:
        setting: what they play.
        workers: how many chunks are worked on at the same time; None for all cores, or for all
            threads of the cluster.
        cluster: address of a Dask scheduler; None for processes on this machine.

    Raises:
        SpecError: when a player cannot be made.
        ClusterError: when the cluster cannot be reached, or Dask is not installed.
    """
    work = partial(play_chunk, setting)
    with _cluster(cluster) if cluster else _processes(workers) as team:
        team.executor.submit(prepare, setting).result()
        yield GameExecutor(
            team.executor, work, workers=workers or team.size, conditions=setting.conditions
        )


class _Team(NamedTuple):
    """Workers, and how many there are."""

    executor: Executor
    size: int


@contextmanager
def _processes(workers: int | None) -> Iterator[_Team]:
    size = workers or os.cpu_count() or 1
    pool = WorkerPool(size, before_exit=_kill_players)
    try:
        yield _Team(pool, size)
    finally:
        pool.shutdown()


@contextmanager
def _cluster(address: str) -> Iterator[_Team]:
    import distributed

    connect: Any = distributed.Client  # it has no annotations
    try:
        client = connect(address, set_as_default=False, timeout=CONNECT_S)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no cluster at {address}: {error}") from None
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise ClusterError(f"the cluster at {address} has no workers")
        executor = client.get_executor(pure=False, retries=DEATHS_A_CHUNK)
        yield _Team(executor, threads)
        executor.shutdown(wait=False)  # the workers stay with their owner
    finally:
        client.close()


def _kill_players() -> None:
    for player in _kept.players.values():
        player.kill()
