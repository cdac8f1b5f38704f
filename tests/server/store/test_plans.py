"""No question reads a table that grows with the games, but a range of an index."""

import importlib
import pkgutil
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, Final, TypeVar, cast

import pytest
from sqlalchemy import Connection, Delete, Select, Update, event

from mancala.protocol.messages import Reason
from mancala.scripts.bench.serving.store import questions
from mancala.scripts.bench.serving.store_archive import Size, make
from mancala.server import store as stores
from mancala.server.model.journal import BotRenamed
from mancala.server.store.database.database import Access, connect
from mancala.server.store.database.writer import Transaction
from mancala.server.store.reading.archive import Archive, GameFilter
from mancala.server.store.reading.lately import lately
from mancala.server.store.rows.orders import logged
from mancala.server.store.rows.sealed import event_hiding
from mancala.server.store.upkeep.annulled import Selection, find
from mancala.server.store.upkeep.renaming import has_games, have_met, known_of, rename
from tests.server.store.databases import place_of

pytestmark = pytest.mark.usefixtures("database")

T = TypeVar("T")

GROWING: Final = (
    *("games", "matches", "moves", "reviews"),
    *("points", "splits", "endings", "duels", "pairs"),
)
WHOLE: Final = {
    "game_lists.GAMES": "a condition is added wherever it is used",
    "reviews.UNREVIEWED": "a condition is added wherever it is used",
    "ladders.PAIRS": "read once, when a server starts",
    "moving.COUNT": "asked once, for the progress of a digest",
}
"""Statements that read a whole table that grows, and why they may."""
ORGANISER: Final[dict[str, Callable[[Transaction], object]]] = {
    "morning page": partial(lately, since="2016-01-02", now="2016-01-03"),
    "games of a season": partial(has_games, ladder="main"),
    "log": partial(logged, limit=20),
    "a bot's games": partial(find, selection=Selection(bot="bot00001", ladder="main")),
    "games of a span": partial(find, selection=Selection(since="2016-01-01", until="2016-01-02")),
    "what is known of a name": partial(known_of, name="unknown"),
    "whether two names have met": partial(have_met, one="bot00001", other="unknown"),
    "whether an event hides games": partial(event_hiding, bots=("bot00001", "unknown")),
    "rename or merge": partial(rename, BotRenamed("bot00001", "bot00003", "2016-01-02")),
}
"""What is asked, and moved, beside the archive while games are played."""
VALUES: Final = {str: "x", int: 1, float: 1.0, bool: True, bytes: b"x"}
SMALL: Final = Size(games=2000, entrants=50, pairings=200, members=10)
SQLITE: Final = re.compile(
    rf"SCAN ({'|'.join(GROWING)})\b"
    "(?! USING (COVERING )?INDEX ix_games_(with_info|running|unlisted))"
    rf"|SEARCH ({'|'.join(GROWING)})$",
    re.MULTILINE,
)
"""An index of few games may be read from its begin. A search without an index is for the greatest
value of a column, and reads the whole table."""
POSTGRESQL: Final = re.compile(rf"Seq Scan on ({'|'.join(GROWING)})\b")
UNKNOWN_LIMIT: Final = re.compile(r"LIMIT [^\d]")


class Explaining:
    """Reads, and keeps the plan of each query."""

    def __init__(self, connection: Connection) -> None:
        self.plans: list[str] = []
        self.statements: list[str] = []
        self._connection = connection
        self._is_sqlite = connection.dialect.name == "sqlite"
        event.listen(connection, "before_cursor_execute", self._explain)

    async def run(self, act: Callable[[Transaction], T], /) -> T:
        """Read, or write what does not stay."""
        with closing(self._connection.begin()):
            if not self._is_sqlite:  # a small table is read whole if it may be
                self._connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            return act(Transaction(self._connection))

    def _explain(self, _c: object, cursor: Any, sql: str, given: Any, *_more: object) -> None:  # noqa: ANN401  # the driver's
        if sql.lstrip().startswith(("SELECT", "WITH", "UPDATE", "DELETE")):
            words = "EXPLAIN QUERY PLAN" if self._is_sqlite else "EXPLAIN"
            cursor.execute(f"{words} {sql}", given)
            self.statements.append(sql)
            self.plans.append("\n".join(str(row[-1]) for row in cursor.fetchall()))


class AskedArchive:
    """Notes what an archive is asked."""

    def __init__(self, archive: Archive) -> None:
        self.asked: set[str] = set()
        self._archive = archive

    def __getattr__(self, name: str) -> object:
        self.asked.add(name)
        return getattr(self._archive, name)


class ExplainedError(Exception):
    """A statement was explained, and is not run."""


def statements() -> Iterator[tuple[str, Any]]:
    found: dict[int, tuple[str, Any]] = {}
    for each in pkgutil.walk_packages(stores.__path__, f"{stores.__name__}."):
        if "migrations" in each.name:
            continue
        short = each.name.rpartition(".")[2]
        for name, constant in vars(importlib.import_module(each.name)).items():
            kept = constant.values() if isinstance(constant, dict) else [constant]
            for value in kept:
                is_new = short == "game_lists" or id(value) not in found
                if isinstance(value, Select | Update | Delete) and is_new:
                    found[id(value)] = f"{short}.{name}", value
    yield from found.values()


def plan_of(connection: Connection, statement: Any) -> str:  # noqa: ANN401  # of any kind
    plans: list[str] = []

    def explain(_c: object, cursor: Any, sql: str, given: Any, *_more: object) -> None:  # noqa: ANN401  # the driver's
        words = "EXPLAIN QUERY PLAN" if connection.dialect.name == "sqlite" else "EXPLAIN"
        cursor.execute(f"{words} {sql}", given)
        plans.append("\n".join(str(row[-1]) for row in cursor.fetchall()))
        raise ExplainedError

    event.listen(connection, "before_cursor_execute", explain)
    try:
        with pytest.raises(ExplainedError):
            connection.execute(statement, _values_for(statement))
    finally:
        event.remove(connection, "before_cursor_execute", explain)
    return plans[0]


def _values_for(statement: Any) -> dict[str, Any]:  # noqa: ANN401  # of any kind
    given: dict[str, Any] = {}
    for name, bind in statement.compile().binds.items():
        if bind.required:
            value = VALUES.get(bind.type.python_type, 1)
            given[name] = [value] if bind.expanding else value
    return given


@pytest.fixture(scope="module")
def place(database: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An archive, which nothing changes."""
    del database
    place = place_of(tmp_path_factory.mktemp("plans"))
    make(place, SMALL)
    return place


def test_each_statement_that_is_kept_ready_uses_an_index(place: str) -> None:
    """Those that write as well; what has to read everything is listed, with the reason."""
    scans: dict[str, str] = {}
    with closing(connect(place, Access.READ)) as connection, connection.begin():
        if connection.dialect.name != "sqlite":
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        for name, statement in statements():
            plan = plan_of(connection, statement)
            if SQLITE.search(plan) or POSTGRESQL.search(plan):
                scans[name] = plan
    assert {name: plan for name, plan in scans.items() if name not in WHOLE} == {}
    assert WHOLE.keys() <= {name for name, _statement in statements()}


async def test_each_question_is_a_range_of_an_index(place: str) -> None:
    """On either database: the archive's, as the bench asks them all, and the organiser's."""
    with closing(connect(place)) as connection:
        reader = Explaining(connection)
        archive = AskedArchive(Archive(reader, server="test"))
        asked = await questions(cast("Archive", archive))
        others: dict[str, Callable[[], Awaitable[object]]] = {
            name: partial(reader.run, act) for name, act in ORGANISER.items()
        }
        for name, ask in {**asked, **others}.items():
            reader.plans.clear()
            await ask()
            for plan in reader.plans:
                assert not SQLITE.search(plan), f"{name}: {plan}"
                assert not POSTGRESQL.search(plan), f"{name}: {plan}"
    known = {name for name, what in vars(Archive).items() if callable(what)}
    known -= {"ask", "review"}  # which ``review_if_any`` asks
    assert archive.asked == {name for name in known if not name.startswith("_")}


async def test_lists_of_games_state_how_many_they_want(place: str) -> None:
    """PostgreSQL read the whole table, planning for any limit, once a list was asked often."""
    with closing(connect(place, Access.READ)) as connection:
        reader = Explaining(connection)
        archive = Archive(reader, server="test")
        for wanted in (GameFilter(), GameFilter(reason=Reason.WEDGED), GameFilter("bot00001")):
            await archive.games(wanted, after=None, limit=20)
    assert [sql for sql in reader.statements if UNKNOWN_LIMIT.search(sql)] == []
    assert any("LIMIT 21" in sql for sql in reader.statements)
