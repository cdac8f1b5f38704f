"""Whether the tables equal the games."""

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import update

from mancala.server.model.journal import GamesMarked, Recounted
from mancala.server.store.database.database import connect
from mancala.server.store.database.schema import duels
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.upkeep.recount import Difference, differences
from tests.server.store.databases import place_of
from tests.server.store.test_archive_recount import entries

pytestmark = pytest.mark.usefixtures("database")


def test_tables_made_anew_equal_the_games(transaction: Transaction) -> None:
    """Those of a ladder, too, which another one writes; then there is no difference."""
    write_all(entries(), transaction)
    assert {found.table for found in differences(transaction)} == {"pairs"}
    write_all([Recounted()], transaction)
    assert differences(transaction) == []


def test_a_damaged_row_is_named(tmp_path: Path) -> None:
    """With what it holds and what the games come to."""
    with closing(connect(place_of(tmp_path))) as connection, connection.begin():
        transaction = Transaction(connection)
        write_all([*entries(), Recounted()], transaction)
        transaction.execute(update(duels).where(duels.c.south == "ann").values(wins=7))
        found = differences(transaction)
    assert Difference("duels", ("ann", "bob"), (1, 7, 1, 0), (1, 0, 1, 0)) in found


def test_an_annulled_game_is_in_no_table(transaction: Transaction) -> None:
    """Marking takes it out of the totals, and adds it when it counts again."""
    write_all([*entries(), Recounted()], transaction)
    for annulled_at in ("2026-01-01T00:00:00.000+00:00", None):
        write_all([GamesMarked(("a0", "b0", "c0", "c1"), annulled_at)], transaction)
        found = differences(transaction)
        assert {each.table for each in found} <= {"pairs"}
    assert found == []
