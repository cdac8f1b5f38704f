"""What a bot keeps on disk, so that after a kill and a restart it takes its seat back.

One small file a server and name: the session's secret and the games finished in it. It is locked
while a bot runs, so that a second process with the same name does not push the first from its
seat; it is removed when a bot ends in good order, and what is left behind by a killed one is
what the next start resumes.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.client.bot import GameResult
from protocol import codec

if sys.platform != "win32":
    import fcntl

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700


@dataclass(frozen=True, slots=True)
class Remembered:
    """The content of the file.

    Attributes:
        session: the secret that resumes the session.
        games: the games finished in it.
    """

    session: str
    games: tuple[GameResult, ...] = ()


class MemoryInUseError(OSError):
    """Another running bot holds the file."""


def default_path(url: str, name: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Tell where the session of a name on a server is kept, by the XDG base directories."""
    state = environment.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    key = hashlib.sha256(f"{url}\n{name}".encode()).hexdigest()[:24]
    return Path(state) / "mancala-arena" / "sessions" / key


class Memory:
    """An open, locked file.

    Raises:
        MemoryInUseError: when another running bot holds it.
        OSError: when it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
        self._path = path
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
        self._file = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            _lock(descriptor)
        except OSError:
            self._file.close()
            raise MemoryInUseError(f"another running bot holds {path}") from None

    def read(self) -> Remembered | None:
        """Tell what an earlier run left; None when it left nothing that can be read."""
        self._file.seek(0)
        try:
            return codec.from_json(self._file.read(), Remembered)
        except codec.DecodeError:
            return None

    def write(self, remembered: Remembered) -> None:
        """Replace the content."""
        self._file.seek(0)
        self._file.write(codec.to_json(remembered))
        self._file.truncate()

    def remove(self) -> None:
        """Forget everything; to be followed by `close`."""
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _lock(file: int) -> None:
    if sys.platform != "win32":
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
