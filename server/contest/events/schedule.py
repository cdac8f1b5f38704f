"""Schedules that are fixed in advance: round robins and gauntlets.

Every encounter is a side-swapped pair of games, so moving first favours neither side; who moves
first in its first game alternates all the same. The same players in the same order always give the
same schedule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ...model.game import Encounter, Round


def round_robin(players: Sequence[str], *, laps: int = 1) -> list[Round]:
    """Return rounds in which all meet once a lap, by the Berger tables (FIDE Handbook C.05).

    In every second lap the seats are swapped. With an odd number of players one rests each round;
    this is not a bye and brings no points.

    Raises:
        ValueError: when a name occurs twice.
    """
    _refuse_doubles(players)
    if len(players) < 2:
        return []
    ring: list[str | None] = [*players, None] if len(players) % 2 else [*players]
    lap = [_round(_berger(ring, number)) for number in range(len(ring) - 1)]
    swapped = [Round(tuple(Encounter(two, one) for one, two in each.encounters)) for each in lap]
    return [each for number in range(laps) for each in (swapped if number % 2 else lap)]


def _berger(ring: Sequence[str | None], number: int) -> Iterable[tuple[str | None, str | None]]:
    """Pair a round: the last player meets one of the others, and these meet about that one."""
    *circle, last = ring
    middle = number * len(ring) // 2 % len(circle)
    yield (last, circle[middle]) if number % 2 else (circle[middle], last)
    for step in range(1, len(ring) // 2):
        yield circle[(middle + step) % len(circle)], circle[middle - step]


def gauntlet(challengers: Sequence[str], field: Sequence[str], *, laps: int = 1) -> list[Round]:
    """Return rounds in which each challenger meets each player of the field once a lap.

    Raises:
        ValueError: when a name occurs twice, on one side or on both.
    """
    _refuse_doubles([*challengers, *field])
    size = max(len(challengers), len(field)) if challengers and field else 0
    ours, theirs = _padded(challengers, size), _padded(field, size)
    return [
        _round(zip(ours, theirs[turn:] + theirs[:turn], strict=True))
        for _ in range(laps)
        for turn in range(size)
    ]


def _refuse_doubles(players: Sequence[str]) -> None:
    if doubles := [name for name, count in Counter(players).items() if count > 1]:
        raise ValueError(f"named twice: {', '.join(doubles)}")


def _padded(names: Sequence[str], size: int) -> list[str | None]:
    return [*names, *[None] * (size - len(names))]


def _round(meetings: Iterable[tuple[str | None, str | None]]) -> Round:
    return Round(
        tuple(Encounter(one, two) for one, two in meetings if one is not None and two is not None)
    )
