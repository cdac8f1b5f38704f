"""A bot renamed, and two names made one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mancala.protocol.messages import Error, GameStart
from mancala.server.app.operating import carry_out
from mancala.server.config.events import EventSettings
from mancala.server.control.operator import RefusedError, UsageError
from mancala.server.control.wire import Request
from tests.server.control.operators import order
from tests.server.control.test_games import LADDER, played
from tests.server.peers import Arena, arena, settings

pytestmark = pytest.mark.usefixtures("database")
REFUSED = {
    "rename eve fay": "eve has neither played here nor a token",
    "rename ann bob": "bob has a session",
    "merge ann eve": "eve has neither played here nor a token",
    "merge ann ann": "ann is one bot already",
    "merge ann bob": "ann and bob have played each other, and no bot plays itself",
}
"""What is refused, and why."""


def table(running: Arena) -> list[tuple[str, int]]:
    """Return the names of the standings and how many games each has."""
    [ladder] = running.server.target.sessions.ladders.all_ladders
    return [(row.name, row.games) for row in ladder.state.standings()]


async def test_a_renamed_bot_keeps_its_games_and_reads_its_name(tmp_path: Path) -> None:
    """Its ban too; after the next start, and when it is taken back."""
    async with arena(tmp_path, ladder=LADDER) as running:
        await played(running, "ann", "bob")
        await order(running.server, "ban", name="zed", reason="by hand")
        dry = await order(running.server, "rename", bot="ann", new="eve", dry_run=True)
        assert {name for name, _games in table(running)} == {"ann", "bob"}
        done = await order(running.server, "rename", bot="ann", new="eve")
        assert done["changed"] == dry["changed"]
        assert (await running.peers[0].hear(Error)).message.endswith("gave ann the name eve")
        assert sorted(table(running)) == [("bob", 2), ("eve", 2)]
        assert (await order(running.server, "check"))["equal"]
    async with arena(tmp_path, ladder=LADDER) as running:
        assert sorted(table(running)) == [("bob", 2), ("eve", 2)]
        await order(running.server, "undo", number=2)
        assert sorted(table(running)) == [("ann", 2), ("bob", 2)]
        assert (await order(running.server, "check"))["equal"]
        await played(running, "ann", "cid")


async def test_an_entrant_of_an_event_keeps_its_name_until_the_event_is_over(
    tmp_path: Path,
) -> None:
    """The pairings name it."""
    event = EventSettings(name="final", format="match", entrants=("ann", "cid"))
    async with arena(tmp_path, ladder=LADDER, event=(event,)) as running:
        await played(running, "ann", "bob")
        with pytest.raises(RefusedError, match="ann is an entrant of an event that is not over"):
            await order(running.server, "rename", bot="ann", new="eve")
        await order(running.server, "event-cancel", event="final")
        await order(running.server, "rename", bot="ann", new="eve")


async def test_a_ban_holds_under_both_names(tmp_path: Path) -> None:
    """As a quarantine does; of two that become one the longer holds, and `undo` leaves one."""
    async with arena(tmp_path, ladder=LADDER) as running:
        await played(running, "ann", "bob")
        await order(running.server, "ban", name="ann", reason="by hand")
        done = await order(running.server, "rename", bot="ann", new="Eve")
        assert [each["subject"] for each in done["changed"]] == ["ann", "name eve"]
        assert await banned(running) == {"ann": "by hand", "eve": "by hand"}
        undone = await order(running.server, "undo", number=2)
        assert [each["subject"] for each in undone["changed"]] == ["Eve", "name eve"]
        assert await banned(running) == {"ann": "by hand"}
        await order(running.server, "ban", name="fay", reason="for a day", for_s=86400.0)
        await order(running.server, "rename", bot="ann", new="fay")
        assert await banned(running) == {"ann": "by hand", "fay": "by hand"}
    async with arena(tmp_path, ladder=LADDER) as running:
        assert await banned(running) == {"ann": "by hand", "fay": "by hand"}
        peer = await running.connect()
        await peer.hello("ann")
        refused = await peer.hear(Error)
        assert refused.message.endswith("banned: by hand")


async def banned(running: Arena) -> dict[str, str]:
    """Return which names are banned, and why."""
    return {ban["key"]: ban["reason"] for ban in (await order(running.server, "bans"))["bans"]}


async def test_a_quarantine_holds_under_both_names(tmp_path: Path) -> None:
    """So that a bot that comes back under its former name is not free; `undo` leaves one of them.

    Of two quarantines that become one the longer one holds.
    """
    async with arena(tmp_path, ladder=LADDER) as running:
        await played(running, "ann", "bob")
        await played(running, "cid", "bill")
        await order(running.server, "quarantine", ladder="main", bot="ann", reason="crashes")
        done = await order(running.server, "rename", bot="ann", new="eve")
        assert [change["subject"] for change in done["changed"]][1:3] == ["ann", "eve in main"]
        assert set(out_of(running)) == {"ann", "eve"}
    async with arena(tmp_path, ladder=LADDER) as running:
        assert out_of(running) == {"ann": "crashes", "eve": "crashes"}
        await order(running.server, "undo", number=2)
        assert set(out_of(running)) == {"ann"}
        await order(running.server, "quarantine", ladder="main", bot="cid", for_s=9.0)
        await order(running.server, "merge", bot="ann", into="cid")
        assert out_of(running) == {"ann": "crashes", "cid": "crashes"}
        assert (await order(running.server, "check"))["equal"]
    async with arena(tmp_path, ladder=LADDER) as running:
        assert out_of(running) == {"ann": "crashes", "cid": "crashes"}


def out_of(running: Arena) -> dict[str, str]:
    """Return who is in quarantine, and why."""
    [ladder] = running.server.target.sessions.ladders.all_ladders
    found = ((name, ladder.quarantine_of(name)) for name in ladder.state.names)
    return {name: each.reason for name, each in found if each is not None}


async def test_merged_names_are_one_bot(tmp_path: Path) -> None:
    """Also in a store without a server; it plays on, and none takes it back."""
    async with arena(tmp_path, ladder=LADDER) as running:
        await played(running, "ann", "bob")
        await played(running, "cid", "bill")
        await order(running.server, "merge", bot="cid", into="ann")
        assert sorted(table(running)) == [("ann", 4), ("bill", 2), ("bob", 2)]
        assert (await order(running.server, "check"))["equal"]
        with pytest.raises(RefusedError, match="merge can't be taken back"):
            await order(running.server, "undo", number=1)
    config = settings(tmp_path, ladder=LADDER)
    await carry_out(config, Request("merge", {"bot": "bill", "into": "bob"}), "root")
    assert (await carry_out(config, Request("check"), "root"))["equal"]
    async with arena(tmp_path, ladder=LADDER) as running:
        assert sorted(table(running)) == [("ann", 4), ("bob", 4)]
        await played(running, "ann", "bob")


async def test_what_cannot_be_one_is_refused(tmp_path: Path) -> None:
    """Unknown and taken names, names that met, and bots that play."""
    async with arena(tmp_path, ladder=LADDER) as running:
        await played(running, "ann", "bob")
        for words, said in REFUSED.items():
            action, bot, other = words.split()
            given: dict[str, Any] = {"bot": bot, "new" if action == "rename" else "into": other}
            with pytest.raises(RefusedError, match=said):
                await order(running.server, action, **given)
        with pytest.raises(UsageError, match="rename: "):
            await order(running.server, "rename", bot="ann", new="no name")
        cid, _dan = await running.pair("cid", "dan")
        await cid.hear(GameStart)
        with pytest.raises(RefusedError, match="cid is playing"):
            await order(running.server, "rename", bot="cid", new="eve")
