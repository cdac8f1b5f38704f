"""An organiser's evening with two helpers goes as ``hosting.md`` says."""

import asyncio
import json
import re
import shlex
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import fields
from sqlalchemy import text

from mancala.protocol.messages import Goodbye, Withdrawn
from mancala.server.config.settings import Limits
from mancala.server.contest.live.archives import ExportFormat, export_report
from mancala.server.control.actions import ACTIONS
from mancala.server.control.operator import Operator
from mancala.server.store.rows.tokens import issue
from mancala.server.web.api.endpoints import ENDPOINTS
from mancala.server.web.api.endpoints import ROOT as API
from tests.server.web.seen import Seen, seen
from tests.sources import ROOT

HEADING = "### An event with two helpers\n"
TEXT = (ROOT / "docs" / "hosting.md").read_text().partition(HEADING)[2].partition("\n### ")[0]
[SETTINGS] = re.findall(r"^```\n(format.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
NAMES = ("ann", "bob", "cid", "dan")
NAMED = {"events": ("autumn",), "ladders": ("main",)}
AT = "2026-01-01T00:00:00.000+00:00"
PLAYED_BY_ALL = 3
"""After how many steps, the first two of the draft and of round 1, cid leaves."""


class Evening:
    """A server, on which the lines of the document are typed."""

    def __init__(self, looking: Seen) -> None:
        self.looking = looking
        self.tokens: dict[str, str] = {}
        self.said: dict[str, str] = {}

    async def type(self, line: str) -> None:
        """Do what a line says; it must be done."""
        match shlex.split(line):
            case ["order", name, _token, order]:
                answer = await self.looking.http.post(
                    "/api/v1/events/autumn/orders",
                    json=json.loads(order),
                    auth=(name, self.tokens[name]),
                )
                assert answer.status_code == 200, answer.text
            case ["mancala", "token", "new", name]:
                store = self.looking.server.store
                self.tokens[name] = await store.run(partial(issue, name=name, at=AT))
            case ["mancala", "event", "export", name, file, "--format", "trf"]:
                config = self.looking.server.config
                self.said[file], _ = await asyncio.to_thread(
                    export_report, config, name, ExportFormat.TRF
                )
            case ["mancala", "event", command, *words]:
                await self._order(command, words)
            case _:
                assert line.startswith("order() {")

    async def _order(self, command: str, words: list[str]) -> None:
        action, given = ACTIONS[f"event-{command}"], dict[str, Any]()
        flags = next((at for at, word in enumerate(words) if word.startswith("--")), len(words))
        options = dict(zip(words[flags::2], words[flags + 1 :: 2], strict=True))
        if command == "new":
            given["settings"] = {"name": words[0], **tomllib.loads(SETTINGS)}
        else:
            names = [each.name for each in fields(action.arguments) if each.required]
            given = dict(zip(names, words[:flags], strict=False))
        if command == "edit":
            given["settings"] = {"rounds": int(options["--rounds"])}
        why = options.get("--why", "")
        await self.looking.arena.order(action.name, why=why, **given)

    async def doors(self) -> dict[str, str]:
        """Return what a stranger reads at all addresses without a game's id, and all that is sent.

        Not asked are those that answer for one position.
        """
        paths = {
            API + path.format(name=name, other="bob", event="autumn", day=AT[:10])
            for path in ENDPOINTS.keys() - {"/analysis", "/explorer"}
            if "{game}" not in path and "{match}" not in path
            for name in NAMED.get(path[1:].split("/")[0], NAMES)
        }
        paths |= {f"{API}/games?status=running", "/bots/ann/feed.atom"}
        paths |= {f"/events/autumn/{file}" for file in ("feed.atom", "standings.csv", "rounds.csv")}
        answers = {path: await self.looking.get(path) for path in paths}
        assert {answer.status_code for answer in answers.values()} <= {200, 400, 404}
        found = {path: answer.text for path, answer in answers.items()}
        query = text("SELECT topic, payload FROM outbox")
        rows = await self.looking.server.store.run(lambda it: it.execute(query).all())
        return found | {"outbox": "\n".join(f"{row.topic} {row.payload}" for row in rows)}

    async def pages_of(self, game: str) -> set[int]:
        paths = [API + path.format(game=game) for path in ENDPOINTS if "{game}" in path]
        paths += [f"/games/{game}{part}" for part in (".txt", ".svg", ".gif", "/1.svg", "/1.png")]
        return {(await self.looking.get(path)).status_code for path in paths}

    async def match_of(self, game: str) -> tuple[str, int]:
        query = text("SELECT match FROM games WHERE id = :game").bindparams(game=game)
        match = await self.looking.server.store.run(lambda it: it.execute(query).scalar_one())
        found = await self.looking.api(f"/matches/{match}")
        return found["status"], len(found["games"])

    async def stream_of(self, game: str) -> str:
        return (await self.looking.get(f"{API}/games/{game}/events")).text

    def hidden(self) -> list[str]:
        contest = self.looking.server.target.sessions.contests.get("autumn")
        assert contest is not None
        first = contest.state.first_hidden(contest.settings)
        rows = contest.state.rows.values()
        return [row.game for row in rows if first is not None and row.number >= first and row.game]

    async def at_rest(self) -> dict[str, Any]:
        """Wait until no round is played; return what all see."""
        while True:
            found: dict[str, Any] = await self.looking.api("/events/autumn")
            is_resting = found["state"] == "closed" and found["next_round_at"] is not None
            if is_resting or found["state"] in {"draft", "finished", "published"}:
                return found


async def test_an_evening_with_two_helpers_goes_as_the_document_says(tmp_path: Path) -> None:
    """Each line does what the text around it says, and the page's answers show it.

    No answer, feed, picture or announcement has anything of the games of the frozen round before it
    is revealed; their lists have all of them afterwards.
    """
    async with seen(tmp_path, limits=Limits(http_burst=1_000_000)) as looking:
        server = looking.server
        server.operator = Operator(server.target)
        evening = Evening(looking)
        peers = {name: await looking.arena.greet(name) for name in NAMES}
        found = list[dict[str, Any]]()
        playing = {
            name: asyncio.create_task(peer.play_until(Withdrawn)) for name, peer in peers.items()
        }
        for block in BLOCKS:
            if len(found) == PLAYED_BY_ALL:
                (leaving := playing.pop("cid")).cancel()
                await asyncio.wait([leaving])
                await peers["cid"].say(Goodbye())
                await peers["cid"].hear_close()
            for line in block.splitlines():
                await evening.type(line)
            found.append(await evening.at_rest())
            if ids := evening.hidden():
                hidden, said = ids, await evening.doors()
                assert not [key for key, it in said.items() if any(map(it.__contains__, ids))]
                for game in ids:
                    assert await evening.pages_of(game) == {404}
                    assert await evening.match_of(game) == ("running", 0)
                    assert (await evening.stream_of(game)).endswith("event: over\ndata: null\n\n")
                totals = said["/api/v1/bots/dan"]
        await asyncio.gather(*playing.values())
        told = await evening.doors()
        assert all(game in told["/api/v1/games"] and game in told["outbox"] for game in hidden)
        assert told["/api/v1/bots/dan"] != totals
        for game in hidden:
            await looking.api(f"/games/{game}")
            assert await evening.match_of(game) == ("over", 1)
    draft, first, second, last, final = found
    assert (draft["state"], draft["freeze"]) == ("draft", "results")
    assert "a board for the winner" in draft["about"]
    assert first["rounds"][0]["half_byes"] == ["dan"]
    assert first["next_round_at"] is not None
    [game] = second["rounds"][0]["encounters"][0]["games"]
    assert (game["reason"], game["note"]) == ("arbiter", "ann played with another program")
    assert [game["first"], game["second"]][game["winner"]] == "bob"
    met = {(it["first"], it["second"]): it["by_hand"] for it in second["rounds"][1]["encounters"]}
    assert met[("dan", "ann")]
    assert sum(met.values()) == 1
    assert (last["state"], [each["hidden"] for each in last["rounds"]]) == (
        "finished",
        [False, False, True],
    )
    assert not any(it["games"] for it in last["rounds"][2]["encounters"])
    assert (last["revealed"], final["revealed"], final["state"]) == (0, 1, "published")
    assert [each["after_round"] for each in (last, final)] == [2, 3]
    assert final["rounds"][2]["left_out"] == ["cid"]
    gained = [{row["name"]: row["points"] for row in each["standings"]} for each in found]
    assert gained[-1]["cid"] == gained[2]["cid"]
    assert all(it["games"] for it in final["rounds"][2]["encounters"])
    assert len(re.findall("^001 ", evening.said["autumn.trf"], re.MULTILINE)) == len(NAMES)
