"""``mancala serve`` with its web in a process of its own, and ``mancala web`` beside it."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import httpx
import psutil
import pytest

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import GameStart, Seek
from tests.drills.ports import free_port
from tests.end_to_end.arena import Hosted, hosted, start
from tests.patience import PATIENCE_S, WALK_S
from tests.processes import children, have_ended
from tests.server.peers import wire_peer

QUIET: Final = "[mqtt]\nprivate_broker = false\n"


def web_process(server: int) -> psutil.Process:
    (found,) = children(server, "mancala.server.web.standalone")
    return found


async def ended(process: psutil.Process) -> bool:
    """Wait until a process has ended."""
    return await asyncio.to_thread(have_ended, [process])


async def get(url: str, path: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as http:
        return await http.get(path)


async def until(url: str, status: int) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as http:
        while (await http.get("/healthz")).status_code != status:
            pass


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[Hosted, str]]:
    async with hosted(folder, f"http_port = 0\n{QUIET}") as running:
        yield running, running.arena.http or ""


async def test_a_killed_web_process_is_replaced_and_the_game_goes_on(tmp_path: Path) -> None:
    """Visitors wait for the next process, and the players notice nothing."""
    async with (
        asyncio.timeout(WALK_S),
        serving(tmp_path) as (running, web),
        wire_peer(running.url, "ann") as ann,
        wire_peer(running.url, "bob") as bob,
    ):
        for peer in (ann, bob):
            await peer.say(Seek(clock=TimeControl(move_ms=60_000)))
        game = (await ann.hear(GameStart)).game
        live = f"/api/v1/games/{game}/live"
        assert (await get(web, live)).status_code == 200
        killed = web_process(running.child.process.pid)
        killed.kill()
        assert await ended(killed)
        assert (await get(web, live)).json()["game"] == game
        assert web_process(running.child.process.pid) != killed


async def test_a_reload_replaces_the_web_process_where_its_settings_change(tmp_path: Path) -> None:
    """Who may log in is nothing to it; a new one serves before the former one ends."""
    async with asyncio.timeout(WALK_S), serving(tmp_path) as (running, web):
        assert (await get(web, "/api/v1")).json()["guests"]
        before = web_process(running.child.process.pid)
        _reload(running, "guests = false\ndrain_s = 1.0\n")
        while (about := (await get(web, "/api/v1")).json())["guests"]:
            pass
        assert about["websocket"] is None
        assert web_process(running.child.process.pid) == before
        _reload(running, 'public_url = "wss://arena.example/play"\n')
        ending = asyncio.create_task(ended(before))
        while not ending.done():
            assert (await get(web, "/api/v1")).status_code == 200
        assert ending.result()
        answer = await get(web, "/api/v1")
        assert answer.json()["websocket"] == "wss://arena.example/play"
        assert "wss://arena.example/play" in answer.headers["Content-Security-Policy"]


def _reload(running: Hosted, settings: str) -> None:
    config = running.folder / "arena.toml"
    config.write_text(f"{settings}{config.read_text()}")
    running.child.process.send_signal(signal.SIGHUP)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_no_web_process_outlives_its_server(tmp_path: Path, number: signal.Signals) -> None:
    """Whether the server was killed or stopped."""
    async with asyncio.timeout(WALK_S), serving(tmp_path) as (running, web):
        assert (await get(web, "/healthz")).status_code == 200
        child = web_process(running.child.process.pid)
        running.child.process.send_signal(number)
        assert await ended(child)


async def test_a_web_port_that_is_taken_is_one_clear_error(tmp_path: Path) -> None:
    """The server does not start without its page, and names the reason."""
    async with asyncio.timeout(WALK_S), serving(tmp_path) as (_, web):
        port = web.rsplit(":", 1)[1]
        second = tmp_path / "second"
        second.mkdir()
        options = ("--port", "0", "--http-port", port, "--store", str(second / "x.sqlite3"))
        async with start("second", "serve", *options, "--json", folder=second) as child:
            assert await child.process.wait() == 1
        assert "in use" in (second / "second.log").read_text()


async def test_a_web_process_apart_shows_the_archive_while_the_server_is_away(
    tmp_path: Path,
) -> None:
    """``mancala web`` outlives the server, says so, and finds the next one."""
    settings = f'http_port = {free_port()}\nweb_feed = "feed"\nlog_level = "warning"\n{QUIET}'
    async with asyncio.timeout(WALK_S):
        async with hosted(tmp_path, settings) as running:
            assert running.arena.http is None
            options = ("--config", str(tmp_path / "arena.toml"), "--json")
            apart = start("web", "web", *options, folder=tmp_path)
            web = await apart.__aenter__()
            url = codec.from_json(await web.line(), dict[str, str])["http"]
            await until(url, 200)
            assert (await get(url, "/api/v1/ladders")).json() == {"ladders": []}
            assert '"listening"' not in (tmp_path / "server.log").read_text()
        try:
            await until(url, 503)
            assert (await get(url, "/api/v1/ladders")).status_code == 503
            assert (await get(url, "/api/v1/games")).json()["games"] == []
            async with hosted(tmp_path, settings):
                await until(url, 200)
        finally:
            await apart.__aexit__(None, None, None)
