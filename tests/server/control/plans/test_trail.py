"""Who did what and why, what can be taken back, and what not."""

import json
from pathlib import Path
from typing import Any

import httpx

from mancala.protocol.messages import Error, Join, Joined, Left
from mancala.server.config.ladders import LadderSettings
from mancala.server.control.actions import ACTIONS, Action
from mancala.server.control.operator import Order, loaded
from mancala.server.control.plans.visitors import ban_back
from mancala.server.model.orders import SwitchKind
from tests.patience import PATIENCE_S
from tests.server.peers import arena
from tests.server.store import databases

LADDER = (LadderSettings(name="main"),)
REPLACING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ban", {"name": "eve", "reason": "second"}),
    ("unban", {"name": "eve"}),
    ("notice", {"text": "Later."}),
    ("notice", {}),
    ("resume", {"ladder": "main"}),
    ("close", {"ladder": "main"}),
    ("undrain", {}),
)
FORMER = """UPDATE admin_log SET what = '{"arguments":{"ladder":"main"},"changed":[]}'"""


async def test_the_trail_has_the_latest_first(tmp_path: Path) -> None:
    """As many lines as wanted; reading it leaves no line."""
    async with arena(tmp_path) as running:
        await running.order("ban", name="eve", reason="she cheats", why="she cheats")
        await running.order("notice", text="Hello.")
        await running.order("log")
        lines = (await running.order("log"))["log"]
        [last] = (await running.order("log", last=1))["log"]
    assert [(line["number"], line["action"], line["by"]) for line in lines] == [
        (2, "notice", "root"),
        (1, "ban", "root"),
    ]
    assert lines[1]["why"] == "she cheats"
    assert lines[1]["arguments"]["name"] == "eve"
    assert last == lines[0]


async def test_a_public_log_is_on_mqtt_and_on_the_page(tmp_path: Path) -> None:
    """Without networks and files; also what was done before it was public. By default it is not."""
    async with arena(tmp_path, http_port=0) as running:
        await running.order("ban", address="192.0.2.0/24", reason="floods", why="floods")
        await running.order("backup", target="/srv/copy.sqlite3", size=7)
        async with httpx.AsyncClient(
            base_url=str(running.server.http_url), timeout=PATIENCE_S
        ) as http:
            assert (await http.get("/api/v1/log")).status_code == 404
            assert "/log" not in (await http.get("/")).text
    async with arena(tmp_path, http_port=0, public_log=True) as running:
        await running.order("notice", text="Hello.", why="manners")
        async with httpx.AsyncClient(
            base_url=str(running.server.http_url), timeout=PATIENCE_S
        ) as http:
            view = (await http.get("/api/v1/log")).json()
            assert '<a href="/log">' in (await http.get("/log")).text
    assert [(line["action"], line["changed"][0]["subject"]) for line in view["log"]] == [
        ("notice", "test"),
        ("backup", "the store"),
        ("ban", "address (not public)"),
    ]
    place = databases.place_of(tmp_path)
    query = "SELECT payload FROM outbox WHERE topic LIKE '%/log'"
    [payload] = [json.loads(str(row[0])) for row in databases.rows(place, query)]
    assert (payload["action"], payload["why"]) == ("notice", "manners")
    assert "192.0.2" not in json.dumps(view)


async def test_what_an_order_replaced_or_lifted_holds_again(tmp_path: Path) -> None:
    """A ban, a notice and a hold come back as they were, with their reasons, in any room."""
    async with arena(tmp_path, ladder=LADDER) as running:
        orders = running.server.target.sessions.orders

        def held() -> tuple[object, ...]:
            drained = orders.switch(SwitchKind.DRAINED)
            return orders.bans, orders.switch(SwitchKind.NOTICE), orders.held("main"), drained

        await running.order("ban", name="eve", reason="first", for_s=3600.0)
        await running.order("notice", text="Soon.", for_s=3600.0)
        await running.order("pause", why="the openings are wrong", ladder="main")
        await running.order("drain", why="moves")
        before = held()
        for action, given in REPLACING:
            await running.order(action, **given)
            assert held() != before, action
            [line] = (await running.order("log", last=1))["log"]
            undone = await running.order("undo", number=line["number"])
            assert undone["changed"], action
            assert held() == before, action


async def test_a_ban_that_holds_again_ends_the_session_that_its_lifting_let_in(
    tmp_path: Path,
) -> None:
    """And a ladder that is closed again lets its members go; also after a restart."""
    async with arena(tmp_path, ladder=LADDER) as running:
        await running.order("ban", name="eve", reason="plays by hand")
        await running.order("close", ladder="main")
    async with arena(tmp_path, ladder=LADDER) as running:
        await running.order("unban", name="eve")
        await running.order("open", ladder="main")
        eve = await running.greet("eve")
        await eve.say(Join("main"))
        await eve.hear(Joined)
        await running.order("undo", number=4)
        await eve.hear(Left)
        await running.order("undo", number=3)
        refused = await eve.hear(Error)
        assert "plays by hand" in refused.message


async def test_a_ban_that_ended_meanwhile_does_not_hold_again(tmp_path: Path) -> None:
    """What undoes the one after it lifts that, and no more."""
    async with arena(tmp_path) as running:
        target = running.server.target
        await running.order("ban", name="eve", reason="first", for_s=60.0)
        [former] = target.sessions.orders.bans
        await running.order("ban", name="eve", reason="second")
        [made] = target.sessions.orders.bans
        what = {"kind": "name", "key": "eve", "former": former, "made": made}
        plan = await ban_back(target, what, Order("undo", "root", str(former.until)))
        assert [change.after for change in plan.changed] == [None]


async def test_a_line_that_a_later_one_overtook_is_not_taken_back(tmp_path: Path) -> None:
    """Else undoing the first of two bans would lift the second."""
    async with arena(tmp_path, ladder=LADDER) as running:
        await running.order("ban", name="eve", reason="first")
        await running.order("ban", name="eve", reason="second")
        await running.refused("ban on name eve was changed later", "undo", number=1)
        await running.order("unban", name="eve")
        await running.refused("ban on name eve was lifted later", "undo", number=2)
        await running.order("notice", text="Soon.")
        await running.order("notice", text="Later.")
        await running.refused("notice was changed after this line", "undo", number=4)


async def test_what_cannot_be_taken_back_says_why(tmp_path: Path) -> None:
    """In one sentence, if its declaration names nothing that takes it back."""
    async with arena(tmp_path) as running:
        await running.order("ban", name="eve")
        await running.order("undo", number=1)
        await running.refused("undo can't be taken back: order again what it", "undo", number=2)
    assert all(callable(loaded(each.back)) for each in ACTIONS.values() if each.back)
    of_events = Action._field_defaults["kept"]
    assert {
        each.command
        for each in ACTIONS.values()
        if each.kept == of_events and not (each.back or each.asks) and each.command[0] != "event"
    } == {("admin", "confirm")}


async def test_a_line_of_a_former_version_is_not_taken_back(tmp_path: Path) -> None:
    """It does not tell what held before."""
    async with arena(tmp_path, ladder=LADDER) as running:
        await running.order("ban", name="eve")
        await running.order("pause", ladder="main")
    databases.execute(databases.place_of(tmp_path), FORMER)
    async with arena(tmp_path, ladder=LADDER) as running:
        for number in (1, 2):
            await running.refused("line is of a former version", "undo", number=number)
