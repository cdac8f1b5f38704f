"""Rows with a key that is there replace or add, on both databases."""

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select

from mancala.server.store.database.database import connect
from mancala.server.store.database.schema import duels
from mancala.server.store.database.statements import accumulate, upsert
from mancala.server.store.database.writer import Statement, Transaction
from tests.server.store.databases import place_of

pytestmark = pytest.mark.usefixtures("database")


def written(place: str, statement: Statement) -> set[tuple[int, int, int]]:
    """Write two rows of one key and one of another together; return what is there then."""
    with closing(connect(place)) as connection, connection.begin():
        transaction = Transaction(connection)
        for second, wins, losses in (("bob", 1, 2), ("cid", 5, 0), ("bob", 10, 20)):
            row = {"south": "ann", "north": second, "games": 0, "wins": wins, "draws": 0}
            transaction.put(statement, {**row, "losses": losses})
        found = transaction.execute(select(*(duels.c["wins", "draws", "losses"])))
        return {tuple(row) for row in found}


@pytest.mark.parametrize(
    ("statement", "kept"),
    [
        (upsert(duels), {(10, 0, 20), (5, 0, 0)}),
        (upsert(duels, ["wins"]), {(10, 0, 2), (5, 0, 0)}),
        (accumulate(duels), {(11, 0, 22), (5, 0, 0)}),
    ],
    ids=["replaces", "replaces some columns", "adds up"],
)
def test_rows_of_one_key_that_are_sent_together_become_one(
    statement: Statement, kept: set[tuple[int, int, int]], tmp_path: Path
) -> None:
    """An upsert keeps the last row of a key, or its columns named; others add up by column."""
    assert written(place_of(tmp_path), statement) == kept
