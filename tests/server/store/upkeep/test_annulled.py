"""Which games are meant, and what they counted for."""

from contextlib import closing
from pathlib import Path

import pytest

from mancala.server.model.journal import GamesMarked
from mancala.server.store.database.database import connect
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.upkeep.annulled import Selection, find, find_all, of_matches
from tests.server.store.databases import place_of
from tests.server.store.test_archive_recount import entries

pytestmark = pytest.mark.usefixtures("database")


@pytest.mark.parametrize(
    ("selection", "ids"),
    [
        (Selection(games=("a0", "b1", "zz")), ["a0"]),
        (Selection(match="a"), ["a0", "a1"]),
        (Selection(bot="bob"), ["a0", "a1", "b0"]),
        (Selection(bot="bob", other="cid"), ["b0"]),
        (Selection(bot="cid", ladder="rapid"), ["c0", "c1"]),
        (Selection(since="2000-01-01", until="2001-01-01"), []),
    ],
)
def test_a_selection_finds_finished_games(
    transaction: Transaction, selection: Selection, ids: list[str]
) -> None:
    """By id, match, bot, pair, ladder and span; games under way are none."""
    write_all(entries(), transaction)
    assert [game.id for game in find(transaction, selection)] == ids


def test_a_game_says_what_it_counted_for(tmp_path: Path) -> None:
    """Its seats and points, whether it was tallied, and whether it is annulled."""
    with closing(connect(place_of(tmp_path))) as connection, connection.begin():
        transaction = Transaction(connection)
        write_all([*entries(), GamesMarked(("a1",), "2026-01-01")], transaction)
        draw, won = find_all(transaction, ["a0", "a1"])
        [void, _] = of_matches(transaction, ["c"])["c"]
    assert (draw.names, draw.points(0), draw.tallied) == (("ann", "bob"), 0.5, True)
    assert (won.names, won.points(0), won.points(1)) == (("bob", "ann"), 1.0, 0.0)
    assert (draw.is_annulled, won.is_annulled, won.is_under_way) == (False, True, True)
    assert not void.tallied
