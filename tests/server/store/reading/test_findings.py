"""What of a store will do harm, said before it does."""

import os
import stat
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url

from mancala.server.store import StoreError
from mancala.server.store.database.database import connect
from mancala.server.store.database.faults import TAKES_NOTHING
from mancala.server.store.reading import inspection
from mancala.server.store.reading.inspection import described
from tests.patience import PATIENCE_S


def test_a_file_that_every_user_can_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stores of former versions are; in a folder that is closed to others it does no harm."""
    place = tmp_path / "arena.sqlite3"
    connect(str(place)).close()
    place.chmod(0o644)
    assert described(str(place))[1] == []
    monkeypatch.setattr(stat, "S_IXOTH", 0o777)  # as if others could enter its folders
    [found] = described(str(place))[1]
    assert found.startswith("every user of this machine can read the store (mode 644)")
    assert found.endswith("chmod o= arena.sqlite3*")


def test_a_store_of_another_user_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root leaves it, who once started the server by hand: SQLite says no reason."""
    place = tmp_path / "arena.sqlite3"
    place.mkdir()  # which can't be opened, by root either
    monkeypatch.setattr(os, "access", lambda *_: False)
    owner = place.owner()
    with pytest.raises(StoreError, match=f"belongs to {owner}, and {owner} may not open it: run"):
        described(str(place))


def test_what_a_database_refuses_later_is_said_before(postgresql: str) -> None:
    """A role without rights, in a schema that is there and one that is not."""
    place = f"{postgresql}?schema=rights"
    with closing(connect(place)) as connection, connection.begin():
        connection.exec_driver_sql("CREATE ROLE guest LOGIN")
        connection.exec_driver_sql("GRANT USAGE ON SCHEMA rights TO guest")
        connection.exec_driver_sql("GRANT SELECT ON ALL TABLES IN SCHEMA rights TO guest")
    assert described(place)[1] == []
    url = make_url(place).set(username="guest")
    may_not = r"guest may create nothing in it, as a new version does: GRANT CREATE ON {} TO guest"
    closed = url.update_query_dict({"options": "-c default_transaction_read_only=on"})
    found = described(closed.render_as_string())[1]
    assert found == [f"it {TAKES_NOTHING}", may_not.format("SCHEMA rights")]
    elsewhere = url.update_query_dict({"schema": "none"}).render_as_string()
    with pytest.raises(StoreError, match=may_not.format(f"DATABASE {url.database}")):
        described(elsewhere)


def test_a_clock_that_is_off_is_said(postgresql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are compared when a server is asked how it is."""
    place = f"{postgresql}?schema=clock"
    connect(place).close()
    assert described(place)[1] == []
    monkeypatch.setattr(inspection, "MOST_OFF_S", -PATIENCE_S)
    [found] = described(place)[1]
    assert found.endswith("this machine's: set both by NTP")
