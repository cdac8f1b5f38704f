"""A server that stands by: what it waits for, what it says, and to whom it leaves the store."""

import asyncio
import platform
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import psycopg
import pytest

from mancala.server.app.standby import GRACE_S, RETRY_S, Standby, patience_s
from mancala.server.store import StoreError
from mancala.server.store.database.database import CONNECT_S, PROCESS, connect
from tests.patience import PATIENCE_S
from tests.server.fakes import KeptLog
from tests.server.store.databases import place_of

pytestmark = pytest.mark.usefixtures("database")


class StandingBy(KeptLog):
    """A server that stands by, and what it says."""

    def __init__(self, place: str) -> None:
        super().__init__()
        self.owners: list[object] = []
        self.said: list[str] = []
        self.stop = asyncio.Event()
        self.stands_by = asyncio.Event()
        self.standby = Standby(self.stop, self, self.stands_by.set)
        self.waits = asyncio.create_task(self.standby.wait(place))

    def info(self, event: str, **facts: object) -> None:
        self.said.append(event)
        self.owners.append(facts.get("owner"))

    def warning(self, event: str, **_facts: object) -> None:
        self.said.append(event)


@asynccontextmanager
async def waiting(place: str) -> AsyncIterator[StandingBy]:
    async with asyncio.timeout(PATIENCE_S):
        server = StandingBy(place)
        yield server
        server.stop.set()
        await server.waits


async def test_a_store_that_is_free_is_taken_over_without_a_wait(tmp_path: Path) -> None:
    """Also one that is yet to be made: both machines may have the same unit."""
    async with waiting(place_of(tmp_path)) as server:
        await server.waits
    assert server.said == ["taking over"]
    assert not server.stands_by.is_set()


async def test_it_waits_for_the_end_of_the_owner(tmp_path: Path) -> None:
    """It says once who has the store."""
    place = place_of(tmp_path)
    with closing(connect(place)):
        async with waiting(place) as server:
            await server.stands_by.wait()
    assert server.said == ["standing by"]  # it was stopped
    with closing(connect(place)) as owner:
        async with waiting(place) as server:
            await server.stands_by.wait()
            owner.close()
            await server.waits
    assert server.said == ["standing by", "taking over"]
    if place.startswith("postgresql"):
        assert platform.node() in str(server.owners[0])


async def test_a_database_that_was_away_is_left_to_its_former_owner(
    postgresql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart of PostgreSQL both reconnect, and a takeover would hold up all games."""
    place, pauses = f"{postgresql}?schema=mancala_{tmp_path.name}", []

    async def pause(_server: Standby, seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(Standby, "_pause", pause)
    with closing(connect(place)) as owner:
        async with waiting(place) as server:
            await server.stands_by.wait()
            with psycopg.connect(postgresql, autocommit=True) as other:
                other.execute(
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE"
                    " application_name = 'mancala' AND pid NOT IN (%s, pg_backend_pid())",
                    [owner.exec_driver_sql(PROCESS).scalar_one()],
                )
            while "the store is away" not in server.said:  # noqa: ASYNC110  # it calls no one
                await asyncio.sleep(0)
            owner.close()
            await server.waits
    assert server.said == ["standing by", "the store is away", "taking over"]
    assert pauses == [RETRY_S, GRACE_S]


async def test_a_database_that_was_never_reached_ends_it() -> None:
    """Its URL may be wrong."""
    place = "postgresql://nobody@127.0.0.1:1/none?schema=s"
    with pytest.raises(StoreError, match="127"):
        await Standby(asyncio.Event(), KeptLog(), print).wait(place)


async def test_one_that_was_not_the_first_to_take_over_waits_for_a_database_that_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It began anew, and ended where PostgreSQL was away before its first look."""
    place = place_of(tmp_path)
    with closing(connect(place)) as owner:
        async with waiting(place) as server:
            await server.stands_by.wait()
            owner.close()
            await server.waits

            async def pause(_standby: Standby, _seconds: float) -> None:
                server.stop.set()

            monkeypatch.setattr(Standby, "_pause", pause)
            await server.standby.wait("postgresql://nobody@127.0.0.1:1/none?schema=s")
    assert server.said == ["standing by", "taking over", "the store is away"]


def test_a_server_that_lost_its_store_is_given_up_while_the_next_one_keeps_the_seats() -> None:
    """But no sooner than PostgreSQL needs for a restart."""
    assert CONNECT_S + patience_s(30.0) < 30.0
    assert patience_s(0.0) == GRACE_S
