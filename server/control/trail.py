"""The trail: who did what, when and why."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from mancala.protocol.text import quantity

from ..model.orders import LoggedAct
from ..store.rows.orders import logged
from .actions import Action, Arguments, Order, Plan
from .target import Target
from .wire import Change

SHOWN: Final = 20
"""Changes of one line that are shown."""


class ShowTrail(Arguments, frozen=True):
    """Ask for the trail.

    Attributes:
        last: how many lines, the latest first.
    """

    last: Annotated[int, Meta(ge=1, le=10_000)] = 50


class NoteBackup(Arguments, frozen=True):
    """Note that the store was copied; `mancala backup` does it.

    Attributes:
        target: the file.
        size: its bytes.
    """

    target: str
    size: int


class TrailLine(Struct, frozen=True):
    """A line of the trail.

    Attributes:
        number: its number, for ``undo``.
        at: when, RFC 3339.
        by: the system user.
        action: what was done.
        arguments: with which arguments.
        changed: what it changed, at most :data:`SHOWN` things.
        changes: how many things.
        why: the reason given.
        held_by: the system user who gave an order that was held back until ``by`` confirmed it.
    """

    number: int
    at: str
    by: str
    action: str
    arguments: dict[str, Any]
    changed: list[dict[str, Any]]
    changes: int
    why: str
    held_by: str | None = None


async def _log(target: Target, asked: ShowTrail, _order: Order) -> Plan:
    found = await target.store.read(lambda transaction: logged(transaction, asked.last))
    return Plan(facts={"log": [_line(each) for each in found]})


async def _backup(_target: Target, noted: NoteBackup, _order: Order) -> Plan:
    return Plan(changed=(Change("backup", noted.target, None, quantity(noted.size, "byte")),))


def _line(logged_act: LoggedAct) -> TrailLine:
    number, act = logged_act
    what = msgspec.json.decode(act.what)
    changed = what["changed"]
    return TrailLine(
        number,
        act.at,
        act.by,
        act.action,
        what["arguments"],
        changed[:SHOWN],
        len(changed),
        act.why,
        what.get("held_by"),
    )


TRAIL_ACTIONS: Final = (Action("log", ShowTrail, _log), Action("backup", NoteBackup, _backup))
