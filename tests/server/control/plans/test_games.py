"""Games aborted, annulled, and counted again."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from mancala.protocol.messages import GameOver, GameStart, MatchOver, Reason, Resign
from mancala.server.control.actions import AbortGame, AnnulGames
from mancala.server.control.operator import Order, RefusedError
from mancala.server.control.plans import games
from mancala.server.store.upkeep import annulled
from tests.server.control.operators import alone, laddered, played
from tests.server.peers import arena
from tests.server.store import databases


async def test_annulled_games_are_in_no_table_and_count_again(tmp_path: Path) -> None:
    """Standings are shown before and after; a consumer of MQTT reads which events are void."""
    async with laddered(tmp_path) as running:
        first = await played(running, "ann", "bob")
        await played(running, "cid", "dan")
        dry = await running.order("annul", bot="ann", dry_run=True)
        result = await running.order("annul", bot="ann", reason="by hand")
        rows = result["tables"]["main"]
        assert dry["changed"] == result["changed"]
        assert {change["subject"] for change in result["changed"]} == set(first)
        assert {(it["before"], it["after"]) for it in result["changed"]} == {("counts", "annulled")}
        assert {row["name"] for row in rows["before"]} == {"ann", "bob", "cid", "dan"}
        assert {row["name"] for row in rows["after"]} == {"cid", "dan"}
        assert (await running.order("check"))["equal"]
        again = await running.order("undo", number=1)
        assert {(it["before"], it["after"]) for it in again["changed"]} == {("annulled", "counts")}
        counted = {row["name"] for row in again["tables"]["main"]["after"]}
        assert counted == {row["name"] for row in rows["before"]}
        assert (await running.order("check"))["equal"]
        await running.refused("nothing of line 1 is left", "undo", number=1)
    place = databases.place_of(tmp_path)
    query = "SELECT payload FROM outbox WHERE topic LIKE '%/annulments' ORDER BY seq"
    annulled, reinstated = (json.loads(str(row[0])) for row in databases.rows(place, query))
    assert (annulled["counts"], annulled["reason"]) == (False, "by hand")
    ids = {f"{kind}-{game}" for game in first for kind in ("game", "ladder-game")}
    assert set(annulled["event_ids"]) == ids
    assert reinstated["counts"]


async def test_tables_have_the_first_twenty_rows_and_those_concerned(tmp_path: Path) -> None:
    """Of a ladder with more bots than an operator reads; here each has played one match."""
    names = [f"bot{number:02}" for number in range(24)]
    async with laddered(tmp_path) as running:
        await played(running, *names)
        kept = await running.order("annul", bot=names[0], dry_run=True)
        first = [row["name"] for row in kept["tables"]["main"]["before"]]
        last = max({*names}.difference(first))
        done = (await running.order("annul", bot=last))["tables"]["main"]
    before, after = ([row["name"] for row in done[when]] for when in ("before", "after"))
    assert before[:20] == first[:20]
    assert {last} <= {*before[20:]} <= {*before}.difference(after)


async def test_one_game_of_a_pair_leaves_the_other_single(tmp_path: Path) -> None:
    """Also in a store without a server, and after the next start."""
    async with laddered(tmp_path) as running:
        [first, _second] = await played(running, "ann", "bob")
    await alone(tmp_path, "annul", games=[first])
    assert (await alone(tmp_path, "check"))["equal"]
    async with laddered(tmp_path) as running:
        assert (await running.order("check"))["equal"]
        await played(running, "ann", "bob")


async def test_games_of_a_ladder_that_the_settings_no_longer_have_are_annulled(
    tmp_path: Path,
) -> None:
    """Where they name it again, its table is without them."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
    async with arena(tmp_path) as running:
        assert len((await running.order("annul", bot="ann"))["changed"]) == 2
    async with laddered(tmp_path) as running:
        ladder = running.server.target.sessions.ladders.get("main")
        assert ladder is not None
        assert not ladder.state.standings()


async def test_an_aborted_game_does_not_count_and_ends_its_match(tmp_path: Path) -> None:
    """Both players read why; the trail has it."""
    async with arena(tmp_path) as running:
        ann, bob = await running.pair("ann", "bob", games=2)
        game = (await ann.hear(GameStart)).game
        await running.refused(f"game {game} is under way; abort it first", "annul", games=[game])
        result = await running.order("abort", game=game, reason="a power cut")
        over = await bob.hear(GameOver)
        assert over.reason is Reason.ABORTED
        assert over.evidence is not None
        assert over.evidence.detail == "ended by the organiser: a power cut"
        await ann.hear(MatchOver)
        await running.refused(f"game {game} is over; annul it", "abort", game=game)
        await running.refused("no game g is under way", "abort", game="g")
        [line] = (await running.order("log"))["log"]
    assert line["action"] == "abort"
    assert [change["what"] for change in result["changed"]] == ["game", "match"]


async def test_a_game_whose_match_goes_on_is_not_annulled(tmp_path: Path) -> None:
    """By its id it is refused; of all games of a bot it is left out."""
    async with arena(tmp_path) as running:
        ann, _ = await running.pair("ann", "bob", games=2)
        game = (await ann.hear(GameStart)).game
        await ann.say(Resign(game))
        await ann.hear(GameOver)
        await running.refused(f"of game {game} is under way; abort it first", "annul", games=[game])
        assert (await running.order("annul", bot="ann"))["left_out"] == 1


async def test_a_game_that_ends_by_itself_meanwhile_is_not_aborted(tmp_path: Path) -> None:
    """The order is refused, since the game counts and its line of the log would be lost."""
    async with arena(tmp_path) as running:
        ann, bob = await running.pair("ann", "bob")
        game = (await ann.hear(GameStart)).game
        plan = await games.abort(running.server.target, AbortGame(game), Order("abort", "root", ""))
        await ann.say(Resign(game))
        await bob.hear(MatchOver)
        assert plan.commit is not None
        with pytest.raises(RefusedError, match="is over; annul it"):
            await plan.commit([])


async def test_more_games_than_one_order_takes_are_annulled_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal names the time that ends the first part; no game is left between two parts."""
    for module in (annulled, games):
        monkeypatch.setattr(module, "MOST_GAMES", 2)
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        ids = await played(running, "cid", "dan")
        since: dict[str, Any] = {"since": "2000-01-01T00:00:00+00:00"}
        gone: list[str] = []
        while len(gone) < len(ids):
            part = dict(since)
            try:
                found = await running.order("annul", **part)
            except RefusedError as error:
                refused = str(error)
                assert "these are more than 2 games" in refused
                part["until"] = refused.partition("began before ")[2].partition(" ")[0]
                found = await running.order("annul", **part)
                since["since"] = part["until"]
            assert found["changed"]
            gone += [change["subject"] for change in found["changed"]]
        assert sorted(gone) == sorted(ids)


async def test_a_game_that_counts_again_waits_for_its_review_again(tmp_path: Path) -> None:
    """An annulled game waits for none."""
    async with laddered(tmp_path) as running:
        ids = await played(running, "ann", "bob")
        place = str(running.server.config.store)
        query = "SELECT game, ladder, first, second FROM reviews WHERE version IS NULL ORDER BY 1"
        before = await asyncio.to_thread(databases.rows, place, query)
        assert sorted(str(row[0]) for row in before) == sorted(ids)
        await running.order("annul", bot="ann", reason="by hand")
        assert await asyncio.to_thread(databases.rows, place, query) == []
        await running.order("undo", number=1)
        assert await asyncio.to_thread(databases.rows, place, query) == before


async def test_games_that_the_store_did_not_annul_count_on(tmp_path: Path) -> None:
    """What was taken out of the tallies is put back."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        ladder = running.server.target.sessions.ladders.get("main")
        assert ladder is not None
        order = Order("annul", "root", "2026-01-01T00:00:00Z")
        plan = await games.annul(running.server.target, AnnulGames(bot="ann"), order)
        plan.entries()
        assert ladder.state.meetings("ann", "bob") == 0
        plan.roll_back()
        assert ladder.state.meetings("ann", "bob") == 2
