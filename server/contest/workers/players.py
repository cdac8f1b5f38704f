"""Workers that play headless games: processes on this machine, or a Dask cluster.

A worker is handed a chunk of games and everything needed to play them. It keeps its players from
chunk to chunk, since an engine takes half a second to make. The processes that play are watched
(`mancala.server.contest.workers.pool`), here and on a cluster, and end with the process that
started them, together with the programs they started. Making a player is part of the first game
that it is needed for.
"""

import gc
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from msgspec import Struct

from mancala.protocol.batch import BatchPlayer
from mancala.protocol.player import Player
from mancala.protocol.rules import Rules

from ..headless.batches import can_batch, play_batch
from ..headless.event import Contender
from ..headless.executor import Batch, GameExecutor, PlayChunk, WorkerLostError
from ..headless.game import PREPARING, Conditions, Task, play
from ..headless.played_game import PlayedGame
from .cluster import Team, open_pool
from .pool import Here
from .worker import on_exit, progress

WARM_UP_S: Final = 1800.0
"""Seconds in which a player is made and warmed up; compiling takes 90 s of a core, and on a busy
machine another process may have to compile first."""

WORTH_LOADING: Final = 500
"""Games from which on loading the kernels pays for players that are quick without."""


Names = tuple[str, str]
Place = tuple[int, str]
"""A player's name after its number in an event, or its seat."""


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
        with_file_at: returns a spec with its file where it lies, by the path that it names.
        is_here: whether the players are objects of this process, and play nowhere else.
    """

    make: Callable[..., Player]
    compiled: Callable[[str, Rules], Any]
    batch: Callable[[Any, Any], BatchPlayer]
    is_quick: Callable[[str], bool]
    is_program: Callable[[str], bool]
    outside: Callable[[str], tuple[str, ...]]
    with_file_at: Callable[[str, Mapping[str, str]], str]
    is_here: bool = False


class CarriedFile(NamedTuple):
    """A file that players' specs name, for workers on machines that have no such file."""

    path: str
    content: bytes


@cache
def path_here(file: CarriedFile) -> str:
    """Return where this machine has a file: at its path, or in the memory of this process."""
    with suppress(OSError):
        if Path(file.path).read_bytes() == file.content:
            return file.path
    number = os.memfd_create(Path(file.path).name)
    with os.fdopen(number, "wb", closefd=False) as memory:
        memory.write(file.content)
    return f"/proc/self/fd/{number}"


class Job(Struct, frozen=True):
    """What a worker needs to know to play a chunk.

    Attributes:
        files: what of the players' files it may not have.
        warm_up_s: seconds after which a player that is warmed up counts as hung.
        games: about how many there will be, None for many; a few quick ones load no kernels.
    """

    contenders: tuple[Contender, ...]
    conditions: Conditions
    source: PlayerSource
    warm_up_s: float = WARM_UP_S
    games: int | None = None
    files: tuple[CarriedFile, ...] = ()


class _KeptPlayers:
    """The players of a job, by name, that a worker keeps from chunk to chunk, and their batches."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.players: dict[str, Player] = {}
        self._specs = {contender.name: contender.spec for contender in job.contenders}
        if job.files:
            places = {file.path: path_here(file) for file in job.files}
            for name, spec in self._specs.items():
                self._specs[name] = job.source.with_file_at(spec, places)
        self._compiled: dict[str, Any] = {}
        self._batches: dict[Names, BatchPlayer | None] = {}

    def player(self, name: str) -> Player:
        """Return a player, made and warmed up on first use."""
        if name not in self.players:
            conditions = self.job.conditions
            player = self.job.source.make(self._specs[name], start_up_s=conditions.start_up_s)
            self.players[name] = player
            player.warm_up(conditions.rules.without_pie)
            gc.collect()
            gc.freeze()  # collecting the compiler's objects would take 120 ms of a move
        return self.players[name]

    def batch(self, names: Names) -> BatchPlayer | None:
        """Return what plays the games of two players by the batch; None where nothing does."""
        if names not in self._batches:
            job = self.job
            few = job.games is not None and job.games < WORTH_LOADING
            spared = few and all(job.source.is_quick(self._specs[name]) for name in names)
            first, second = (None if spared else self._compiled_form(name) for name in names)
            self._batches[names] = job.source.batch(first, second) if first and second else None
        return self._batches[names]

    def _compiled_form(self, name: str) -> Any:  # noqa: ANN401  # of the source's own type
        conditions = self.job.conditions
        if name not in self._compiled and can_batch(conditions):
            compiled = self.job.source.compiled(self._specs[name], conditions.rules)
            self._compiled[name] = compiled
        return self._compiled.get(name)

    def make(self, game: int, pairs: Iterable[tuple[Place, Place]]) -> None:
        """Make the players of each pair, or their batch, as what a game needs before it begins."""
        steps, limit_s = progress(), self.job.warm_up_s
        steps.begin(game, limit_s)
        for pair in pairs:
            steps.ask(pair[0][0], limit_s)
            if self.batch((pair[0][1], pair[1][1])) is None:
                for number, name in pair:
                    steps.ask(number, limit_s)
                    self.player(name)
        steps.end()

    def play(self, names: Names, tasks: list[Task]) -> Iterator[PlayedGame]:
        """Play the games of two players in the same seats, in any order."""
        conditions, batch = self.job.conditions, self.batch(names)
        games = play_batch(tasks, batch, conditions) if batch is not None else [None] * len(tasks)
        for task, game in zip(tasks, games, strict=True):
            if game is None:
                self._batches[names] = None  # from now on they are asked one move at a time
                pair = self.player(names[0]), self.player(names[1])
                yield play(task, pair, conditions, time.monotonic, progress())
            else:
                yield game


class _Kept(threading.local):
    """What a thread of a worker keeps."""

    players: _KeptPlayers | None = None

    def of(self, job: Job) -> _KeptPlayers:
        """Return the players of a job; those of another one are closed."""
        if self.players is None or self.players.job != job:
            for player in self.players.players.values() if self.players else ():
                player.close()
            self.players = _KeptPlayers(job)
        return self.players


_kept = _Kept()


def kept_player(job: Job, name: str) -> Player:
    """Return a player that this worker keeps, made and warmed up on first use."""
    return _kept.of(job).player(name)


def kill_players() -> None:
    """End what this worker's players have started."""
    for player in _kept.players.players.values() if _kept.players else ():
        player.kill()


on_exit(kill_players)


def play_chunk(job: Job, tasks: tuple[Task, ...]) -> Batch:
    """Play games, by the batch where both players are compiled; what a worker does."""
    kept = _kept.of(job)
    groups: dict[Names, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.players, []).append(task)
    for (first, second), group in groups.items():
        kept.make(group[0].number, [((0, first), (1, second))])
    began = time.perf_counter()
    played = {
        game.number: game for names, group in groups.items() for game in kept.play(names, group)
    }
    return Batch(tuple(played[task.number] for task in tasks), time.perf_counter() - began)


def prepare(job: Job) -> None:
    """Make every player once, so that what they share is on disk before many make them."""
    places = [(number, contender.name) for number, contender in enumerate(job.contenders)]
    _kept.of(job).make(PREPARING, pairwise([*places, places[0]]))


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
        ModuleNotFoundError: when Dask is not installed.
        WorkerLostError: when a player hung or ended its worker while it was warmed up.
    """
    work: PlayChunk = partial(play_chunk, job)
    with open_players(job, workers=workers, cluster=cluster) as team:
        _await_prepared(team.executor.submit(prepare, job), job)
        yield GameExecutor(team.executor, work, workers=team.size, conditions=job.conditions)


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
def open_players(job: Job, *, workers: int | None, cluster: str | None = None) -> Iterator[Team]:
    """Start what may ask the players of a job: this process, where they are objects of it."""
    if not job.source.is_here:
        with open_pool(workers, cluster) as team:
            yield team
        return
    with Here() as here:
        yield Team(here, 1)
