"""Make a run that broke a promise smaller, as long as it breaks the same one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from scripts.simulate.plan import FAULTS, Plan

FEWEST_BOTS: Final = 2
SHORTEST_S: Final = 2.0


def shrink(plan: Plan, breaks: Callable[[Plan], bool], *, most: int = 80) -> Plan:
    """Return a plan with fewer bots and faults and less time that still breaks a promise.

    Every change is kept with which the promise is still broken, until no single one of them can be
    added. Each is a new world, in which chance falls otherwise; so the last plan is small, and not
    always the smallest.

    Args:
        plan: breaks a promise.
        breaks: runs a plan; returns whether it breaks the same promise.
        most: how many runs that may take.
    """
    runs = 0
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for smaller in _smaller(plan):
            runs += 1
            if runs > most:
                return plan
            if breaks(smaller):
                plan, is_smaller = smaller, True
                break
    return plan


def _smaller(plan: Plan) -> Iterator[Plan]:
    """Yield plans that are smaller by one change, the greatest change first."""
    for bots in dict.fromkeys((FEWEST_BOTS, (plan.bots + FEWEST_BOTS) // 2, plan.bots - 1)):
        if FEWEST_BOTS <= bots < plan.bots:
            yield replace(plan, bots=bots)
    for kills in dict.fromkeys((0, plan.kills // 2, plan.kills - 1)):
        if 0 <= kills < plan.kills:
            yield replace(plan, kills=kills)
    if plan.stalls:
        yield replace(plan, stalls=False)
    for share in (0.25, 0.5, 0.8):
        storm_s = round(share * plan.storm_s, 1)
        if storm_s >= SHORTEST_S:
            yield replace(plan, storm_s=storm_s)
    left = [fault for fault in FAULTS if fault not in plan.without]
    if len(left) > 1:
        yield replace(plan, without=FAULTS)
    for fault in left:
        yield replace(plan, without=(*plan.without, fault))
