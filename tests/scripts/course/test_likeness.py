"""Programs that are alike."""

from random import Random

import msgspec
import pytest

from mancala.scripts.course.likeness import ComparedProgram, alike, chance_of_at_least
from mancala.scripts.course.mistakes import JudgedAnswer, PositionKind

BEST = (0, 2, 5)


def _answers(pits: list[int | None], best: tuple[int, ...] = BEST) -> tuple[JudgedAnswer, ...]:
    return tuple(
        JudgedAnswer(
            position=number, phase="late", kind=PositionKind.QUIET, pit=pit, loss=0, best=best
        )
        for number, pit in enumerate(pits)
    )


def _drawn(seed: int, count: int = 30) -> list[int | None]:
    rng = Random(seed)
    return [rng.choice(BEST) for _ in range(count)]


def _program(team: str, pits: list[int | None], prints: tuple[int, ...] = ()) -> ComparedProgram:
    return ComparedProgram(team, frozenset(prints), _answers(pits))


def test_a_program_that_plays_as_another_is_listed() -> None:
    """Independent ones are not; the chance is that of this agreement by luck."""
    others = [_program(f"team-{seed}", _drawn(seed)) for seed in range(8)]
    (pair,) = alike([*others, _program("copy", _drawn(3))])
    assert (pair.one, pair.other, pair.agreed, pair.compared) == ("copy", "team-3", 30, 30)
    assert pair.chance < 1e-9
    assert alike(others) == []


def test_what_a_starter_plays_says_nothing() -> None:
    """Ten of eleven pairs of a course were unchanged starters."""
    starters = tuple(msgspec.structs.replace(each, starter=2) for each in _answers([2] * 30))
    others = [_program(f"team-{seed}", _drawn(seed)) for seed in range(8)]
    one = ComparedProgram("one", frozenset(), starters)
    assert alike([*others, one, one._replace(team="two")]) == []


def test_what_all_play_says_nothing() -> None:
    """Where every program chooses the same of the best moves, agreement is no wonder."""
    assert alike([_program(f"team-{each}", [5] * 30) for each in range(20)]) == []


def test_only_free_choices_between_best_moves_count() -> None:
    """A lone best move, a mistake and a missing answer are left out."""
    alone = ComparedProgram("one", frozenset(), _answers([0, 1, None], best=(0,)))
    assert alike([alone, alone._replace(team="two")]) == []
    wrong = ComparedProgram("one", frozenset(range(9)), _answers([1, None, 0]))
    (pair,) = alike([wrong, wrong._replace(team="two")])
    assert (pair.agreed, pair.compared) == (1, 1)


def test_sources_are_alike_by_the_smaller_programs_share() -> None:
    """A copy within a larger program is found; a few prints in common are not enough."""
    small, large = tuple(range(20)), tuple(range(10, 200))
    (pair,) = alike([_program("a", [], small), _program("b", [], large)])
    assert (pair.sources, pair.shared, pair.chance) == (0.5, 10, 1.0)
    assert alike([_program("a", [], (1, 2)), _program("b", [], (1, 2))]) == []


@pytest.mark.parametrize(
    ("count", "chances", "expected"),
    [(0, [0.3], 1.0), (1, [0.5, 0.5], 0.75), (2, [0.5, 0.25], 0.125), (1, [], 0.0)],
)
def test_the_chance_of_agreements_is_exact(
    count: int, chances: list[float], expected: float
) -> None:
    """It sums over all ways in which that number of events can happen."""
    assert chance_of_at_least(count, chances) == pytest.approx(expected)
