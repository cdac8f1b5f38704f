"""A server that stands by: what it waits for, what it says, and to whom it leaves the store."""

import asyncio
import inspect
import platform
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import psycopg
import pytest
from msgspec.structs import replace
from sqlalchemy.exc import DBAPIError

from mancala.server.app import server, standby
from mancala.server.app.restoring import lobby_of
from mancala.server.app.server import Server
from mancala.server.app.serving import _take_over
from mancala.server.app.standby import GRACE_S, RETRY_S, Standby, patience_s
from mancala.server.config.settings import Config
from mancala.server.match.context import Context
from mancala.server.net import listening
from mancala.server.net.listening import PortError
from mancala.server.store import Store, StoreError
from mancala.server.store.database.database import CONNECT_S, PROCESS, connect
from mancala.server.store.database.faults import (
    BrokenStoreError,
    StoreInUseError,
    StoreUnreachedError,
)
from tests.patience import PATIENCE_S
from tests.server.fakes import KeptLog
from tests.server.store.databases import place_of

NONE = "postgresql://nobody@127.0.0.1:1/none?schema=s"
pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Have a server that stands by pause for no time; what it would have paused, in seconds."""
    seen: list[float] = []

    async def pause(_standby: Standby, seconds: float) -> None:
        seen.append(seconds)

    monkeypatch.setattr(Standby, "_pause", pause)
    return seen


class StandingBy(KeptLog):
    """A server that stands by, and what it says."""

    def __init__(self, place: str) -> None:
        super().__init__()
        self.owners: list[object] = []
        self.said: list[str] = []
        self.stop = asyncio.Event()
        self.port = asyncio.Lock()
        self.looked = asyncio.Event()
        self.stands_by = asyncio.Event()
        self.standby = Standby(self.stop, self, self.stands_by.set)
        self.waits = asyncio.create_task(self.standby.wait(place, self.look_around, self.prepare))

    async def look_around(self) -> None:
        if self.port.locked():
            self.looked.set()
            raise PortError("port: cannot listen on it")

    async def prepare(self) -> None:
        self.said.append("prepared")

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
    assert server.said == ["standing by", "prepared"]  # it was stopped
    with closing(connect(place)) as owner:
        async with waiting(place) as server:
            await server.stands_by.wait()
            owner.close()
            await server.waits
    assert server.said == ["standing by", "prepared", "taking over"]
    if place.startswith("postgresql"):
        assert platform.node() in str(server.owners[0])


async def test_a_database_that_was_away_is_left_to_its_former_owner(
    postgresql: str, tmp_path: Path, pauses: list[float]
) -> None:
    """After a restart of PostgreSQL both reconnect, and a takeover would hold up all games."""
    place = f"{postgresql}?schema=mancala_{tmp_path.name}"
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
    assert server.said == ["standing by", "prepared", "the store is away", "taking over"]
    assert pauses.count(GRACE_S) == 1


async def test_a_database_that_was_never_reached_ends_it() -> None:
    """Its URL may be wrong."""
    with pytest.raises(StoreError, match="127"):
        await StandingBy(NONE).waits


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
            await server.standby.wait(NONE, server.look_around, server.prepare)
    assert server.said == ["standing by", "prepared", "taking over", "the store is away"]


def test_a_server_that_lost_its_store_is_given_up_while_the_next_one_keeps_the_seats() -> None:
    """But no sooner than PostgreSQL needs for a restart."""
    assert CONNECT_S + patience_s(30.0) < 30.0
    assert patience_s(0.0) == GRACE_S


async def test_one_whose_database_is_frozen_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waited until the database answered, and systemd until it killed it."""
    asked, thaws = threading.Event(), threading.Event()

    def looks(_place: str) -> Iterator[None]:
        asked.set()
        thaws.wait()
        yield

    monkeypatch.setattr(standby, "looks", looks)
    async with waiting("frozen") as server:
        await asyncio.to_thread(asked.wait)
    thaws.set()
    assert not server.waits.result()


async def test_one_that_is_stopped_leaves_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """It left it to the garbage collector."""

    def looks() -> Generator[StoreInUseError | None]:
        yield None
        while True:
            yield StoreInUseError("store")

    asked = looks()
    monkeypatch.setattr(standby, "looks", lambda _place: asked)
    async with waiting("taken") as server:
        await server.stands_by.wait()
    assert inspect.getgeneratorstate(asked) == inspect.GEN_CLOSED


async def test_one_whose_port_is_taken_leaves_the_store_to_its_owner(tmp_path: Path) -> None:
    """It claimed the store before it looked, and so ended an owner that had to reconnect."""
    place = place_of(tmp_path)
    with closing(connect(place)) as owner:
        async with waiting(place) as server:
            await server.stands_by.wait()
            async with server.port:
                owner.close()
                await server.looked.wait()
            await server.waits
    assert server.said == ["standing by", "prepared", "not taking over", "taking over"]


async def test_a_start_on_a_store_that_is_free_says_that_its_port_is_taken(tmp_path: Path) -> None:
    """Then no other server is there to wait for."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        config = Config(store=place_of(tmp_path), port=other.getsockname()[1])
        with pytest.raises(PortError, match=r"^port: cannot listen on"):
            await take_over(config, never, KeptLog())


@pytest.mark.parametrize("key", ["http_port", "health_port"])
async def test_it_asks_only_for_ports_that_the_server_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """Not for that of `mancala web`, nor at a second address of a name: HTTP takes the first.

    It never took over.
    """
    with socket.create_server(("127.0.0.1", 0)) as other:
        number = other.getsockname()[1]
        config = Config(store=place_of(tmp_path), port=0, web_feed=f"{tmp_path}/feed")
        if key == "http_port":
            config = replace(config, http_port=number)
        else:
            found = [(socket.AF_INET, (host, number)) for host in ("127.0.0.2", "127.0.0.1")]

            async def addresses(_host: str, port: int) -> object:
                return found if port == number else [(socket.AF_INET, ("127.0.0.1", port))]

            monkeypatch.setattr(listening, "_addresses", addresses)
            config = replace(config, health_port=number)
        runs: list[Config] = []

        async def run(config: Config, **_parts: object) -> None:
            runs.append(config)

        await take_over(config, run, KeptLog())
    assert runs == [config]


async def take_over(config: Config, run: Callable[..., Awaitable[None]], log: KeptLog) -> None:
    async with asyncio.timeout(PATIENCE_S):
        await _take_over(config, run, lambda: config, log, Standby(asyncio.Event(), log, print))


async def never(*_: object, **_parts: object) -> None:
    raise AssertionError


async def test_one_that_loses_its_database_as_it_takes_over_stands_by_again(
    tmp_path: Path, pauses: list[float]
) -> None:
    """It ended, with the next one that stood by."""
    log = KeptLog()
    faults = [StoreUnreachedError("gone"), StoreInUseError("store")]

    async def run(_config: Config, **_parts: object) -> None:
        if faults:
            raise faults.pop(0)

    await take_over(Config(store=place_of(tmp_path), port=0), run, log)
    assert [each["event"] for each in log.warnings] == ["the store is away"]
    assert pauses == [RETRY_S, GRACE_S]
    with pytest.raises(StoreUnreachedError):
        async with Store(NONE, failed=print):
            raise AssertionError


@pytest.mark.usefixtures("pauses")
async def test_one_that_loses_its_database_before_it_listens_stands_by_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ended without a word: its task was cancelled as the games were restored."""
    served, log = list[str](), KeptLog()

    async def lost(_store: Store, _context: Context) -> None:
        monkeypatch.setattr(server, "lobby_of", lobby_of)
        error = BrokenStoreError("gone")
        error.__cause__ = DBAPIError(None, None, OSError(), connection_invalidated=True)
        running[-1]._fail(error)
        await asyncio.Event().wait()

    running: list[Server] = []

    async def run(config: Config, **_parts: object) -> None:
        running.append(Server(config, log=log))
        async with running[-1]:
            served.append(running[-1].url)

    monkeypatch.setattr(server, "lobby_of", lost)
    await take_over(Config(store=place_of(tmp_path), port=0), run, log)
    assert [each["event"] for each in log.warnings] == ["the store failed", "the store is away"]
    assert len(served) == 1
