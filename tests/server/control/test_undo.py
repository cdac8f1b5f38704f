"""What can be taken back, and what not."""

from __future__ import annotations

from pathlib import Path

import pytest

from mancala.server.config.ladders import LadderSettings
from mancala.server.control.actions import RefusedError
from tests.server.control.operators import order
from tests.server.peers import arena


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


async def test_what_cannot_be_taken_back_is_said(tmp_path: Path) -> None:
    """A line that there is none of, and one of another kind."""
    async with arena(tmp_path) as running:
        await order(running.server, "ban", name="eve")
        await order(running.server, "unban", name="eve")
        with pytest.raises(RefusedError, match="the log has no line 9"):
            await order(running.server, "undo", number=9)
        with pytest.raises(RefusedError, match="unban can't be taken back; these can: annul, ban"):
            await order(running.server, "undo", number=2)
