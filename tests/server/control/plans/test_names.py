"""A bot renamed, and two names made one."""

import asyncio
from pathlib import Path

import pytest

from mancala.protocol.messages import Error, GameStart, MatchOver
from mancala.server.config.events import EventSettings
from tests.server.control.operators import alone, laddered, played
from tests.server.peers import Arena, arena
from tests.server.store import databases

pytestmark = pytest.mark.usefixtures("database")


def table(running: Arena) -> list[tuple[str, int]]:
    [ladder] = running.server.target.sessions.ladders.all_ladders
    return [(row.name, row.games) for row in ladder.state.standings()]


async def test_a_renamed_bot_keeps_its_games_and_reads_its_name(tmp_path: Path) -> None:
    """Its ban too; after the next start, and when it is taken back."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        await running.order("ban", name="zed", reason="by hand")
        dry = await running.order("rename", bot="ann", new="eve", dry_run=True)
        assert {name for name, _games in table(running)} == {"ann", "bob"}
        done = await running.order("rename", bot="ann", new="eve")
        assert done["changed"] == dry["changed"]
        assert (await running.peers[0].hear(Error)).message.endswith("gave ann the name eve")
        assert sorted(table(running)) == [("bob", 2), ("eve", 2)]
    async with laddered(tmp_path) as running:
        assert sorted(table(running)) == [("bob", 2), ("eve", 2)]
        await running.order("undo", number=2)
        assert sorted(table(running)) == [("ann", 2), ("bob", 2)]
        assert (await running.order("check"))["equal"]
        await played(running, "ann", "cid")


async def test_an_entrant_of_an_event_keeps_its_name_until_the_event_is_over(
    tmp_path: Path,
) -> None:
    """The pairings name it."""
    event = EventSettings(name="final", format="match", entrants=("ann", "cid"))
    async with laddered(tmp_path, event=(event,)) as running:
        await played(running, "ann", "bob")
        said = "ann is an entrant of an event that is not over"
        await running.refused(said, "rename", bot="ann", new="eve")
        await running.order("event-cancel", event="final")
        await running.order("rename", bot="ann", new="eve")


FINAL = EventSettings(
    name="final", format="match", entrants=("ann", "cid"), freeze_rounds=1, freeze="results"
)
"""An event that hides its results."""
SAID = "final hides games of one of the two: mancala event reveal"


async def hidden(running: Arena) -> None:
    await played(running, "cid", "dan")
    both = [running.peers[0], await running.greet("ann")]
    await running.order("event-start", event="final")
    await asyncio.gather(*(peer.play_until(MatchOver) for peer in both))
    while (await running.order("event-show", event="final"))["state"] != "finished":
        pass


async def test_who_played_a_hidden_game_keeps_its_name_until_the_event_shows_it(
    tmp_path: Path,
) -> None:
    """Its results would come under the former name; and two that met there would become one."""
    async with laddered(tmp_path, event=(FINAL,)) as running:
        await hidden(running)
        await running.refused(SAID, "rename", bot="cid", new="eve")
        await running.refused(SAID, "merge", bot="dan", into="cid")
        await running.order("event-publish", event="final")
        await running.order("rename", bot="cid", new="eve")


async def test_an_event_that_is_in_no_settings_any_more_reveals_all_it_hid(tmp_path: Path) -> None:
    """Its results would be hidden for good, and its players could not be renamed."""
    async with laddered(tmp_path, event=(FINAL,)) as running:
        await hidden(running)
    async with laddered(tmp_path) as running:
        await running.refused("there is no event finale", "event-reveal", event="finale")
        said = "final: all of its rounds are shown together; leave --round out"
        await running.refused(said, "event-reveal", event="final", round=1)
        dry = await running.order("event-reveal", event="final", dry_run=True)
        await running.refused(SAID, "rename", bot="cid", new="eve")
        done = await running.order("event-reveal", event="final")
        assert done["changed"] == dry["changed"]
        [shown] = done["changed"]
        assert (shown["what"], shown["after"]) == ("match", "shown")
        store = str(running.server.config.store)
        query = "SELECT ended_at FROM games WHERE match = '{}' AND seq > 0"
        games = await asyncio.to_thread(databases.rows, store, query.format(shown["subject"]))
        assert [at is not None for [at] in games] == [True, True]
        await running.order("rename", bot="cid", new="eve")
        await running.refused("there is no event final", "event-reveal", event="final")


async def test_a_ban_holds_under_both_names(tmp_path: Path) -> None:
    """As a quarantine does; of two that become one the longer holds, and `undo` leaves one."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        await running.order("ban", name="ann", reason="by hand")
        done = await running.order("rename", bot="ann", new="Eve")
        assert [each["subject"] for each in done["changed"]] == ["ann", "name eve"]
        assert await banned(running) == {"ann": "by hand", "eve": "by hand"}
        undone = await running.order("undo", number=2)
        assert [each["subject"] for each in undone["changed"]] == ["Eve", "name eve"]
        assert await banned(running) == {"ann": "by hand"}
        await running.order("ban", name="fay", reason="for a day", for_s=86400.0)
        await running.order("rename", bot="ann", new="fay")
        assert await banned(running) == {"ann": "by hand", "fay": "by hand"}
    async with laddered(tmp_path) as running:
        assert await banned(running) == {"ann": "by hand", "fay": "by hand"}
        peer = await running.connect()
        await peer.hello("ann")
        refused = await peer.hear(Error)
        assert refused.message.endswith("banned: by hand")


async def banned(running: Arena) -> dict[str, str]:
    return {ban["key"]: ban["reason"] for ban in (await running.order("bans"))["bans"]}


async def test_a_quarantine_holds_under_both_names(tmp_path: Path) -> None:
    """So that a bot that comes back under its former name is not free; `undo` leaves one of them.

    Of two quarantines that become one the longer one holds.
    """
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        await played(running, "cid", "bill")
        await running.order("quarantine", ladder="main", bot="ann", reason="crashes")
        done = await running.order("rename", bot="ann", new="eve")
        assert [change["subject"] for change in done["changed"]][1:3] == ["ann", "eve in main"]
        assert set(out_of(running)) == {"ann", "eve"}
    async with laddered(tmp_path) as running:
        assert out_of(running) == {"ann": "crashes", "eve": "crashes"}
        await running.order("undo", number=2)
        assert set(out_of(running)) == {"ann"}
        await running.order("quarantine", ladder="main", bot="cid", for_s=9.0)
        await running.order("merge", bot="ann", into="cid")
        assert out_of(running) == {"ann": "crashes", "cid": "crashes"}
    async with laddered(tmp_path) as running:
        assert out_of(running) == {"ann": "crashes", "cid": "crashes"}


def out_of(running: Arena) -> dict[str, str]:
    [ladder] = running.server.target.sessions.ladders.all_ladders
    found = ((name, ladder.quarantine_of(name)) for name in ladder.state.names)
    return {name: each.reason for name, each in found if each is not None}


async def test_merged_names_are_one_bot(tmp_path: Path) -> None:
    """Also in a store without a server; it plays on, and none takes it back."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        await played(running, "cid", "bill")
        await running.order("merge", bot="cid", into="ann")
        assert sorted(table(running)) == [("ann", 4), ("bill", 2), ("bob", 2)]
        assert (await running.order("check"))["equal"]
        await running.refused("merge can't be taken back", "undo", number=1)
    await alone(tmp_path, "merge", bot="bill", into="bob")
    assert (await alone(tmp_path, "check"))["equal"]
    async with laddered(tmp_path) as running:
        assert sorted(table(running)) == [("ann", 4), ("bob", 4)]
        await played(running, "ann", "bob")


async def test_a_bot_keeps_its_name_while_it_plays(tmp_path: Path) -> None:
    """The refusal names it."""
    async with arena(tmp_path) as running:
        cid, _dan = await running.pair("cid", "dan")
        await cid.hear(GameStart)
        await running.refused("cid is playing", "rename", bot="cid", new="eve")
