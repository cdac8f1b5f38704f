"""A bot under another name."""

import pytest
import sqlalchemy as sa

from mancala.server.model.journal import BotRenamed, Recounted
from mancala.server.store.database.schema import games, reviews, splits
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.rows.tokens import issue, issued
from mancala.server.store.upkeep.recount import COUNTED, differences
from mancala.server.store.upkeep.renaming import have_met, known_of
from tests.server.store.test_archive_recount import entries

pytestmark = pytest.mark.usefixtures("database")
AT = "2026-01-01T00:00:00.000+00:00"


@pytest.mark.parametrize("new", ["aaa", "zed", "z@1", "abe"])
def test_tables_are_those_of_the_games_under_the_other_name(
    transaction: Transaction, new: str
) -> None:
    """Whether it comes before or after in the alphabet, or has games of its own."""
    write_all([*entries(), Recounted()], transaction)
    rows = transaction.execute(splits.select()).all()
    write_all([BotRenamed("bob", new, AT)], transaction)
    assert differences(transaction) == []
    assert (known_of(transaction, "bob"), known_of(transaction, new)) == (None, "games")
    assert len({row.bot for row in transaction.execute(splits.select())}) <= len(rows)
    for table in COUNTED:
        assert "bob" not in str(transaction.execute(table.select()).all())


def test_reviews_follow(transaction: Transaction) -> None:
    """Without, those of a game that is annulled later would be taken from no bot."""
    write_all(entries(), transaction)
    for game in transaction.execute(sa.select(games.c.id)).scalars().all():
        row = {"game": game, "first": "bob@2", "second": "bobby", "urgency": 0, "ended_ms": 0}
        transaction.execute(reviews.insert(), row).close()
    write_all([BotRenamed("bob", "zed", AT)], transaction)
    found = {(row.first, row.second) for row in transaction.execute(reviews.select())}
    assert ("zed@2", "bobby") in found


def test_a_name_given_back_leaves_every_table_as_it_was(transaction: Transaction) -> None:
    """Pairs that were turned are turned back."""
    write_all([*entries(), Recounted()], transaction)
    before = [sorted(transaction.execute(table.select()).all()) for table in COUNTED]
    write_all([BotRenamed("bob", "zed", AT), BotRenamed("zed", "bob", AT)], transaction)
    assert [sorted(transaction.execute(table.select()).all()) for table in COUNTED] == before


def test_a_token_follows_unless_the_other_name_has_one(transaction: Transaction) -> None:
    """Then it is revoked, and its name stays reserved."""
    issue(transaction, "bob", AT)
    write_all([BotRenamed("bob", "zed", AT)], transaction)
    assert [(each.name, each.revoked_at) for each in issued(transaction)] == [("zed", None)]
    issue(transaction, "cid", AT)
    write_all([BotRenamed("cid", "zed", AT)], transaction)
    known = [(each.name, each.revoked_at) for each in issued(transaction)]
    assert known == [("cid", AT), ("zed", None)]


def test_matches_of_two_bots_are_counted_from_both_sides(transaction: Transaction) -> None:
    """Names that have met can't become one."""
    write_all(entries(), transaction)
    assert have_met(transaction, "ann", "bob")
    assert have_met(transaction, "bob", "ann")
    assert not have_met(transaction, "bob", "abe")
