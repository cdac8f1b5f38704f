"""Which bots were saved from a loss by a voided game."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from protocol.clock import TimeControl
from protocol.messages import Evidence, Reason
from protocol.referee import Ended
from protocol.results import Payload
from protocol.rules import KALAH
from server.model.journal import Announcement, Entry, GameClosed, GameOpened, MatchOpened
from server.model.match import Terms
from server.store import Store
from tests.server.store.databases import place_of

pytestmark = pytest.mark.usefixtures("database")

YESTERDAY, TODAY = "2026-11-20", "2026-11-21"
NOON = "T12:00:00.000+00:00"


def announcement(game: str) -> Announcement:
    """Announce nothing of interest."""

    def payload(seq: int) -> Payload:
        return Payload(game, seq, "test")

    return Announcement("topic", game, payload)


def played(game: str, number: int, day: str, ended: Ended) -> list[Entry]:
    """Begin and end a game."""
    return [
        GameOpened(game, "m", number, day + NOON),
        GameClosed(game, ended, day + NOON, announcement(game)),
    ]


def void(spared: int | None) -> Ended:
    """End a game that does not count."""
    return Ended(None, (0, 0), Reason.ABORTED, Evidence(spared=spared))


async def test_the_bots_are_found_by_seat_and_day(tmp_path: Path) -> None:
    """In every second game the seats are swapped; other ends and days do not count."""

    def fail(error: Exception) -> None:
        raise error

    terms = Terms(KALAH, TimeControl(), rated=True, games=9)
    lost = Ended(1, (0, 0), Reason.TIMEOUT, Evidence(0))
    entries: list[Entry] = [
        MatchOpened("m", ("ann", "bob"), terms, YESTERDAY + NOON),
        *played("g0", 0, YESTERDAY, void(0)),
        *played("g1", 1, TODAY, void(0)),
        *played("g2", 2, TODAY, void(0)),
        *played("g3", 3, TODAY, void(None)),
        *played("g4", 4, TODAY, lost),
    ]
    async with Store(place_of(tmp_path), failed=fail) as store:
        done = asyncio.Event()
        store.commit(entries, done.set)
        await done.wait()
        assert sorted(await store.spared_bots(TODAY)) == ["ann", "bob"]
        assert sorted(await store.spared_bots(YESTERDAY)) == ["ann", "ann", "bob"]
