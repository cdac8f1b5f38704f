"""An event on disk: its definition, and every game played.

``event.json`` is written atomically. ``games.jsonl`` is append-only: one line per game, on disk
before the game counts. A write is whole or is taken back: when the disk is full, the file ends with
the last whole game. A process that is killed while writing leaves at most a partial line; it is
removed when the event is resumed, and its game is played again.
"""

import fcntl
import os
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from mancala.protocol import codec

from .event import Event
from .played_game import PlayedGame

EVENT: Final = "event.json"
GAMES: Final = "games.jsonl"


class JournalError(ValueError):
    """A directory holds no event that can be resumed."""


class WriteError(Exception):
    """Games could not be written; the journal holds those before them, whole."""


def create(directory: Path, event: Event) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    if (directory / EVENT).exists():
        raise JournalError(f"{directory} holds an event already; take it up with --resume")
    write_whole(directory / EVENT, codec.to_json(event, indent=True) + b"\n")


def read_event(directory: Path) -> Event:
    try:
        return codec.from_json((directory / EVENT).read_bytes(), Event)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "").lower() or error
        raise JournalError(f"no event to take up: {directory / EVENT}: {reason}") from None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically, also if the process is killed."""
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb", buffering=0) as file:
            write_all(file.fileno(), content)
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise a `WriteError` in the place of an `OSError` of the block, which writes a file."""
    try:
        yield
    except OSError as error:
        raise WriteError(f"{path}: {error.strerror}") from error


def write_all(file: int, content: bytes) -> None:
    """Write all bytes to a file descriptor; a short write is continued."""
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]


class GameJournal:
    """The games of an event, by number, in memory."""

    def __init__(self) -> None:
        self.games: dict[int, PlayedGame] = {}

    def add(self, games: Iterable[PlayedGame]) -> None:
        """Add games; a journal on disk holds them when this returns.

        Raises:
            JournalError: when a game with that number exists already.
            WriteError: when they cannot be written; none of them is in the journal then.
        """
        added: dict[int, PlayedGame] = {}
        for game in games:
            if game.number in self.games or game.number in added:
                raise JournalError(f"game {game.number} was played twice")
            added[game.number] = game
        self._append(added)
        self.games |= added

    def keep_only(self, numbers: Container[int]) -> None:
        """Remove all other games, or keep all and raise `WriteError` where it cannot write."""
        kept = {number: game for number, game in self.games.items() if number in numbers}
        if len(kept) < len(self.games):
            self._replace(kept)
            self.games = kept

    def _append(self, added: Mapping[int, PlayedGame]) -> None:
        """Write games where they are also kept."""

    def _replace(self, kept: Mapping[int, PlayedGame]) -> None:
        """Write games in the place of all others."""


class EventJournal(GameJournal):
    """The games of an event on disk, open for appending by one process at a time.

    Attributes:
        dropped: bytes of a partial line that opening the journal removed.

    Raises:
        JournalError: when another process plays this event, or a line is not a game.
        OSError: when it cannot be read or written.
    """

    def __init__(self, directory: Path) -> None:
        super().__init__()
        path = self._path = directory / GAMES
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+b", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read()
        except BlockingIOError:
            self._file.close()
            raise JournalError(f"another process plays the event in {directory}") from None
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        self._file.close()

    def _append(self, added: Mapping[int, PlayedGame]) -> None:
        content = _lines_of(added)
        with writing(self._path):
            try:
                write_all(self._file.fileno(), content)
                os.fsync(self._file.fileno())
            except OSError:
                with suppress(OSError):
                    self._file.truncate(self._end)
                    self._file.seek(self._end)
                raise
        self._end += len(content)

    def _replace(self, kept: Mapping[int, PlayedGame]) -> None:
        with writing(self._path):
            write_whole(self._path, _lines_of(kept))
            file = self._path.open("r+b", buffering=0)
        fcntl.flock(file, fcntl.LOCK_EX)
        self._file.close()
        self._file, self._end = file, file.seek(0, os.SEEK_END)

    def _read(self) -> None:
        content = self._file.read()
        self._end = content.rfind(b"\n") + 1
        for number, line in enumerate(content[: self._end].splitlines(), start=1):
            try:
                game = PlayedGame.from_line(line)
            except ValueError as error:
                raise JournalError(f"line {number} of {GAMES} is no game: {error}") from None
            if game.number in self.games:
                raise JournalError(f"line {number} of {GAMES}: game {game.number} once more")
            self.games[game.number] = game
        self.dropped = len(content) - self._end
        self._file.truncate(self._end)
        self._file.seek(self._end)


def _lines_of(games: Mapping[int, PlayedGame]) -> bytes:
    return b"".join(game.line + b"\n" for game in games.values())
