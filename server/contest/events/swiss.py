"""Swiss rounds by the Dutch system (FIDE Handbook C.04.3), simplified where it ranks wishes.

Held always, in order of priority:

1. As few rematches as possible; none where a pairing without one exists.
2. The bye goes to a player with the fewest byes so far, and so to none twice while another can
   have it; among these, to one of those with the fewest points, of these to one that missed the
   fewest rounds, and of these to the lowest placed without whom the others can be paired. A win by
   the other's absence counts as a bye, and its two players as not having met.
3. No two players meet who must both have the same seat: a player whose seats are out of balance by
   two, or were the same twice in a row, must have the other one. This yields to 1 and 2.
4. Score groups are paired from the top. As few players as possible float down from each: the
   lowest placed, rather not one that floated down in the round before. Floaters leave a rest that
   can be paired; where none would, the group is joined with the next one.

Then each player, the best placed first, takes of the partners that leave the others paired the one
who is nearest in points, whose wish for a seat is another, who did not float up in the round before
if this floats, and last by place: the upper half of a group against the lower half, those before
the counterpart last. FIDE weighs these wishes for a group as a whole; here they are weighed player
by player. Whether players can be paired is a question of perfect matchings. It is answered by a
theorem of Dirac where each has met fewer than half of the others, else by Edmonds's algorithm.

The seat of an encounter is that of its first game; the second is played with the seats swapped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, groupby, islice
from math import ceil, log2
from typing import Final, NamedTuple

from ...model.game import Encounter, Round
from .matching import maximum_matching

MOST_CHOICES: Final = 500
"""Sets of floaters that are tried before a group is joined with the next one."""
MUST: Final = 2
"""The weight of a seat that a player must have; 1 is a wish to balance, 0 one to alternate."""
NONE: Final = -1
"""The weight of the seat of a player that has not played: given by its number."""


def rounds_for(players: int) -> int:
    """Return the number of rounds that single out a winner, so that only one can win all."""
    return ceil(log2(players)) if players > 1 else 0


def acceleration(players: Sequence[str], number: int, rounds: int) -> dict[str, float]:
    """Return the virtual points of a round in wins, by the Baku acceleration (FIDE C.04.5.1).

    The upper half of the players, strongest first, rounded up to an even number, has one point in
    the first half of the accelerated rounds and half a point in the second; accelerated is the
    first half of all rounds.
    """
    accelerated = ceil(rounds / 2)
    if number > accelerated:
        return {}
    bonus = 1.0 if number <= ceil(accelerated / 2) else 0.5
    return dict.fromkeys(players[: 2 * ceil(len(players) / 4)], bonus)


def swiss_round(
    players: Sequence[str],
    past: Sequence[Round],
    scores: Sequence[Mapping[str, float]],
    *,
    absent: Collection[str] = (),
    apart: Iterable[frozenset[str]] = (),
) -> Round:
    """Return the next round: encounters in order of place, and the bye, if there is one.

    The rounds of the past have the encounters with a game, and as byes also who won without one.
    """
    points = scores[-1]
    order = [name for name in players if name not in absent]
    order.sort(key=lambda name: -points.get(name, 0))
    history = _History(players, past, scores)
    if kept := Counter(apart):
        history.met += kept
        paired = _paired(order, points, history)
        if not any(history.met[frozenset(pair)] for pair in paired.encounters):
            return paired
        history.met -= kept
    return _paired(order, points, history)


def _paired(order: Sequence[str], points: Mapping[str, float], history: _History) -> Round:
    """Return the round of those present, who are in order of points."""
    pairing = _Pairing(order, points, history)
    encounters = sorted(pairing.pairs(), key=min)
    return Round(
        tuple(history.seated(order[min(pair)], order[max(pair)]) for pair in encounters),
        tuple(order[place] for place in pairing.bye),
    )


class _Wish(NamedTuple):
    """The seat that a player should have: how urgent, by how much, and which one."""

    weight: int
    balance: int
    seat: int


class _History:
    def __init__(
        self, players: Sequence[str], past: Sequence[Round], scores: Sequence[Mapping[str, float]]
    ) -> None:
        self.number = {name: number for number, name in enumerate(players)}
        self.byes = Counter(name for each in past for name in each.byes)
        self.met = Counter(frozenset(pair) for each in past for pair in each.encounters)
        self.seats: dict[str, list[int]] = {name: [] for name in players}
        for each in past:
            for pair in each.encounters:
                for seat, name in enumerate(pair):
                    self.seats.setdefault(name, []).append(seat)
        self.missed = {name: len(past) - len(seats) for name, seats in self.seats.items()}
        self.floated_down, self.floated_up = _floats(players, past, scores)
        self.wishes = {
            name: _wish(seats, self.number.get(name, 0)) for name, seats in self.seats.items()
        }

    def clash(self, one: str, two: str, weight: int) -> bool:
        """Return whether both should have the same seat, with at least this weight."""
        ours, theirs = self.wishes[one], self.wishes[two]
        return ours.seat == theirs.seat and min(ours.weight, theirs.weight) >= weight

    def seated(self, better: str, other: str) -> Encounter:
        """Return the encounter of two, the better placed named first here (C.04.3, part E)."""
        ours, theirs = self.wishes[better], self.wishes[other]
        if ours.seat != theirs.seat or ours[:2] > theirs[:2]:
            seat = ours.seat
        elif ours[:2] < theirs[:2]:
            seat = 1 - theirs.seat
        else:
            seat = self._alternated(better, other)
        return Encounter(other, better) if seat else Encounter(better, other)

    def _alternated(self, better: str, other: str) -> int:
        """Return the seat that is new to the better since the two last had different ones."""
        for mine, theirs in zip(
            reversed(self.seats[better]), reversed(self.seats[other]), strict=False
        ):
            if mine != theirs:
                return 1 - mine
        return self.wishes[better].seat


def _wish(seats: Sequence[int], number: int) -> _Wish:
    if not seats:
        return _Wish(NONE, 0, number % 2)
    balance = seats.count(0) - seats.count(1)
    if abs(balance) > 1 or (len(seats) > 1 and seats[-1] == seats[-2]):
        seat = int(balance > 0) if abs(balance) > 1 else 1 - seats[-1]
        return _Wish(MUST, abs(balance), seat)
    return _Wish(abs(balance), abs(balance), int(balance > 0) if balance else 1 - seats[-1])


def _floats(
    players: Sequence[str], past: Sequence[Round], scores: Sequence[Mapping[str, float]]
) -> tuple[set[str], set[str]]:
    """Return who floated down in the last round, or did not play in it, and who floated up."""
    if not past:
        return set(), set()
    points = scores[len(past) - 1]
    playing = {name for pair in past[-1].encounters for name in pair}
    down, up = {*players} - playing, set[str]()
    for pair in past[-1].encounters:
        low, high = sorted(pair, key=lambda name: points.get(name, 0))
        if points.get(low, 0) < points.get(high, 0):
            down.add(high)
            up.add(low)
    return down, up


class _Graph:
    """Who may meet whom: a word of bits for each player, by place."""

    def __init__(self, neighbours: list[int]) -> None:
        self.neighbours = neighbours

    def may_meet(self, one: int, two: int) -> bool:
        return bool(self.neighbours[one] >> two & 1)

    def unpaired(self, members: int) -> int:
        """Return how many of some players are left over at best."""
        size = members.bit_count()
        if all(
            2 * (self.neighbours[place] & members).bit_count() >= size - 1
            for place in _places(members)
        ):
            return size % 2  # Dirac: there is a path through all of them
        return size - len(self.matching(members))

    def matching(self, members: int) -> dict[int, int]:
        """Return as many pairs as possible of some players."""
        return maximum_matching(
            {place: [*_places(self.neighbours[place] & members)] for place in _places(members)}
        )


class _Pairing:
    """The pairing of one round; players are named by their places in the order."""

    def __init__(
        self, order: Sequence[str], points: Mapping[str, float], history: _History
    ) -> None:
        self.order, self.history = order, history
        self.points = [points.get(name, 0.0) for name in order]
        self.everyone = (1 << len(order)) - 1
        self.bye = self._bye() if len(order) % 2 else ()
        self.members = self.everyone & ~_bits(self.bye)
        self.graph = self._graph()

    @cached_property
    def strangers(self) -> _Graph:
        """Who has not met."""
        place = {name: number for number, name in enumerate(self.order)}
        neighbours = [self.everyone & ~(1 << number) for number in range(len(self.order))]
        for one, two in self.history.met:
            if one in place and two in place:
                neighbours[place[one]] &= ~(1 << place[two])
                neighbours[place[two]] &= ~(1 << place[one])
        return _Graph(neighbours)

    @cached_property
    def seatable(self) -> _Graph:
        """Who has not met, and does not need the same seat."""
        fixed = [0, 0]
        wishes = [self.history.wishes[name] for name in self.order]
        for place, wish in enumerate(wishes):
            if wish.weight == MUST:
                fixed[wish.seat] |= 1 << place
        return _Graph(
            [
                word & ~fixed[wish.seat] if wish.weight == MUST else word
                for word, wish in zip(self.strangers.neighbours, wishes, strict=True)
            ]
        )

    def _bye(self) -> tuple[int, ...]:
        byes, missed = self.history.byes, self.history.missed
        fewest = min(byes[name] for name in self.order)
        eligible = [place for place, name in enumerate(self.order) if byes[name] == fewest]
        eligible.sort(key=lambda it: (self.points[it], missed[self.order[it]], -it))
        for graph in (self.seatable, self.strangers):
            for place in eligible:
                if not graph.unpaired(self.everyone & ~(1 << place)):
                    return (place,)
        return (min(eligible, key=lambda it: self.strangers.unpaired(self.everyone & ~(1 << it))),)

    def _graph(self) -> _Graph:
        """Return who may meet; where all can't be paired, with the rematches that must be."""
        for graph in (self.seatable, self.strangers):
            if not graph.unpaired(self.members):
                return graph
        alone = {*_places(self.members)} - self.strangers.matching(self.members).keys()
        neighbours = [*self.strangers.neighbours]
        while alone:
            one, two = min(combinations(sorted(alone), 2), key=self._times_met)
            neighbours[one] |= 1 << two
            neighbours[two] |= 1 << one
            alone -= {one, two}
        return _Graph(neighbours)

    def _times_met(self, pair: tuple[int, int]) -> int:
        return self.history.met[frozenset(self.order[place] for place in pair)]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Pair the score groups from the top."""
        group, floaters, rest = 0, 0, self.members
        for _, places in groupby(_places(self.members), key=lambda place: self.points[place]):
            group |= _bits(places)
            rest &= ~group
            further = self._floaters(group, floaters, rest)
            if further is not None:
                yield from self._within((group | floaters) & ~further)
                group, floaters = 0, further

    def _floaters(self, group: int, floaters: int, rest: int) -> int | None:
        """Return who floats down from a group and those who floated to it; None to join groups."""
        members = group | floaters
        wishes = sorted(
            _places(members),
            key=lambda it: (
                floaters >> it & 1,
                self.order[it] in self.history.floated_down,
                -it,
            ),
        )
        least = self.graph.unpaired(members)
        for size in (least, least + 2):
            for chosen in islice(combinations(wishes, size), MOST_CHOICES):
                down = _bits(chosen)
                if not self.graph.unpaired(rest | down) and not self.graph.unpaired(
                    members & ~down
                ):
                    return down
        return None

    def _within(self, members: int) -> Iterator[tuple[int, int]]:
        """Pair some players with one another."""
        while members:
            best, *others = _places(members)
            partner = self._partner(best, others, members)
            yield best, partner
            members &= ~(1 << best | 1 << partner)

    def _partner(self, best: int, others: Sequence[int], members: int) -> int:
        equals = sum(self.points[place] == self.points[best] for place in others)
        name = self.order[best]

        def dislike(index: int) -> tuple[float, bool, bool, bool, int]:
            other = others[index]
            gap = abs(self.points[best] - self.points[other])
            fold = index if gap else index - equals // 2
            return (
                gap,
                self.history.clash(name, self.order[other], 1),
                bool(gap) and self.order[other] in self.history.floated_up,
                fold < 0,
                abs(fold),
            )

        counterpart = equals // 2
        indices: Iterable[int] = range(len(others))
        if not equals or any(dislike(counterpart)[:3]):
            indices = sorted(indices, key=dislike)
        else:
            indices = [counterpart, *sorted({*indices} - {counterpart}, key=dislike)]
        return next(
            others[index]
            for index in indices
            if self.graph.may_meet(best, others[index])
            and not self.graph.unpaired(members & ~(1 << best | 1 << others[index]))
        )


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)


def _places(members: int) -> Iterator[int]:
    """Return the places of the bits that are set, the best placed first."""
    while members:
        lowest = members & -members
        yield lowest.bit_length() - 1
        members ^= lowest
