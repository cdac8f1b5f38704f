"""Orders that are held back until they are confirmed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mancala.protocol.messages import GameOver, GameStart, Join, Reason
from mancala.server.app.operating import carry_out
from mancala.server.app.server import Server
from mancala.server.config.ladders import LadderSettings
from mancala.server.control.operator import RefusedError, UsageError
from mancala.server.control.wire import Request
from tests.server.control.operators import order
from tests.server.control.test_games import LADDER, played
from tests.server.peers import arena, settings

MAIN = (LadderSettings(name="main"),)


async def held(server: Server, action: str, *, why: str = "", **arguments: Any) -> str:  # noqa: ANN401  # whatever an action takes
    """Hold an order back; return its id."""
    result = await order(server, "hold", why=why, action=action, arguments=arguments)
    return str(result["held"])


def banned(server: Server) -> list[str]:
    """Return the names that are banned."""
    return [ban.key for ban in server.target.sessions.orders.bans]


async def test_an_order_that_is_held_back_changes_nothing_until_it_is_confirmed(
    tmp_path: Path,
) -> None:
    """It says what it would change, is listed, and outlives a restart; the log has both hands."""
    async with arena(tmp_path) as running:
        given: dict[str, Any] = {"action": "ban", "arguments": {"name": "eve", "for_s": 60.0}}
        result = await order(running.server, "hold", why="plays by hand", **given)
        assert [change["what"] for change in result["would_change"]] == ["ban"]
        assert banned(running.server) == []
    async with arena(tmp_path) as running:
        [waiting] = (await order(running.server, "held"))["held"]
        assert (waiting["action"], waiting["by"], waiting["why"]) == (
            "ban",
            "root",
            "plays by hand",
        )
        dry = await order(running.server, "confirm", id=waiting["id"], dry_run=True)
        assert [change["what"] for change in dry["changed"]] == ["ban", "held"]
        assert banned(running.server) == []
        await order(running.server, "confirm", id=waiting["id"])
        assert banned(running.server) == ["eve"]
        [line, first] = (await order(running.server, "log"))["log"]
        assert (line["action"], line["held_by"], line["why"]) == ("ban", "root", "plays by hand")
        assert (first["action"], first["held_by"]) == ("hold", None)
        with pytest.raises(RefusedError, match="is held back; there are: none"):
            await order(running.server, "confirm", id=waiting["id"])
        await order(running.server, "undo", number=line["number"])
        assert banned(running.server) == []


async def test_a_confirmed_order_acts_on_the_state_as_it_is_then(tmp_path: Path) -> None:
    """Also on games that ended after it was given; where it can't be done, it stays held."""
    async with arena(tmp_path, ladder=LADDER) as running:
        await played(running, "ann", "bob")
        annul = await held(running.server, "annul", ladder="main", since="2000-01-01T00:00:00Z")
        pause = await held(running.server, "pause", ladder="main")
        ids = await played(running, "cid", "dan")
        await order(running.server, "confirm", id=annul)
        assert (await order(running.server, "check"))["equal"]
        games = running.server.target.sessions.ladders.get("main")
        assert games is not None
        assert not games.state.standings()
        assert len(ids) == 4
        await order(running.server, "pause", ladder="main")
        with pytest.raises(RefusedError, match="the ladder main is paused already"):
            await order(running.server, "confirm", id=pause)
        assert len((await order(running.server, "held"))["held"]) == 1


async def test_an_order_whose_doing_is_a_step_of_its_own_is_settled_with_it(
    tmp_path: Path,
) -> None:
    """An abort ends the match and settles the order in one transaction."""
    async with arena(tmp_path, ladder=LADDER) as running:
        peers = [await running.greet(name) for name in ("ann", "bob")]
        for peer in peers:
            await peer.say(Join("main", matches=1))
        game = (await peers[0].hear(GameStart)).game
        key = await held(running.server, "abort", game=game, reason="a power cut")
        await order(running.server, "confirm", id=key)
        assert (await peers[0].hear(GameOver)).reason is Reason.ABORTED
    config = settings(tmp_path, ladder=LADDER)
    assert (await carry_out(config, Request("held"), "root"))["held"] == ()
    [line, _] = (await carry_out(config, Request("log"), "root"))["log"]
    assert (line["action"], line["held_by"]) == ("abort", "root")


async def test_what_is_dropped_is_not_carried_out_and_may_be_held_again(tmp_path: Path) -> None:
    """By undoing the drop; undoing the hold drops it."""
    async with arena(tmp_path, ladder=MAIN) as running:
        key = await held(running.server, "drain")
        await order(running.server, "drop", id=key)
        with pytest.raises(RefusedError, match=f"no order {key} is held back"):
            await order(running.server, "confirm", id=key)
        with pytest.raises(RefusedError, match="was confirmed or dropped"):
            await order(running.server, "undo", number=1)
        await order(running.server, "undo", number=2)
        assert [each["id"] for each in (await order(running.server, "held"))["held"]] == [key]
        await order(running.server, "undo", number=1)
        assert (await order(running.server, "held"))["held"] == []
        assert not running.server.target.sessions.orders.is_drained
        lines = (await order(running.server, "log"))["log"]
        assert {line["held_by"] for line in lines} == {None}


@pytest.mark.parametrize(
    ("action", "arguments", "named"),
    [
        ("confirm", {"id": "a"}, "confirm can't be held back"),
        ("ban", {"token": "secret"}, "a token is a secret and is not kept"),
        ("bann", {}, "there is no action bann"),
        ("rename", {"bot": "ann", "new": "a/b"}, "is no name of a bot"),
    ],
)
async def test_what_is_not_held_back_is_said(
    tmp_path: Path, action: str, arguments: dict[str, Any], named: str
) -> None:
    """A wrong order is refused when it is given, not when it is confirmed."""
    async with arena(tmp_path) as running:
        with pytest.raises(UsageError, match=named):
            await order(running.server, "hold", action=action, arguments=arguments)
        with pytest.raises(RefusedError, match="who would change nothing"):
            await order(running.server, "hold", action="who", arguments={})
        with pytest.raises(RefusedError, match="test is not drained"):
            await order(running.server, "hold", action="undrain", arguments={})
