"""The operator's way in: a running server's socket, and the store of one that is stopped."""

from pathlib import Path

import pytest

from mancala.protocol.messages import GameStart
from mancala.server.app.operating import carry_out, operated
from mancala.server.config.ladders import LadderSettings
from mancala.server.control.client import NotRunningError, ask
from mancala.server.control.operator import RefusedError
from mancala.server.control.wire import Request
from mancala.server.health.log import NullLog
from mancala.server.store import StoreError
from mancala.server.store.database.faults import StoreInUseError, StoreMissingError
from tests.server.peers import arena, order, settings
from tests.server.store import databases

pytestmark = pytest.mark.usefixtures("database")
LADDER = (LadderSettings(name="main"),)


def files_of(folder: Path, ending: str = "") -> list[str]:
    return [str(path) for path in folder.iterdir() if path.name.endswith(ending)]


async def test_a_stopped_servers_store_takes_the_same_actions(tmp_path: Path) -> None:
    """The next server knows what was done, and the trail is one."""
    async with arena(tmp_path) as running:
        await order(running.server, "ban", name="eve")
    config = settings(tmp_path, ladder=LADDER)
    result = await carry_out(config, Request("pause", {"ladder": "main"}, why="a fault"), "root")
    assert [change.what for change in result["changed"]] == ["paused"]
    async with arena(tmp_path, ladder=LADDER) as running:
        with pytest.raises(RefusedError, match="paused already"):
            await order(running.server, "pause", ladder="main")
        lines = (await order(running.server, "log"))["log"]
    assert [line["action"] for line in lines] == ["pause", "ban"]


async def test_games_under_way_stay_as_they_are_in_a_stopped_store(tmp_path: Path) -> None:
    """An action that does not concern them neither ends nor begins one."""
    async with arena(tmp_path) as running:
        ann, _bob = await running.pair("ann", "bob", games=2)
        await ann.hear(GameStart)
    place = databases.place_of(tmp_path)
    before = databases.rows(place, "SELECT id, ended_at FROM games")
    await carry_out(settings(tmp_path), Request("ban", {"name": "eve"}), "root")
    assert databases.rows(place, "SELECT id, ended_at FROM games") == before


async def test_a_store_that_a_server_has_is_not_touched(tmp_path: Path) -> None:
    """Its socket is the only way."""
    async with arena(tmp_path):
        with pytest.raises(StoreInUseError, match="in use by another server"):
            await carry_out(settings(tmp_path), Request("bans"), "root")


async def test_a_mistyped_store_is_not_made(tmp_path: Path) -> None:
    """Nor one in memory, which is gone."""
    with pytest.raises((StoreMissingError, StoreError)):
        await carry_out(settings(tmp_path), Request("bans"), "root")
    with pytest.raises(StoreError, match="in memory"):
        await carry_out(settings(tmp_path, store=":memory:"), Request("bans"), "root")
    assert files_of(tmp_path) == []


async def test_a_configured_socket_that_cannot_be_made_ends_the_server(tmp_path: Path) -> None:
    """The error names the path."""
    (tmp_path / "file").touch()
    async with arena(tmp_path, ctl=str(tmp_path / "file" / "ctl")) as running:
        with pytest.raises(OSError, match="file"):
            async with operated(running.server.target, NullLog()):
                pass


async def test_a_server_listens_for_its_operator(tmp_path: Path) -> None:
    """Where its settings say."""
    path = str(tmp_path / "x.ctl")
    async with arena(tmp_path, ctl=path) as running:
        async with operated(running.server.target, NullLog()):
            assert files_of(tmp_path, ".ctl") == [path]
        with pytest.raises(NotRunningError):
            ask(path, Request("who"))
