"""The session file: lets a bot that was killed take its seat back after a restart.

There is one small file for each server and name. It holds the session's secret and the games
finished in that session. A running bot locks it, so that a second process with the same name
cannot take the first one's seat. A bot that ends normally removes it; the file of a killed bot
stays, and the next start resumes from it.
"""

import hashlib
import os  # noqa: TID251  # the way to the file that the caller names
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path  # noqa: TID251  # the way to the file that the caller names
from typing import Final

from mancala.files import open_locked
from mancala.protocol import codec

from .bot import GameResult

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700


@dataclass(frozen=True, slots=True)
class SavedSession:
    """The content of the session file: the secret, and the games finished in the session."""

    session: str
    games: tuple[GameResult, ...] = ()


def default_path(url: str, name: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the path of a name's session file for a server, by the XDG base directories."""
    state = environment.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    key = hashlib.sha256(f"{url}\n{name}".encode()).hexdigest()[:24]
    return Path(state) / "mancala-arena" / "sessions" / key


class SessionFile:
    """An open session file, locked against another running bot; OSError says why it is none."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
        self._path = path
        busy = OSError(f"another running bot uses the session file {path}")
        self._file = open_locked(path, busy, PRIVATE_FILE)

    def read(self) -> SavedSession | None:
        """Return what an earlier run left; None if that is nothing, or not readable."""
        self._file.seek(0)
        try:
            return codec.from_json(self._file.read(), SavedSession)
        except codec.DecodeError:
            return None

    def write(self, saved: SavedSession) -> None:
        self._file.seek(0)
        self._file.write(codec.to_json(saved))
        self._file.truncate()

    def remove(self) -> None:
        """Delete the file; call `close` afterwards."""
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        self._file.close()
