"""What an answer costs: medians, in units that are the same on slow machines."""

import os
import subprocess

import pytest

from mancala.scripts.bench.search.first_answer import Cost, first_move_s, measured, summary


def test_answers_are_summed_up_by_their_medians() -> None:
    """One answer that lost the processor to another program changes nothing."""
    costs = [Cost(1.0, 2.0), Cost(1.2, 90.0), Cost(1.1, 2.5)]
    assert summary(costs, 0.5) == {"cpu_s": 1.1, "wall_s": 2.5, "ratio": 2.2}


def test_an_answer_that_fails_is_no_measurement() -> None:
    """A command that ends with an error is not taken for a quick one."""
    with pytest.raises(subprocess.CalledProcessError):
        measured(["-c", "raise SystemExit(3)"], dict(os.environ))


def test_a_move_is_named_before_anything_is_compiled() -> None:
    """The command is ended then, so this does not take as long as compiling."""
    assert first_move_s() > 0
