"""What the organiser does with events, on a running server."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from mancala.protocol.messages import GameStart, MatchOver
from mancala.server.config.events import EventSettings
from mancala.server.config.ladders import LadderSettings
from mancala.server.contest.live.archives import export_event
from mancala.server.control.operator import RefusedError
from tests.server.control.operators import order
from tests.server.peers import Arena, arena

NAMES = ("ann", "bob", "cid")
FINAL = EventSettings(name="final", format="rr", entrants=NAMES, games=1, absent_s=0.0)


async def shown(running: Arena) -> dict[str, Any]:
    """Return what is seen of the event."""
    return await order(running.server, "event-show", event="final")


async def until(running: Arena, state: str) -> dict[str, Any]:
    """Wait for a state of the event."""
    while True:
        found = await shown(running)
        if found["state"] == state:
            return found


async def test_an_event_without_players_is_over_when_it_begins(tmp_path: Path) -> None:
    """Every encounter is forfeited by both; each step is in the log with who took it."""
    async with arena(tmp_path, event=(FINAL,)) as running:
        started = await order(running.server, "event-start", event="final", why="all wait")
        assert [change["after"] for change in started["changed"]] == ["pairing"]
        found = await until(running, "finished")
        assert [row["points"] for row in found["standings"]] == [0, 0, 0]
        assert (found["log"][0]["by"], found["log"][0]["why"]) == ("root", "all wait")
        await order(running.server, "event-publish", event="final")
    async with arena(tmp_path, event=(FINAL,)) as running:
        again = await shown(running)
        assert again["state"] == "published"
        assert again["standings"] == found["standings"]
        assert again["rounds"] == found["rounds"]


async def test_a_dry_run_starts_nothing(tmp_path: Path) -> None:
    """It says what would change."""
    async with arena(tmp_path, event=(FINAL,)) as running:
        dry = await order(running.server, "event-start", event="final", dry_run=True)
        assert dry["changed"][0]["before"] == "draft"
        [listed] = (await order(running.server, "event-list"))["events"]
        assert (listed["state"], listed["round"]) == ("draft", 0)


@pytest.mark.parametrize(
    ("action", "arguments", "said"),
    [
        ("event-show", {"event": "cup"}, "there is no event cup; there are: final"),
        ("event-resume", {"event": "final"}, "the step resume can't be taken while"),
        ("event-publish", {"event": "final"}, "while the event is draft"),
        ("event-withdraw", {"event": "final", "bot": "eva"}, "eva is no entrant"),
        ("event-check-in", {"event": "none"}, "there is no event none"),
        ("event-forfeit", {"event": "final", "bot": "ann"}, "no round is being played"),
    ],
)
async def test_what_can_not_be_done_is_refused(
    tmp_path: Path, action: str, arguments: dict[str, Any], said: str
) -> None:
    """The error names the state."""
    async with arena(tmp_path, event=(FINAL,)) as running:
        with pytest.raises(RefusedError, match=said):
            await order(running.server, action, **arguments)


async def test_an_entrant_is_withdrawn_and_forfeits_by_order(tmp_path: Path) -> None:
    """While the event is paused, so that nothing else happens."""
    patient = EventSettings(name="final", format="rr", entrants=NAMES, games=1)
    async with arena(tmp_path, event=(patient,)) as running:
        await order(running.server, "event-start", event="final")
        await until(running, "playing")
        with pytest.raises(RefusedError, match="the event has begun, and is playing"):
            await order(running.server, "event-start", event="final")
        await order(running.server, "event-pause", event="final")
        [encounter] = (await shown(running))["rounds"][0]["encounters"]
        loser = encounter["first"]
        lost = await order(running.server, "event-forfeit", event="final", bot=loser)
        assert lost["changed"][0]["after"] == f"lost by {loser}"
        gone = await order(running.server, "event-withdraw", event="final", bot=loser)
        assert gone["changed"][0]["after"] == "withdrawn after round 1"
        with pytest.raises(RefusedError, match=f"{loser} is no entrant"):
            await order(running.server, "event-withdraw", event="final", bot=loser)
        await order(running.server, "event-resume", event="final")
        await until(running, "playing")
        await order(running.server, "event-cancel", event="final")
        assert (await shown(running))["state"] == "cancelled"


async def test_a_bye_by_order_is_kept_and_counted(tmp_path: Path) -> None:
    """Also over a restart: who has it is not paired in that round, and gets half a point."""
    cup = EventSettings(
        name="final", format="swiss", entrants=(*NAMES, "dan"), games=1, rounds=2, absent_s=0.01
    )
    async with arena(tmp_path, event=(cup,)) as running:
        ask = partial(order, running.server, "event-bye", event="final")
        given = await ask(bot="dan", round=2, why="an exam")
        assert given["changed"][0]["after"] == "half-point bye in round 2"
        await ask(bot="ann", round=1)
        await ask(bot="ann", round=1, take_back=True)
        with pytest.raises(RefusedError, match="ann has no bye in round 1"):
            await ask(bot="ann", round=1, take_back=True)
    async with arena(tmp_path, event=(cup,)) as running:
        assert [each["byes"] for each in (await shown(running))["entrants"]] == [[], [], [], [2]]
        await order(running.server, "event-start", event="final")
        found = await until(running, "finished")
        with pytest.raises(RefusedError, match="the event is finished"):
            await order(running.server, "event-bye", event="final", bot="bob", round=3)
    first, second = found["rounds"]
    assert (len(first["encounters"]), first["half_byes"]) == (2, [])
    assert (len(second["encounters"]), second["half_byes"]) == (1, ["dan"])
    points = {row["name"]: row["points"] for row in found["standings"]}
    assert points["dan"] == 0.5
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
        await order(running.server, "event-start", event="final")
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
    async with arena(tmp_path, event=(structs.replace(cup, absent_s=60.0),)) as running:
        ask = partial(order, running.server, event="final")
        with pytest.raises(RefusedError, match="no round is being played, it is draft"):
            await ask("event-replay", bot="ann")
        await ask("event-start")
        await until(running, "playing")
        with pytest.raises(RefusedError, match="ann and bob have not played yet"):
            await ask("event-replay", bot="ann")
        with pytest.raises(RefusedError, match="eva has no opponent in round 1"):
            await ask("event-replay", bot="eva")
        with pytest.raises(RefusedError, match="round 1 has no result of a game g1"):
            await ask("event-annul", game="g1")


TINY = "kalah:pits=2,seeds=1"
LADDER = (LadderSettings(name="main", rules=TINY, patience_s=0.0),)
CUP = {
    "name": "cup",
    "format": "match",
    "entrants": ["ann", "bob"],
    "rules": TINY,
    "rated": "main",
    "clock": {"move_ms": 60_000},
}


async def test_an_event_is_made_rated_annulled_exported_and_imported(tmp_path: Path) -> None:
    """Without a restart; the next server knows it, and another one shows the same table."""
    async with arena(tmp_path, ladder=LADDER) as running:
        ask = partial(order, running.server)
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
        with pytest.raises(RefusedError, match="is of the event cup; replay it there"):
            await ask("replay", game=second["game"])
        assert {row["games"] for row in ladder_rows(running)} == {1}
        config = running.server.config
    file = tmp_path / "cup.json.gz"
    archive, size = export_event(config, "cup", file)
    assert size == file.stat().st_size
    assert [record.game for record in archive.records] == [first["game"], second["game"]]
    async with arena(tmp_path, ladder=LADDER) as running:
        assert await order(running.server, "event-show", event="cup") == found
        await order(running.server, "undo", number=3)
        again = await order(running.server, "event-show", event="cup")
        assert sum(row["points"] for row in again["standings"]) == 2.0
        with pytest.raises(RefusedError, match="its games are those of the event cup, which is"):
            await order(running.server, "event-import", file=str(file), name="again")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with arena(elsewhere) as running:
        ask = partial(order, running.server)
        dry = await ask("event-import", file=str(file), name="their cup", dry_run=True)
        assert dry["server"] == "test"
        assert (await ask("event-list"))["events"] == []
        await ask("event-import", file=str(file), name="their-cup")
        for name, said in (("their-cup", "there is an event"), ("other", "those of the event")):
            with pytest.raises(RefusedError, match=f"{said} their-cup"):
                await ask("event-import", file=str(file), name=name)
        with pytest.raises(RefusedError, match="it was held on test, and only shown"):
            await ask("event-publish", event="their-cup")
    async with arena(elsewhere) as running:
        shown = await order(running.server, "event-show", event="their-cup")
        assert shown["standings"] == found["standings"]
        assert shown["rounds"] == found["rounds"]
        assert shown["origin"] == "test"


def ladder_rows(running: Arena) -> list[dict[str, Any]]:
    """Return the rows of the ladder."""
    ladder = running.server.target.sessions.ladders.get("main")
    assert ladder is not None
    return [structs.asdict(row) for row in ladder.state.standings()]


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"format": "league"}, "format: must be one of "),
    ({"format": "arena"}, "duration_s: an arena lasts as long as this says"),
    ({"boards": 0}, "boards: "),
    ({"nonsense": 1}, "nonsense: there is no such setting"),
    ({"entrants": ["ann"]}, "entrants: an event needs two or more"),
    ({"rated": "other"}, "rated: there is no ladder other; there are: main"),
    ({"rules": "kalah"}, "rated: the ladder main has the rules kalah:pits=2,seeds=1, not"),
    ({"openings_file": "a.txt"}, "openings_file: the openings themselves"),
    ({"name": "final"}, "there is an event final already"),
)


async def test_a_new_event_is_checked_as_those_of_the_settings_are(tmp_path: Path) -> None:
    """The error names the key; an archive that is none is refused with its file."""
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    async with arena(tmp_path, event=(FINAL,), ladder=LADDER) as running:
        for changes, said in WRONG:
            with pytest.raises(RefusedError, match=said):
                await order(running.server, "event-new", settings={**CUP, **changes})
        for file, said in ((wrong, "is not an archive of an event"), (tmp_path / "no", "No such")):
            with pytest.raises(RefusedError, match=said):
                await order(running.server, "event-import", file=str(file))
