"""The server keeps its promises in simulated worlds, and a seed repeats its run."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from mancala.server.contest.workers.pool import WorkerPool
from tests.simulate.campaign import (
    LONG,
    Summary,
    kept_seeds,
    make_template,
    simulate,
    spread,
    summary_of,
    temporary,
)
from tests.simulate.plan import FaultPlan, Mode
from tests.simulate.trace import RareEvent
from tests.simulate.unvaried import RARE, UNVARIED
from tests.sources import run_python

SEEDS = 30
TAKEOVERS = (1, 2, 3, 5, 6)


@pytest.fixture(scope="module")
def template() -> Iterator[Path]:
    with temporary() as folder:
        yield make_template(Path(folder))


def test_no_promise_is_broken_and_every_fault_happens(template: Path) -> None:
    """The same seeds each time, and those that ever failed; ``make simulate`` draws new ones."""
    summary = summary_of((*kept_seeds("in-process"), *range(SEEDS)), template)
    assert [(run.plan.command, run.fault) for run in summary.broken] == []
    assert summary.never == []
    assert set(summary.inputs.unexplained(UNVARIED)) <= RARE


def test_a_server_that_stands_by_takes_over_and_no_promise_is_broken(template: Path) -> None:
    """Each fault happens in these worlds: servers are killed and cut off, and so is their store."""
    summary = Summary()
    for seed in TAKEOVERS:
        summary.add(simulate(FaultPlan.of(seed, Mode.TAKEOVER), template))
    assert [(run.plan.command, run.fault) for run in summary.broken] == []
    assert summary.never == []


def test_a_long_campaign_fails_when_a_fault_never_happened() -> None:
    """A kill that never falls between a commit and its announcement tests nothing there."""
    seen = dict.fromkeys(RareEvent, 1) | {RareEvent.KILL_BEFORE_ANNOUNCEMENT: 0}
    summary = Summary(seeds=LONG, counts=Counter(seen))
    assert RareEvent.KILL_BEFORE_ANNOUNCEMENT in summary.missing
    assert summary.has_failed
    assert not Summary(seeds=LONG - 1, counts=Counter(seen)).has_failed


def test_a_long_campaign_fails_when_an_input_was_never_varied() -> None:
    """What has no reason not to be varied is tried by some world of a thousand."""
    seen = dict.fromkeys(RareEvent, 1)
    summary = Summary(seeds=LONG, counts=Counter(seen))
    assert "Move.pit" in summary.missing
    assert not UNVARIED.keys() & set(summary.missing)
    assert summary.has_failed


def test_worlds_are_spread_over_workers(template: Path) -> None:
    """Each comes back once, with what it counted, as if it had been run here."""
    plans = [FaultPlan.of(seed).changed("storm_s=5,bots=2,kills=0") for seed in (1, 2, 3)]
    with WorkerPool(1) as executor:
        outcomes = list(spread(plans, template.read_bytes(), executor, workers=1))
    here = {outcome.plan: outcome for outcome in (simulate(plan, template) for plan in plans)}
    assert {outcome.plan: outcome for outcome in outcomes} == here


def test_a_seed_repeats_its_run() -> None:
    """Two processes with different hash seeds write the same log, byte for byte."""
    runs = [
        run_python(
            "-m", "tests.simulate", "--seed", "5", "--trace", PYTHONHASHSEED=hash_seed
        ).stdout.splitlines()[:-1]
        for hash_seed in ("1", "2")
    ]
    assert len(runs[0]) > 100
    assert runs[0] == runs[1]
