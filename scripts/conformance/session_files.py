"""What a checked bot keeps of its session, which ends with the check.

Our starters write ``NAME.session`` where they run. The robot stops a bot before its matches are
over, so such a file would stay; the bot would show its secret to the next server it plays on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

SESSION: Final = "conformance-session-"
"""What every secret of a check begins with."""
PATTERN: Final = "*.session"


@contextmanager
def restored(folder: Path) -> Iterator[None]:
    """Leave a folder's session files as they were before the block.

    Only files that hold a secret of a check are touched: one that the check made is removed, one
    that it overwrote gets its former content back.

    Args:
        folder: where the bot runs.
    """
    before = {path: _content(path) for path in folder.glob(PATTERN)}
    try:
        yield
    finally:
        for path in folder.glob(PATTERN):
            if SESSION.encode() in _content(path):
                _put_back(path, before.get(path, b""))


def _content(path: Path) -> bytes:
    with suppress(OSError):
        return path.read_bytes()
    return b""


def _put_back(path: Path, content: bytes) -> None:
    """Write a file's former content; remove it if there is none, or none but a check's."""
    if not content or SESSION.encode() in content:
        path.unlink(missing_ok=True)
    else:
        path.write_bytes(content)
