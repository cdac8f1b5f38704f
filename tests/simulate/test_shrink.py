"""A run that breaks a promise is made smaller."""

from tests.simulate.plan import FAULTS, FaultPlan
from tests.simulate.shrink import shrink

BIG = FaultPlan(seed=1, bots=8, kills=3, storm_s=120.0, stalls=True)


def test_only_what_breaks_the_promise_is_left() -> None:
    """Here: three bots, a kill, lost connections, and at least ten seconds."""

    def breaks(plan: FaultPlan) -> bool:
        return (
            plan.bots >= 3 and plan.kills >= 1 and plan.storm_s >= 10 and "drop" not in plan.without
        )

    least = shrink(BIG, breaks)
    assert (least.bots, least.kills, least.stalls) == (3, 1, False)
    assert 10 <= least.storm_s < 12.5
    assert set(FAULTS) - set(least.without) == {"drop"}


def test_shrinking_ends_after_a_bounded_number_of_runs() -> None:
    """The smallest plan found by then is the result, and it still breaks the promise."""
    tried: list[FaultPlan] = []

    def breaks(plan: FaultPlan) -> bool:
        tried.append(plan)
        return plan.bots >= 5

    least = shrink(BIG, breaks, most=6)
    assert len(tried) == 6
    assert least.bots == 5
