"""What ``match`` and ``tournament`` have in common: players, conditions, openings, and playing."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol.clock import TimeControl
from mancala.protocol.player import START_UP_S, PlayerError

from ...console import output as console
from ...console.options import rules_of

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from mancala.server.contest.headless.event import Contender
    from mancala.server.contest.headless.executor import Batch, GameExecutor, PlayChunk
    from mancala.server.contest.headless.game import Conditions, Task

UNTIMED_BUDGET_S: Final = 0.1
"""Seconds a move for a player that needs a time, where none is given."""
UNTIMED_LIMIT_S: Final = 60.0
"""Seconds after which a player counts as hung, where no time is given."""
MARGIN_S: Final = 0.2
REFRESH_S: Final = 0.2

StartUpOption = Annotated[
    float,
    typer.Option(
        "--start-up", min=0.001, help="Seconds for a program from its start to its first answer."
    ),
]
OpeningsOption = Annotated[
    str | None,
    typer.Option(
        "--openings", help="A file, or 'start' for the usual start. Default: built-in openings."
    ),
]
RunOption = Annotated[
    list[str] | None,
    typer.Option(
        "--run",
        help="A bot that connects to a server, as a player: the command that starts it, {url} for"
        " the address of a private server. May be repeated; as a SPEC it is net:COMMAND.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed plays the same games.")]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option("--concurrency", min=1, max=1024, help="Games at a time. Default: one per core."),
]


@dataclass(frozen=True, slots=True)
class PlayerLimits:
    """Options: limits given on the command line, for players that name none of their own.

    Attributes:
        movetime: seconds a move, for all.
        margin: seconds that an answer may be late.
        start_up: seconds for a program from its start to its first answer.
        depth: plies or turns to look ahead.
        nodes: positions a move.
    """

    movetime: Annotated[
        float | None, typer.Option("--movetime", min=0.001, help="Time limit per move, in seconds.")
    ] = None
    margin: Annotated[
        float, typer.Option("--margin", min=0.0, help="How late an answer may be, in seconds.")
    ] = MARGIN_S
    start_up: StartUpOption = START_UP_S
    depth: Annotated[
        int | None, typer.Option("--depth", min=1, help="Depth for players whose SPEC sets none.")
    ] = None
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", min=1, help="Nodes for engines whose SPEC sets no limit."),
    ] = None


@dataclass(frozen=True, slots=True)
class ExecutorOptions:
    """Options: where games are played.

    Attributes:
        workers: how many at a time; None for as many as there are cores, here or there.
        cluster: address of a Dask scheduler; None for processes on this machine.

    Raises:
        ModuleNotFoundError: when a cluster is named and Dask is not installed.
    """

    workers: ConcurrencyOption = None
    cluster: Annotated[
        str | None, typer.Option("--cluster", help="A Dask scheduler, such as tcp://host:8786.")
    ] = None

    def __post_init__(self) -> None:
        if self.cluster is not None:
            import_module("distributed")  # before anything is kept on disk for these games


def conditions_of(rules: str, limits: PlayerLimits, *, seed: int) -> Conditions:
    """Return the conditions of every game.

    Raises:
        typer.Exit: when it cannot be.
    """
    from mancala.server.contest.headless.game import Conditions

    timed = limits.movetime is not None
    budget_s = limits.movetime if limits.movetime is not None else UNTIMED_BUDGET_S
    limit_s = budget_s + limits.margin if timed else UNTIMED_LIMIT_S
    clock = TimeControl.for_each_move(limit_s)
    margin_ms = round(1000 * limits.margin) if timed else 0
    return Conditions(rules_of(rules), clock, budget_s, seed, margin_ms, limits.start_up)


def contenders_of(players: Iterable[str], limits: PlayerLimits) -> tuple[Contender, ...]:
    """Return the players, each ``SPEC`` or ``NAME=SPEC``; equal names get a number.

    Raises:
        typer.Exit: when one is none.
    """
    from mancala.bot.players.registry import SpecError, check_spec
    from mancala.server.contest.headless.event import Contender

    contenders: list[Contender] = []
    for text in players:
        name, spec = _named(text)
        try:
            limited = _limited(spec, limits)
            check_spec(limited)
        except SpecError as error:
            console.fail(error)
        names = {contender.name for contender in contenders}
        free = (f"{name}#{number}" if number > 1 else name for number in range(1, len(names) + 2))
        contenders.append(Contender(next(one for one in free if one not in names), limited))
    return tuple(contenders)


def _named(text: str) -> tuple[str, str]:
    name, equals, spec = text.partition("=")
    if equals and name.strip() and ":" not in name:
        return name.strip(), spec.strip()
    return text.strip(), text.strip()


def _limited(text: str, limits: PlayerLimits) -> str:
    """Return a spec with the command line's limits, if its player takes them and names none."""
    from mancala.bot.players.registry import kind_of
    from mancala.bot.players.spec import PlayerSpec

    spec = PlayerSpec.parse(text)
    options = dict(spec.options)
    known = {option.name for option in kind_of(spec).options}
    if {"movetime", "depth", "nodes"} <= known:
        if not {"movetime", "depth", "nodes"} & options.keys():
            given = {"depth": limits.depth, "nodes": limits.nodes}
            options |= {key: str(value) for key, value in given.items() if value is not None}
    elif "depth" in known and limits.depth is not None:
        options = {"depth": str(limits.depth), **options}
    return str(replace(spec, options=options))


def with_bots(commands: Iterable[str] | None, players: Iterable[str | None]) -> tuple[str, ...]:
    """Return the bots of ``--run`` and the players named, in this order."""
    bots = (f"net:{command}" for command in commands or ())
    return (*bots, *(player for player in players if player is not None))


def even(games: int) -> int:
    """Return the number of games rounded up to whole pairs, with a note on stderr if it grew."""
    if games % 2:
        console.say(f"mancala: games come in pairs with the seats swapped: {games + 1}", err=True)
    return games + games % 2


@contextmanager
def open_executor(
    contenders: tuple[Contender, ...],
    conditions: Conditions,
    where: ExecutorOptions,
    *,
    games: int | None = None,
) -> Iterator[GameExecutor]:
    """Hire workers for as long as the block lasts.

    Sessions that bots keep in the current folder end with the block.

    Args:
        contenders: who may play.
        conditions: what holds for every game.
        where: which workers.
        games: about how many there will be; None for many.

    Raises:
        typer.Exit: when they cannot play: a player that can't be made, no cluster, dying workers.
    """
    from mancala.bot.players.programs.session_files import restored
    from mancala.bot.players.spec import SpecError
    from mancala.server.contest.headless.executor import WorkerLostError, WorkersDiedError

    from ...console.processes.cluster import ClusterError
    from .workers import WARM_UP_S, Job, open_workers

    # A program may be started twice.
    setting = Job(contenders, conditions, WARM_UP_S + 2 * conditions.start_up_s, games)
    try:
        with (
            restored(Path.cwd()),
            open_workers(setting, workers=where.workers, cluster=where.cluster) as executor,
        ):
            yield executor
    except (SpecError, PlayerError) as error:
        console.fail(error)
    except (ClusterError, WorkersDiedError, WorkerLostError) as error:
        console.fail(error, code=console.FAILED)


def played(
    executor: GameExecutor,
    tasks: Iterable[Task],
    view: Callable[[], RenderableType],
    *,
    quiet: bool,
    work: PlayChunk | None = None,
) -> Generator[Batch, None, None]:
    """Play tasks on the workers, and draw the view after each chunk."""
    from ...console.terminal import Terminal

    terminal = Terminal(stderr=True)
    if quiet or not terminal.is_terminal:
        yield from executor.play(tasks, work)
        return
    yield from _drawn(executor.play(tasks, work), view, terminal)


def _drawn(
    batches: Iterator[Batch], view: Callable[[], RenderableType], terminal: Console
) -> Generator[Batch, None, None]:
    from rich.live import Live

    with Live(console=terminal, auto_refresh=False, transient=True) as live:
        shown = 0.0
        live.update(view(), refresh=True)
        for batch in batches:
            yield batch
            if time.monotonic() - shown > REFRESH_S:
                shown = time.monotonic()
                live.update(view(), refresh=True)
