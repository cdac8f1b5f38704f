"""States that hold until they are taken back: notice, pause, close, drain."""

import json
from pathlib import Path

import pytest

from mancala.protocol.messages import Error, ErrorCode, GameStart, Join, Joined, Left, Notice
from mancala.server.config.ladders import LadderSettings
from mancala.server.control.operator import UsageError
from mancala.server.control.wire import Change
from tests.server.peers import Arena, Peer, arena
from tests.server.store import databases

LADDER = (LadderSettings(name="main"),)


async def member(running: Arena, name: str) -> Peer:
    peer = await running.greet(name)
    await peer.say(Join("main"))
    await peer.hear(Joined)
    return peer


async def test_a_notice_reaches_all_that_are_here_and_all_that_come(tmp_path: Path) -> None:
    """Also after a restart, until it is taken back; MQTT retains the last one."""
    async with arena(tmp_path) as running:
        ann = await running.greet("ann")
        result = await running.order("notice", text="Maintenance at nine.")
        assert (await ann.hear(Notice)) == Notice("Maintenance at nine.")
        assert result["told"] == 1
        again = await running.order("notice", text="Maintenance at nine.")
        [change, *_] = [Change(**each) for each in again["changed"]]
        assert str(change).count("Maintenance at nine.") == 1
    async with arena(tmp_path) as running:
        bob = await running.greet("bob")
        assert (await bob.hear(Notice)).text == "Maintenance at nine."
        await running.order("notice")
        assert (await bob.hear(Notice)).text == ""
    place = databases.place_of(tmp_path)
    [(payload,)] = databases.rows(place, "SELECT payload FROM outbox WHERE topic LIKE '%/notice'")
    assert json.loads(str(payload))["text"] == ""


async def test_a_notice_that_is_over_is_not_given_any_more(tmp_path: Path) -> None:
    """Its end is stated with it."""
    async with arena(tmp_path) as running:
        await running.order("notice", text="Soon.", for_s=0.000_001)
        ann = await running.greet("ann")
        await running.order("notice", text="Later.", for_s=3600.0)
        notice = await ann.hear(Notice)
    assert notice.text == "Later."
    assert notice.until is not None


@pytest.mark.parametrize("wrong", ["x" * 2001, "two\nlines"])
async def test_a_notice_is_one_line_of_2000_characters_at_most(tmp_path: Path, wrong: str) -> None:
    """A longer one would not fit into the message that brings it, as the refusal says."""
    async with arena(tmp_path) as running:
        await running.refused(
            "one line of at most 2000 characters", "notice", UsageError, text=wrong
        )
        assert (await running.order("notice", text="x" * 2000))["told"] == 0


async def test_a_paused_ladder_takes_members_and_begins_no_match(tmp_path: Path) -> None:
    """Those that wait are paired when it resumes."""
    async with arena(tmp_path, ladder=LADDER) as running:
        await running.order("pause", ladder="main", why="a fault")
        ann, _bob = await member(running, "ann"), await member(running, "bob")
        await running.refused("main is paused already", "pause", ladder="main")
        assert running.server.games == ()
        await running.order("resume", ladder="main")
        await ann.hear(GameStart)


async def test_a_closed_ladder_puts_its_members_out_and_takes_none(tmp_path: Path) -> None:
    """Until it is opened again."""
    async with arena(tmp_path, ladder=LADDER) as running:
        ann = await member(running, "ann")
        result = await running.order("close", ladder="main", why="the season is over")
        await ann.hear(Left)
        await ann.say(Join("main"))
        refused = await ann.hear(Error)
        assert refused.code is ErrorCode.FORBIDDEN
        assert refused.message == "the ladder main is closed: the season is over"
        await running.order("open", ladder="main")
        await ann.say(Join("main"))
        await ann.hear(Joined)
    assert [change["what"] for change in result["changed"]] == ["closed", "member"]


async def test_a_drained_server_takes_no_new_bot_and_goes_on(tmp_path: Path) -> None:
    """The game under way is played on; undrain lets bots in again."""
    async with arena(tmp_path) as running:
        ann, _bob = await running.pair("ann", "bob")
        await ann.hear(GameStart)
        result = await running.order("drain")
        assert len(result["games"]) == 1
        cid = await running.connect()
        await cid.hello("cid")
        assert (await cid.hear(Error)).code is ErrorCode.SHUTTING_DOWN
        await running.refused("is drained already", "drain")
        assert len(running.server.games) == 1
        await running.order("undrain")
        await running.greet("cid")
        await running.refused("is not drained", "undrain")
