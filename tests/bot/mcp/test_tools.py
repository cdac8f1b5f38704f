"""The tools of the MCP server, used as a client of the protocol uses them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from tests.bot.mcp.model import call, connected, refused
from tests.end_to_end.arena import Hosted, hosted
from tests.patience import PATIENCE_S, WALK_S

if TYPE_CHECKING:
    from fastmcp import Client

pytestmark = pytest.mark.asyncio(loop_scope="module")

MOVE_MS = round(1000 * PATIENCE_S)
LADDER = f"""
http_port = 0
[[ladder]]
name = "main"
clock = {{ move_ms = {MOVE_MS} }}
[ladder.house]
house-random = "random"
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Hosted]:
    """One server with a ladder for all tests: starting it is what takes time."""
    async with hosted(tmp_path_factory.mktemp("mcp"), LADDER) as running:
        yield running


@asynccontextmanager
async def client(host: Hosted, name: str = "model") -> AsyncIterator[Client[Any]]:
    async with asyncio.timeout(WALK_S), connected(host.url, host.arena.http, name) as tools:
        yield tools


async def test_the_server_states_its_version_and_which_tools_only_read() -> None:
    """A client lets a model look without a question, and asks a person before it resigns."""
    async with connected() as tools:
        stated = tools.server_info
        hints_of = {tool.name: tool.annotations for tool in await tools.list_tools()}
    assert stated is not None
    assert stated.version == "1.2.3"
    reading = {name for name, hints in hints_of.items() if hints and hints.read_only_hint}
    assert reading == {"list_opponents", "board", "legal_moves", "wait", "review"}
    destructive = {name for name, hints in hints_of.items() if hints and hints.destructive_hint}
    assert destructive == {"resign"}


async def play_out(
    tools: Client[Any], status: dict[str, Any], rng: random.Random
) -> dict[str, Any]:
    while status["status"] != "idle":
        if status["status"] == "your_turn":
            status = await call(tools, "play", pit=rng.choice(status["legal"]))
        else:
            status = await call(tools, "wait")
    return status


async def test_a_model_plays_a_rated_ladder_as_any_bot(host: Hosted) -> None:
    """It joins, plays its game to the end, and stands in the table with the house bot."""
    async with client(host) as tools:
        status = await call(tools, "start_game", ladder="main", games=2)
        assert status["status"] in {"your_turn", "waiting"}
        status = await play_out(tools, status, random.Random(7))
        listed = await call(tools, "list_opponents")
    assert [ended["reason"] for ended in status["ended"]] == ["normal"] * 2
    assert status["error"] is None
    assert "model" in [row["name"] for row in listed["bots"]]
    assert [ladder["ladder"] for ladder in listed["ladders"]] == ["main"]


async def test_a_model_challenges_a_bot_and_is_helped_along(host: Hosted) -> None:
    """Position in words, legal pits and the clock; faults are explained and cost nothing."""
    async with host.bot("rival", "--player", "greedy"), client(host) as tools:
        with refused("start_game"):
            await call(tools, "wait")
        status = await _challenge(tools)
        connected = (await call(tools, "list_opponents"))["connected"]
        assert {"model", "rival"} <= {bot["name"] for bot in connected}
        assert "Your pits 0 to 4" in status["position"]
        assert "A move takes all seeds" in status["position"]
        assert status["seconds_left"] <= 60
        assert await call(tools, "legal_moves") == status["legal"]
        assert (await call(tools, "board"))["position"] == status["position"]
        with refused("pit 99 may not be sown"):
            await call(tools, "play", pit=99)
        with refused("under way"):
            await call(tools, "start_game", opponent="rival")
        status = await call(tools, "resign")
    (ended,) = status["ended"]
    assert (ended["result"], ended["reason"], ended["opponent"]) == ("loss", "resigned", "rival")


async def _challenge(tools: Client[Any]) -> dict[str, Any]:
    terms = {"opponent": "rival", "rules": "kalah:pits=5", "seconds_per_move": 60}
    status = await call(tools, "start_game", **terms)
    while status["status"] != "your_turn":
        again = status["status"] == "idle"
        status = await call(tools, "start_game" if again else "wait", **(terms if again else {}))
    assert isinstance(status, dict)
    return status


async def test_what_a_server_refuses_is_told(host: Hosted) -> None:
    """An unknown opponent, ladder or game, and terms that make no sense."""
    async with client(host) as tools:
        nobody = await call(tools, "start_game", opponent="nobody")
        nowhere = await call(tools, "start_game", ladder="nowhere")
        assert "nobody" in nobody["error"]
        assert "nowhere" in nowhere["error"]
        for arguments, says in (
            ({"rules": "chess"}, "no rules"),
            ({"opponent": "a", "ladder": "b"}, "not both"),
        ):
            with refused(says):
                await call(tools, "start_game", **arguments)
        with refused("ffff"):
            await call(tools, "review", game="ffff")


@pytest.mark.parametrize(("wrong", "name"), [({"pit": "x"}, "pit"), ({"pit": 1, "foo": 2}, "foo")])
async def test_a_wrong_argument_is_named_in_a_sentence(wrong: dict[str, Any], name: str) -> None:
    """A model reads what to mend, not how another library calls it."""
    async with connected() as tools:
        with refused() as error:
            await call(tools, "play", **wrong)
    assert str(error.value).startswith(f"{name}: ")
    assert "http" not in str(error.value)
    assert "\n" not in str(error.value)
