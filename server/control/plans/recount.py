"""Whether the tables equal the games, and the tables made anew from the games."""

from collections.abc import Mapping
from typing import Final

from mancala.protocol.text import quantity

from ...model.journal import Entry, Recounted
from ...store.rows.ladders import kept_ladders
from ...store.upkeep.recount import Difference, Numbers, differences
from ..actions import Arguments
from ..operator import Order, Plan, RefusedError, Target
from ..wire import Change

SHOWN: Final = 1000
"""Differences that the operator receives; all are mended."""


async def check(target: Target, _wanted: Arguments, _order: Order) -> Plan:
    found = await target.store.read_apart(differences)
    changes = [_change(each) for each in found[:SHOWN]]
    return Plan(facts={"equal": not found, "differences": changes, "count": len(found)})


async def recompute(target: Target, _wanted: Arguments, _order: Order) -> Plan:
    """Plan to write the tables anew, while no match is under way."""
    found = await target.store.read_apart(differences)
    if found:
        _expect_idle(target)

    def entries() -> list[Entry]:
        _expect_idle(target)
        return [Recounted()]

    async def after() -> Mapping[str, object]:
        kept = await target.store.run(kept_ladders)
        for ladder in target.sessions.ladders.all_ladders:
            if ladder.name in kept:
                ladder.renew(kept[ladder.name])
        return {"equal": not await target.store.read_apart(differences)}

    return Plan(
        changed=tuple(_change(each) for each in found[:SHOWN]),
        facts={"equal": not found, "count": len(found)},
        entries=entries,
        after=after,
    )


def _expect_idle(target: Target) -> None:
    playing = target.sessions.tables.matches_under_way if target.is_live else 0
    if playing:
        raise RefusedError(
            f"{quantity(playing, 'match is', 'matches are')} under way:"
            " drain, and recompute when none is"
        )


def _change(found: Difference) -> Change:
    subject = " ".join(str(part) or "-" for part in found.key)
    return Change(found.table, subject, _text(found.kept), _text(found.counted))


def _text(numbers: Numbers | None) -> str | None:
    return None if numbers is None else " ".join(map(str, numbers))
