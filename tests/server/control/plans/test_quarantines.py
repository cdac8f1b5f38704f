"""Quarantines set and lifted by hand."""

from pathlib import Path
from typing import Any

from mancala.protocol.messages import Error, ErrorCode, Join, Joined, Left
from mancala.server.control.operator import Order
from mancala.server.control.plans.quarantines import quarantine_back
from tests.server.control.operators import laddered, played


async def test_a_quarantined_bot_leaves_and_may_not_join_until_it_is_released(
    tmp_path: Path,
) -> None:
    """It reads why; the quarantine outlives the server."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        ann = running.peers[0]
        await ann.say(Join("main"))
        await ann.hear(Joined)
        await running.order("quarantine", ladder="main", bot="ann", reason="it crashes")
        await ann.hear(Left)
    async with laddered(tmp_path) as running:
        ann = await running.greet("ann")
        await ann.say(Join("main"))
        refused = await ann.hear(Error)
        assert refused.code is ErrorCode.QUARANTINED
        assert refused.message.endswith(": it crashes")
        await running.order("undo", number=1)
        await ann.say(Join("main"))
        await ann.hear(Joined)


async def test_a_quarantine_that_was_replaced_or_lifted_holds_again(tmp_path: Path) -> None:
    """With its end and its reason, unless a later order changed it once more."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        named: dict[str, Any] = {"ladder": "main", "bot": "ann"}
        await running.order("quarantine", **named, reason="one", for_s=3600.0)
        ladder = running.server.target.sessions.ladders.get("main")
        assert ladder is not None
        before = ladder.quarantines("ann")
        assert [each.reason for each in before.values()] == ["one"]
        await running.order("quarantine", **named, reason="two")
        await running.order("undo", number=2)
        assert ladder.quarantines("ann") == before
        await running.order("release", **named)
        await running.order("undo", number=4)
        assert ladder.quarantines("ann") == before
        await running.refused("no quarantine of ann in the ladder main", "undo", number=2)


async def test_a_quarantine_that_ended_meanwhile_does_not_hold_again(tmp_path: Path) -> None:
    """What undoes the one after it lifts that, and no more."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        named: dict[str, Any] = {"ladder": "main", "bot": "ann"}
        target, held = running.server.target, []
        ladder = target.sessions.ladders.get("main")
        assert ladder is not None
        for reason in ("one", "two"):
            await running.order("quarantine", **named, reason=reason, for_s=3600.0)
            held.append(ladder.quarantines("ann"))
        what = {"arguments": named, "former": held[0], "made": held[1]}
        plan = await quarantine_back(target, what, Order("undo", "root", held[1]["ann"].until))
        assert [change.after for change in plan.changed] == [None]
