"""Take back what a line of the trail did."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec

from ..store.rows.orders import act_of
from .actions import Action, Arguments, Order, Plan, RefusedError
from .games import reinstate
from .holding import hold_back
from .names import rename_back
from .quarantines import quarantine_back
from .replays import replay_back
from .seasons import season_back
from .switches import SWITCHED, switch_back
from .target import Target
from .visitors import ban_back

TAKEN_BACK: Final[Mapping[str, Callable[[Target, Mapping[str, Any], Order], Awaitable[Plan]]]] = {
    "annul": reinstate,
    **dict.fromkeys(("hold", "drop"), hold_back),
    **dict.fromkeys(("ban", "unban"), ban_back),
    **dict.fromkeys(("quarantine", "release"), quarantine_back),
    "rename": rename_back,
    "replay": replay_back,
    "season": season_back,
    **dict.fromkeys(SWITCHED, switch_back),
}
"""What takes back an action, by its name."""
KEPT: Final[Mapping[str, str]] = {
    "abort": "its players have left the game; 'replay' has a ladder's match played again",
    "backup": "it changed nothing here; delete the file",
    "merge": "the store no longer says which games were whose",
    "recompute": "the tables are those of the games",
    "reload": "change the settings' file, and reload again",
    "undo": "order again what it took back",
}
"""Why an action stays done, by its name."""
OF_EVENTS: Final = "entrants act on it; 'mancala event' has the steps that lead on"


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
        raise RefusedError(f"{action} can't be taken back: {KEPT.get(action, OF_EVENTS)}")
    what = {**msgspec.json.decode(found.act.what), "action": action}
    plan = await take_back(target, what, order)
    if not plan.changed:
        raise RefusedError(f"nothing of line {wanted.number} is left to take back")
    return plan


UNDO_ACTIONS: Final = (Action("undo", NameLine, _undo),)
