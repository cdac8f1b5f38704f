"""Orders for an event over HTTP, by the tokens of owners, arbiters and helpers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from mancala.server.config.events import EventSettings
from mancala.server.control.actions import ACTIONS, Action, Arguments
from mancala.server.control.operator import Operator
from mancala.server.control.plans import roles
from mancala.server.control.wire import Request
from mancala.server.store import Store
from mancala.server.store.rows.tokens import issue
from mancala.server.store.store import UNCHECKED
from mancala.server.web.api.event_orders import MOST_BYTES
from mancala.server.web.feed.feed_client import ORDER_S
from tests.patience import PATIENCE_S
from tests.server.web.seen import Seen, seen

pytestmark = pytest.mark.usefixtures("database")

NAMES = ("ann", "bob", "cid")
CUP = EventSettings(name="cup", format="swiss", entrants=NAMES, rounds=2, games=1)
AT = "2026-01-01T00:00:00.000+00:00"
Give = Callable[..., Any]


async def give(
    looking: Seen,
    who: str,
    token: str,
    order: str,
    /,
    event: str = "cup",
    **more: Any,  # noqa: ANN401  # whatever an order takes
) -> httpx.Response:
    beside = {key: more.pop(key) for key in ("why", "dry_run") if key in more}
    body = {"order": order, "arguments": more} | beside
    return await looking.http.post(
        f"/api/v1/events/{event}/orders", json=body, auth=(who, token), timeout=PATIENCE_S
    )


@asynccontextmanager
async def held(
    folder: Path, event: EventSettings = CUP
) -> AsyncIterator[tuple[Seen, dict[str, Give]]]:
    """Yield a server with an event, and for each of three people what gives its orders."""
    async with seen(folder, event=(event,)) as looking:
        server = looking.server
        server.operator = Operator(server.target)
        tokens: dict[str, str] = {}
        for name, role in {"olga": "owner", "arno": "arbiter", "hedi": "helper"}.items():
            tokens[name] = await server.store.run(partial(issue, name=name, at=AT))
            if name != "hedi":
                await looking.arena.order("event-grant", event="cup", name=name, role=role)
        by: dict[str, Give] = {}
        for name, token in tokens.items():
            by[name] = partial(give, looking, name, token)
        yield looking, by


async def test_roles_give_what_is_theirs_as_the_local_command_does(tmp_path: Path) -> None:
    """The same plan and log; an owner grants and revokes roles; what is not theirs is refused."""
    async with held(tmp_path) as (looking, by):
        answer = await by["hedi"]("bye", bot="ann", round=2)
        assert (answer.status_code, answer.json()["error"]["message"]) == (
            403,
            "hedi has no role in cup",
        )
        answer = await by["arno"]("grant", name="hedi", role="helper")
        assert answer.json()["error"]["message"] == "grant is for owner, not for arbiter"
        answer = await by["olga"]("grant", name="hedi", role="helper", why="for the hall")
        assert answer.json()["changed"][0]["after"] == "helper"
        dry = await by["hedi"]("bye", bot="ann", round=2, dry_run=True)
        done = await by["hedi"]("bye", bot="ann", round=2, why="an exam")
        assert dry.json()["changed"] == done.json()["changed"] != []
        answer = await by["hedi"]("pair", bot="bob", opponent="cid", round=2)
        message = "pair is for arbiter or owner, not for helper"
        assert (answer.status_code, answer.json()["error"]["message"]) == (403, message)
        assert (await by["arno"]("pair", bot="bob", opponent="cid", round=2)).status_code == 200
        shown = (await by["hedi"]("show")).json()
        assert shown["roles"] == {"arno": "arbiter", "hedi": "helper", "olga": "owner"}
        assert [(line["step"], line["by"]) for line in shown["log"]] == [
            ("bye", "hedi (helper)"),
            ("pair-by-hand", "arno (arbiter)"),
        ]
        log = (await looking.arena.order("log"))["log"]
        assert [(line["action"], line["by"]) for line in log[1::-1]] == [
            ("event-bye", "hedi (helper)"),
            ("event-pair", "arno (arbiter)"),
        ]
        await by["olga"]("revoke", name="hedi")
        assert (await by["hedi"]("show")).status_code == 403
        await looking.arena.order("undo", number=log[0]["number"] + 1)
        assert (await by["hedi"]("show")).status_code == 200
        await looking.arena.order("ban", name="hedi", reason="her laptop is gone")
        banned = await by["hedi"]("show")
        message = "banned: her laptop is gone"
        assert (banned.status_code, banned.json()["error"]["message"]) == (403, message)
        await looking.arena.order("ban", address="127.0.0.0/8", reason="a flood")
        assert (await by["olga"]("show")).json()["error"]["message"] == "banned: a flood"


async def test_what_is_no_order_is_refused_in_words(tmp_path: Path) -> None:
    """By status: whose fault it is, and whether another try may help."""
    async with held(tmp_path) as (looking, by):
        place = "/api/v1/events/cup/orders"
        bare = await looking.http.post(place, json={"order": "show"})
        assert bare.status_code == 401
        assert bare.headers["WWW-Authenticate"].startswith("Basic ")
        for name, token in (("olga", "wrong"), ("guest", "any")):
            answer = await give(looking, name, token, "show")
            assert answer.json()["error"]["message"] == f"that is no token of {name}"
        olga = by["olga"]
        for order, arguments, status, said in (
            ("dance", {}, 400, "there is no order 'dance'; there are show, "),
            ("bye", {"bot": "ann"}, 400, "event-bye: "),
            ("bye", {"bot": "eve", "round": 1}, 409, "cup: eve is no entrant"),
            ("show", {"event": "other"}, 404, "there is no event other"),
        ):
            answer = await olga(order, **arguments)
            assert answer.status_code == status
            assert answer.json()["error"]["message"].startswith(said)
        form = await looking.http.post(place, data={"order": "show"})
        assert form.status_code == 415
        kinds = {"Content-Type": "application/json"}
        for content, status in (("x" * MOST_BYTES, 401), ("x" * (MOST_BYTES + 1), 413)):
            answer = await looking.http.post(place, content=content, headers=kinds, auth=("x", "y"))
            assert answer.status_code == status
        assert (await looking.get(place)).status_code == 405


async def test_an_order_that_is_too_long_for_the_feed_is_refused(tmp_path: Path) -> None:
    """A control character takes six bytes there; such a line ended the feed of all viewers."""
    async with held(tmp_path) as (looking, _by):
        kinds = {"Content-Type": "application/json"}
        for content, token in (("\x01" * MOST_BYTES, "y"), ("{}", "\x01" * 11_000)):
            answer = await looking.http.post(
                "/api/v1/events/cup/orders", content=content, headers=kinds, auth=("x", token)
            )
            assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_long")


async def test_an_order_waits_for_another_less_than_its_client_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the client hears what becomes of it, and gives it twice only if it was refused."""
    assert roles.TURN_S < ORDER_S
    monkeypatch.setattr(roles, "TURN_S", 0.0)
    place = "tests.server.control.test_operator:linger"
    actions = {**ACTIONS, "linger": Action("linger", Arguments, "Linger.", place)}
    async with held(tmp_path) as (looking, by):
        operator = looking.server.operator = Operator(looking.server.target, actions)
        endless = asyncio.create_task(operator.carry_out(Request("linger"), "ann"))
        answer = await by["olga"]("show")
        endless.cancel()
        message = "linger by ann is being carried out; try again later"
        assert (answer.status_code, answer.json()["error"]["message"]) == (409, message)


async def test_a_role_stays_with_the_bearer_of_the_token(tmp_path: Path) -> None:
    """Whom a stranger can't become: a name without a token gets none, and a new name takes it."""
    async with held(tmp_path) as (looking, by):
        answer = await by["olga"]("grant", name="gus", role="helper")
        assert answer.status_code == 409
        assert answer.json()["error"]["message"].startswith("gus has no token")
        await looking.arena.order("rename", bot="arno", new="arne")
        assert (await by["olga"]("show")).json()["roles"] == {"arne": "arbiter", "olga": "owner"}
        await looking.arena.order("merge", bot="arne", into="olga")
        assert (await by["olga"]("show")).json()["roles"] == {"olga": "owner"}


async def test_a_token_that_could_not_be_checked_is_not_called_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bearer tries again later, and does not look for another one."""
    async with held(tmp_path) as (_looking, by):
        monkeypatch.setattr(Store, "check", lambda _store, _name, _token, say: say(UNCHECKED))
        answer = await by["olga"]("show")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
        assert answer.json()["error"]["message"] == UNCHECKED.detail


async def test_what_concerns_others_is_not_an_owners_to_change(tmp_path: Path) -> None:
    """The ladder that counts the games, how many matches the server carries, another's series."""
    async with held(tmp_path) as (_looking, by):
        for named, settings in (
            ("boards and rated", {"rated": "main", "boards": 99, "games": 2}),
            ("edition and series", {"series": "friday", "edition": 2}),
            ("division and promoted", {"division": 1, "promoted": 9}),
            ("every_days", {"every_days": 1}),
        ):
            answer = await by["olga"]("edit", settings=settings)
            message = f"{named}: only the operator may change that"
            assert (answer.status_code, answer.json()["error"]["message"]) == (403, message)


async def test_hidden_results_are_in_no_answer_about_the_event(tmp_path: Path) -> None:
    """Nor its archive; the organiser sees them, and an owner reveals them round by round."""
    hidden = replace(CUP, format="rr", rounds=None, freeze_rounds=2, freeze="results", absent_s=0.0)
    async with held(tmp_path, hidden) as (looking, by):
        answer = await by["olga"]("reveal")
        assert answer.json()["error"]["message"] == "cup: no round is frozen that was paired"
        await by["arno"]("start")
        while (await looking.api("/events/cup"))["state"] != "finished":
            pass
        found = (await by["olga"]("show")).json()
        assert [len(each["encounters"][0]["games"]) for each in found["rounds"]] == [1, 1, 1]
        assert await shown(looking) == [1, 0, 0]
        archive = await looking.get("/api/v1/events/cup/archive")
        assert archive.json()["error"]["message"].startswith("results of cup are hidden")
        assert (await by["olga"]("reveal", round=2)).json()["changed"][0]["subject"] == "2"
        answer = await by["olga"]("reveal", round=2)
        said = "cup: the next round to be shown is 3, not 2"
        assert (answer.status_code, answer.json()["error"]["message"]) == (409, said)
        assert await shown(looking) == [1, 1, 0]
        await by["olga"]("publish")
        assert await shown(looking) == [1, 1, 1]
        assert (await looking.get("/api/v1/events/cup/archive")).status_code == 200


async def shown(looking: Seen) -> list[int]:
    rounds = (await looking.api("/events/cup"))["rounds"]
    return [len(each["encounters"][0]["games"]) for each in rounds]
