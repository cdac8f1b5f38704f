"""A running server forgets by its settings what is old, and tidies its store once a day."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final, cast

import pytest

from mancala.protocol.messages import Outcome, Reason
from mancala.server.app import housekeeping
from mancala.server.app.housekeeping import Housekeeper
from mancala.server.config.settings import Keep, Mqtt
from mancala.server.model.journal import Entry, GameClosed, GameOpened, MatchClosed
from mancala.server.store.rows.outbox import Dropped
from mancala.server.store.upkeep.retention import give_back_room
from tests.server.fakes import Harness
from tests.server.peers import arena
from tests.server.store.databases import rows
from tests.server.store.test_store import OPENED, UTC, announcement

ENDED: Final = Outcome(0, (25, 23), Reason.NORMAL, None)
PLAYED: Final[Sequence[Entry]] = (
    OPENED,
    GameOpened("g", "m", 0, UTC),
    GameClosed("g", ENDED, UTC, announcement("g")),
    MatchClosed("m", (1.0, 0.0), UTC, announcement("m")),
)
"""What a match of one game is stored as, with two results to publish."""


class Calls:
    """A store of which it is only noted what is called or run."""

    def __init__(self, **answers: object) -> None:
        self.made: list[object] = []
        self._answers = answers

    async def run(self, act: object, *_given: object) -> None:
        self.made.append(act)

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        async def call(*_given: object) -> object:
            self.made.append(name)
            return self._answers.get(name)

        return call


@pytest.mark.parametrize("days", [None, 0.0])
async def test_matches_are_kept_for_ever_or_as_long_as_wanted(
    tmp_path: Path, days: float | None
) -> None:
    """Totals stay in any case."""
    async with arena(tmp_path, keep=Keep(games_days=days)) as running:
        running.server.store.commit(PLAYED, lambda: None)
        await running.server.housekeeper.keep()
        await running.server.housekeeper.keep()
        place = running.server.config.store_path
        assert rows(place, "SELECT count(*) FROM games") == [(int(days is None),)]
        assert rows(place, "SELECT sum(games) FROM players") == [(2,)]


@pytest.mark.parametrize(
    ("mqtt", "kept"),
    [
        (Mqtt(private_broker=False), 2),
        (Mqtt(private_broker=False, outbox_rows=1), 1),
        (Mqtt(private_broker=False, outbox_bytes=1), 1),
    ],
)
async def test_results_wait_for_their_broker_within_bounds(
    tmp_path: Path, mqtt: Mqtt, kept: int
) -> None:
    """The oldest are dropped first, and the newest never."""
    async with arena(tmp_path, mqtt=mqtt) as running:
        running.server.store.commit(PLAYED, lambda: None)
        await running.server.housekeeper.keep()
        assert rows(running.server.config.store_path, "SELECT count(*) FROM outbox") == [(kept,)]


async def test_a_store_is_tidied_once_in_its_quiet_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the server was doing before."""
    monkeypatch.setattr(housekeeping, "STEP_S", 0)
    nothing = Dropped(0, 0)
    store = Calls(drop_oldest_payloads=nothing)
    hours = iter(
        f"2026-11-{day:02}T{hour:02}:{minute:02}:00.000+00:00"
        for day in (21, 22)
        for hour in (2, 3, 4)
        for minute in (0, 30)
    )
    harness = Harness()
    housekeeper = Housekeeper(harness.sessions, cast("Any", store), harness.context)
    tidied = []
    for now in hours:
        harness.utc = now
        before = store.made.count(give_back_room)
        await housekeeper.keep()
        if store.made.count(give_back_room) > before:
            tidied.append(now[8:16])
    assert tidied == ["21T03:00", "22T03:00"]
