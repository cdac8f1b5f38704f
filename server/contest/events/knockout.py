"""Knockouts: who meets whom in a bracket with one life or two.

A bracket is a sequence of stages. Each is asked for with the winners of the one before, so that
whatever holds an event says who won, and how. Double knockout: who loses in the upper bracket goes
on in the lower one, who loses there is out; the upper bracket's winner has to be beaten twice.
"""

from collections.abc import Collection, Generator, Sequence
from typing import NamedTuple

from ...model.game import Encounter

Bracket = tuple[str | None, ...]
"""The places of a knockout; neighbours meet. None where a player has no opponent."""


class Stage(NamedTuple):
    """Encounters of a bracket that may be played at the same time, and those without an opponent.

    ``name`` has one for each encounter, such as ``round 1``, ``lower 2`` or ``final``.
    """

    name: tuple[str, ...]
    encounters: tuple[Encounter, ...]
    byes: tuple[str, ...] = ()


Stages = Generator[Stage, Collection[str], str]
"""The stages of a bracket; each takes the winners of the one before; the champion at the end."""


def bracket(players: Sequence[str]) -> Bracket:
    """Return a seeded bracket: the two strongest can meet only in the final, and so on."""
    order = [0]
    while len(order) < len(players):
        size = 2 * len(order)
        order = [place for seed in order for place in (seed, size - 1 - seed)]
    return tuple(players[seed] if seed < len(players) else None for seed in order)


def single(players: Sequence[str]) -> Stages:
    """Return the stages of a knockout of two players or more: who loses is out."""
    places, number = bracket(players), 0
    while len(places) > 1:
        number += 1
        name = "final" if len(places) == 2 else f"round {number}"  # the last two
        winners = yield _stage([(name, places)])
        places = _advanced(places, winners)
    return _champion(places)


def double(players: Sequence[str]) -> Stages:
    """Return the stages of a double knockout of two players or more: who loses twice is out."""
    upper, lower = bracket(players), Bracket()
    number = lowers = 0
    while len(upper) > 1:
        number += 1
        halving = lower if len(lower) > len(upper) // 2 else ()
        lowers += bool(halving)
        winners = yield _stage([(f"upper {number}", upper), (f"lower {lowers}", halving)])
        dropped, upper = _beaten(upper, winners), _advanced(upper, winners)
        lower = _advanced(halving, winners) if halving else lower
        if lower:
            lowers += 1
            # Turned around every other time, so that those who met in the upper bracket meet late.
            meeting = dropped[::-1] if number % 2 == 0 else dropped
            lower = tuple(place for pair in zip(lower, meeting, strict=True) for place in pair)
            winners = yield _stage([(f"lower {lowers}", lower)])
            lower = _advanced(lower, winners)
        else:
            lower = dropped
    return (yield from _finals(_champion(upper), _champion(lower)))


def _finals(upper: str, lower: str) -> Stages:
    winners = yield Stage(("final",), (Encounter(upper, lower),))
    if lower in winners:
        winners = yield Stage(("second final",), (Encounter(lower, upper),))
    return upper if upper in winners else lower


def _stage(brackets: Sequence[tuple[str, Bracket]]) -> Stage:
    names, encounters, byes = [], [], []
    for name, places in brackets:
        for one, two in zip(places[::2], places[1::2], strict=True):
            if one is not None and two is not None:
                names.append(name)
                encounters.append(Encounter(one, two))
            elif (alone := one or two) is not None:
                byes.append(alone)
    return Stage(tuple(names), tuple(encounters), tuple(byes))


def _advanced(places: Bracket, winners: Collection[str]) -> Bracket:
    return tuple(
        one if two is None or one in winners else two
        for one, two in zip(places[::2], places[1::2], strict=True)
    )


def _beaten(places: Bracket, winners: Collection[str]) -> Bracket:
    return tuple(
        None if one is None or two is None else two if one in winners else one
        for one, two in zip(places[::2], places[1::2], strict=True)
    )


def _champion(places: Bracket) -> str:
    return next(name for name in places if name is not None)
