"""The trail: who did what, when and why; what takes a line back; what the broker refuses."""

from typing import Any, Final

import msgspec

from mancala.protocol.text import quantity

from ...model.orders import LoggedAct
from ...store.rows import outbox
from ...store.rows.orders import act_of, logged
from ..actions import ACTIONS, Action, Arguments, ListAside, NoteBackup, ShowTrail, UndoLine
from ..operator import Order, Plan, RefusedError, Target, loaded
from ..wire import Change

SHOWN: Final = 20
"""Changes of one line that are shown."""


async def log(target: Target, asked: ShowTrail, _order: Order) -> Plan:
    """Return the latest lines, the last one first."""
    found = await target.store.run(logged, limit=asked.last)
    return Plan(facts={"log": [_line(each) for each in found]})


def _line(logged_act: LoggedAct) -> dict[str, Any]:
    number, act = logged_act
    what = msgspec.json.decode(act.what)
    return {
        "number": number,
        "at": act.at,
        "by": act.by,
        "action": act.action,
        "arguments": what["arguments"],
        "changed": what["changed"][:SHOWN],
        "changes": len(what["changed"]),
        "why": act.why,
        "held_by": what.get("held_by"),
    }


async def aside(target: Target, wanted: ListAside, _order: Order) -> Plan:
    """List rows of the outbox that are put aside, with the number of all."""
    store = target.store
    rows = await store.read_apart(outbox.first_put_aside, wanted.first)
    by_reason = await store.all_put_aside()
    return Plan(facts={"aside": rows, "rows": sum(each.rows for each in by_reason)})


async def backup(_target: Target, noted: NoteBackup, _order: Order) -> Plan:
    """Plan a line about a copy of the store."""
    return Plan(changed=(Change("backup", noted.target, None, quantity(noted.size, "byte")),))


async def undo(target: Target, wanted: UndoLine, order: Order) -> Plan:
    """Plan what takes back the action of a line."""
    found = await target.store.run(act_of, number=wanted.number)
    if found is None:
        raise RefusedError(f"the log has no line {wanted.number}")
    action = ACTIONS.get(found.act.action, Action(found.act.action, Arguments, "", ""))
    if not action.back:
        raise RefusedError(f"{action.name} can't be taken back: {action.kept}")
    what = {**msgspec.json.decode(found.act.what), "action": action.name}
    made: Plan = await loaded(action.back)(target, what, order)
    plan = made.of_event(what["arguments"].get("event"))
    if not plan.changed:
        raise RefusedError(f"nothing of line {wanted.number} is left to take back")
    return plan
