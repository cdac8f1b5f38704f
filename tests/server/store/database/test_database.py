"""Opening the database: who owns it, who may be beside it, and what becomes of old ones."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from mancala.protocol.messages import MatchOver
from mancala.server.app.server import Server
from mancala.server.model.timestamps import instant_of
from mancala.server.store import Store, StoreError
from mancala.server.store.database import migrating
from mancala.server.store.database.database import Access, StoreInUseError, connect, display
from mancala.server.store.database.schema import reviews
from tests.server.peers import Arena, arena, settings
from tests.server.store.databases import place_of, rows

pytestmark = pytest.mark.usefixtures("database")

OLD = (
    "INSERT INTO bots VALUES ('ann', 'hash', '2026-01-01')",
    "INSERT INTO sessions VALUES ('secret', 'ann', NULL)",
    """INSERT INTO matches
    VALUES ('m', 'ann', 'bob', '{}', '{}', true, 1, 1.0, 0.0, '2026-01-01', '2026-01-02')""",
    "INSERT INTO games VALUES ('g', 'm', 0, '2026-01-01', '2026-01-02', 0, 25, 23, 'normal', NULL)",
    "INSERT INTO moves VALUES ('g', 0, 2, 1.5, 0.25, false, NULL)",
    "INSERT INTO outbox VALUES (1, 'game-g', 'topic', '{}', NULL)",
    "UPDATE counters SET value = 1",
)
TABLES = ("bots", "sessions", "matches", "games", "moves", "outbox")


def test_a_migration_from_the_first_schema_keeps_every_row(tmp_path: Path) -> None:
    """Whatever was played under the first server is there under this one."""
    place = place_of(tmp_path)
    with closing(connect(place)) as connection:
        migrating.downgrade(connection, "0001")
        with connection.begin():
            for statement in OLD:
                connection.exec_driver_sql(statement)
    connect(place).close()
    for table in TABLES:
        assert rows(place, f"SELECT count(*) FROM {table}") == [(1,)]  # noqa: S608  # our own names
    counted = rows(place, "SELECT name, value FROM counters ORDER BY name")
    assert counted == [("info_bytes", 0), ("seq", 1)]
    assert rows(place, "SELECT pit, elapsed_ms, lag_ms FROM moves") == [(2, 1.5, 0.25)]
    assert rows(place, "SELECT is_guest, ladder FROM sessions, matches") == [(True, None)]


PAIR = ("main", "ann@1", "bob@1", 0, 0, 9, 0, 0)
KEPT = "ladder, first, second, points_2, wins, draws, losses, back_wins, back_draws, back_losses"
OF_A_LADDER = (
    *(
        "INSERT INTO matches (id, first, second, rules, clock, rated, games, first_points, "  # noqa: S608  # our own values
        "second_points, began_at, ladder, first_entrant, second_entrant) "
        f"VALUES ('{match}', 'x', 'y', '{{}}', '{{}}', true, 2, 0, 0, '2026', {ladder}, {names})"
        for match, ladder, names in (
            ("m", "'main'", "'bob@1', 'ann@1'"),
            ("n", "'main'", "'ann@1', 'bob@1'"),
            ("o", "NULL", "NULL, NULL"),
        )
    ),
    *(
        "INSERT INTO games (id, match, number, began_at, ended_at, winner, reason) "  # noqa: S608  # our own values
        f"VALUES ('{match}{number}', '{match}', {number}, '2026', '2026', {winner}, '{reason}')"
        for match, number, winner, reason in (
            ("m", 0, "0", "normal"),
            ("m", 1, "NULL", "normal"),
            ("m", 2, "0", "normal"),
            ("m", 3, "NULL", "aborted"),
            ("n", 0, "1", "normal"),
            ("n", 1, "0", "normal"),
            ("o", 0, "0", "normal"),
            ("o", 1, "1", "normal"),
        )
    ),
)


def test_the_pairs_of_past_games_are_counted(tmp_path: Path) -> None:
    """Those of a ladder in which both games counted, for the entrant whose name comes first."""
    place = place_of(tmp_path)
    with closing(connect(place)) as connection:
        migrating.downgrade(connection, "0005")
        with connection.begin():
            for statement in OF_A_LADDER:
                connection.exec_driver_sql(statement)
    connect(place).close()
    points = "points_0, points_1, points_2, points_3, points_4"
    counted = rows(place, f"SELECT first, second, {points} FROM pairs")  # noqa: S608  # our own names
    assert counted == [("ann@1", "bob@1", 1, 1, 0, 0, 0)]


def test_what_two_entrants_played_is_moved_into_one_row_and_back(tmp_path: Path) -> None:
    """From either seat; where there is no pair of games, too; names are ordered as in Python."""
    place = place_of(tmp_path)
    tallies = [
        *(("main", "ann@1", "bob@1", 1, 2, 3), ("main", "bob@1", "ann@1", 4, 5, 6)),
        *(("main", "Zoe@1", "ann@1", 7, 0, 0), ("rapid", "é@1", "zoe@1", 0, 8, 0)),
    ]
    with closing(connect(place)) as connection:
        migrating.downgrade(connection, "0016")
        with connection.begin():
            for row in (*(("tallies", each) for each in tallies), ("pairs", PAIR)):
                connection.exec_driver_sql(f"INSERT INTO {row[0]} VALUES {row[1]}")  # noqa: S608  # our own values
        migrating.upgrade(connection, "0017")
        assert sorted(connection.exec_driver_sql(f"SELECT {KEPT} FROM pairs")) == [  # noqa: S608  # our own names
            ("main", "Zoe@1", "ann@1", 0, 7, 0, 0, 0, 0, 0),
            ("main", "ann@1", "bob@1", 9, 1, 2, 3, 4, 5, 6),
            ("rapid", "zoe@1", "é@1", 0, 0, 0, 0, 0, 8, 0),
        ]
        migrating.downgrade(connection, "0016")
        assert sorted(connection.exec_driver_sql("SELECT * FROM tallies")) == sorted(tallies)
        assert PAIR in connection.exec_driver_sql("SELECT * FROM pairs").all()


def test_the_times_of_reviews_become_numbers_and_texts_again(tmp_path: Path) -> None:
    """To the millisecond."""
    place = place_of(tmp_path)
    times = ("2016-01-01T00:00:00.005+00:00", "2026-02-28T23:59:59.999+00:00")
    with closing(connect(place)) as connection:
        migrating.downgrade(connection, "0017")
        with connection.begin():
            for statement in OF_A_LADDER:
                connection.exec_driver_sql(statement)
            for game, time in zip(("m0", "m1"), times, strict=True):
                connection.exec_driver_sql(
                    "INSERT INTO reviews (game, first, second, urgency, ended_at) "  # noqa: S608  # our own values
                    f"VALUES ('{game}', 'bob@1', 'ann@1', 1, '{time}')"
                )
        migrating.upgrade(connection, "0018")
        with connection.begin():
            query = select(reviews.c.ended_ms).order_by(reviews.c.game)
            assert tuple(map(instant_of, connection.scalars(query))) == times
        migrating.downgrade(connection, "0017")
        found = connection.exec_driver_sql("SELECT ended_at FROM reviews ORDER BY game").scalars()
        assert tuple(found) == times


def test_one_process_owns_a_store(tmp_path: Path) -> None:
    """A second server is refused; when the first has gone, there is room."""
    place = place_of(tmp_path)
    with closing(connect(place)):
        with pytest.raises(StoreInUseError, match="another server"):
            connect(place)
        connect(place, Access.BESIDE).close()
        connect(place, Access.READ).close()
    connect(place).close()


def test_only_the_owner_of_a_store_makes_it(tmp_path: Path) -> None:
    """To look at a store that isn't there is an error."""
    with pytest.raises(StoreError):
        connect(place_of(tmp_path), Access.READ)


async def test_two_servers_share_a_database(postgresql: str, tmp_path: Path) -> None:
    """Each in a schema named after it: their bots, games and numbers don't mix."""
    config = replace(settings(tmp_path), store=postgresql)
    club = tmp_path.name
    async with arena(tmp_path, store=postgresql, name=f"{club} A") as one:
        async with Server(replace(config, name=f"{club} B")) as server:
            other = Arena(server.url, server)
            for running in (one, other):
                pair = await running.pair("ann", "bob")
                await asyncio.gather(*(peer.play_until(MatchOver) for peer in pair))
            for peer in other.peers:
                await peer.hang_up()
        with pytest.raises(StoreError, match="another server"):
            async with Server(replace(config, name=f"{club} a")):
                pass
    for letter in "ab":
        place = f"{postgresql}?schema=mancala_{club}_{letter}"
        assert rows(place, "SELECT count(*), max(seq) FROM outbox") == [(2, 2)]


def test_a_password_is_never_shown() -> None:
    """Errors and logs name the place without it."""
    assert display("postgresql://club:secret@db/arena") == "postgresql://club:***@db/arena"


@pytest.mark.parametrize("url", ["postgresql://db/a?schema=Robert'); --", "postgresql://db/a"])
def test_a_schema_is_a_plain_name(url: str) -> None:
    """It becomes part of SQL."""
    with pytest.raises(StoreError, match="schema"):
        connect(url)


async def test_a_database_that_can_not_be_reached_is_one_error() -> None:
    """A server that can't keep anything doesn't start."""
    store = Store("postgresql://nobody:secret@127.0.0.1:1/none?schema=s", failed=print)
    with pytest.raises(StoreError, match="127") as caught:
        await store.__aenter__()
    assert "secret" not in str(caught.value)
