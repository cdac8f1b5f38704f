"""House bots: kept at play, under names of their own, and gone with the server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from mancala.protocol.messages import GameStart, Watch
from mancala.scripts.console.processes import house as house_room
from mancala.scripts.console.processes.house import HouseBot, environment, house, house_of
from mancala.scripts.console.processes.supervisor import ChildError
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.loading import parse
from mancala.server.health.log import NullLog
from tests.end_to_end.arena import hosted
from tests.patience import WALK_S
from tests.processes import children, have_ended
from tests.server.peers import arena, wire_peer

SETTINGS = """
[[ladder]]
name = "main"
clock = {move_ms = 60000}
[ladder.house]
house-greedy = "greedy"
house-random = "random"
"""


def test_the_house_is_listed_over_all_ladders() -> None:
    """Each ladder's bots, with their players."""
    config = parse(SETTINGS + "[[ladder]]\nname = 'empty'")
    assert house_of(config) == [
        HouseBot("main", "house-greedy", "greedy"),
        HouseBot("main", "house-random", "random"),
    ]


def test_the_house_trusts_the_servers_authority_and_has_no_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A house bot may ask an endpoint of the organiser's own; a token is the caller's alone."""
    monkeypatch.setenv("MANCALA_TOKEN", "a secret")
    monkeypatch.setenv("SSL_CERT_FILE", "theirs.pem")
    with_own = environment(parse("[tls]\nca = 'own.pem'", tmp_path), tmp_path)
    assert with_own["SSL_CERT_FILE"] == str(tmp_path / "own.pem")
    assert environment(parse(""), tmp_path)["SSL_CERT_FILE"] == "theirs.pem"
    assert "MANCALA_TOKEN" not in with_own


async def test_a_lone_newcomer_finds_opponents_of_the_house(tmp_path: Path) -> None:
    """A bot that joins an empty ladder plays; house bots' names are reserved."""
    newcomer = ("--ladder", "main", "--player", "greedy", "--games", "2", "--json")
    async with asyncio.timeout(WALK_S), hosted(tmp_path, SETTINGS) as host:
        async with host.bot("newcomer", *newcomer) as bot:
            told: dict[str, Any] = orjson.loads(await bot.line())
            await bot.succeed()
        async with host.bot("house-random", *newcomer) as impostor:
            assert await impostor.process.wait() == 1
    assert told["games"] >= 2
    assert {result["opponent"] for result in told["results"]} <= {"house-greedy", "house-random"}
    assert "reserved" in (tmp_path / "house-random.log").read_text()


async def test_the_house_leaves_with_a_server_that_is_killed(tmp_path: Path) -> None:
    """No house bot outlives the server, even when the server has no time to end it."""
    async with asyncio.timeout(WALK_S), hosted(tmp_path, SETTINGS) as host:
        async with wire_peer(host.url, "watcher") as watcher:
            await watcher.say(Watch(ladder="main"))
            await watcher.hear(GameStart)
        programs = children(host.child.process.pid, "--ladder")
        assert len(programs) == 2
        host.child.process.kill()
        assert await asyncio.to_thread(have_ended, programs)


class WarningQueue(NullLog):
    """A log whose warnings can be waited for."""

    def __init__(self) -> None:
        self.warnings: asyncio.Queue[dict[str, object]] = asyncio.Queue()

    def warning(self, event: str, **facts: object) -> None:
        self.warnings.put_nowait({"event": event, **facts})


class FailingChild:
    """A program that ends with an error."""

    async def lines(self) -> AsyncIterator[str]:
        line: str
        for line in ():
            yield line

    async def succeed(self) -> None:
        raise ChildError("broken", 1, "no such weights")


@asynccontextmanager
async def failing(*_arguments: str, **_options: object) -> AsyncIterator[FailingChild]:
    yield FailingChild()


async def test_a_house_program_that_fails_is_a_line_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its name, among the server's own lines, so that one program reads them all."""
    monkeypatch.setattr(house_room, "mancala", failing)
    broken = LadderSettings(name="main", house={"broken": "random"})
    log = WarningQueue()
    async with (
        asyncio.timeout(WALK_S),
        arena(tmp_path, ladder=(broken,)) as running,
        house(running.server, log=log),
    ):
        line = await log.warnings.get()
    assert (line["event"], line["program"]) == ("house program ended", "broken")
    assert "broken ended with code 1" in str(line["error"])
