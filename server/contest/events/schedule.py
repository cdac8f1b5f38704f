"""Schedules that are fixed in advance: round robins and gauntlets."""

from collections.abc import Iterator, Sequence

from ...model.game import Encounter, Round


def round_robin(players: Sequence[str], *, laps: int = 1) -> list[Round]:
    """Return rounds in which all meet once a lap, by the Berger tables (FIDE Handbook C.05).

    In every second lap the seats are swapped. With an odd number of players one rests each round;
    this is not a bye and brings no points.
    """
    ring = len(players) + len(players) % 2
    lap = [
        [
            Encounter(players[one], players[two])
            for one, two in _berger(ring, number)
            if max(one, two) < len(players)
        ]
        for number in range(ring - 1)
    ]
    swapped = [[Encounter(*pair[::-1]) for pair in pairs] for pairs in lap]
    return [
        Round(tuple(pairs)) for number in range(laps) for pairs in (swapped if number % 2 else lap)
    ]


def _berger(ring: int, number: int) -> Iterator[tuple[int, int]]:
    """Pair a round: the last player meets one of the others, and these meet about that one."""
    last = ring - 1
    middle = number * ring // 2 % last
    yield (last, middle) if number % 2 else (middle, last)
    for step in range(1, ring // 2):
        yield (middle + step) % last, (middle - step) % last


def gauntlet(challenger: str, others: Sequence[str], *, laps: int = 1) -> list[Round]:
    """Return rounds in which a challenger meets each of the others once a lap."""
    return [Round((Encounter(challenger, other),)) for _ in range(laps) for other in others]
