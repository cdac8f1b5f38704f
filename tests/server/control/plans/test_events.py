"""What the organiser does with events, on a running server."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import structs

from mancala.protocol.messages import GameOver, GameStart, MatchOver, Reason, Withdrawn
from mancala.server.config.events import EventSettings
from mancala.server.contest.live.archives import export_event
from tests.patience import PATIENCE_S
from tests.server.control.operators import LADDER, laddered
from tests.server.peers import Arena, arena

NAMES = ("ann", "bob", "cid")
FINAL = EventSettings(name="final", format="rr", entrants=NAMES, games=1, absent_s=0.0)


async def shown(running: Arena) -> dict[str, Any]:
    return await running.order("event-show", event="final")


async def until(running: Arena, state: str) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE_S):
        while (found := await shown(running))["state"] != state:
            pass
    return found


async def test_an_event_without_players_is_over_when_it_begins(tmp_path: Path) -> None:
    """Every encounter is forfeited by both; each step is in the log with who took it."""
    async with arena(tmp_path, event=(FINAL,)) as running:
        started = await running.order("event-start", event="final", why="all wait")
        assert [change["after"] for change in started["changed"]] == ["pairing"]
        found = await until(running, "finished")
        assert [row["points"] for row in found["standings"]] == [0, 0, 0]
        assert (found["log"][0]["by"], found["log"][0]["why"]) == ("root", "all wait")
        await running.order("event-publish", event="final")
    async with arena(tmp_path, event=(FINAL,)) as running:
        again = await shown(running)
        assert again["state"] == "published"
        assert again["standings"] == found["standings"]
        assert again["rounds"] == found["rounds"]


async def test_an_event_goes_on_after_a_drain(tmp_path: Path) -> None:
    """A round that was paired meanwhile is played."""
    async with arena(tmp_path, event=(FINAL,)) as running:
        ann, *_ = [await running.greet(name) for name in NAMES]
        await running.order("drain")
        await running.order("event-start", event="final")
        await until(running, "playing")
        assert running.server.games == ()
        await running.order("undrain")
        await ann.hear(GameStart)


async def test_an_entrant_is_withdrawn_and_forfeits_by_order(tmp_path: Path) -> None:
    """While the event is paused, so that nothing else happens."""
    patient = EventSettings(name="final", format="rr", entrants=NAMES, games=1)
    async with arena(tmp_path, event=(patient,)) as running:
        await running.order("event-start", event="final")
        await until(running, "playing")
        await running.refused("the event has begun, and is playing", "event-start", event="final")
        await running.order("event-pause", event="final")
        [encounter] = (await shown(running))["rounds"][0]["encounters"]
        loser = encounter["first"]
        lost = await running.order("event-forfeit", event="final", bot=loser)
        assert lost["changed"][0]["after"] == f"lost by {loser}"
        gone = await running.order("event-withdraw", event="final", bot=loser)
        assert gone["changed"][0]["after"] == "withdrawn after round 1"
        await running.refused(f"{loser} is no entrant", "event-withdraw", event="final", bot=loser)
        await running.order("event-resume", event="final")
        await until(running, "playing")
        await running.order("event-cancel", event="final")
        assert (await shown(running))["state"] == "cancelled"


async def test_a_bye_by_order_is_kept_and_counted(tmp_path: Path) -> None:
    """Also over a restart: who has it is not paired in that round, and gets half a point."""
    cup = EventSettings(name="final", format="swiss", entrants=(*NAMES, "dan"), games=1, rounds=2)
    async with arena(tmp_path, event=(cup,)) as running:
        ask = partial(running.order, "event-bye", event="final")
        given = await ask(bot="dan", round=2, why="an exam")
        assert given["changed"][0]["after"] == "half-point bye in round 2"
        await ask(bot="ann", round=1)
        await ask(bot="ann", round=1, take_back=True)
        refused = partial(running.refused, event="final", bot="ann", round=1, take_back=True)
        await refused("ann has no bye in round 1", "event-bye")
    async with arena(tmp_path, event=(cup,)) as running:
        assert [each["byes"] for each in (await shown(running))["entrants"]] == [[], [], [], [2]]
        peers = [await running.greet(name) for name in (*NAMES, "dan")]
        await running.order("event-start", event="final")
        await asyncio.gather(*(peer.play_until(Withdrawn) for peer in peers))
        found = await until(running, "finished")
        refused = partial(running.refused, event="final", bot="bob", round=3)
        await refused("the event is finished", "event-bye")
    first, second = found["rounds"]
    assert (len(first["encounters"]), first["half_byes"]) == (2, [])
    assert (len(second["encounters"]), second["half_byes"]) == (1, ["dan"])
    dan = next(row for row in found["standings"] if row["name"] == "dan")
    assert dan["points"] == 0.5 + dan["wins"] + dan["draws"] / 2
    steps = [(line["step"], line["why"]) for line in found["log"]]
    assert steps[:3] == [
        ("bye", "dan round 2 an exam"),
        ("bye", "ann round 1"),
        ("no-bye", "ann round 1"),
    ]


async def test_a_game_under_way_goes_on_after_a_restart_and_counts(tmp_path: Path) -> None:
    """The next server knows the match as the event's."""
    final = EventSettings(name="final", format="match", entrants=NAMES[:2], games=1)
    async with arena(tmp_path, event=(final,)) as running:
        ann, bob = [await running.greet(name) for name in NAMES[:2]]
        await running.order("event-start", event="final")
        begun = await ann.hear(GameStart)
        secrets = ann.secret, bob.secret
    async with arena(tmp_path, event=(final,)) as running:
        ann = await running.greet("ann", resume=secrets[0])
        bob = await running.greet("bob", resume=secrets[1])
        await asyncio.gather(*(peer.play_until(MatchOver) for peer in (ann, bob)))
        found = await until(running, "finished")
    [encounter] = found["rounds"][0]["encounters"]
    assert [game["game"] for game in encounter["games"]] == [begun.game]
    assert sum(row["points"] for row in found["standings"]) == 1.0


async def test_games_of_the_present_round_are_played_again(tmp_path: Path) -> None:
    """All of an entrant's, or one by its id; not while they are played, and no others."""
    cup = structs.replace(FINAL, format="match", entrants=("ann", "bob"), rounds=1, games=2)
    cup = structs.replace(cup, absent_s=60.0, freeze_rounds=1)
    async with arena(tmp_path, event=(cup,)) as running:
        refused = partial(running.refused, event="final")
        await refused("no round is frozen that was paired", "event-reveal")
        await running.order("event-start", event="final")
        await until(running, "playing")
        await refused("the next round to be shown is 1, not 2", "event-reveal", round=2)
        await refused("round 1 is not over yet", "event-reveal", round=1)
        await refused("ann and bob have not played yet", "event-replay", bot="ann")
        await refused("eva has no opponent in round 1", "event-replay", bot="eva")
        await refused("round 1 has no result of a game g1", "event-annul", game="g1")


WIN = {"bot": "ann", "result": "win", "why": "by hand"}
CUP = {
    "name": "cup",
    "format": "match",
    "entrants": ["ann", "bob"],
    "rules": LADDER[0].rules,
    "rated": "main",
    "clock": {"move_ms": 60_000},
}


async def test_the_arbiter_sets_the_result_of_a_game_under_way(tmp_path: Path) -> None:
    """The event is paused and the game annulled, which ends it; both players hear why."""
    cup = structs.replace(FINAL, format="match", entrants=("ann", "bob"))
    async with arena(tmp_path, event=(cup,)) as running:
        ask: Any = partial(running.order, event="final")
        peers = [await running.greet(name) for name in ("ann", "bob")]
        await ask("event-start")
        game = (await peers[0].hear(GameStart)).game
        win: dict[str, Any] = {"bot": "bob", "result": "win", "why": "ann's board"}
        said = "ann and bob are playing; wait, or pause it and annul their game"
        await running.refused(said, "event-result", event="final", **win)
        await ask("event-pause")
        annulled = await ask("event-annul", game=game, why="the wrong program")
        assert {each["event"] for each in annulled["changed"]} == {"final"}
        for peer in peers:
            over = await peer.hear(GameOver)
            assert over.reason is Reason.ABORTED
            assert over.evidence is not None
            assert over.evidence.detail == "ended by the organiser: the wrong program"
        await ask("event-result", **win)
        await ask("event-resume")
        found = await until(running, "finished")
    assert [row["points"] for row in found["standings"]] == [1.0, 0.0]
    assert found["standings"][0]["name"] == "bob"


async def test_an_event_is_made_rated_annulled_exported_and_imported(tmp_path: Path) -> None:
    """Without a restart; the next server knows it, and another one shows the same table."""
    async with laddered(tmp_path) as running:
        ask = running.order
        made = await ask("event-new", settings=CUP, why="on a whim")
        assert made["changed"] == [
            {"what": "event", "subject": "cup", "before": None, "after": "draft"}
        ]
        ann, bob = [await running.greet(name) for name in NAMES[:2]]
        await ask("event-start", event="cup")
        await asyncio.gather(*(peer.play_until(MatchOver) for peer in (ann, bob)))
        while (found := await ask("event-show", event="cup"))["state"] != "finished":
            pass
        first, second = found["rounds"][0]["encounters"][0]["games"]
        assert {row["games"] for row in ladder_rows(running)} == {2}
        await ask("annul", games=[first["game"]], reason="by hand")
        found = await ask("event-show", event="cup")
        assert sum(row["points"] for row in found["standings"]) == 1.0
        assert [row["games"] for row in found["standings"]] == [1, 1]
        assert [line["step"] for line in found["log"]][-1] == "annul"
        assert (await ask("check"))["equal"]
        said = "is of the event cup; replay it there"
        await running.refused(said, "replay", game=second["game"])
        assert {row["games"] for row in ladder_rows(running)} == {1}
        config = running.server.config
    file = tmp_path / "cup.json.gz"
    archive, size = export_event(config, "cup", file)
    assert size == file.stat().st_size
    assert [record.game for record in archive.records] == [first["game"], second["game"]]
    async with laddered(tmp_path) as running:
        assert await running.order("event-show", event="cup") == found
        await running.order("undo", number=3)
        again = await running.order("event-show", event="cup")
        assert sum(row["points"] for row in again["standings"]) == 2.0
        said = "its games are those of the event cup, which is"
        await running.refused(said, "event-import", file=str(file), name="again")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with arena(elsewhere) as running:
        ask = running.order
        dry = await ask("event-import", file=str(file), name="their-cup", dry_run=True)
        assert dry["server"] == "test"
        assert (await ask("event-list"))["events"] == []
        await ask("event-import", file=str(file), name="their-cup")
        for name, said in (("their-cup", "there is an event"), ("other", "those of the event")):
            await running.refused(f"{said} their-cup", "event-import", file=str(file), name=name)
        said = "it was held on test, and only shown"
        await running.refused(said, "event-publish", event="their-cup")
    async with arena(elsewhere) as running:
        shown = await running.order("event-show", event="their-cup")
        assert shown["standings"] == found["standings"]
        assert shown["rounds"] == found["rounds"]
        assert shown["origin"] == "test"


REPORT = """\
012 Club evening
092 Individual: Swiss-System
001 1001      Berg, Bo                                                           1.0    1  1002 w 1
001 1002      Dahl, Di                                                           0.0    2  1001 b 0
"""


async def test_an_event_comes_in_as_a_report(tmp_path: Path) -> None:
    """It is over and only shown, whatever its encoding; what is wrong with one is said."""
    file = tmp_path / "club.trf"
    async with arena(tmp_path) as running:
        for text in (REPORT.replace("1.0", "2.0"), "no report"):
            file.write_text(text)
            await running.refused(f"{file}: record 001", "event-import", file=str(file))
        file.write_bytes(REPORT.replace("Bo", "Bø").encode("latin-1"))
        made = await running.order("event-import", file=str(file))
        assert made["changed"][0]["subject"] == "Club-evening"
        shown = await running.order("event-show", event="Club-evening")
        assert shown["state"] == "finished"
        assert {row["name"]: row["points"] for row in shown["standings"]} == {
            "Berg-B": 1.0,
            "Dahl-Di": 0.0,
        }


def ladder_rows(running: Arena) -> list[dict[str, Any]]:
    ladder = running.server.target.sessions.ladders.get("main")
    assert ladder is not None
    return [structs.asdict(row) for row in ladder.state.standings()]


async def test_the_arbiter_sets_a_result_with_a_reason(tmp_path: Path) -> None:
    """It counts like a played one, is shown with its reason, kept, and taken back by undo."""
    patient = structs.replace(FINAL, games=2, absent_s=600.0)
    async with arena(tmp_path, event=(patient,)) as running:
        ask: Any = partial(running.order, event="final")
        refused: Any = partial(running.refused, event="final")
        draw: Any = partial(refused, bot="ann", result="draw")
        await draw("there is no round 0; 0 rounds paired", "event-result", why="rain")
        await ask("event-start")
        [encounter] = (await until(running, "playing"))["rounds"][0]["encounters"]
        bot, other = encounter["first"], encounter["second"]
        await draw("needs a reason, which is published", "event-result")
        draw = partial(refused, bot=bot, result="draw")
        for game in (0, 3):
            await draw("an encounter has the games 1 to 2", "event-result", game=game, why="rain")
        idle = next(name for name in NAMES if name not in {bot, other})
        await refused(f"{idle} has no opponent", "event-result", bot=idle, result="win", why="-")
        await ask("event-result", bot=bot, result="loss", game=2, why="a mistake")
        undone = await running.order("undo", number=2)
        assert {each["event"] for each in undone["changed"]} == {"final"}
        await ask("event-result", bot=bot, result="win", game=2, why="their board broke")
        done = await ask("event-result", bot=bot, result="draw", game=1, why="agreed", dry_run=True)
        assert [each["before"] for each in done["changed"]] == ["no result"]
        await ask("event-result", bot=bot, result="draw", game=1, why="agreed")
        found = await until(running, "playing")
        assert found["round"] == 2
    async with arena(tmp_path, event=(patient,)) as running:
        found = await shown(running)
        games = found["rounds"][0]["encounters"][0]["games"]
        assert [(each["reason"], each["note"], each["game"]) for each in games] == [
            ("arbiter", "agreed", None),
            ("arbiter", "their board broke", None),
        ]
        points = {row["name"]: row["points"] for row in found["standings"]}
        assert points == {bot: 1.5, other: 0.5, idle: 0.0}
        log = (await running.order("log"))["log"]
        drawn = next(line for line in log if line["why"] == "agreed")
        said = "round 1 is over, and a game of it would have no result"
        await running.refused(said, "undo", number=drawn["number"])
        await running.order("event-result", event="final", bot=bot, round=1, result="loss", why="!")
        said = "the result was changed after this line"
        await running.refused(said, "undo", number=drawn["number"] - 1)
        points = {row["name"]: row["points"] for row in (await shown(running))["standings"]}
        assert points == {bot: 0.0, other: 2.0, idle: 0.0}
        await running.order("event-cancel", event="final")
        await running.refused(
            "final is cancelled", "event-result", event="final", bot=bot, result="win", why="!"
        )


async def test_a_round_is_paired_by_hand_and_an_entrant_reinstated(tmp_path: Path) -> None:
    """It meets whom the organiser says; the rounds that it missed brought it no points."""
    cup = EventSettings(name="final", format="swiss", entrants=(*NAMES, "dan"), games=1, rounds=3)
    apart = structs.replace(cup, apart=(("ann", "bob"), ("ann", "cid")), interval_s=3600.0)
    async with arena(tmp_path, event=(apart,)) as running:
        ask: Any = partial(running.order, event="final")
        refused: Any = partial(running.refused, event="final")
        pair: Any = partial(ask, "event-pair", bot="dan", opponent="ann")
        assert (await pair(round=2))["changed"][0]["after"] == "meets ann in round 2"
        again: Any = partial(refused, bot="ann", opponent="bob", round=2)
        await again("ann meets dan by order in round 2", "event-pair")
        await again("ann and bob do not meet by order", "event-pair", take_back=True)
        await refused("can't meet itself", "event-pair", bot="ann", opponent="ann", round=1)
        await pair(round=2, take_back=True)
        await pair(round=2)
        await refused("cid has not withdrawn", "event-reinstate", bot="cid")
        await ask("event-withdraw", bot="cid")
        peers = [await running.greet(name) for name in (*NAMES, "dan")]
        await ask("event-start")

        async def closed() -> dict[str, Any]:
            while (found := await shown(running))["next_round_at"] is None:
                for peer in peers:
                    peer.heard.clear()
            return found

        play = asyncio.gather(*(peer.play_until(Withdrawn) for peer in peers))
        first = (await closed())["rounds"][0]
        assert first["encounters"][0]["first"] + first["encounters"][0]["second"] != "annbob"
        await ask("event-reinstate", bot="cid", why="a mistake")
        await ask("event-start", why="all are here")
        found = await closed()
        await refused("there is no round 3", "event-result", **WIN, round=3)
        await ask("event-cancel")
        await play
    second = found["rounds"][1]
    assert [(it["first"], it["second"]) for it in second["encounters"]] == [
        ("dan", "ann"),
        *((it["first"], it["second"]) for it in second["encounters"][1:]),
    ]
    assert {name for it in second["encounters"] for name in (it["first"], it["second"])} == {
        *(*NAMES, "dan")
    }
    assert first["left_out"] == []
    assert found["rounds"][0]["left_out"] == ["cid"]
    cid = next(row for row in found["standings"] if row["name"] == "cid")
    assert cid["points"] == cid["wins"] + cid["draws"] / 2


async def test_an_event_is_edited_and_deleted_before_it_begins(tmp_path: Path) -> None:
    """The next server has the new settings; after the deletion the name is free."""
    async with arena(tmp_path, event=(FINAL,)) as running:
        ask, refused = running.order, running.refused
        await ask("event-new", settings=CUP | {"rated": None, "entrants": ["ann", "bob"]})
        edit: Any = partial(ask, "event-edit", event="cup")
        done = await edit(settings={"games": 4, "clock": {"bank_ms": 9000}}, why="longer")
        assert [change["subject"] for change in done["changed"]] == ["games", "clock"]
        assert (await edit(settings={"games": 4}))["changed"] == []
        await refused("name: it stays cup", "event-edit", event="cup", settings={"name": "mug"})
        said = "entrants: a match has two, not 3"
        await refused(said, "event-edit", event="cup", settings={"entrants": [*NAMES]})
        secret = await edit(settings={"enter": "open", "format": "rr", "password": "wari"})
        assert [each["after"] for each in secret["changed"]] == ['"rr"', '"open"', "***"]
        [line, *_] = (await ask("log", last=1))["log"]
        assert line["arguments"]["settings"] == {"enter": "open", "format": "rr", "password": "***"}
        assert "wari" not in str(await ask("log"))
        held: Any = {"event": "cup", "settings": {"password": "wari"}}
        await refused("a password is a secret", "hold", action="event-edit", arguments=held)
        await edit(settings={"series": "friday"})
        twin = CUP | {"rated": None, "name": "twin", "series": "friday"}
        await refused("cup is edition 1 of friday in division 1", "event-new", settings=twin)
        unset = await edit(settings={"series": None, "clock": None, "password": None})
        assert {each["subject"] for each in unset["changed"]} == {"series", "clock", "password"}
        await edit(settings={"clock": {"bank_ms": 9000}})
        both = {"rounds": 1000, "games": 10_000}
        await refused("rounds, games: 2 players", "event-edit", event="cup", settings=both)
        many = {"entrants": [f"b{number}" for number in range(1000)], "seed": 7}
        await refused("entrants: 1002 players", "event-edit", event="cup", settings=many)
        unknown = {"prize": None}
        for games in ({"games": 10**9}, {"rounds": 10**9}):
            await refused(
                "expected a whole number <= 1000", "event-edit", event="cup", settings=games
            )
        await refused("prize: there is no such", "event-edit", event="cup", settings=unknown)
        await edit(settings={"enter": "list", "entrants": ["cid", "bob", "ann"]})
        await refused("stands in the settings' file", "event-delete", event="final")
    async with arena(tmp_path, event=(FINAL,)) as running:
        cup: Any = partial(running.order, event="cup")
        found = await cup("event-show")
        assert (found["format"], found["games"]) == ("rr", 4)
        assert found["clock"]["bank_ms"] == 9000
        assert [each["name"] for each in found["entrants"]] == ["cid", "bob", "ann"]
        await cup("event-open")
        await cup("event-delete", why="a try")
        await running.refused("there is no event cup", "event-show", event="cup")
    async with arena(tmp_path, event=(FINAL,)) as running:
        assert [each["name"] for each in (await running.order("event-list"))["events"]] == ["final"]
        await running.order("event-new", settings=CUP | {"rated": None})
        await running.order("event-start", event="cup")
        said = "cup is (pairing|playing); only before it begins"
        await running.refused(said, "event-delete", event="cup")
