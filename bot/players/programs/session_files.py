"""What bots that a command starts keep of their sessions, which end with the command.

Our starters write ``NAME.session`` where they run. A bot is stopped before its matches are over,
so such a file would stay; the bot would show its secret to the next server it plays on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from .private_server import SECRET

SESSION: Final = "conformance-session-"
"""What every secret of a check begins with."""
MARKS: Final = (SESSION.encode(), SECRET.encode())
"""Of servers that end with the command: of `check-bot`, and of players that connect."""
PATTERN: Final = "*.session"


@contextmanager
def restored(folder: Path) -> Iterator[None]:
    """Leave the session files of the folder where bots run as they were before the block.

    Only files that hold a secret of such a server are touched: one that was made is removed, one
    that was overwritten, or removed by a bot that played to its end, gets its former content back.
    """
    before = {path: _content(path) for path in folder.glob(PATTERN)}
    try:
        yield
    finally:
        for path in {*before, *folder.glob(PATTERN)}:
            if not path.exists() or _is_marked(_content(path)):
                _put_back(path, before.get(path, b""))


def _content(path: Path) -> bytes:
    with suppress(OSError):
        return path.read_bytes()
    return b""


def _is_marked(content: bytes) -> bool:
    return any(mark in content for mark in MARKS)


def _put_back(path: Path, content: bytes) -> None:
    """Write a file's former content; remove it if there is none, or none but such a server's."""
    if not content or _is_marked(content):
        path.unlink(missing_ok=True)
    else:
        path.touch(mode=0o600)
        path.write_bytes(content)
