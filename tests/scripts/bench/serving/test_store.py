"""The archive that the bench makes is as small, and answers as it should, at 10,000 games."""

from contextlib import closing
from pathlib import Path

from mancala.scripts.bench.serving.store import measure
from mancala.scripts.bench.serving.store_archive import Size, make
from mancala.server.store.database.database import connect
from mancala.server.store.database.writer import Transaction
from mancala.server.store.rows.listing import keep_key
from mancala.server.store.upkeep.recount import differences
from tests.drills.databases import rows

SHORT = Size(games=10_000, entrants=50, pairings=2_000, members=20)
MOST_BYTES_A_GAME = 900


async def test_a_game_takes_no_more_room_than_stated(tmp_path: Path) -> None:
    """With its indexes, totals and rating history; and every question has an answer."""
    place = str(tmp_path / "store.sqlite3")
    make(place, SHORT)
    found = await measure(place)
    with closing(connect(place)) as connection, connection.begin():
        assert differences(Transaction(connection)) == []
    assert found["games"] == SHORT.games
    assert found["bytes_a_game"] <= MOST_BYTES_A_GAME
    assert len(found["p99_ms"]) > 20


def test_a_new_bot_gets_a_new_key(postgresql: str) -> None:
    """As in any store, although the names of the archive came with theirs."""
    place = f"{postgresql}?schema=new_bot"
    make(place, Size(games=10, entrants=5, pairings=2, members=2))
    with closing(connect(place)) as connection, connection.begin():
        key = keep_key(Transaction(connection), "newcomer")
    assert rows(place, "SELECT max(key), count(*) FROM names") == [(key, key)]
