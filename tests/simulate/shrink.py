"""Make a run that broke a promise smaller, as long as it breaks the same one."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from tests.simulate.plan import FAULTS, FaultPlan

FEWEST_BOTS: Final = 2
SHORTEST_S: Final = 2.0

Step = Callable[[FaultPlan], Iterator[FaultPlan]]
"""Yields plans that are smaller in one respect, the greatest change first."""


def shrink(plan: FaultPlan, breaks: Callable[[FaultPlan], bool], *, most: int = 120) -> FaultPlan:
    """Return a plan with fewer bots and faults and less time that still breaks a promise.

    Each change is kept with which the promise is still broken, until no further one is. Each makes
    a new world, in which all is drawn otherwise; so the last plan is small, and not always the
    smallest.

    Args:
        plan: breaks a promise.
        breaks: runs a plan; returns whether it breaks the same promise.
        most: how many runs that may take.
    """
    left = iter(range(most))
    before = None
    while plan != before:
        before = plan
        for step in STEPS:
            plan = _taken(step, plan, breaks, left)
    return plan


def _taken(
    step: Step, plan: FaultPlan, breaks: Callable[[FaultPlan], bool], left: Iterator[int]
) -> FaultPlan:
    """Return a plan made smaller in one respect, as far as that goes."""
    while True:
        for smaller in step(plan):
            if next(left, None) is None:
                return plan
            if breaks(smaller):
                plan = smaller
                break
        else:
            return plan


def _fewer_bots(plan: FaultPlan) -> Iterator[FaultPlan]:
    for bots in dict.fromkeys((FEWEST_BOTS, (plan.bots + FEWEST_BOTS) // 2, plan.bots - 1)):
        if FEWEST_BOTS <= bots < plan.bots:
            yield replace(plan, bots=bots)


def _fewer_kills(plan: FaultPlan) -> Iterator[FaultPlan]:
    for kills in dict.fromkeys((0, plan.kills // 2, plan.kills - 1)):
        if 0 <= kills < plan.kills:
            yield replace(plan, kills=kills)


def _no_stalls(plan: FaultPlan) -> Iterator[FaultPlan]:
    if plan.stalls:
        yield replace(plan, stalls=False)


def _no_night(plan: FaultPlan) -> Iterator[FaultPlan]:
    if plan.has_night:
        yield replace(plan, has_night=False)


def _shorter(plan: FaultPlan) -> Iterator[FaultPlan]:
    for share in (0.25, 0.5, 0.8):
        storm_s = round(share * plan.storm_s, 1)
        if storm_s >= SHORTEST_S:
            yield replace(plan, storm_s=storm_s)


def _without(faults: tuple[str, ...], plan: FaultPlan) -> Iterator[FaultPlan]:
    more = tuple(fault for fault in faults if fault not in plan.without)
    if more:
        yield replace(plan, without=(*plan.without, *more))


STEPS: Final[tuple[Step, ...]] = (
    partial(_without, FAULTS),
    _fewer_bots,
    _fewer_kills,
    _no_stalls,
    _no_night,
    _shorter,
    *(partial(_without, (fault,)) for fault in FAULTS),
)
