"""The organiser's orders to events from the status page."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import httpx
import msgspec
import pytest

from mancala.protocol import codec
from mancala.server.app.server import Server
from mancala.server.config.events import EventSettings
from mancala.server.control import actions, operator, wire
from mancala.server.control.actions import ACTIONS
from mancala.server.control.forms import EXAMPLE, OrderForms
from mancala.server.control.operator import Operator
from mancala.server.model.schemas.morning import EventOrdersView
from mancala.server.web.status.health_port import FORM_BYTES
from tests.frozen import changeable
from tests.patience import PATIENCE_S
from tests.server.peers import arena, order
from tests.stored import assert_is_stored

NAMES = ("ann", "bob", "cid")
FINAL = EventSettings(name="final", format="rr", entrants=NAMES, games=1, absent_s=600.0)
SWISS = 'name = "cup"\nformat = "swiss"\nentrants = ["ann", "bob", "cid"]'
PASSWORD = "an organiser's secret"  # noqa: S105  # of this test

REFUSED: tuple[tuple[str, dict[str, str], str], ...] = (
    ("start", {"event": "finale"}, "there is no event finale; there are: final"),
    ("resume", {"event": "final"}, "final: the step resume can't be taken while"),
    ("withdraw", {"event": "final", "bot": "<b>"}, "final: "),
    ("bye", {"event": "final", "bot": "ann", "round": "-1"}, "a round is a number from 1, not"),
    ("bye", {"event": "final", "bot": "ann", "round": "1"}, "final: only a Swiss event has"),
    ("annul", {"event": "final", "game": "0"}, "final: no round is being played, it is draft"),
    ("new", {"settings": "name ="}, "the settings: not TOML: "),
    ("new", {"settings": f"rounds = {'9' * 5000}"}, "the settings: a number is too long"),
    ("new", {"settings": 'name = "a/b"\nformat = "rr"'}, ""),
    ("ban", {"event": "final"}, "the page has no order 'ban'"),
    ("start", {"event": "final", "token": "another"}, "the page is older than the server's"),
)


@dataclass(frozen=True)
class AtThePage:
    """Someone at the status page of a server."""

    http: httpx.AsyncClient
    server: Server

    async def page(self) -> str:
        return (await self.http.get("/status", auth=("eve", PASSWORD))).text

    async def press(self, button: str, **fields: str) -> tuple[int, str]:
        found = re.search('name="token" value="([^"]+)"', await self.page())
        assert found is not None
        form = {"token": found[1], "order": button, **fields}
        answer = await self.http.post("/status/order", data=form, auth=("eve", PASSWORD))
        said = re.search('role="status"><strong>(.*?)</strong>', answer.text)
        return answer.status_code, unescape(said[1]) if said else answer.text


@asynccontextmanager
async def organising(tmp_path: Path) -> AsyncIterator[AtThePage]:
    async with arena(tmp_path, event=(FINAL,), health_port=0, status_token=PASSWORD) as running:
        server = running.server
        server.operator = Operator(server.target)
        place = str(server.health_url)
        async with httpx.AsyncClient(base_url=place, timeout=PATIENCE_S) as http:
            yield AtThePage(http, server)


def buttons(page: str) -> list[str]:
    return re.findall('name="order" value="([^"]+)"', page)


async def test_an_event_is_started_paused_and_cancelled_from_the_page(tmp_path: Path) -> None:
    """The page offers what can be ordered; the trail says who ordered it, and why."""
    async with organising(tmp_path) as eve:
        assert buttons(await eve.page())[:5] == ["open", "check-in", "start", "pause", "withdraw"]
        done = await eve.press("start", event="final", why="all wait")
        assert done == (200, "event final: draft -> pairing")
        assert "start" not in buttons(await eve.page())
        assert (await eve.press("pause", event="final"))[1].endswith("-> paused")
        assert await eve.press("withdraw", event="final", bot="cid") == (
            200,
            "entrant cid of final: entered -> withdrawn after round 1",
        )
        assert (await eve.press("cancel", event="final"))[0] == 200
        assert "cancelled" not in await eve.page()
        log = (await order(eve.server, "log"))["log"]
    assert {line["by"] for line in log} == {"eve (status page)"}
    assert {line["why"] for line in log} == {"all wait", ""}


async def test_a_form_for_a_round_is_refused_once_the_event_has_moved_on(tmp_path: Path) -> None:
    """Of two helpers who reveal a round or forfeit a bot, the second one meant no other round."""
    async with organising(tmp_path) as eve:
        assert await eve.press("start", event="final", seen="1 0") == (
            409,
            "Refused: final has moved on since the page was loaded; see below",
        )
        [seen, *_] = re.findall('name="seen" value="([^"]+)"', await eve.page())
        assert (await eve.press("start", event="final", seen=seen))[0] == 200
        async with asyncio.timeout(PATIENCE_S):
            while not (await order(eve.server, "event-show", event="final"))["round"]:
                pass
        status, said = await eve.press("forfeit", event="final", bot="ann", seen=seen)
        assert (status, said.partition(" since")[0]) == (409, "Refused: final has moved on")
        assert (await eve.press("pause", event="final", seen=seen))[0] == 200


@pytest.mark.parametrize(("shown", "offered"), [(1, False), (0, True)])
def test_a_round_is_revealed_only_where_one_is_frozen(shown: int, offered: bool) -> None:  # noqa: FBT001  # a case
    """And between rounds an event stands as on its own page: "closed" was read of its entries."""
    event = EventOrdersView("cup", "swiss", "closed", 1, ("ann",), ("start",), shown=shown)
    page = OrderForms(lambda: None, "token").html([event], "/status")
    assert ("reveal" in buttons(page)) is offered
    assert "cup: swiss, round over, round 1" in page


async def test_a_new_event_is_made_of_the_forms_example(tmp_path: Path) -> None:
    """The settings are those of a file; only the forms of events under way are unfolded."""
    async with organising(tmp_path) as eve:
        assert "<details><summary>final: rr, draft" in await eve.page()
        await eve.press("start", event="final")
        assert "<details open><summary>final: rr, " in await eve.page()
        assert await eve.press("new", settings=EXAMPLE) == (200, "event friday: draft")
        page = unescape(await eve.page())
        assert "friday: swiss, draft" in page
        reasons = re.findall('name="why"[^>]*aria-label="([^"]*)"', page)
        assert len(reasons) == len(set(reasons)) == page.count("<label>Why<")
        assert "Why: friday, Reveal a round" not in reasons
        assert "Why: final, Cancel the event" in reasons


async def test_a_bye_is_given_from_the_page_where_the_event_is_swiss(tmp_path: Path) -> None:
    """The form offers the next round; other formats have no such form."""
    async with organising(tmp_path) as eve:
        assert {"annul", "bye", "result"}.isdisjoint(buttons(await eve.page()))
        await eve.press("new", settings=SWISS)
        assert "bye" in buttons(await eve.page())
        given = await eve.press("bye", event="cup", bot="bob", round="2", why="an exam")
        assert given == (200, "entrant bob of cup: plays round 2 -> half-point bye in round 2")
        [line] = [line for line in (await order(eve.server, "log"))["log"] if line["why"]]
    assert line["action"] == "event-bye"


async def test_what_cannot_be_done_is_refused_in_the_commands_words(tmp_path: Path) -> None:
    """Nothing changes then."""
    async with organising(tmp_path) as eve:
        for button, fields, refusal in REFUSED:
            status, said = await eve.press(button, **fields)
            assert status == 409
            assert said.startswith(f"Refused: {refusal}")
        assert (await order(eve.server, "log"))["log"] == []


async def test_the_forms_are_behind_the_pages_door(tmp_path: Path) -> None:
    """Without the password no order is read, of whatever size."""
    async with organising(tmp_path) as eve:
        for body in (urlencode({"order": "start", "event": "final"}), "x" * (FORM_BYTES + 1)):
            answer = await eve.http.post("/status/order", content=body)
            assert answer.status_code == 401
        long = await eve.http.post(
            "/status/order", content="x" * (FORM_BYTES + 1), auth=("eve", PASSWORD)
        )
        assert (long.status_code, long.text) == (413, "a form holds at most 65536 bytes\n")
        broken = await eve.http.post(
            "/status/order", content=b"token=%ff\xff", auth=("eve", PASSWORD)
        )
        assert (broken.status_code, "no form of this page" in broken.text) == (409, True)


async def test_a_form_that_comes_in_pieces_is_read(tmp_path: Path) -> None:
    """A browser may send the head first."""
    async with organising(tmp_path) as eve:
        host, port = eve.http.base_url.host, eve.http.base_url.port
        reader, writer = await asyncio.open_connection(host, port)
        body = b"order=start&event=final&token=x"
        head = f"POST /status/order HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n"
        for piece in (head.encode(), b"Authorization: Bearer ", PASSWORD.encode(), b"\r\n\r\n"):
            writer.write(piece)
            await writer.drain()
        writer.write(body[:7])
        await writer.drain()
        writer.write(body[7:])
        assert b"the page is older" in await reader.read()
        writer.close()


def test_an_order_stays_as_it_was_given() -> None:
    """It is planned, carried out and written down by one and the same."""
    assert changeable(actions, operator, wire) == []


def test_orders_are_those_that_operators_know() -> None:
    """What each asks and changes, who may give it, and its arguments with their bounds."""
    lines = []
    for action in ACTIONS.values():
        facts = action._asdict()
        for words in ("arguments", "help", "kept"):
            del facts[words]
        lines += [" ".join(f"{name}={fact}" for name, fact in facts.items() if fact != "")]
        _, parts = msgspec.json.schema_components([action.arguments])
        for part in parts.values():
            needed = part.get("required", ())
            for name, schema in part.get("properties", {}).items():
                lines += [
                    f"  {name}{'' if name in needed else '?'} {codec.to_json(schema).decode()}"
                ]
    assert_is_stored("orders.txt", "\n".join(lines))
