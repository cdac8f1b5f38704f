"""The directory of a headless match or event: begun, resumed, and reported when it is repaired."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import structs

from mancala.protocol.text import quantity

from ...console import output as console
from . import seal

if TYPE_CHECKING:
    from mancala.server.contest.headless.event import Event
    from mancala.server.contest.headless.journal import EventJournal


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryOptions:
    """Options: where the games are kept, or which directory to go on with.

    Attributes:
        directory: the new directory; None for one of the user's state directory.
        resume: the directory to resume; None to begin anew.
        trust: whether to run what its players name though this user did not name them.
    """

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


def begin(command: str, event: Event | None, options: DirectoryOptions) -> tuple[Path, Event]:
    """Begin an event in a new directory, or return the one to resume; with its directory.

    Args:
        command: ``match`` or ``tournament``.
        event: what the command line describes; None when it names no players.
        options: where it is kept, or resumed from.

    Raises:
        typer.Exit: when there are no players, nothing to resume, or other settings there.
    """
    from mancala.server.contest.headless import journal

    try:
        if options.resume is None:
            if event is None:
                console.fail(f"name the players, or resume a {command} with --resume")
            home = options.directory or _new_home(command)
            journal.create(home, event)
            seal.put(home, event)
            return home, event
        begun = journal.read_event(options.resume)
    except (journal.JournalError, OSError) as error:
        console.fail(error)
    if event is not None and _comparable(event, begun) != begun:
        console.fail(f"{options.resume} holds a {command} with other players, games or conditions")
    if event is None and not options.trust:
        _expect_own(options.resume, begun)
    return options.resume, begun


def _expect_own(home: Path, event: Event) -> None:
    """Refuse players that others named and that are programs, files or hosts.

    Raises:
        typer.Exit: when there are any.
    """
    try:
        outsiders = seal.outsiders(event)
    except ValueError as error:
        console.fail(error)
    if outsiders and not seal.is_sealed(home, event):
        listed = "".join(f"\n  {player}" for player in outsiders)
        console.fail(
            f"{home} was not begun by you, and its players run programs, read files or ask hosts:"
            f"{listed}\n--trust resumes it all the same"
        )


@contextmanager
def opened(home: Path, command: str) -> Iterator[EventJournal]:
    """Open the journal of a directory; a write that fails ends the command.

    Raises:
        typer.Exit: when it cannot be opened or written.
    """
    from mancala.server.contest.headless import journal

    try:
        kept = journal.EventJournal(home)
    except (journal.JournalError, OSError) as error:
        console.fail(error)
    if kept.dropped:
        console.say(
            f"mancala: {home / journal.GAMES}: dropped {quantity(kept.dropped, 'byte')} of a game"
            f" that was not written to its end; it is played again",
            err=True,
        )
    with closing(kept):
        try:
            yield kept
        except journal.WriteError as error:
            console.fail(f"{error}; {resumption(home, command)}", code=console.FAILED)


def resumption(home: Path, command: str) -> str:
    """Return how to go on with what a directory holds."""
    return f"continue with: mancala {command} --resume {shlex.quote(str(home))}"


def _comparable(event: Event, begun: Event) -> Event:
    """Return an event with the margin of another, which older ones do not name."""
    if begun.conditions.margin_ms:
        return event
    return structs.replace(event, conditions=structs.replace(event.conditions, margin_ms=0))


def _new_home(command: str) -> Path:
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    kind = {"match": "matches"}.get(command, f"{command}s")
    home = Path(state) / "mancala-arena" / kind / f"{now}-{os.getpid()}"
    console.say(f"mancala: the {command} is kept in {home}", err=True)
    return home
