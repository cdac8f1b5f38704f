"""Settings taken up while the server runs."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import replace as changed
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import aiomqtt
import pytest
from msgspec.structs import replace

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import GameStart, Join, Joined
from mancala.server.app.server import Server
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.reload import Reload, plan
from mancala.server.config.settings import Config, Mqtt
from mancala.server.control.actions import ReloadSettings
from mancala.server.control.operator import Operator, Order, RefusedError, Reloading, Target
from mancala.server.control.plans.reloading import reload
from mancala.server.control.wire import Request
from mancala.server.health.log import NullLog
from mancala.server.publish.broker import private_broker
from tests.patience import PATIENCE_S
from tests.server.control.operators import laddered, played
from tests.server.peers import arena, order

MAIN = LadderSettings(name="main")
LOGIN = "hidden as well"
BLITZ = LadderSettings(name="blitz", patience_s=0.0)


def operator(server: Server, wanted: Config) -> Operator:
    return reloading(server, lambda: wanted)


def reloading(server: Server, read: Callable[[], Config]) -> Operator:
    return Operator(live(server, read))


def live(server: Server, read: Callable[[], Config]) -> Target:
    def planned(wanted: Config, *, same_season: bool) -> Reload:
        return plan(server.config, wanted, same_season=same_season)

    return changed(server.target, reload=Reloading(read, planned, server.reload))


async def test_settings_that_are_long_in_coming_stop_no_game(tmp_path: Path) -> None:
    """A frozen PostgreSQL, asked for the anchors, stopped all."""
    asked, came = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()
    async with arena(tmp_path) as running:

        def read() -> Config:
            loop.call_soon_threadsafe(asked.set)
            assert came.wait(PATIENCE_S)
            return replace(running.server.config, guests=False)

        ordering = reloading(running.server, read).carry_out(Request("reload"), "root")
        reload = asyncio.create_task(ordering, name="reload")
        await asked.wait()
        await running.pair("ann", "bob")
        assert running.server.config.guests
        came.set()
        assert [change.subject for change in (await reload)["changed"]] == ["guests"]


async def test_settings_taken_up_meanwhile_are_not_undone(tmp_path: Path) -> None:
    """A signal had newer ones taken up while an order read, or before it was carried out."""
    async with arena(tmp_path) as running:
        server = running.server
        older, newer = server.config, replace(server.config, guests=False)

        def read() -> Config:
            server.reload(newer)
            return older

        meanwhile = "settings were taken up meanwhile; try again"
        with pytest.raises(RefusedError, match=meanwhile):
            await reloading(server, read).carry_out(Request("reload"), "root")
        order_given = Order("reload", "root", "2030-01-01T00:00:00Z")
        planned = await reload(live(server, lambda: older), ReloadSettings(), order_given)
        server.reload(replace(newer, name="x"))
        assert planned.commit is not None
        with pytest.raises(RefusedError, match=meanwhile):
            await planned.commit([])
        assert not server.config.guests


async def test_a_file_that_cannot_be_read_refuses_the_order(tmp_path: Path) -> None:
    """It was a fault of the server's own."""
    async with arena(tmp_path) as running:
        by = reloading(running.server, Mock(side_effect=PermissionError(13, "Permission denied")))
        with pytest.raises(RefusedError, match=r"not reloaded: .*Permission denied"):
            await by.carry_out(Request("reload"), "root")


async def test_a_new_ladder_opens_and_bots_play_in_it(tmp_path: Path) -> None:
    """Without a restart; what can't be taken up is named."""
    async with arena(tmp_path, ladder=(MAIN,)) as running:
        server = running.server
        wanted = replace(server.config, ladder=(MAIN, BLITZ), port=1)
        by = operator(server, wanted)
        dry = await by.carry_out(Request("reload", dry_run=True), "root")
        assert server.config.ladder == (MAIN,)
        result = await by.carry_out(Request("reload", why="more fun"), "root")
        assert result["changed"] == dry["changed"]
        assert result["wait_for_restart"] == ("port",)
        peers = [await running.greet(name) for name in ("ann", "bob")]
        for peer in peers:
            await peer.say(Join("blitz"))
            await peer.hear(Joined)
        await peers[0].hear(GameStart)
        [line] = (await order(server, "log"))["log"]
    assert (line["action"], line["why"]) == ("reload", "more fun")


async def test_a_ladders_clock_and_openings_are_those_of_the_next_match(tmp_path: Path) -> None:
    """The clock only when games of both are to be rated as one."""
    async with arena(tmp_path, ladder=(MAIN,)) as running:
        server = running.server
        openings = ("<6,0,0,1,1,1,1,1,1,1,1,1,1,1,1>",)
        quick = replace(MAIN, clock=TimeControl(move_ms=777), openings=openings)
        by = operator(server, replace(server.config, ladder=(quick,)))
        result = await by.carry_out(Request("reload"), "root")
        assert result["wait_for_restart"] == ("ladder main.clock",)
        assert [change.subject for change in result["changed"]] == ["ladder main.openings"]
        await by.carry_out(Request("reload", {"same_season": True}), "root")
        ann = await running.greet("ann")
        await ann.say(Join("main"))
        assert (await ann.hear(Joined)).clock.move_ms == 777


async def test_a_long_value_is_shown_by_its_first_two_hundred_letters(tmp_path: Path) -> None:
    """On the terminal, in the log and in the trail; a shorter one as a whole."""
    async with arena(tmp_path) as running:
        for letters, shown in ((196, 200), (197, 201)):
            wanted = replace(running.server.config, stage_words=("x" * letters,))
            by = operator(running.server, wanted)
            [change] = (await by.carry_out(Request("reload", dry_run=True), "root"))["changed"]
            assert len(change.after) == shown


async def test_results_go_to_the_broker_that_the_settings_name_now(
    tmp_path: Path, mosquitto: str
) -> None:
    """Those that waited too; a URL that is none changes nothing."""
    async with AsyncExitStack() as stack:
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        running = await stack.enter_async_context(laddered(tmp_path))
        spawn = partial(_spawn, tasks)
        url = await stack.enter_async_context(private_broker(mosquitto, NullLog(), spawn))
        await played(running, "ann", "bob")
        server = running.server
        wrong = replace(server.config, mqtt=Mqtt(url="http://x"))
        with pytest.raises(RefusedError, match=r"not reloaded: mqtt\.url: must be mqtt://host"):
            await operator(server, wrong).carry_out(Request("reload"), "root")
        async with aiomqtt.Client(
            "127.0.0.1", int(url.rsplit(":", 1)[1]), timeout=PATIENCE_S
        ) as client:
            await client.subscribe("mancala/test/matches/+/result", qos=1)
            login = Mqtt(url=url.replace("//", "//ann:hidden@"), user="ann", password=LOGIN)
            by = operator(server, replace(server.config, mqtt=login))
            result = await by.carry_out(Request("reload"), "root")
            assert result["wait_for_restart"] == ()
            assert {change.subject for change in result["changed"]} >= {"mqtt.password", "mqtt.url"}
            assert "hidden" not in str(await order(server, "log"))
            message = await anext(aiter(client.messages))
        assert b'"ann"' in bytes(message.payload)


def _spawn(
    tasks: asyncio.TaskGroup, work: Coroutine[None, None, None], name: str
) -> asyncio.Task[None]:
    return tasks.create_task(work, name=name)


async def test_wrong_settings_change_nothing(tmp_path: Path) -> None:
    """The key is named."""
    async with arena(tmp_path) as running:
        server = running.server
        wanted = replace(server.config, name="a/b")
        by = operator(server, wanted)
        with pytest.raises(RefusedError, match="not reloaded: name: must not contain '/'"):
            await by.carry_out(Request("reload"), "root")
        await running.refused("no server runs that could take up settings", "reload")
