"""Workers that play headless games: processes on this machine, or a Dask cluster.

A worker is handed a chunk of games and everything needed to play them. It keeps its players from
chunk to chunk, since an engine takes half a second to make. The processes that play are watched
(`mancala.server.contest.workers.pool`), here and on a cluster, and end with the process that
started them, together with the programs they started. Making a player is part of the first game
that it is needed for.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct

from mancala.protocol.batch import BatchPlayer
from mancala.protocol.player import Player
from mancala.protocol.rules import Rules

from ..headless.batches import can_batch, play_batch
from ..headless.event import Contender
from ..headless.executor import Batch, GameExecutor, PlayChunk, WorkerLostError
from ..headless.game import PREPARING, Conditions, Task, play
from .cluster import Team, in_child, on_cluster
from .pool import worker_pool
from .worker import progress

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ..headless.played_game import PlayedGame

WARM_UP_S: Final = 1800.0
"""Seconds in which a player is made and warmed up; compiling takes 90 s of a core, and on a busy
machine another process may have to compile first."""

WORTH_LOADING: Final = 500
"""Games from which on loading the kernels pays for players that are quick without."""


class PlayerSource(NamedTuple):
    """What players are made by: functions at the level of a module, which workers are sent by name.

    All take a spec first; they raise a `ValueError` for one that names no player.

    Attributes:
        make: makes a player; ``start_up_s`` is the start-up allowance of a program.
        compiled: returns the compiled form of a player of some rules, or None.
        batch: returns what plays games between two compiled players.
        is_quick: returns whether a player answers in microseconds without being compiled.
        is_program: returns whether it is a program, which may end its worker.
        outside: returns the options that name a program, a file or a host.
    """

    make: Callable[..., Player]
    compiled: Callable[[str, Rules], Any]
    batch: Callable[[Any, Any], BatchPlayer]
    is_quick: Callable[[str], bool]
    is_program: Callable[[str], bool]
    outside: Callable[[str], tuple[str, ...]]


class Job(Struct, frozen=True):
    """What a worker needs to know to play a chunk.

    Attributes:
        contenders: the players by name, and how they are made.
        conditions: what holds for every game.
        source: makes them.
        warm_up_s: seconds after which a player that is warmed up counts as hung.
        games: about how many there will be, None for many; a few quick ones load no kernels.
    """

    contenders: tuple[Contender, ...]
    conditions: Conditions
    source: PlayerSource
    warm_up_s: float = WARM_UP_S
    games: int | None = None


class _KeptPlayers(threading.local):
    """The players, by name, that a worker keeps from chunk to chunk, and their batches."""

    def __init__(self) -> None:
        self.job: Job | None = None
        self.players: dict[str, Player] = {}
        self.compiled: dict[str, Any] = {}
        self.batches: dict[tuple[str, str], BatchPlayer | None] = {}

    def set_up(self, job: Job) -> None:
        """Close the players of another job."""
        if job != self.job:
            for player in self.players.values():
                player.close()
            self.job, self.players, self.compiled, self.batches = job, {}, {}, {}

    def player(self, name: str) -> Player:
        """Return a player, made on first use."""
        if name not in self.players:
            job = self._job
            player = job.source.make(self._spec(name), start_up_s=job.conditions.start_up_s)
            self.players[name] = player
            player.warm_up(job.conditions.rules.without_pie)
            gc.collect()
            gc.freeze()  # collecting the compiler's objects would take 120 ms of a move
        return self.players[name]

    def batch(self, names: tuple[str, str]) -> BatchPlayer | None:
        """Return what plays the games of two players by the batch; None where nothing does."""
        if names not in self.batches:
            job = self._job
            few = job.games is not None and job.games < WORTH_LOADING
            spared = few and all(job.source.is_quick(self._spec(name)) for name in names)
            first, second = (None if spared else self._compiled(name) for name in names)
            self.batches[names] = job.source.batch(first, second) if first and second else None
        return self.batches[names]

    @property
    def _job(self) -> Job:
        if self.job is None:
            raise RuntimeError("a worker plays within a job")
        return self.job

    def _spec(self, name: str) -> str:
        return next(one.spec for one in self._job.contenders if one.name == name)

    def _compiled(self, name: str) -> Any:  # noqa: ANN401  # of the source's own type
        if name not in self.compiled:
            conditions = self._job.conditions
            self.compiled[name] = (
                self._job.source.compiled(self._spec(name), conditions.rules)
                if can_batch(conditions)
                else None
            )
        return self.compiled[name]


_kept = _KeptPlayers()


def kept_player(job: Job, name: str) -> Player:
    """Return a player that this worker keeps, made and warmed up on first use."""
    _kept.set_up(job)
    return _kept.player(name)


def kill_players() -> None:
    """End what this worker's players have started."""
    for player in _kept.players.values():
        player.kill()


def play_chunk(job: Job, tasks: tuple[Task, ...]) -> Batch:
    """Play games, by the batch where both players are compiled; what a worker does.

    Raises:
        SpecError: when a player cannot be made.
        BatchError: when a game played by the batch contradicts the referee.
    """
    _kept.set_up(job)
    groups: dict[tuple[str, str], list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.players, []).append(task)
    for group in groups.values():
        _warm_up(group[0], job.warm_up_s)
    began = time.perf_counter()
    played = {
        game.number: game
        for names, group in groups.items()
        for game in _played(names, group, job.conditions)
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


def _played(
    names: tuple[str, str], tasks: list[Task], conditions: Conditions
) -> Iterator[PlayedGame]:
    """Play the games of two players in the same seats, in any order."""
    batch = _kept.batch(names)
    games = play_batch(tasks, batch, conditions) if batch is not None else [None] * len(tasks)
    for task, game in zip(tasks, games, strict=True):
        if game is None:
            _kept.batches[names] = None  # from now on they are asked one move at a time
            pair = _kept.player(names[0]), _kept.player(names[1])
            yield play(task, pair, conditions, time.monotonic, progress())
        else:
            yield game


def prepare(job: Job) -> None:
    """Make every player once, so that what they share is on disk before many make them."""
    _kept.set_up(job)
    steps = progress()
    steps.begin(PREPARING, job.warm_up_s)
    contenders = (*enumerate(job.contenders), (0, job.contenders[0]))
    for one, other in pairwise(contenders):
        steps.ask(one[0], job.warm_up_s)
        if _kept.batch((one[1].name, other[1].name)) is None:
            for number, contender in (one, other):
                steps.ask(number, job.warm_up_s)
                _kept.player(contender.name)
    steps.end()


@contextmanager
def open_workers(
    job: Job, *, workers: int | None, cluster: str | None = None
) -> Iterator[GameExecutor]:
    """Start workers for as long as the block lasts.

    Args:
        job: what they play.
        workers: how many chunks are worked on at the same time; None for all cores, or for all
            threads of the cluster.
        cluster: address of a Dask scheduler; None for processes on this machine.

    Raises:
        SpecError: when a player cannot be made.
        ClusterError: when the cluster cannot be reached.
        ModuleNotFoundError: when Dask is not installed.
        WorkerLostError: when a player hung or ended its worker while it was warmed up.
    """
    work: PlayChunk = partial(play_chunk, job)
    make = partial(prepare, job)
    if cluster:
        work = partial(in_child, kill_players, play_chunk, job)
        make = partial(in_child, kill_players, prepare, job)
    with on_cluster(cluster) if cluster else _processes(workers) as pool:
        _await_prepared(pool.executor.submit(make), job)
        yield GameExecutor(
            pool.executor, work, workers=workers or pool.size, conditions=job.conditions
        )


def _await_prepared(prepared: Future[None], job: Job) -> None:
    """Wait until every player was made once.

    A program that stops or kills its worker doesn't end the event: it loses its games by that.
    Another player that does is an error, and named.
    """
    try:
        prepared.result()
    except WorkerLostError as loss:
        if loss.game is None:
            raise
        lost = job.contenders[loss.game.seat]
        if loss.is_hung or not job.source.is_program(lost.spec):
            raise WorkerLostError(f"{lost.name}: while it was warmed up, {loss}") from None


@contextmanager
def _processes(workers: int | None) -> Iterator[Team]:
    size = workers or os.cpu_count() or 1
    with worker_pool(size, kill_players) as pool:
        yield Team(pool, size)
