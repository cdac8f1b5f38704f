"""Workers that play headless games: processes on this machine, or a Dask cluster.

A worker is handed a chunk of games and everything needed to play them. It keeps its players from
chunk to chunk, since an engine takes half a second to make. The processes that play are watched
(`mancala.scripts.tournament.workers.pool`), here and on a cluster, and end with the process that
started them, together with the programs they started. Making a player is part of the first game
that it is needed for.
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
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mancala.bot.players.compiled import batch_of, compiled_player, is_quick
from mancala.bot.players.registry import make_player
from mancala.bot.players.spec import PROGRAM, PlayerSpec
from mancala.server.contest.headless.batches import can_batch, play_batch
from mancala.server.contest.headless.event import Contender
from mancala.server.contest.headless.executor import Batch, GameExecutor, PlayChunk, WorkerLostError
from mancala.server.contest.headless.game import Conditions, Task, play
from mancala.server.contest.headless.progress import PREPARING

from ...console.processes.cluster import Team, on_cluster
from .cluster import in_child
from .pool import WorkerPool, progress

if TYPE_CHECKING:
    from concurrent.futures import Future

    from mancala.engine.batches.games import CompiledPlayer
    from mancala.protocol.batch import BatchPlayer
    from mancala.protocol.player import Player
    from mancala.server.contest.headless.played_game import PlayedGame

WARM_UP_S: Final = 1800.0
"""Seconds in which a player is made and warmed up; compiling takes 90 s of a core, and on a busy
machine another process may have to compile first."""

WORTH_LOADING: Final = 500
"""Games from which on loading the kernels pays for players that are quick without."""


class Job(Struct, frozen=True):
    """What a worker needs to know to play a chunk.

    Attributes:
        contenders: the players by name, and how they are made.
        conditions: what holds for every game.
        warm_up_s: seconds after which a player that is warmed up counts as hung.
        games: about how many there will be, None for many; a few quick ones load no kernels.
    """

    contenders: tuple[Contender, ...]
    conditions: Conditions
    warm_up_s: float = WARM_UP_S
    games: int | None = None


class _KeptPlayers(threading.local):
    """The players, by name, that a worker keeps from chunk to chunk, and their batches."""

    def __init__(self) -> None:
        self.setting: Job | None = None
        self.players: dict[str, Player] = {}
        self.compiled: dict[str, CompiledPlayer | None] = {}
        self.batches: dict[tuple[str, str], BatchPlayer | None] = {}

    def set_up(self, setting: Job) -> None:
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
            player.warm_up(conditions.rules.without_pie)
            gc.collect()
            gc.freeze()  # collecting the compiler's objects would take 120 ms of a move
        return self.players[name]

    def batch(self, names: tuple[str, str]) -> BatchPlayer | None:
        """Return what plays the games of two players by the batch; None where nothing does."""
        if names not in self.batches:
            few = self._set.games is not None and self._set.games < WORTH_LOADING
            spared = few and all(is_quick(self._spec(name)) for name in names)
            first, second = (None if spared else self._compiled(name) for name in names)
            self.batches[names] = batch_of(first, second) if first and second else None
        return self.batches[names]

    def give_up_batches(self, names: tuple[str, str]) -> None:
        """Ask these players one move at a time from now on."""
        self.batches[names] = None

    @property
    def conditions(self) -> Conditions:
        """What holds for every game of the setting."""
        return self._set.conditions

    @property
    def _set(self) -> Job:
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


def play_chunk(setting: Job, tasks: tuple[Task, ...]) -> Batch:
    """Play games, by the batch where both players are compiled; what a worker does.

    Raises:
        SpecError: when a player cannot be made.
        BatchError: when a game played by the batch contradicts the referee.
    """
    _kept.set_up(setting)
    groups: dict[tuple[str, str], list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.players, []).append(task)
    for group in groups.values():
        _warm_up(group[0], setting.warm_up_s)
    began = time.perf_counter()
    played = {
        game.number: game for names, group in groups.items() for game in _played(names, group)
    }
    return Batch(tuple(played[task.number] for task in tasks), time.perf_counter() - began)


def _warm_up(task: Task, limit_s: float) -> None:
    """Make both players of a game, or their batch, if they are not kept."""
    steps = progress()
    steps.begin(task.number, limit_s)
    if _kept.batch(task.players) is None:
        for seat, name in enumerate(task.players):
            steps.ask(seat, limit_s)
            _kept.player(name)
    steps.end()


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


def prepare(setting: Job) -> None:
    """Make every player once, so that what they share is on disk before many make them.

    Raises:
        SpecError: when a player cannot be made.
    """
    _kept.set_up(setting)
    steps = progress()
    steps.begin(PREPARING, setting.warm_up_s)
    contenders = (*enumerate(setting.contenders), (0, setting.contenders[0]))
    for one, other in pairwise(contenders):
        steps.ask(one[0], setting.warm_up_s)
        if _kept.batch((one[1].name, other[1].name)) is None:
            for number, contender in (one, other):
                steps.ask(number, setting.warm_up_s)
                _kept.player(contender.name)
    steps.end()


@contextmanager
def open_workers(
    setting: Job, *, workers: int | None, cluster: str | None = None
) -> Iterator[GameExecutor]:
    """Start workers for as long as the block lasts.

    Args:
        setting: what they play.
        workers: how many chunks are worked on at the same time; None for all cores, or for all
            threads of the cluster.
        cluster: address of a Dask scheduler; None for processes on this machine.

    Raises:
        SpecError: when a player cannot be made.
        ClusterError: when the cluster cannot be reached, or Dask is not installed.
        WorkerLostError: when a player hung or ended its worker while it was warmed up.
    """
    work: PlayChunk = partial(play_chunk, setting)
    make = partial(prepare, setting)
    if cluster:
        work = partial(in_child, _kill_players, play_chunk, setting)
        make = partial(in_child, _kill_players, prepare, setting)
    with on_cluster(cluster) if cluster else _processes(workers) as pool:
        _await_prepared(pool.executor.submit(make), setting)
        yield GameExecutor(
            pool.executor, work, workers=workers or pool.size, conditions=setting.conditions
        )


def _await_prepared(prepared: Future[None], setting: Job) -> None:
    """Wait until every player was made once.

    A program that stops or kills its worker doesn't end the event: it loses its games by that.

    Raises:
        WorkerLostError: when another player is at fault, by name.
    """
    try:
        prepared.result()
    except WorkerLostError as loss:
        if loss.game is None:
            raise
        lost = setting.contenders[loss.game.seat]
        if loss.is_hung or PROGRAM not in PlayerSpec.parse(lost.spec).options:
            raise WorkerLostError(f"{lost.name}: while it was warmed up, {loss}") from None


@contextmanager
def _processes(workers: int | None) -> Iterator[Team]:
    size = workers or os.cpu_count() or 1
    pool = WorkerPool(size, before_exit=_kill_players)
    try:
        yield Team(pool, size)
    finally:
        pool.shutdown()


def _kill_players() -> None:
    for player in _kept.players.values():
        player.kill()
