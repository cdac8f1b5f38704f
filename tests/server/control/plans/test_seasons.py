"""The end of a ladder's season, and the next one."""

from functools import partial
from pathlib import Path

import msgspec
import pytest

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Error, GameStart, Join, Joined
from mancala.server.control.operator import RefusedError
from tests.server.control.operators import LADDER, alone, joined, laddered, played
from tests.server.peers import Arena
from tests.server.store import databases

pytestmark = pytest.mark.usefixtures("database")


def tables(running: Arena) -> dict[str, list[str]]:
    ladders = running.server.target.sessions.ladders.all_ladders
    return {each.name: sorted(row.name for row in each.state.standings()) for each in ladders}


async def test_a_season_that_is_over_stays_and_the_ladder_begins_empty(tmp_path: Path) -> None:
    """Its games are of the ladder main-1, which no bot joins; also after the next start."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        before = tables(running)["main"]
        dry = await running.order("season", ladder="main", dry_run=True)
        assert list(tables(running)) == ["main"]
        done = await running.order("season", ladder="main", why="summer")
        assert done["changed"] == dry["changed"]
        assert tables(running) == {"main": [], "main-1": before}
        assert (await running.order("check"))["equal"]
        await played(running, "cid", "dan")
        place = str(running.server.config.store)
    rows = databases.rows(place, "SELECT ladder, count(*) FROM matches GROUP BY 1 ORDER BY 1")
    assert rows == [("main", 1), ("main-1", 1)]
    async with laddered(tmp_path) as running:
        assert tables(running) == {"main": ["cid", "dan"], "main-1": before}
        eve = await running.greet("eve")
        await eve.say(Join("main-1"))
        assert (await eve.hear(Error)).message == "the season main-1 is over"
        for action in ("pause", "close", "season"):
            await running.refused("the season main-1 is over", action, ladder="main-1")
        await running.order("annul", bot="ann")
        assert tables(running)["main-1"] == []


async def test_a_season_begins_at_the_strength_of_the_last_one(tmp_path: Path) -> None:
    """Bots are paired by it; the table is of the new games alone, and a quarantine goes on."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        await running.order("quarantine", ladder="main", bot="bob", for_s=3600.0)
    await alone(tmp_path, "season", ladder="main", from_ratings=True)
    async with laddered(tmp_path) as running:
        ladder, former = running.server.target.sessions.ladders.all_ladders
        assert tables(running)["main"] == ["bob"]
        assert ladder.state.entrant("ann").live == former.state.entrant("ann").live
        assert (
            ladder.state.entrant("ann").live.deviation < ladder.state.entrant("eve").live.deviation
        )
        assert ladder.quarantine_of("bob") is not None


async def test_a_season_goes_on_when_its_end_is_taken_back(tmp_path: Path) -> None:
    """Until the next one has a game."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        before = tables(running)
        await running.order("season", ladder="main", name="spring")
        await running.order("undo", number=1)
        assert tables(running) == before
        assert (await running.order("check"))["equal"]
        await running.order("season", ladder="main")
        await played(running, "cid", "dan")
        await running.refused("games of the next season of main", "undo", number=3)
        await running.refused("there is a ladder main-1", "season", ladder="main", name="main-1")


async def test_a_season_does_not_end_before_its_games(tmp_path: Path) -> None:
    """Nor does one without games; the refusal says until when a bot that is gone is waited for."""
    async with laddered(tmp_path) as running:
        refused = partial(running.refused, ladder="main")
        await refused("the ladder main has no games in this season", "season")
        peers = await joined(running, "ann", "bob")
        await peers[0].hear(GameStart)
        await refused("the ladder main has 1 match under way: close", "season")
    async with laddered(tmp_path) as running:
        said = "; (ann|bob) is gone, and its seat is kept until"
        await running.refused(said, "season", ladder="main")


async def test_where_no_server_runs_games_under_way_are_aborted_or_wait_for_one(
    tmp_path: Path,
) -> None:
    """No time passes there, so no seat is lost; neither a season nor a name waits for nothing."""
    async with laddered(tmp_path) as running:
        await played(running, "cid", "dan")
        peers = await joined(running, "ann", "bob")
        game = (await peers[0].hear(GameStart)).game
    with pytest.raises(RefusedError, match="has 1 match under way: start the server, which"):
        await alone(tmp_path, "season", ladder="main")
    with pytest.raises(RefusedError, match="ann is playing; start the server, or abort its games"):
        await alone(tmp_path, "rename", bot="ann", new="ada")
    await alone(tmp_path, "abort", game=game)
    assert (await alone(tmp_path, "season", ladder="main"))["changed"]
    assert (await alone(tmp_path, "check"))["equal"]


async def test_a_new_season_takes_up_other_rules_and_clock(tmp_path: Path) -> None:
    """Before its first game; a season with games leaves them until a restart."""
    async with laddered(tmp_path) as running:
        server = running.server
        await played(running, "ann", "bob")
        changed = msgspec.structs.replace(LADDER[0], rules="article", clock=TimeControl(777))
        wanted = msgspec.structs.replace(server.config, ladder=(changed,))
        assert server.plan(wanted).wait == ("ladder main.clock", "ladder main.rules")
        await running.order("season", ladder="main")
        assert server.reload(wanted).wait == ()
        cid = await running.greet("cid")
        await cid.say(Join("main"))
        joined = await cid.hear(Joined)
        assert (str(joined.rules), joined.clock.move_ms) == ("article", 777)
        archived = server.target.sessions.ladders.get("main-1")
        assert archived is not None
        assert str(archived.terms.rules) == "kalah:pits=2,seeds=1"
