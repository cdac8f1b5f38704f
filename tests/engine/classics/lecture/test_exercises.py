"""Practice trees."""

from mancala.engine.classics.lecture.exercises import exercise
from mancala.engine.classics.lecture.tree_walk import WalkEvent, walk


def test_an_exercise_repeats_by_its_number_and_has_something_to_prune() -> None:
    """Two readers of one number talk of the same tree."""
    for number in range(1, 20):
        assert exercise(number) == exercise(number)
        assert any(step.event is WalkEvent.CUT for step in walk(exercise(number)))
