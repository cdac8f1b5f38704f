"""Plans of worlds as text."""

from dataclasses import replace

import pytest

from tests.simulate.faults import BOT_FAULTS
from tests.simulate.plan import FAULTS, FaultPlan, Mode, PlanError


def test_the_changes_of_a_plan_make_it_again() -> None:
    """What the command of a shrunk run says is all that differs from its seed's plan."""
    for seed in range(50):
        drawn = FaultPlan.of(seed, mode=Mode.FULL_STACK)
        changed = replace(drawn, bots=2, storm_s=7.5, stalls=not drawn.stalls, without=("drop",))
        assert drawn.changed(changed.changes) == changed
        assert drawn.changes == ""
        assert f"--seed {seed} --mode full-stack --plan " in changed.command


@pytest.mark.parametrize("text", ["people=2", "bots=many", "without=rain", "kills"])
def test_a_plan_takes_no_other_text(text: str) -> None:
    """The error names what it knows."""
    with pytest.raises(PlanError, match="bots, kills"):
        FaultPlan.of(1).changed(text)


def test_a_bot_without_faults_is_a_polite_one() -> None:
    """Its pace stays as it is."""
    plan = FaultPlan.of(1).changed(f"without={'+'.join(FAULTS)}")
    for faults in BOT_FAULTS:
        tamed = plan.tamed(faults)
        assert not any(getattr(tamed, fault) for fault in FAULTS if hasattr(tamed, fault))
        assert tamed.think_s == faults.think_s
