"""What can be taken back, and what not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mancala.protocol.messages import Error, Join, Joined, Left
from mancala.server.app.server import Server
from mancala.server.config.ladders import LadderSettings
from mancala.server.control.actions import ACTIONS, Action
from mancala.server.control.operator import RefusedError, loaded
from mancala.server.model.orders import SwitchKind
from tests.server.control.operators import order
from tests.server.peers import arena
from tests.server.store import databases

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


async def last_line(server: Server) -> int:
    """Return the number of the latest line of the log."""
    return int((await order(server, "log", last=1))["log"][0]["number"])


async def test_each_state_is_taken_back_by_its_line(tmp_path: Path) -> None:
    """A ban, a notice, a pause, a closed ladder and a drain."""
    async with arena(tmp_path, ladder=(LadderSettings(name="main"),)) as running:
        await order(running.server, "ban", name="eve")
        await order(running.server, "notice", text="Soon.")
        await order(running.server, "pause", ladder="main")
        await order(running.server, "close", ladder="main")
        await order(running.server, "drain")
        for number in range(1, 6):
            await order(running.server, "undo", number=number)
        orders = running.server.target.sessions.orders
        assert (orders.bans, orders.notice.text, orders.held("main")) == ((), "", None)
        assert not orders.is_drained


async def test_what_an_order_replaced_or_lifted_holds_again(tmp_path: Path) -> None:
    """A ban, a notice and a hold come back as they were, with their reasons, in any room."""
    async with arena(tmp_path, ladder=(LadderSettings(name="main"),)) as running:
        orders = running.server.target.sessions.orders

        def held() -> tuple[object, ...]:
            drained = orders.switch(SwitchKind.DRAINED)
            return orders.bans, orders.switch(SwitchKind.NOTICE), orders.held("main"), drained

        await order(running.server, "ban", name="eve", reason="first", for_s=3600.0)
        await order(running.server, "notice", text="Soon.", for_s=3600.0)
        await order(running.server, "pause", why="the openings are wrong", ladder="main")
        await order(running.server, "drain", why="moves")
        before = held()
        for action, given in REPLACING:
            await order(running.server, action, **given)
            assert held() != before, action
            undone = await order(running.server, "undo", number=await last_line(running.server))
            assert undone["changed"], action
            assert held() == before, action


async def test_a_ban_that_holds_again_ends_the_session_that_its_lifting_let_in(
    tmp_path: Path,
) -> None:
    """And a ladder that is closed again lets its members go; also after a restart."""
    async with arena(tmp_path, ladder=(LadderSettings(name="main"),)) as running:
        await order(running.server, "ban", name="eve", reason="plays by hand")
        await order(running.server, "close", ladder="main")
    async with arena(tmp_path, ladder=(LadderSettings(name="main"),)) as running:
        await order(running.server, "unban", name="eve")
        await order(running.server, "open", ladder="main")
        eve = await running.greet("eve")
        await eve.say(Join("main"))
        await eve.hear(Joined)
        await order(running.server, "undo", number=4)
        await eve.hear(Left)
        await order(running.server, "undo", number=3)
        refused = await eve.hear(Error)
        assert "plays by hand" in refused.message


async def test_a_line_that_a_later_one_overtook_is_not_taken_back(tmp_path: Path) -> None:
    """Else undoing the first of two bans would lift the second."""
    async with arena(tmp_path, ladder=(LadderSettings(name="main"),)) as running:
        await order(running.server, "ban", name="eve", reason="first")
        await order(running.server, "ban", name="eve", reason="second")
        with pytest.raises(RefusedError, match="ban on name eve was changed later"):
            await order(running.server, "undo", number=1)
        await order(running.server, "unban", name="eve")
        with pytest.raises(RefusedError, match="ban on name eve was lifted later"):
            await order(running.server, "undo", number=2)
        await order(running.server, "notice", text="Soon.")
        await order(running.server, "notice", text="Later.")
        with pytest.raises(RefusedError, match="notice was changed after this line"):
            await order(running.server, "undo", number=4)


async def test_what_cannot_be_taken_back_says_why(tmp_path: Path) -> None:
    """In one sentence, if its declaration names nothing that takes it back."""
    async with arena(tmp_path) as running:
        await order(running.server, "ban", name="eve")
        await order(running.server, "undo", number=1)
        with pytest.raises(RefusedError, match="the log has no line 9"):
            await order(running.server, "undo", number=9)
        with pytest.raises(RefusedError, match="undo can't be taken back: order again what it"):
            await order(running.server, "undo", number=2)
    assert all(callable(loaded(each.back)) for each in ACTIONS.values() if each.back)
    of_events = Action._field_defaults["kept"]
    assert {
        each.command
        for each in ACTIONS.values()
        if each.kept == of_events and not (each.back or each.asks) and each.command[0] != "event"
    } == {("admin", "confirm")}


async def test_a_line_of_a_former_version_is_not_taken_back(tmp_path: Path) -> None:
    """It does not tell what held before."""
    async with arena(tmp_path, ladder=(LadderSettings(name="main"),)) as running:
        await order(running.server, "ban", name="eve")
        await order(running.server, "pause", ladder="main")
    databases.execute(databases.place_of(tmp_path), FORMER)
    async with arena(tmp_path, ladder=(LadderSettings(name="main"),)) as running:
        for number in (1, 2):
            with pytest.raises(RefusedError, match="line is of a former version"):
                await order(running.server, "undo", number=number)
