"""Quarantines set and lifted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mancala.protocol.messages import Error, ErrorCode, Join, Joined, Left
from mancala.server.control.operator import RefusedError
from tests.server.control.operators import order
from tests.server.control.test_games import LADDER, played
from tests.server.peers import arena


async def test_a_quarantined_bot_leaves_and_may_not_join_until_it_is_released(
    tmp_path: Path,
) -> None:
    """It reads why; the quarantine outlives the server."""
    async with arena(tmp_path, ladder=LADDER) as running:
        await played(running, "ann", "bob")
        cid = await running.greet("cid")
        with pytest.raises(RefusedError, match="no version of cid has played in the ladder main"):
            await order(running.server, "quarantine", ladder="main", bot="cid")
        ann = running.peers[0]
        await ann.say(Join("main"))
        await ann.hear(Joined)
        await order(running.server, "quarantine", ladder="main", bot="ann", reason="it crashes")
        await ann.hear(Left)
        assert cid.heard
    async with arena(tmp_path, ladder=LADDER) as running:
        ann = await running.greet("ann")
        await ann.say(Join("main"))
        refused = await ann.hear(Error)
        assert refused.code is ErrorCode.QUARANTINED
        assert refused.message.endswith(": it crashes")
        await order(running.server, "undo", number=1)
        await ann.say(Join("main"))
        await ann.hear(Joined)
        with pytest.raises(RefusedError, match="is in quarantine in the ladder main"):
            await order(running.server, "release", ladder="main", bot="ann")


async def test_a_quarantine_that_was_replaced_or_lifted_holds_again(tmp_path: Path) -> None:
    """With its end and its reason, unless a later order changed it once more."""
    async with arena(tmp_path, ladder=LADDER) as running:
        await played(running, "ann", "bob")
        named: dict[str, Any] = {"ladder": "main", "bot": "ann"}
        await order(running.server, "quarantine", **named, reason="one", for_s=3600.0)
        ladder = running.server.target.sessions.ladders.get("main")
        assert ladder is not None
        before = ladder.quarantines("ann")
        assert [each.reason for each in before.values()] == ["one"]
        await order(running.server, "quarantine", **named, reason="two")
        await order(running.server, "undo", number=2)
        assert ladder.quarantines("ann") == before
        await order(running.server, "release", **named)
        await order(running.server, "undo", number=4)
        assert ladder.quarantines("ann") == before
        with pytest.raises(RefusedError, match="no quarantine of ann in the ladder main"):
            await order(running.server, "undo", number=2)
