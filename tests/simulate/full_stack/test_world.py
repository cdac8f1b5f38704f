"""The real server and client keep the server's promises, and a seed repeats its run."""

from pathlib import Path

from tests.simulate.campaign import kept_seeds, make_template, summary_of
from tests.simulate.plan import Mode
from tests.simulate.trace import RareEvent
from tests.sources import run_python

SEEDS = 5


def test_no_promise_is_broken(tmp_path: Path) -> None:
    """The same seeds each time, and those that ever failed; ``make simulate`` draws new ones."""
    summary = summary_of(
        (*kept_seeds("full-stack"), *range(SEEDS)), make_template(tmp_path), Mode.FULL_STACK
    )
    assert [(run.plan.command, run.fault) for run in summary.broken] == []
    common = {
        RareEvent.KILL,
        RareEvent.RESUME,
        RareEvent.RESTART_IN_PLAY,
        RareEvent.SUSPENDED,
        RareEvent.OVER,
        RareEvent.FRONT_KILLED,
        RareEvent.OPERATED,
    }
    assert not common & set(summary.never)


def test_a_seed_repeats_its_run() -> None:
    """Two processes with different hash seeds write the same log, byte for byte; it has all."""
    command = "-m tests.simulate --mode full-stack --seed 32 --trace"
    runs = [
        run_python(*command.split(), PYTHONHASHSEED=hash_seed).stdout.splitlines()[:-1]
        for hash_seed in ("1", "2")
    ]
    assert len(runs[0]) > 100
    assert runs[0] == runs[1]
