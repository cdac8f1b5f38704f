"""An event on disk: its definition, and every game played.

``event.json`` is written atomically. ``games.jsonl`` is append-only: one line per game, on disk
before the game counts. A partial line of a process that was killed is removed when the event is
resumed, and its game is played again.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mancala.files import LineFile, write_whole
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


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise a `WriteError` in the place of an `OSError` of the block, which writes a file."""
    try:
        yield
    except OSError as error:
        raise WriteError(f"{path}: {error.strerror}") from error


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
        self._path = directory / GAMES
        busy = JournalError(f"another process plays the event in {directory}")
        self._file = LineFile(self._path, busy, self._read)
        self.dropped = self._file.cut

    def close(self) -> None:
        self._file.close()

    def _append(self, added: Mapping[int, PlayedGame]) -> None:
        with writing(self._path):
            self._file.append(_lines_of(added))

    def _replace(self, kept: Mapping[int, PlayedGame]) -> None:
        with writing(self._path):
            self._file.replace(_lines_of(kept))

    def _read(self, content: bytes) -> None:
        for number, line in enumerate(content.splitlines(), start=1):
            try:
                game = PlayedGame.from_line(line)
            except ValueError as error:
                raise JournalError(f"line {number} of {GAMES} is no game: {error}") from None
            if game.number in self.games:
                raise JournalError(f"line {number} of {GAMES}: game {game.number} once more")
            self.games[game.number] = game


def _lines_of(games: Mapping[int, PlayedGame]) -> bytes:
    return b"".join(game.line + b"\n" for game in games.values())
