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
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct

from bot.players.compiled import batch_of, compiled_player
from bot.players.registry import make_player
from scripts.processes.pool import WorkerPool, progress
from server.headless.batches import can_batch, play_batch
from server.headless.event import Contender
from server.headless.executor import Batch, GameExecutor
from server.headless.game import Conditions, Task, play

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from engine.batched_games import CompiledPlayer
    from protocol.batch import BatchPlayer
    from protocol.player import Player
    from server.headless.played_game import PlayedGame

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
    """The players, by name, that a worker keeps from chunk to chunk, and their batches."""

    def __init__(self) -> None:
        self.setting: Setting | None = None
        self.players: dict[str, Player] = {}
        self.compiled: dict[str, CompiledPlayer | None] = {}
        self.batches: dict[tuple[str, str], BatchPlayer | None] = {}

    def set_up(self, setting: Setting) -> None:
        """Close the players of another setting."""
        if setting != self.setting:
            for player in self.players.values():
                player.close()
            self.setting, self.players, self.compiled, self.batches = setting, {}, {}, {}

    def player(self, name: str) -> Player:
        """Return a player, made on first use."""
        if name not in self.players:
            conditions = self._set.conditions
            player = make_player(self._spec(name), start_up_s=conditions.start_up_s)
            self.players[name] = player
            player.warm_up(conditions.rules)
            gc.collect()
            gc.freeze()  # collecting the compiler's objects would take 120 ms of a move
        return self.players[name]

    def batch(self, names: tuple[str, str]) -> BatchPlayer | None:
        """Return what plays the games of two players by the batch; None where nothing does."""
        if names not in self.batches:
            first, second = self._compiled(names[0]), self._compiled(names[1])
            self.batches[names] = batch_of(first, second) if first and second else None
        return self.batches[names]

    def give_up_batches(self, names: tuple[str, str]) -> None:
        """Have these players asked one move at a time from now on."""
        self.batches[names] = None

    @property
    def conditions(self) -> Conditions:
        """What holds for every game of the setting."""
        return self._set.conditions

    @property
    def _set(self) -> Setting:
        if self.setting is None:
            raise RuntimeError("a worker plays within a setting")
        return self.setting

    def _spec(self, name: str) -> str:
        return next(one.spec for one in self._set.contenders if one.name == name)

    def _compiled(self, name: str) -> CompiledPlayer | None:
        conditions = self._set.conditions
        if name not in self.compiled:
            possible = can_batch(conditions)
            self.compiled[name] = (
                compiled_player(self._spec(name), conditions.rules) if possible else None
            )
        return self.compiled[name]


_kept = _KeptPlayers()


def play_chunk(setting: Setting, tasks: tuple[Task, ...]) -> Batch:
    """Play games, by the batch where both players are compiled; what a worker does.

    Raises:
        SpecError: when a player cannot be made.
        BatchError: when a game played by the batch contradicts the referee.
    """
    _kept.set_up(setting)
    groups: dict[tuple[str, str], list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.players, []).append(task)
    for names in groups:
        if _kept.batch(names) is None:
            _kept.player(names[0])
            _kept.player(names[1])
    began = time.perf_counter()
    played = {
        game.number: game for names, group in groups.items() for game in _played(names, group)
    }
    return Batch(tuple(played[task.number] for task in tasks), time.perf_counter() - began)


def _played(names: tuple[str, str], tasks: list[Task]) -> Iterator[PlayedGame]:
    """Play the games of two players in the same seats, in any order."""
    conditions, batch = _kept.conditions, _kept.batch(names)
    games = play_batch(tasks, batch, conditions) if batch is not None else [None] * len(tasks)
    for task, game in zip(tasks, games, strict=True):
        if game is None:
            _kept.give_up_batches(names)
            pair = _kept.player(names[0]), _kept.player(names[1])
            yield play(task, pair, conditions, time.monotonic, progress())
        else:
            yield game


def prepare(setting: Setting) -> None:
    """Make every player once, so that what they share is on disk before many make them.

    Raises:
        SpecError: when a player cannot be made.
    """
    _kept.set_up(setting)
    first, *others = setting.contenders
    for one, other in pairwise((first, *others, first)):
        if _kept.batch((one.name, other.name)) is None:
            _kept.player(one.name)
            _kept.player(other.name)


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
    with on_cluster(cluster) if cluster else _processes(workers) as team:
        team.executor.submit(prepare, setting).result()
        yield GameExecutor(
            team.executor, work, workers=workers or team.size, conditions=setting.conditions
        )


class Team(NamedTuple):
    """Workers, and how many there are."""

    executor: Executor
    size: int


@contextmanager
def _processes(workers: int | None) -> Iterator[Team]:
    size = workers or os.cpu_count() or 1
    pool = WorkerPool(size, before_exit=_kill_players)
    try:
        yield Team(pool, size)
    finally:
        pool.shutdown()


@contextmanager
def on_cluster(address: str) -> Iterator[Team]:
    """Use the workers of a Dask cluster for as long as the block lasts.

    Args:
        address: its scheduler.

    Raises:
        ClusterError: when it cannot be reached, or Dask is not installed.
    """
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
        yield Team(executor, threads)
        executor.shutdown(wait=False)  # the workers stay with their owner
    finally:
        client.close()


def _kill_players() -> None:
    for player in _kept.players.values():
        player.kill()
