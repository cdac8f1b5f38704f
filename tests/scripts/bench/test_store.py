"""The archive that the bench makes is as small, and answers as it should, at 10,000 games."""

from __future__ import annotations

from pathlib import Path

from mancala.scripts.bench.store import measure
from mancala.scripts.bench.store_archive import Size, make

SHORT = Size(games=10_000, entrants=50, pairings=2_000, members=20)
MOST_BYTES_A_GAME = 900


async def test_a_game_takes_no_more_room_than_stated(tmp_path: Path) -> None:
    """With its indexes, totals and rating history; and every question has an answer."""
    place = str(tmp_path / "store.sqlite3")
    make(place, SHORT)
    found = await measure(place)
    assert found["games"] == SHORT.games
    assert found["bytes_a_game"] <= MOST_BYTES_A_GAME
    assert len(found["p99_ms"]) > 20
