"""Reports of bots: their size is counted, and the oldest are dropped where all are too large."""

from typing import Final

import pytest
from sqlalchemy import insert, select, update

from mancala.protocol.messages import Info
from mancala.protocol.referee import LedgerEntry
from mancala.server.model.journal import GameOpened, MatchOpened, MovePlayed
from mancala.server.store.database.schema import counters, games
from mancala.server.store.database.shapes import as_text
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.rows.info import drop_oldest
from tests.server.store.test_store import TERMS, closed

pytestmark = pytest.mark.usefixtures("database")

OLDEST_FIRST: Final = ("b", "a", "c")


@pytest.fixture
def transaction(transaction: Transaction) -> Transaction:
    """A transaction in a store with three finished games and another counter."""
    write_all([MatchOpened("m", ("ann", "bob"), TERMS, "1")], transaction)
    for number, game in enumerate(OLDEST_FIRST):
        move = MovePlayed(game, 0, LedgerEntry(2, 1.0, 0.0), None, forced=False)
        write_all([GameOpened(game, "m", number, str(number)), move], transaction)
    transaction.execute(insert(counters), {"name": "another", "value": 7})
    return transaction


def reported(transaction: Transaction, total: int, *sizes: int) -> None:
    for number, (game, size) in enumerate(zip(OLDEST_FIRST, sizes, strict=False)):
        row = {"info_bytes": size, "infos": b"{}", "ended_at": str(number)}
        transaction.execute(update(games).where(games.c.id == game).values(row))
    transaction.execute(update(counters).where(counters.c.name == "info_bytes").values(value=total))


def kept(transaction: Transaction) -> tuple[set[str], set[str], int]:
    transaction.flush()
    with_info = select(games.c.id).where(games.c.infos.is_not(None))
    with_size = select(games.c.id).where(games.c.info_bytes.is_not(None))
    values = {row.name: row.value for row in transaction.execute(select(counters))}
    assert values.pop("another") == 7
    assert values.pop("seq") == 0
    return (
        set(transaction.execute(with_info).scalars()),
        set(transaction.execute(with_size).scalars()),
        values["info_bytes"],
    )


@pytest.mark.parametrize(
    ("limit", "left"),
    [(400, "bac"), (300, "bac"), (299, "ac"), (200, "ac"), (199, "c"), (100, "c"), (0, "")],
)
def test_the_oldest_are_dropped_until_the_rest_is_small_enough(
    transaction: Transaction, limit: int, left: str
) -> None:
    """By the end of their games, whatever their ids."""
    reported(transaction, 300, 100, 100, 100)
    assert drop_oldest(transaction, limit) is False
    assert kept(transaction) == (set(left), set(left), 100 * len(left))


def test_it_goes_on_while_something_was_dropped_and_too_much_is_left(
    transaction: Transaction,
) -> None:
    """A counter that is too large does not make it go on for ever."""
    reported(transaction, 500, 1)
    assert drop_oldest(transaction, 0) is True
    assert kept(transaction) == (set(), set(), 499)
    assert drop_oldest(transaction, 0) is False
    assert kept(transaction) == (set(), set(), 499)


def test_the_reports_of_a_game_are_counted_when_it_ends(transaction: Transaction) -> None:
    """Each game's own, and the sum of all."""
    sizes = {}
    for game in OLDEST_FIRST:
        infos = [Info(comment=game * length) for length in (3, 5 + ord(game))]
        played = [
            MovePlayed(game, 1 + ply, LedgerEntry(2, 1.0, 0.0), info, forced=False)
            for ply, info in enumerate(infos)
        ]
        write_all(played, transaction)
        sizes[game] = sum(len(as_text(info) or "") for info in infos)
    for game in ("a", "c", "b"):
        write_all([closed(game)], transaction)
    found = {row.id: row.info_bytes for row in transaction.execute(select(games)).all()}
    assert found == sizes
    stored = {row.name: row.value for row in transaction.execute(select(counters))}
    assert stored == {"another": 7, "seq": 3, "info_bytes": sum(sizes.values())}
