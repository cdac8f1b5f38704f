"""What is learnt of a store without owning it."""

from contextlib import closing
from pathlib import Path

import pytest

from mancala.server.store import StoreError
from mancala.server.store.carrying.moving import downgrade_store
from mancala.server.store.database import database
from mancala.server.store.database.database import connect
from mancala.server.store.database.versions import BEFORE
from mancala.server.store.reading.inspection import known_bots
from mancala.server.store.rows.tokens import issue, token_admin
from tests.server.store.databases import place_of

pytestmark = pytest.mark.usefixtures("database")


def issued(place: str) -> None:
    with token_admin(place) as transaction:
        issue(transaction, "ann", "2026-01-01T00:00:00Z")


def test_a_store_that_is_not_there_yet_knows_no_bot(tmp_path: Path) -> None:
    """Asking creates nothing."""
    assert known_bots(place_of(tmp_path)) == frozenset()
    assert list(tmp_path.iterdir()) == []
    assert known_bots(":memory:") == frozenset()


def test_bots_are_known_while_a_server_owns_the_store(tmp_path: Path) -> None:
    """Settings are checked beside the server that runs with the old ones."""
    issued(place_of(tmp_path))
    with closing(connect(place_of(tmp_path))):
        assert known_bots(place_of(tmp_path)) == {"ann"}


def test_a_store_of_an_earlier_version_is_one_that_a_server_opens(tmp_path: Path) -> None:
    """It is migrated when the server starts, not when it is looked at."""
    place = place_of(tmp_path)
    issued(place)
    downgrade_store(place)
    assert known_bots(place) == {"ann"}
    with closing(database.reach(place, database.Access.READ)) as connection:
        assert database.revision_of(connection, place) == BEFORE


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    """Its tables may mean something else."""
    place = place_of(tmp_path)
    with closing(connect(place)) as connection, connection.begin():
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match=r"later version \(9999"):
        known_bots(place)


@pytest.mark.parametrize(
    ("name", "reason"), [("text", "not a database"), (".", "open"), ("text/x", "no directory")]
)
def test_what_can_be_no_store_is_one_line(tmp_path: Path, name: str, reason: str) -> None:
    """Neither a text, nor a folder, nor a path below a file."""
    (tmp_path / "text").write_text("no database" * 100)
    with pytest.raises(StoreError, match=reason) as refused:
        known_bots(str(tmp_path / name))
    assert "\n" not in str(refused.value)


def test_a_database_that_cannot_be_reached_is_one_line() -> None:
    """The password is left out."""
    with pytest.raises(StoreError) as refused:
        known_bots("postgresql://ann:secret@127.0.0.1:1/arena?schema=club")
    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)
