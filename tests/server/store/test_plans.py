"""No question of the page reads a table that grows with the games, but a range of an index."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest
from sqlalchemy import Connection, event

from mancala.scripts.bench.store import Size, make, questions
from mancala.server.store.archive import Archive
from mancala.server.store.database import Access, connect
from mancala.server.store.ladders import LAST_MET
from mancala.server.store.writer import Transaction
from tests.server.store.databases import place_of

pytestmark = pytest.mark.usefixtures("database")

T = TypeVar("T")

GROWING: Final = (
    *("games", "matches", "moves", "reviews"),
    *("points", "splits", "endings", "duels"),
)
SMALL: Final = Size(games=2000, entrants=50, pairings=200, members=10)
SQLITE: Final = re.compile(rf"SCAN ({'|'.join(GROWING)})\b")
POSTGRESQL: Final = re.compile(rf"Seq Scan on ({'|'.join(GROWING)})\b")


class Explaining:
    """Reads, and keeps the plan of each query."""

    def __init__(self, connection: Connection) -> None:
        self.plans: list[str] = []
        self._connection = connection
        self._is_sqlite = connection.dialect.name == "sqlite"
        event.listen(connection, "before_cursor_execute", self._explain)

    async def read(self, act: Callable[[Transaction], T], /) -> T:
        """Read."""
        with self._connection.begin():
            if not self._is_sqlite:  # a small table is read whole if it may be
                self._connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            return act(Transaction(self._connection))

    def _explain(self, _c: object, cursor: Any, sql: str, given: Any, *_more: object) -> None:  # noqa: ANN401  # the driver's
        if sql.lstrip().startswith(("SELECT", "WITH")):
            words = "EXPLAIN QUERY PLAN" if self._is_sqlite else "EXPLAIN"
            cursor.execute(f"{words} {sql}", given)
            self.plans.append("\n".join(str(row[-1]) for row in cursor.fetchall()))


async def test_each_question_is_a_range_of_an_index(tmp_path: Path) -> None:
    """On either database, as the bench asks them all."""
    place = place_of(tmp_path)
    make(place, SMALL)
    with closing(connect(place, Access.READ)) as connection:
        reader = Explaining(connection)
        asked: dict[str, Callable[[], Awaitable[object]]] = {
            **await questions(Archive(reader, server="test")),
            "last opponents": lambda: reader.read(lambda found: found.execute(LAST_MET).all()),
        }
        for name, ask in asked.items():
            reader.plans.clear()
            await ask()
            for plan in reader.plans:
                assert not SQLITE.search(plan), f"{name}: {plan}"
                assert not POSTGRESQL.search(plan), f"{name}: {plan}"
