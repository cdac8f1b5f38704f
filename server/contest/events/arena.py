"""The waves of an arena: all who are there are paired, again and again, until its time is over.

Who is there is paired in waves. A wave begins when the one before it is over, so no player is in
two encounters at a time. A player may come and go between waves; what it missed brings nothing.

Pairing. Players stand in order of points, then of seeding. The best placed who has no opponent yet
gets the one who is nearest in places; each encounter that the two have had already counts as
:data:`REMATCH` places. No two meet in two waves in a row if four or more are paired. Of an odd
number one rests: who has played longest without a rest, of these the lowest placed. Who began less
often moves first; else who did not begin last; else the better placed in odd waves.

Scoring. A win is 1, a draw ½, a loss 0, whatever came before: nothing is added for wins in a row,
and no player can stake time for points (berserk). A rest is half a point a game, what a game
between equals is worth, since it was not chosen.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from ...model.game import Encounter, Round

MOST_WAVES: Final = 1000
"""Waves of an arena that ends by time."""
REMATCH: Final = 3
"""How many places an earlier encounter of two players counts."""


class Waves:
    """The waves of an arena so far."""

    def __init__(self) -> None:
        """Begin before the first wave."""
        self._number = 0
        self._met: Counter[frozenset[str]] = Counter()
        self._balance: Counter[str] = Counter()
        self._last_seat: dict[str, int] = {}
        self._last_opponent: dict[str, str] = {}
        self._played_since: dict[str, int] = {}

    def pair(self, order: Sequence[str]) -> Round:
        """Return the next wave, and take it as played; who is there is named in order of place."""
        self._number += 1
        if len(order) < 2:  # a pair
            paired = Round(())
        else:
            rests = self._resting(order)
            left = [name for name in order if name not in rests]
            paired = Round(tuple(self._seated(*pair) for pair in self._pairs(left)), rests)
        self._note(paired)
        return paired

    def _resting(self, order: Sequence[str]) -> tuple[str, ...]:
        """Return who rests: of an odd number, who has played longest without a rest."""
        if len(order) % 2 == 0:
            return ()
        return (min(reversed(order), key=lambda name: self._played_since.get(name, self._number)),)

    def _pairs(self, order: Sequence[str]) -> list[tuple[str, str]]:
        left, pairs = [*order], list[tuple[str, str]]()
        while left:
            name = left.pop(0)
            pairs.append((name, left.pop(self._nearest(name, left))))
        if len(pairs) > 1 and self._meet_again(*pairs[-1]):
            (one, two), (three, four) = pairs[-2:]
            pairs[-2:] = [(one, three), (two, four)]
        return pairs

    def _nearest(self, name: str, left: Sequence[str]) -> int:
        """Return the place of the opponent with the lowest cost, the first of several."""
        best, lowest = 0, self._cost(name, left[0], 0)
        for place, other in enumerate(left[1:], start=1):
            if lowest <= (False, place):
                break  # no one further down costs less
            cost = self._cost(name, other, place)
            if cost < lowest:
                best, lowest = place, cost
        return best

    def _cost(self, name: str, other: str, places: int) -> tuple[bool, int]:
        met = self._met[frozenset((name, other))]
        return self._meet_again(name, other), places + REMATCH * met

    def _meet_again(self, one: str, two: str) -> bool:
        return self._last_opponent.get(one) == two

    def _seated(self, better: str, other: str) -> Encounter:
        wishes = [(self._balance[name], -self._last_seat.get(name, 0)) for name in (better, other)]
        is_swapped = self._number % 2 == 0 if wishes[0] == wishes[1] else wishes[1] < wishes[0]
        return Encounter(other, better) if is_swapped else Encounter(better, other)

    def _note(self, paired: Round) -> None:
        before, self._last_opponent = self._played_since, {}
        self._played_since = {}
        for encounter in paired.encounters:
            self._met[frozenset(encounter)] += 1
            for seat, name in enumerate(encounter):
                self._balance[name] += 1 - 2 * seat
                self._last_seat[name] = seat
                self._last_opponent[name] = encounter[1 - seat]
                self._played_since[name] = before.get(name, self._number)
