"""Opening the database: who owns it, and who may be beside it."""

import re
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.exc import OperationalError

from mancala.server.app.server import Server
from mancala.server.store import Store, StoreError
from mancala.server.store.database.database import (
    Access,
    connect,
    display,
    expect_unclaimed,
    reason_of,
)
from mancala.server.store.database.faults import StoreInUseError
from mancala.server.store.database.tenure import lock_of
from tests.server.peers import Arena, arena, settings
from tests.server.store.databases import place_of, rows

pytestmark = pytest.mark.usefixtures("database")


def test_one_process_owns_a_store(tmp_path: Path) -> None:
    """A second server is refused; when the first has gone, there is room."""
    place = place_of(tmp_path)
    with closing(connect(place)):
        for ask in (connect, expect_unclaimed):  # the second one without waiting
            with pytest.raises(StoreInUseError, match="another server"):
                ask(place)
        connect(place, Access.BESIDE).close()
        connect(place, Access.READ).close()
    expect_unclaimed(place)
    connect(place).close()


def test_two_may_ask_in_the_same_moment_whether_a_store_is_in_use(
    postgresql: str, tmp_path: Path
) -> None:
    """Each took the other one for a server."""
    schema = f"mancala_{tmp_path.name}"
    place = f"{postgresql}?schema={schema}"
    connect(place).close()
    with closing(connect(place, Access.READ)) as asking:
        ask = sa.func.pg_try_advisory_xact_lock_shared(*lock_of(schema))
        assert asking.scalar(sa.select(ask))
        expect_unclaimed(place)


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
                await running.match("ann", "bob")
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
    for secret in ("secret", "one,two", "a%2Fb", "a%40b,c", "a,b/c", "a,b?c", "a%2Fb/c"):
        assert display(f"postgresql://club:{secret}@db/arena") == "postgresql://club:***@db/arena"
    hosts = "postgresql://[::1]:1,db/arena?password=secret&sslpassword=secret"
    assert display(hosts) == "postgresql:///arena?host=%3A%3A1%2Cdb&port=1%2C"


@pytest.mark.parametrize(
    ("hosts", "said"),
    [
        ("[::1]:1,127.0.0.1:2", 'server at "127.0.0.1", port 2 failed'),
        ("127.0.0.1:1,[::1]:2", 'server at "::1", port 2 failed'),
        ("127.0.0.1:1,%2fnone", 'socket "/none/.s.PGSQL.5432" failed'),
        ("db:1,db:port", "the store's URL is malformed"),
    ],
)
def test_each_of_several_hosts_has_its_port(hosts: str, said: str) -> None:
    """As libpq reads them; brackets, and a port that is no number, were a traceback."""
    with pytest.raises(StoreError, match=re.escape(said)):
        connect(f"postgresql://club@{hosts}/a?schema=a")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://db/a?schema=Robert'); --", "schema must be a plain lower-case name"),
        ("postgresql://db/a", r"name the schema: \?schema=NAME"),
        ("postgresql://db:port/a?schema=a", "the store's URL is malformed"),
        ("postgresql://db/a?schema=a&port=x", "the store's URL is malformed"),
        ("postgresql://db:1,db/a?schema=a&port=3", "the store's URL is malformed"),
        ("postgresql://club@%2Fnone/a?schema=a", 'socket "/none/.s.PGSQL.5432" failed'),
    ],
)
def test_a_url_that_leads_to_no_schema_is_one_error(url: str, said: str) -> None:
    """A schema becomes part of SQL; a port that is no number was a traceback."""
    with pytest.raises(StoreError, match=said):
        connect(url)


async def test_a_database_that_can_not_be_reached_is_one_error() -> None:
    """A server that can't keep anything doesn't start."""
    store = Store("postgresql://nobody:secret@127.0.0.1:1/none?schema=s", failed=print)
    with pytest.raises(StoreError, match="127") as caught:
        await store.__aenter__()
    assert "secret" not in str(caught.value)


def test_what_a_driver_says_is_one_line_without_numbers_of_the_system() -> None:
    """A database's host that is not known had "[Errno -2]" in the findings of ``doctor``."""
    said = Exception("failed to resolve host 'db': [Errno -2] Name or service not known\nMore")
    unknown = "failed to resolve host 'db': Name or service not known"
    assert reason_of(OperationalError("", {}, said)) == unknown
