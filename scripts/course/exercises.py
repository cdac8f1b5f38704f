"""Exercises of a course: passed or not, by what is measured of a program anyway; pure."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from mancala.protocol.loss import mean_loss

from .measured import Measured
from .mistakes import JudgedAnswer
from .settings import Exercise
from .tables import as_csv
from .tree_search import TreeAnswer, TreeSearch, lacking


class ExerciseResult(msgspec.Struct, frozen=True):
    """What became of an exercise; ``why`` says what is missing, and is empty if it is passed."""

    name: str
    why: str

    @property
    def passed(self) -> bool:
        return not self.why


def results_of(
    exercises: Sequence[Exercise],
    found: Measured,
    answers: Sequence[JudgedAnswer],
    trees: Sequence[TreeAnswer] = (),
) -> tuple[ExerciseResult, ...]:
    """Return what became of each exercise; a loss or level fails only with its whole interval."""
    return tuple(
        ExerciseResult(each.name, "; ".join(_missing(each, found, answers, trees)))
        for each in exercises
    )


def exercises_table(
    exercises: Sequence[Exercise], results: Mapping[str, Sequence[ExerciseResult] | None]
) -> str:
    """Return which team passed which exercise, as CSV."""
    rows = ((team, *_passed(exercises, results[team])) for team in sorted(results))
    return as_csv(("id", *(each.name for each in exercises)), rows)


def _passed(
    exercises: Sequence[Exercise], results: Sequence[ExerciseResult] | None
) -> list[bool | None]:
    passed = {each.name for each in results or () if each.passed}
    return [None if results is None else each.name in passed for each in exercises]


def _missing(
    exercise: Exercise,
    found: Measured,
    answers: Sequence[JudgedAnswer],
    trees: Sequence[TreeAnswer],
) -> Iterator[str]:
    if found.conformance < exercise.conformance:
        yield f"passes {found.conformance:.0%} of check-bot; {exercise.conformance:.0%} is wanted"
    if found.reliability < exercise.reliability:
        yield f"forfeits nothing in {found.reliability:.1%}; {exercise.reliability:.1%} is wanted"
    if exercise.loss is not None:
        yield from _lost(exercise, exercise.loss, answers)
    high = found.levels[2]
    if exercise.level is not None and (high is None or high < exercise.level):
        yield f"holds level {high or 0:.1f} at most; {exercise.level} is wanted"
    if exercise.trees and (why := lacking(TreeSearch(exercise.trees), trees)):
        yield why


def _lost(exercise: Exercise, most: float, answers: Sequence[JudgedAnswer]) -> Iterator[str]:
    taken = [
        each.loss
        for each in answers
        if exercise.phase in ("", each.phase) and exercise.kind in ("", each.kind)
    ]
    loss = mean_loss(taken)
    if loss is not None and loss.interval.low > most:
        where = " ".join(word for word in (exercise.phase, exercise.kind) if word) or "all"
        yield (
            f"loses {loss.interval.low:.2f} seeds a move or more in {where} positions;"
            f" {most:g} are allowed"
        )
