"""An event on disk: its definition, and every game played.

``event.json`` is written atomically. ``games.jsonl`` is append-only: one line per game, on disk
before the game counts. A process that is killed while writing leaves at most a partial line; it is
removed when the event is resumed, and its game is played again.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from protocol import codec
from server.headless.event import Event
from server.headless.game import PlayedGame

EVENT: Final = "event.json"
GAMES: Final = "games.jsonl"


class JournalError(ValueError):
    """A directory holds no event that can be resumed."""


def create(directory: Path, event: Event) -> None:
    """Create an event in a directory.

    Raises:
        JournalError: when the directory holds one already.
        OSError: when it cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if (directory / EVENT).exists():
        raise JournalError(f"{directory} holds an event already; take it up with --resume")
    write_whole(directory / EVENT, codec.to_json(event, indent=True) + b"\n")


def read_event(directory: Path) -> Event:
    """Return the event of a directory.

    Raises:
        JournalError: when there is none, or it cannot be read.
    """
    try:
        return codec.from_json((directory / EVENT).read_bytes(), Event)
    except (OSError, ValueError) as error:
        raise JournalError(f"no event to take up in {directory}: {error}") from None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically, also if the process is killed."""
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


class Journal:
    """The games of an event, open for appending by one process at a time.

    Args:
        directory: the event's directory.

    Attributes:
        games: all games so far, by number.

    Raises:
        JournalError: when another process plays this event, or a line is not a game.
        OSError: when it cannot be read or written.
    """

    def __init__(self, directory: Path) -> None:
        path = directory / GAMES
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+b", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.games = self._read()
        except BlockingIOError:
            self._file.close()
            raise JournalError(f"another process plays the event in {directory}") from None
        except BaseException:
            self._file.close()
            raise

    def add(self, games: Iterable[PlayedGame]) -> None:
        """Append games; they are on disk when this returns.

        Raises:
            JournalError: when a game with that number exists already.
        """
        lines = []
        for game in games:
            if game.number in self.games:
                raise JournalError(f"game {game.number} was played twice")
            self.games[game.number] = game
            lines.append(codec.to_json(game) + b"\n")
        self._file.write(b"".join(lines))
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close and unlock the file."""
        self._file.close()

    def _read(self) -> dict[int, PlayedGame]:
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        games: dict[int, PlayedGame] = {}
        for number, line in enumerate(content[:whole].splitlines(), start=1):
            try:
                game = codec.from_json(line, PlayedGame)
            except ValueError as error:
                raise JournalError(f"line {number} of {GAMES} is no game: {error}") from None
            if game.number in games:
                raise JournalError(f"line {number} of {GAMES}: game {game.number} once more")
            games[game.number] = game
        self._file.truncate(whole)
        self._file.seek(whole)
        return games
