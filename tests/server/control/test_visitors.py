"""Who is connected, and who is kept out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mancala.protocol.messages import (
    Error,
    ErrorCode,
    GameOver,
    GameStart,
    Goodbye,
    Join,
    Joined,
    Reason,
    Welcome,
)
from mancala.server.config.ladders import LadderSettings
from mancala.server.control.actions import MakeBan
from mancala.server.control.operator import Order, RefusedError, UsageError
from mancala.server.control.visitors import ban
from tests.server.control.operators import order
from tests.server.peers import arena

LADDER = (LadderSettings(name="main"),)


async def test_who_names_each_bot_with_what_it_does_and_costs(tmp_path: Path) -> None:
    """Since when, from where, its matches and ladders."""
    async with arena(tmp_path, ladder=LADDER) as running:
        ann = await running.greet("ann")
        await ann.say(Join("main"))
        await ann.hear(Joined)
        await running.greet("bob")
        found = await order(running.server, "who")
        [only] = (await order(running.server, "who", name="ann"))["bots"]
    assert [bot["name"] for bot in found["bots"]] == ["ann", "bob"]
    assert found["connections"] == 2
    assert found["changed"] == []
    assert (only["kind"], only["address"], only["ladders"]) == ("guest", "127.0.0.1", ["main"])
    assert only["since"].endswith("+00:00")
    assert only["cost_ms"] > 0


@pytest.mark.parametrize("key", [{"name": "EVE"}, {"address": "127.0.0.0/8"}])
async def test_a_ban_ends_the_session_and_keeps_out(tmp_path: Path, key: dict[str, Any]) -> None:
    """The bot reads why and until when; its game is lost, and it can't come back."""
    async with arena(tmp_path) as running:
        eve, bob = await running.pair("eve", "bob")
        await bob.hear(GameStart)
        result = await order(running.server, "ban", **key, reason="she cheats", for_s=3600.0)
        refused = await eve.hear(Error)
        assert refused.code is ErrorCode.FORBIDDEN
        assert refused.message.startswith("banned until 2")
        assert refused.message.endswith(": she cheats")
        if "name" in key:
            over = await bob.hear(GameOver)
            assert over.reason is Reason.DISCONNECTED
        again = await running.connect()
        await again.hello("eve")
        assert (await again.hear(Error)).message == refused.message
        await again.hear(Goodbye)
    assert [change["what"] for change in result["changed"]][:2] == ["ban", "session"]


async def test_a_ban_ends_the_session_of_who_came_while_it_was_stored(tmp_path: Path) -> None:
    """Its hello was taken before the ban held."""
    async with arena(tmp_path) as running:
        now = running.server.target.context.utc()
        wanted = MakeBan(name="eve", reason="she cheats")
        plan = await ban(running.server.target, wanted, Order("ban", "root", now))
        eve = await running.greet("eve")
        plan.done()
        assert (await eve.hear(Error)).message == "banned: she cheats"
        await eve.hear(Goodbye)


async def test_a_ban_outlives_the_server(tmp_path: Path) -> None:
    """And is lifted after the restart."""
    async with arena(tmp_path) as running:
        await order(running.server, "ban", name="eve", reason="she cheats")
    async with arena(tmp_path) as running:
        [found] = (await order(running.server, "bans"))["bans"]
        made = {"kind": "name", "key": "eve", "until": None, "by": "root"}
        assert found.items() >= made.items()
        eve = await running.connect()
        await eve.hello("eve")
        assert (await eve.hear(Error)).message == "banned: she cheats"
        await order(running.server, "unban", name="Eve")
        await running.greet("eve")
        assert (await order(running.server, "bans"))["bans"] == []


async def test_a_banned_token_is_kept_out_and_never_stored(tmp_path: Path) -> None:
    """Its bearer's session ends; the trail does not have the token."""
    async with arena(tmp_path) as running:
        token = await running.server.store.issue_token("eve", "2026-01-01T00:00:00.000+00:00")
        eve = await running.connect()
        await eve.hello("eve", token=token)
        await eve.hear(Welcome)
        result = await order(running.server, "ban", token=token, reason="stolen")
        assert (await eve.hear(Error)).message == "banned: stolen"
        assert {"what": "session", "subject": "eve", "before": "kept", "after": "ended"} in (
            result["changed"]
        )
        trail = await order(running.server, "log")
    assert token not in str(trail)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "name one of the three"),
        ({"name": "eve", "address": "::1"}, "name one of the three"),
        ({"address": "home"}, "neither an address nor a network"),
        ({"name": "eve", "until": "tomorrow"}, "'tomorrow' is no time"),
        ({"name": "eve", "until": "2031-01-01T00:00"}, "names no time zone"),
        ({"name": "eve", "until": "2001-01-01T00:00Z"}, "is over already"),
        ({"name": "eve", "until": "2031-01-01T00:00Z", "for_s": 1.0}, "not both"),
    ],
)
async def test_a_wrong_ban_is_refused_in_one_sentence(
    tmp_path: Path, arguments: dict[str, Any], said: str
) -> None:
    """No visitor is kept out by mistake."""
    async with arena(tmp_path) as running:
        with pytest.raises(UsageError, match=said):
            await order(running.server, "ban", **arguments)


async def test_only_a_ban_that_holds_is_lifted(tmp_path: Path) -> None:
    """The refusal names it."""
    async with arena(tmp_path) as running:
        with pytest.raises(RefusedError, match="there is no ban on name eve"):
            await order(running.server, "unban", name="eve")
