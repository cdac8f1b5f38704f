"""Forks of ``mancala`` that end themselves by ``kill -9`` at a chosen statement of their store."""

import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, event

from mancala.protocol import codec
from mancala.server.store.database import bulk, versions
from mancala.server.store.database.bulk import fill
from tests.forks import serve

AT: Final = "MANCALA_KILLED_AT"
"""JSON: how the statements begin that are counted, and after how many of them the process is
killed, before their transaction is committed."""
ROW: Final = "ROW"
"""Counts as a statement before each row of a copy, which no statement of SQLAlchemy writes."""
LATER: Final = "MANCALA_LATER"
"""The folder of a later version's migrations."""


def arm() -> None:
    if scripts := os.environ.get(LATER):
        versions.SCRIPTS = Path(scripts)  # type: ignore[misc]  # a later version's
    if at := os.environ.get(AT):
        prefixes, left = codec.from_json(at.encode(), tuple[tuple[str, ...], int])

        def count(what: str) -> None:
            nonlocal left
            if what.startswith(prefixes):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        def counted(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
            for row in rows:
                count(ROW)
                yield row

        bulk.fill = lambda connection, table, columns, rows: fill(
            connection, table, columns, counted(rows)
        )
        event.listen(Engine, "after_cursor_execute", lambda *given: count(given[2].lstrip()))


if __name__ == "__main__":
    serve(before=arm)
