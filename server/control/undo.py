"""Take back what a line of the trail did."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec

from mancala.server.control.actions import Action, Arguments, Order, Plan, RefusedError
from mancala.server.control.games import reinstate
from mancala.server.control.names import rename_back
from mancala.server.control.quarantines import release_again
from mancala.server.control.replays import replay_back
from mancala.server.control.seasons import season_back
from mancala.server.control.switches import switch_back
from mancala.server.control.target import Target
from mancala.server.control.visitors import unban_again
from mancala.server.store.orders import act_of

TAKEN_BACK: Final[Mapping[str, Callable[[Target, Mapping[str, Any], Order], Awaitable[Plan]]]] = {
    "annul": reinstate,
    "ban": unban_again,
    "quarantine": release_again,
    "rename": rename_back,
    "replay": replay_back,
    "season": season_back,
    **dict.fromkeys(("notice", "pause", "close", "drain"), switch_back),
}
"""What takes back an action, by its name."""


class NameLine(Arguments, frozen=True):
    """Name a line of the trail.

    Attributes:
        number: its number.
    """

    number: int


async def _undo(target: Target, wanted: NameLine, order: Order) -> Plan:
    found = await target.store.read(lambda transaction: act_of(transaction, wanted.number))
    if found is None:
        raise RefusedError(f"the log has no line {wanted.number}")
    action = found.act.action
    take_back = TAKEN_BACK.get(action)
    if take_back is None:
        known = ", ".join(sorted(TAKEN_BACK))
        raise RefusedError(f"{action} can't be taken back; these can: {known}")
    what = {**msgspec.json.decode(found.act.what), "action": action}
    plan = await take_back(target, what, order)
    if not plan.changed:
        raise RefusedError(f"nothing of line {wanted.number} is left to take back")
    return plan


UNDO_ACTIONS: Final = (Action("undo", NameLine, _undo),)
