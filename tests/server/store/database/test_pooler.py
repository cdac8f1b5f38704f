"""A PostgreSQL behind a real pgbouncer, as hosts of databases sell it."""

from contextlib import closing

import psycopg
import pytest

from mancala.server.store.carrying.moving import upgrade_store
from mancala.server.store.database.database import Access, connect
from mancala.server.store.database.faults import StoreError, StoreInUseError, StoreMissingError
from tests.drills.databases import rows, running_pgbouncer

TABLES = "SELECT count(*) FROM pg_tables WHERE schemaname = '{}'"
LOCKS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"


@pytest.mark.parametrize("lines", [(), ("ignore_startup_parameters = options",)])
def test_a_pool_in_session_mode_keeps_two_servers_apart(
    postgresql: str, lines: tuple[str, ...]
) -> None:
    """It refuses or drops the schema that a connection names; both stores lay in `public` once."""
    one, two = (f"session{len(lines)}_{name}" for name in ("one", "two"))
    with running_pgbouncer(postgresql, "session", *lines) as url:
        with closing(connect(f"{url}?schema={one}")), closing(connect(f"{url}?schema={two}")):
            with pytest.raises(StoreInUseError):
                connect(f"{url}?schema={one}")
            with closing(connect(f"{url}?schema={one}", Access.READ)) as reader:
                setting = "SHOW transaction_read_only"
                assert reader.exec_driver_sql(setting).scalar_one() == "on"
        connect(f"{url}?schema={one}").close()
        with pytest.raises(StoreMissingError):
            connect(f"{url}?schema=public", Access.READ)
    found = [rows(f"{postgresql}?schema={one}", TABLES.format(name)) for name in (one, two)]
    assert found[0] == found[1] != [(0,)]


@pytest.mark.parametrize("lines", [(), ("ignore_startup_parameters = options",)])
def test_a_pool_in_transaction_mode_is_refused(postgresql: str, lines: tuple[str, ...]) -> None:
    """In a sentence, at the start, and the pool keeps no lock."""
    connect(f"{postgresql}?schema=apart").close()
    with running_pgbouncer(postgresql, "transaction", *lines) as url:
        for access in Access:
            with pytest.raises(StoreError, match=r"pooler in transaction mode .* session mode"):
                connect(f"{url}?schema=apart", access)
        assert rows(f"{postgresql}?schema=apart", LOCKS) == [(0,)]


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_every_name_is_refused(postgresql: str, encoding: str) -> None:
    """As a cluster is made by its locale: commands ended with a traceback, or at the first name."""
    with psycopg.connect(postgresql, autocommit=True) as made:
        made.execute(
            f"CREATE DATABASE {encoding} ENCODING '{encoding}' TEMPLATE template0 LOCALE 'C'"
        )
    narrow = f"{postgresql.rpartition('/')[0]}/{encoding.lower()}?schema=apart"
    for access in Access:
        with pytest.raises(StoreError, match=f"{encoding}.*--encoding UTF8 --template template0"):
            connect(narrow, access)


def test_an_upgrade_makes_no_store(postgresql: str) -> None:
    """A mistyped schema is a store that is not there."""
    with pytest.raises(StoreMissingError, match=r"no server's store in .*typo"):
        upgrade_store(f"{postgresql}?schema=typo")
    connect(f"{postgresql}?schema=apart").close()
    assert rows(f"{postgresql}?schema=apart", TABLES.format("typo")) == [(0,)]
