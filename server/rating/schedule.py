"""Schedules that are fixed in advance: round robin, gauntlet, knockout.

Every encounter is a side-swapped pair of games, so moving first favours neither side. The same
players in the same order always give the same schedule. Swiss rounds are in ``swiss.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from server.model.game import Encounter, Game, Round

Bracket = tuple[str | None, ...]
"""The places of a knockout; neighbours meet. None where a player has no opponent."""


def round_robin(players: Sequence[str], *, laps: int = 1) -> list[Round]:
    """Return rounds in which all meet once a lap, by the circle method (E. Lucas, 1883).

    With an odd number of players one rests each round; this is not a bye and brings no points.

    Raises:
        ValueError: when a name occurs twice.
    """
    _refuse_doubles(players)
    ring: list[str | None] = [*players, None] if len(players) % 2 else [*players]
    half = len(ring) // 2
    rounds = []
    for _ in range(laps * (len(ring) - 1) if len(players) > 1 else 0):
        rounds.append(_round(zip(ring[:half], reversed(ring[half:]), strict=True)))
        ring.insert(1, ring.pop())
    return rounds


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


def bracket(players: Sequence[str]) -> Bracket:
    """Return a seeded bracket: the two strongest can meet only in the final, and so on.

    If the number of players is no power of two, the strongest have a bye in the first round.

    Args:
        players: the strongest first.

    Raises:
        ValueError: when a name occurs twice.
    """
    _refuse_doubles(players)
    if not players:
        return ()
    order = [0]
    while len(order) < len(players):
        size = 2 * len(order)
        order = [place for seed in order for place in (seed, size - 1 - seed)]
    return tuple(players[seed] if seed < len(players) else None for seed in order)


def knockout_round(places: Bracket) -> Round:
    """Return the encounters of a bracket; a player without an opponent has a bye."""
    return _round(zip(places[::2], places[1::2], strict=False), bye=True)


def next_bracket(places: Bracket, winners: Collection[str]) -> Bracket:
    """Return the bracket of the next round; a single place is the champion's.

    Raises:
        ValueError: when an encounter has no winner, or two.
    """
    if len(places) < 2:
        return places
    return tuple(
        _one_winner(one, two, winners) for one, two in zip(places[::2], places[1::2], strict=True)
    )


def winner(encounter: Encounter, games: Iterable[Game], seeds: Sequence[str]) -> str:
    """Return the winner of an encounter: by points, then by margin, then the better seeded.

    Args:
        encounter: the two players.
        games: their games against each other.
        seeds: all players, the strongest first.

    Raises:
        ValueError: when a game is not theirs.
    """
    points = dict.fromkeys(encounter, 0.0)
    margin = dict.fromkeys(encounter, 0)
    for game in games:
        if set(game.players) != set(encounter):
            raise ValueError(f"no game of {encounter.first} and {encounter.second}: {game}")
        for seat, name in enumerate(game.players):
            points[name] += game.points(seat)
            margin[name] += game.margin if seat == 0 else -game.margin
    return max(encounter, key=lambda name: (points[name], margin[name], -seeds.index(name)))


def _refuse_doubles(players: Sequence[str]) -> None:
    if doubles := [name for name, count in Counter(players).items() if count > 1]:
        raise ValueError(f"named twice: {', '.join(doubles)}")


def _padded(names: Sequence[str], size: int) -> list[str | None]:
    return [*names, *[None] * (size - len(names))]


def _round(meetings: Iterable[tuple[str | None, str | None]], *, bye: bool = False) -> Round:
    encounters, alone = [], []
    for one, two in meetings:
        if one is not None and two is not None:
            encounters.append(Encounter(one, two))
        elif (name := one or two) is not None:
            alone.append(name)
    return Round(tuple(encounters), tuple(alone) if bye else ())


def _one_winner(one: str | None, two: str | None, winners: Collection[str]) -> str | None:
    if one is None or two is None:
        return one or two
    if (one in winners) == (two in winners):
        raise ValueError(f"{one} against {two} needs one winner")
    return one if one in winners else two
