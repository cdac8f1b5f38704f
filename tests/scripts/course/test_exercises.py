"""Exercises of a course, marked by what was measured."""

import pytest

from mancala.protocol.levels import LEVEL_ELO
from mancala.scripts.course.exercises import ExerciseResult, exercises_table, results_of
from mancala.scripts.course.measured import Measured
from mancala.scripts.course.mistakes import JudgedAnswer, PositionKind
from mancala.scripts.course.settings import Exercise

MEASURED = Measured(
    passed=6,
    failed=1,
    loss=1.0,
    loss_low=0.8,
    loss_high=1.4,
    elo=LEVEL_ELO[2],
    elo_error=20,
    asked=100,
    faults={"timeout": 1},
)
LOSSES = {PositionKind.RETURN: 0, PositionKind.CAPTURE: 3}
ANSWERS = [
    JudgedAnswer(
        position=number,
        phase=("early", "late")[number % 2],
        kind=kind,
        pit=0,
        loss=LOSSES[kind],
        best=(1,),
    )
    for number, kind in enumerate([*LOSSES] * 20)
]


@pytest.mark.parametrize(
    ("exercise", "why"),
    [
        (Exercise(name="e", conformance=0.85), ""),
        (Exercise(name="e", conformance=1), "passes 86% of check-bot; 100% is wanted"),
        (Exercise(name="e", reliability=0.99), ""),
        (Exercise(name="e", reliability=1), "forfeits nothing in 99.0%; 100.0% is wanted"),
        (Exercise(name="e", level=3), ""),
        (Exercise(name="e", level=5), "holds level 3.1 at most; 5 is wanted"),
        (Exercise(name="e", loss=0.1, kind="re-turn"), ""),
        (Exercise(name="e", loss=2, kind="capture", phase="late"), "in late capture positions"),
        (Exercise(name="e", loss=1.4), ""),
        (Exercise(name="e", loss=0.1, kind="capture", phase="early"), ""),
    ],
)
def test_an_exercise_is_passed_unless_something_is_missing(exercise: Exercise, why: str) -> None:
    """A loss or a level fails only with its whole interval; no position of a kind fails nothing."""
    (result,) = results_of([exercise], MEASURED, ANSWERS)
    assert result.passed == (why == "")
    assert why in result.why


def test_the_table_has_a_column_an_exercise() -> None:
    """A team without a program passed none; one that is not judged has not failed any."""
    exercises = [Exercise(name="Legal", conformance=1), Exercise(name="=Level", level=1)]
    passed = (ExerciseResult("Legal", ""), ExerciseResult("=Level", "holds level 0"))
    assert exercises_table(exercises, {"bob": (), "cyd": None, "ada": passed}) == (
        "id,Legal,'=Level\nada,yes,no\nbob,no,no\ncyd,,\n"
    )
