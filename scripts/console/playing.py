"""What commands that play without a server have in common: options, failures, and a live view."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from mancala.protocol.player import START_UP_S
from mancala.protocol.text import quantity

from . import output as console
from .options import is_typed

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from mancala.protocol.rules import Rules
    from mancala.server.contest.headless.event import Contender, Event
    from mancala.server.contest.headless.game import Conditions
    from mancala.server.contest.headless.journal import EventJournal
    from mancala.server.contest.headless.played_game import PlayedGame
    from mancala.server.rating.sprt import Sprt

T = TypeVar("T", bound="Sequence[PlayedGame]")

MARGIN_S: Final = 0.2
REFRESH_S: Final = 0.2
WHEN_RESUMED: Final = (
    "resume trust workers cluster live publish publish_as token title sprt sprt_model alpha beta"
    " records out report review json"
)
"""Options that count for what is resumed, too; others only describe something new."""

PlayerArgument = Annotated[
    str | None, typer.Argument(help="A player: SPEC or NAME=SPEC; 'mancala players' lists them.")
]
OtherPlayerArgument = Annotated[str | None, typer.Argument(help="The other player.")]
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
    """Options: limits given on the command line, for players that name none of their own."""

    movetime: Annotated[
        float | None, typer.Option(min=0.001, help="Time limit per move, in seconds.")
    ] = None
    margin: Annotated[
        float, typer.Option(min=0.0, help="How late an answer may be, in seconds.")
    ] = MARGIN_S
    start_up: StartUpOption = START_UP_S
    depth: Annotated[
        int | None, typer.Option(min=1, help="Depth for players whose SPEC sets none.")
    ] = None
    nodes: Annotated[
        int | None,
        typer.Option(min=1, help="Nodes for engines whose SPEC sets no limit."),
    ] = None

    def conditions(self, rules: Rules, *, seed: int) -> Conditions:
        from mancala.headless import conditions_of

        return conditions_of(
            rules, movetime=self.movetime, margin=self.margin, start_up=self.start_up, seed=seed
        )

    def contenders(self, players: Iterable[str]) -> tuple[Contender, ...]:
        """Return the players, each ``SPEC`` or ``NAME=SPEC``."""
        from mancala.headless import contenders_of

        with console.bad_input():
            return contenders_of(players, depth=self.depth, nodes=self.nodes)


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Options: the machines that work instead of this one; a cluster needs Dask."""

    cluster: Annotated[
        str | None, typer.Option(help="A Dask scheduler, such as tcp://host:8786.")
    ] = None

    def __post_init__(self) -> None:
        if self.cluster is not None:
            import_module("distributed")  # before anything is kept on disk


@dataclass(frozen=True, slots=True)
class ExecutorOptions(ClusterOptions):
    """Options: where games are played."""

    workers: ConcurrencyOption = None


@dataclass(frozen=True, slots=True)
class ProcessOptions(ExecutorOptions):
    """Options: where work other than games is done."""

    workers: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Processes. Default: one per core."),
    ] = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.cluster is not None:
            console.fail("--workers counts processes of this machine; leave it out with --cluster")
        ClusterOptions.__post_init__(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryOptions:
    """Options: where the games are kept, or which directory to go on with."""

    directory: Annotated[
        Path | None, typer.Option("--dir", help="New directory to keep the games in.")
    ] = None
    resume: Annotated[
        Path | None, typer.Option(help="Resume what was begun in this directory.")
    ] = None
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="Resume an event that others began, though its players are programs, files or "
            "hosts.",
        ),
    ] = False

    def begin(
        self, context: typer.Context, event: Event | None, test: Sprt | None = None
    ) -> tuple[Path, Event]:
        """Begin an event in a new directory, or return the one to resume; with its directory."""
        from mancala.headless import SOURCE
        from mancala.server.contest.headless import directory
        from mancala.server.contest.headless.journal import WriteError

        command = context.info_name or ""
        try:
            if self.resume is not None:
                if event is None:
                    _say_unused(context)
                outside = None if self.trust else SOURCE.outside
                return self.resume, directory.resumed(self.resume, event, outside=outside)
            if event is None:
                console.fail(f"name the players, or resume a {command} with --resume")
            home = self.directory or _new_directory(command)
            directory.begin(home, event, test)
        except directory.UntrustedError as error:
            console.fail(f"{error}\n--trust resumes it all the same")
        except (ValueError, OSError) as error:
            console.fail(error)
        except WriteError as error:
            console.fail(error, code=console.FAILED)
        return home, event


def _say_unused(context: typer.Context) -> None:
    """Name on stderr the options of the command line that do not change what is resumed."""
    unused = [
        each.opts[0]
        for each in context.command.params
        if each.name and each.name not in WHEN_RESUMED.split() and is_typed(context, each.name)
    ]
    if unused:
        console.say(f"mancala: {', '.join(unused)}: what is resumed keeps its own", err=True)


def _new_directory(command: str) -> Path:
    from mancala.server.contest.headless.directory import new_directory

    home = new_directory({"match": "matches"}.get(command, f"{command}s"))
    console.say(f"mancala: the {command} is kept in {home}", err=True)
    return home


@contextmanager
def opened(home: Path, command: str) -> Iterator[EventJournal]:
    """Open the journal of a directory; what keeps its games from being played ends the command."""
    from mancala.server.contest.headless.journal import (
        GAMES,
        EventJournal,
        JournalError,
        WriteError,
    )

    with console.bad_input(JournalError, OSError):
        kept = EventJournal(home)
    if kept.dropped:
        console.say(
            f"mancala: {home / GAMES}: dropped {quantity(kept.dropped, 'byte')} of a game"
            f" that was not written to its end; it is played again",
            err=True,
        )
    with closing(kept), failures():
        try:
            yield kept
        except JournalError as error:
            console.fail(error)
        except WriteError as error:
            console.fail(f"{error}; {resumption(home, command)}", code=console.FAILED)


@contextmanager
def failures() -> Iterator[None]:
    """Report why players or workers could not play in the block, or were not paired."""
    from mancala.bot.players.spec import SpecError
    from mancala.protocol.player import PlayerError
    from mancala.server.contest.events.dutch import PairingFailedError
    from mancala.server.contest.headless.executor import WorkerLostError
    from mancala.server.contest.workers.cluster import ClusterError

    with (
        console.failing_on(ClusterError, PairingFailedError, WorkerLostError),
        console.bad_input(SpecError, PlayerError),
    ):
        yield


def resumption(home: Path, command: str) -> str:
    return f"continue with: mancala {command} --resume {shlex.quote(str(home))}"


@contextmanager
def setting_up(source: str | None) -> Iterator[Callable[[int, int], None]]:
    """Report why no games can be set up in the block; yield what says that a file is too small."""

    def on_few(held: int, pairs: int) -> None:
        console.say(
            f"mancala: {source} holds {quantity(held, 'opening')}; {pairs - held} of"
            f" {quantity(pairs, 'pair')} begin from random positions",
            err=True,
        )

    with console.bad_input(OSError, ValueError), failures():
        yield on_few


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
def drawn(
    steps: Generator[T, None, None], view: Callable[[], RenderableType], *, quiet: bool
) -> Iterator[Iterator[T]]:
    """Yield steps for the block; while they are taken, draw a view of what they came to."""
    from .terminal import Terminal

    terminal = Terminal(stderr=True)
    with closing(steps):
        if quiet:
            yield steps
            return
        if not terminal.is_terminal:
            with console.said_now_and_then("games") as said:
                yield _counting(steps, said)
            return
        from rich.live import Live

        with Live(console=terminal, auto_refresh=False, transient=True) as live:
            live.update(view(), refresh=True)
            yield _refreshing(steps, view, live)


def _counting(steps: Iterable[T], said: Callable[[str], None]) -> Iterator[T]:
    done = 0
    for step in steps:
        done += len(step)
        said(f"{done} played")
        yield step


def _refreshing(steps: Iterable[T], view: Callable[[], RenderableType], live: Live) -> Iterator[T]:
    shown = 0.0
    for step in steps:
        yield step
        if time.monotonic() - shown > REFRESH_S:
            shown = time.monotonic()
            live.update(view(), refresh=True)
