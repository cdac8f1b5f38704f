"""Games aborted, annulled, and counted again."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from mancala.protocol.messages import GameOver, GameStart, Join, MatchOver, Reason
from mancala.server.app.operating import carry_out
from mancala.server.config.ladders import LadderSettings
from mancala.server.control import games
from mancala.server.control.operator import RefusedError, UsageError
from mancala.server.control.wire import Request
from mancala.server.store.upkeep import annulled
from tests.server.control.operators import order
from tests.server.peers import Arena, arena, settings
from tests.server.store import databases

LADDER = (LadderSettings(name="main", rules="kalah:pits=2,seeds=1", patience_s=0.0),)


async def played(running: Arena, *names: str) -> list[str]:
    """Let bots play a match in the ladder; return the ids of all games so far."""
    peers = [await running.greet(name) for name in names]
    for peer in peers:
        await peer.say(Join("main", matches=1))
    await asyncio.gather(*(peer.play_until(MatchOver) for peer in peers))
    found = await order(running.server, "check")
    assert found["equal"], found
    return [str(game) for [game] in await _ids(running)]


async def _ids(running: Arena) -> list[tuple[object, ...]]:
    place = str(running.server.config.store)
    return await asyncio.to_thread(databases.rows, place, "SELECT id FROM games ORDER BY seq")


async def test_annulled_games_are_in_no_table_and_count_again(tmp_path: Path) -> None:
    """Standings are shown before and after; a consumer of MQTT reads which events are void."""
    async with arena(tmp_path, ladder=LADDER) as running:
        first = await played(running, "ann", "bob")
        await played(running, "cid", "dan")
        dry = await order(running.server, "annul", bot="ann", dry_run=True)
        result = await order(running.server, "annul", bot="ann", reason="by hand")
        rows = result["tables"]["main"]
        assert dry["changed"] == result["changed"]
        assert {change["subject"] for change in result["changed"]} == set(first)
        assert {row["name"] for row in rows["before"]} == {"ann", "bob", "cid", "dan"}
        assert {row["name"] for row in rows["after"]} == {"cid", "dan"}
        assert (await order(running.server, "check"))["equal"]
        again = await order(running.server, "undo", number=1)
        assert {row["name"] for row in again["tables"]["main"]["after"]} == {
            *("ann", "bob", "cid", "dan")
        }
        assert (await order(running.server, "check"))["equal"]
        with pytest.raises(RefusedError, match="nothing of line 1 is left"):
            await order(running.server, "undo", number=1)
    place = databases.place_of(tmp_path)
    query = "SELECT payload FROM outbox WHERE topic LIKE '%/annulments' ORDER BY seq"
    annulled, reinstated = (json.loads(str(row[0])) for row in databases.rows(place, query))
    assert (annulled["counts"], annulled["reason"]) == (False, "by hand")
    assert set(annulled["event_ids"]) == {
        *(f"game-{game}" for game in first),
        *(f"ladder-game-{game}" for game in first),
    }
    assert reinstated["counts"]


async def test_one_game_of_a_pair_leaves_the_other_single(tmp_path: Path) -> None:
    """Also in a store without a server, and after the next start."""
    async with arena(tmp_path, ladder=LADDER) as running:
        [first, _second] = await played(running, "ann", "bob")
    config = settings(tmp_path, ladder=LADDER)
    await carry_out(config, Request("annul", {"games": [first]}), "root")
    assert (await carry_out(config, Request("check"), "root"))["equal"]
    async with arena(tmp_path, ladder=LADDER) as running:
        assert (await order(running.server, "check"))["equal"]
        await played(running, "ann", "bob")


async def test_an_aborted_game_does_not_count_and_ends_its_match(tmp_path: Path) -> None:
    """Both players read why; the trail has it."""
    async with arena(tmp_path) as running:
        ann, bob = await running.pair("ann", "bob", games=2)
        game = (await ann.hear(GameStart)).game
        with pytest.raises(RefusedError, match="no game nope is under way"):
            await order(running.server, "abort", game="nope")
        result = await order(running.server, "abort", game=game, reason="a power cut")
        over = await bob.hear(GameOver)
        assert over.reason is Reason.ABORTED
        assert over.evidence is not None
        assert over.evidence.detail == "ended by the organiser: a power cut"
        await ann.hear(MatchOver)
        [line] = (await order(running.server, "log"))["log"]
    assert line["action"] == "abort"
    assert [change["what"] for change in result["changed"]] == ["game", "match"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "name the games"),
        ({"ladder": "main"}, "name the games"),
        ({"match": "m", "other": "bob"}, "a pair needs both bots"),
        ({"since": "yesterday"}, "'yesterday' is no time"),
    ],
)
async def test_games_are_named_on_purpose(
    tmp_path: Path, arguments: dict[str, str], said: str
) -> None:
    """Nothing is annulled for want of a word."""
    async with arena(tmp_path) as running:
        with pytest.raises(UsageError, match=said):
            await order(running.server, "annul", why="", dry_run=False, **arguments)


async def test_more_games_than_one_order_takes_are_annulled_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal names the time that ends the first part; no game is left between two parts."""
    for module in (annulled, games):
        monkeypatch.setattr(module, "MOST_GAMES", 2)
    async with arena(tmp_path, ladder=LADDER) as running:
        await played(running, "ann", "bob")
        ids = await played(running, "cid", "dan")
        since: dict[str, Any] = {"since": "2000-01-01T00:00:00+00:00"}
        gone: list[str] = []
        while len(gone) < len(ids):
            part = dict(since)
            try:
                found = await order(running.server, "annul", **part)
            except RefusedError as error:
                refused = str(error)
                assert "these are more than 2 games" in refused
                part["until"] = refused.partition("began before ")[2].partition(" ")[0]
                found = await order(running.server, "annul", **part)
                since["since"] = part["until"]
            assert found["changed"]
            gone += [change["subject"] for change in found["changed"]]
        assert sorted(gone) == sorted(ids)
        assert (await order(running.server, "check"))["equal"]


async def test_a_selection_without_a_game_is_refused(tmp_path: Path) -> None:
    """A misspelt name is not answered as if all was done."""
    async with arena(tmp_path, ladder=LADDER) as running:
        await played(running, "ann", "bob")
        with pytest.raises(RefusedError, match="no finished game is meant"):
            await order(running.server, "annul", bot="anm")


async def test_games_that_are_not_over_are_refused_by_name(tmp_path: Path) -> None:
    """An id that is none, and one of a game under way; one that is over is not aborted."""
    async with arena(tmp_path, ladder=LADDER) as running:
        with pytest.raises(RefusedError, match="no finished game nope"):
            await order(running.server, "annul", games=["nope"])
        [over, *_] = await played(running, "ann", "bob")
        with pytest.raises(RefusedError, match=f"game {over} is over; annul it"):
            await order(running.server, "abort", game=over)
        peers = [await running.greet(name) for name in ("cid", "dan")]
        for peer in peers:
            await peer.say(Join("main", matches=1))
        game = (await peers[0].hear(GameStart)).game
        with pytest.raises(RefusedError, match=f"game {game} is under way; abort it first"):
            await order(running.server, "annul", games=[game])


async def test_a_game_that_counts_again_waits_for_its_review_again(tmp_path: Path) -> None:
    """An annulled game waits for none."""
    async with arena(tmp_path, ladder=LADDER) as running:
        ids = await played(running, "ann", "bob")
        place = str(running.server.config.store)
        query = "SELECT game, ladder, first, second FROM reviews WHERE version IS NULL ORDER BY 1"
        before = await asyncio.to_thread(databases.rows, place, query)
        assert sorted(str(row[0]) for row in before) == sorted(ids)
        await order(running.server, "annul", bot="ann", reason="by hand")
        assert await asyncio.to_thread(databases.rows, place, query) == []
        await order(running.server, "undo", number=1)
        assert await asyncio.to_thread(databases.rows, place, query) == before
