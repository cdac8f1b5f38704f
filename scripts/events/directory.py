"""The directory of a headless match or event: begun, resumed, and reported when it is repaired."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from msgspec import structs

from scripts.console import output as console

if TYPE_CHECKING:
    from server.headless.event import Event
    from server.headless.journal import Journal


def begin(
    command: str, event: Event | None, directory: Path | None, resume: Path | None
) -> tuple[Path, Event]:
    """Begin an event in a new directory, or return the one to resume; with its directory.

    Args:
        command: ``match`` or ``tournament``.
        event: what the command line describes; None when it names no players.
        directory: the new directory; None for one of the user's state directory.
        resume: the directory to resume.

    Raises:
        typer.Exit: when there are no players, nothing to resume, or other settings there.
    """
    from server.headless import journal

    try:
        if resume is None:
            if event is None:
                console.fail(f"name the players, or resume a {command} with --resume")
            home = directory or _new_home(command)
            journal.create(home, event)
            return home, event
        begun = journal.read_event(resume)
    except (journal.JournalError, OSError) as error:
        console.fail(error)
    if event is not None and _comparable(event, begun) != begun:
        console.fail(f"{resume} holds a {command} with other players, games or conditions")
    return resume, begun


@contextmanager
def opened(home: Path, command: str) -> Iterator[Journal]:
    """Open the journal of a directory; a write that fails ends the command.

    Raises:
        typer.Exit: when it cannot be opened or written.
    """
    from server.headless import journal

    try:
        kept = journal.Journal(home)
    except (journal.JournalError, OSError) as error:
        console.fail(error)
    if kept.dropped:
        typer.echo(
            f"mancala: {home / journal.GAMES}: dropped {kept.dropped} bytes of a game that was not "
            f"written to its end; it is played again",
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
    typer.echo(f"mancala: the {command} is kept in {home}", err=True)
    return home
