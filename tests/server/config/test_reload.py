"""What of a changed configuration holds immediately, and what waits."""

import asyncio
import os
import signal
import threading
from pathlib import Path
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Error, ErrorCode, Goodbye, Seek, Seeking, Watch
from mancala.server.app.server import Server
from mancala.server.app.serving import serve
from mancala.server.config.annotations import RELOADABLE, marked
from mancala.server.config.events import EventSettings
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.reload import plan
from mancala.server.config.settings import Config, Kgp, Limits, Mqtt, Play, Section, Tls
from mancala.server.health.log import NullLog
from tests.patience import PATIENCE_S
from tests.server.peers import arena, settings


def test_limits_and_guests_are_taken_up_and_ports_wait() -> None:
    """The report names both."""
    old = Config(port=1, guests=True)
    found = plan(old, Config(port=2, guests=False, limits=Limits(games=5, ping_s=1.0)))
    assert found.config == replace(old, guests=False, limits=Limits(games=5))
    assert set(found.taken_up) == {"guests", "limits"}
    assert found.wait == ("limits.ping_s", "port")


def test_settings_of_a_table_are_named_with_it() -> None:
    """A change of one key does not name the whole table."""
    found = plan(Config(), Config(mqtt=Mqtt(prefix="x"), play=Play(challenges=1)))
    assert found == (Config(), (), ("mqtt.prefix", "play.challenges"))


def test_nothing_changed_is_nothing_to_do() -> None:
    """Not even a reload of certificates is a change of settings."""
    assert plan(Config(), Config()) == (Config(), (), ())


def test_the_gateway_of_kgp_names_a_ladder_or_an_event_once_it_is_there() -> None:
    """A new ladder opens with the reload; an event, and other rules of a ladder, wait for it."""
    main = LadderSettings(name="main", rules="article")
    old = Config(ladder=(main,), kgp=Kgp(tcp_port=1))
    new = LadderSettings(name="new")
    named = replace(old, ladder=(main, new), kgp=Kgp(tcp_port=2, ladder="new", games=4))
    found = plan(old, named)
    assert (found.config.kgp, found.wait) == (
        Kgp(tcp_port=1, ladder="new", games=4),
        ("kgp.tcp_port",),
    )
    event = EventSettings(name="cup", format="match", entrants=("ann", "bob"))
    other = replace(main, rules="kalah")
    later = replace(old, ladder=(other,), event=(event,), kgp=Kgp(ladder="main", event="cup"))
    waits = ("event", "kgp.event", "kgp.ladder", "kgp.tcp_port", "ladder main.rules")
    assert plan(old, later) == (old, (), waits)


def test_a_certificate_is_renewed_but_not_begun_with() -> None:
    """What is open without encryption stays so until the restart."""
    first, second = Tls(cert="a"), Tls(cert="b")
    assert plan(Config(tls=first), Config(tls=second)).taken_up == ("tls",)
    assert plan(Config(), Config(tls=first)).wait == ("tls.cert",)
    assert plan(Config(), Config(tls=Tls(cert="a", key="b", ca="c"))).wait == ("tls.ca", "tls.cert")


SECTIONS = {
    key: type(value)
    for key in Config.__struct_fields__
    if isinstance(value := getattr(Config(), key), Section)
}


CONDITIONAL = frozenset({"tls.cert", "kgp.ladder", "kgp.event"})
"""What is taken up only where the rest of the settings allows it."""


@pytest.mark.parametrize("section", ["", *SECTIONS])
def test_each_setting_is_taken_up_or_named_by_its_key(section: str) -> None:
    """There is none whose change a reload passes over in silence."""
    table: Section = getattr(Config(), section) if section else Config()
    for key in set(table.__struct_fields__) - {"ladder", *(() if section else SECTIONS)}:
        changed = replace(table, **{key: object()})
        whole = {section: changed} if section else {key: object()}
        found = plan(Config(), replace(Config(), **whole))
        name = f"{section}.{key}" if section else key
        is_taken_up = key in marked(type(table), RELOADABLE) and name not in CONDITIONAL
        assert found.taken_up == (((section or key),) if is_taken_up else ()), name
        assert found.wait == (() if is_taken_up else (name,)), name


def test_each_setting_of_a_ladder_is_taken_up_or_named_with_its_ladder() -> None:
    """As those of the server are."""
    old = LadderSettings(name="main")
    for key in set(old.__struct_fields__) - {"name"}:
        new = replace(old, **{key: object()})
        found = plan(Config(ladder=(old,)), Config(ladder=(new,)))
        is_taken_up = key in marked(LadderSettings, RELOADABLE)
        assert found.wait == (() if is_taken_up else (f"ladder main.{key}",)), key


def test_who_may_join_a_ladder_changes_and_what_is_played_waits() -> None:
    """A new ladder opens, its house bots come with a restart; one that is gone stays until then."""
    old = Config(ladder=(LadderSettings(name="a"), LadderSettings(name="b")))
    closed = LadderSettings(name="a", guests=False)
    other = LadderSettings(name="b", guests=False, rules="article")
    third = LadderSettings(name="c", house={"bot": "random"})
    found = plan(old, Config(ladder=(closed, other, third)))
    assert found.config.ladder == (
        closed,
        LadderSettings(name="b", guests=False),
        LadderSettings(name="c"),
    )
    assert found.wait == ("ladder b.rules", "ladder c.house")
    assert plan(old, Config(ladder=(closed,))).wait == ("ladder b",)


def test_a_new_clock_waits_unless_games_of_both_are_to_be_rated_as_one() -> None:
    """So that terms do not change unnoticed in the middle of a season."""
    old = Config(ladder=(LadderSettings(name="a"),))
    new = Config(ladder=(LadderSettings(name="a", clock=TimeControl(move_ms=9)),))
    assert plan(old, new).wait == ("ladder a.clock",)
    assert plan(old, new, same_season=True).config == new


async def test_a_running_server_holds_bots_to_new_limits(tmp_path: Path) -> None:
    """Also those who were here before."""
    async with arena(tmp_path) as running:
        ann = await running.greet("ann")
        server = running.server
        server.reload(replace(server.config, limits=Limits(games=3), guests=False))
        await ann.say(Seek(games=4))
        assert (await ann.hear(Error)).code is ErrorCode.LIMIT
        bob = await running.connect()
        await bob.hello("bob")
        assert (await bob.hear(Error)).code is ErrorCode.BAD_TOKEN


async def test_sighup_takes_settings_up_and_sigterm_ends(tmp_path: Path) -> None:
    """Unusable settings are reported in the log and change nothing; a thread reads them."""
    wanted = [settings(tmp_path, guests=False), settings(tmp_path, name="")]
    running: asyncio.Future[Server] = asyncio.get_running_loop().create_future()
    log = EventLog()
    first = settings(tmp_path)

    def again() -> Config:
        assert threading.current_thread() is not threading.main_thread()
        return wanted.pop(0)

    serving = asyncio.create_task(serve(first, log=log, ready=running.set_result, again=again))
    server = await running
    os.kill(os.getpid(), signal.SIGHUP)
    await log.told("reloaded")
    assert not server.config.guests
    os.kill(os.getpid(), signal.SIGHUP)
    await log.told("not reloaded")
    assert server.config.name == "test"
    os.kill(os.getpid(), signal.SIGTERM)
    await serving


async def test_a_fault_in_a_reload_does_not_end_the_server(tmp_path: Path) -> None:
    """A folder that this user may not look into any more did; the next signal is heard."""
    running: asyncio.Future[Server] = asyncio.get_running_loop().create_future()
    log, faults = EventLog(), asyncio.Queue[object]()
    asyncio.get_running_loop().set_exception_handler(
        lambda _loop, fault: faults.put_nowait(fault["exception"])
    )
    refused = PermissionError("closed")
    again = Mock(side_effect=[refused, settings(tmp_path, guests=False)])
    first = settings(tmp_path)
    serving = asyncio.create_task(serve(first, log=log, ready=running.set_result, again=again))
    server = await running
    os.kill(os.getpid(), signal.SIGHUP)
    async with asyncio.timeout(PATIENCE_S):
        assert await faults.get() is refused
    os.kill(os.getpid(), signal.SIGHUP)
    await log.told("reloaded")
    assert not server.config.guests
    os.kill(os.getpid(), signal.SIGTERM)
    await serving


async def test_a_reload_that_began_before_another_does_not_undo_it(tmp_path: Path) -> None:
    """An order was carried out while the settings were read: they are read anew."""
    loop = asyncio.get_running_loop()
    running: asyncio.Future[Server] = loop.create_future()
    log, first = EventLog(), settings(tmp_path)
    newer = settings(tmp_path, guests=False)
    wanted = [first, newer]

    def again() -> Config:
        if len(wanted) == 2:
            meanwhile = asyncio.run_coroutine_threadsafe(ordered(), loop)
            meanwhile.result(PATIENCE_S)
        return wanted.pop(0)

    async def ordered() -> None:
        running.result().reload(newer)

    serving = asyncio.create_task(serve(first, log=log, ready=running.set_result, again=again))
    server = await running
    os.kill(os.getpid(), signal.SIGHUP)
    await log.told("reloaded")
    await log.told("reloaded")
    assert not server.config.guests
    os.kill(os.getpid(), signal.SIGTERM)
    await serving


class EventLog(NullLog):
    """A log in which one can wait for an event."""

    def __init__(self) -> None:
        self._events: asyncio.Queue[str] = asyncio.Queue()

    def debug(self, event: str, **facts: object) -> None:
        self.info(event, **facts)

    def info(self, event: str, **facts: object) -> None:
        del facts
        self._events.put_nowait(event)

    def warning(self, event: str, **facts: object) -> None:
        del facts
        self._events.put_nowait(event)

    async def told(self, event: str) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while await self._events.get() != event:
                pass


async def test_idle_clients_are_asked_to_come_back(tmp_path: Path) -> None:
    """Not those who seek, play or watch; they wait for something."""
    async with arena(tmp_path, limits=Limits(idle_s=1e-9)) as running:
        idle = await running.greet("idle")
        ann, bob = await running.pair("ann", "bob")
        seeker = await running.greet("cid")
        await seeker.say(Seek(opponent="nobody"))
        await seeker.hear(Seeking)
        await running.server.housekeeper.keep()
        parting = await idle.hear(Goodbye)
        assert (parting.reason, parting.reconnect_after) == ("idle", 1.0)
        for busy in (ann, bob, seeker):
            await busy.say(Watch(game="none"))
            assert (await busy.hear(Error)).code is ErrorCode.UNKNOWN_GAME
