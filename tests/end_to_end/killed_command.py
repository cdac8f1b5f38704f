"""Forks of ``mancala`` that end themselves by ``kill -9`` at a chosen statement of their store."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, event

from mancala.protocol import codec
from mancala.server.store.database import versions
from tests.forks import serve

AT: Final = "MANCALA_KILLED_AT"
"""JSON: how the statements begin that are counted, and after how many of them the process is
killed, before their transaction is committed."""
LATER: Final = "MANCALA_LATER"
"""The folder of a later version's migrations."""


def arm() -> None:
    """Do what the environment says of this fork."""
    if scripts := os.environ.get(LATER):
        versions.SCRIPTS = Path(scripts)  # type: ignore[misc]  # a later version's
    if at := os.environ.get(AT):
        prefixes, left = codec.from_json(at.encode(), tuple[tuple[str, ...], int])

        def count(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:  # noqa: ANN401  # as SQLAlchemy calls it
            nonlocal left
            if statement.lstrip().startswith(prefixes):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        event.listen(Engine, "after_cursor_execute", count)


if __name__ == "__main__":
    serve(before=arm)
