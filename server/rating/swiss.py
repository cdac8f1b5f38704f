"""Swiss rounds: players with equal points meet, rematches are avoided, byes are shared out.

Three criteria, in order of priority:

1. With an odd number, the bye goes to a player with the fewest byes so far; among these, to the
   lowest placed that needs no more rematches than another would.
2. As few rematches as possible. Whether the players still to be paired can avoid rematches is a
   question of perfect matchings; it is answered before each pairing is settled, so no pairing at
   the top forces a rematch at the bottom.
3. Players meet within their score group, the upper half against the lower half in order of
   place (the Dutch system, FIDE Handbook C.04.3); a player left over meets the next group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, log2

from server.model.game import Encounter, Round
from server.rating.matching import maximum_matching


def rounds_for(players: int) -> int:
    """Return the number of rounds that single out a winner, so that only one can win all."""
    return ceil(log2(players)) if players > 1 else 0


def swiss_round(
    order: Sequence[str], points: Mapping[str, float], played: Sequence[Round]
) -> Round:
    """Return the next round.

    Args:
        order: the players, the best placed first; in the first round, by strength.
        points: points so far, byes included; a missing name has 0.
        played: all rounds so far.

    Returns:
        Encounters in order of place, the better placed first; and the bye, if there is one.

    Raises:
        ValueError: when a name occurs twice.
    """
    if len(set(order)) < len(order):
        raise ValueError("a player is named twice")
    history = _History(played)
    byes = history.bye(order) if len(order) % 2 else ()
    rest = [name for name in order if name not in byes]
    return Round(tuple(_pairings(rest, points, history)), byes)


class _History:
    """How often each two met, and how often each player had a bye."""

    def __init__(self, played: Sequence[Round]) -> None:
        self.byes = Counter(name for past in played for name in past.byes)
        self.met = Counter(frozenset(pairing) for past in played for pairing in past.encounters)

    def times(self, one: str, two: str) -> int:
        """Return how often the two met."""
        return self.met[frozenset((one, two))]

    def strangers(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return the graph of the players that have not met."""
        return {
            one: [two for two in names if one != two and not self.times(one, two)] for one in names
        }

    def bye(self, order: Sequence[str]) -> tuple[str]:
        """Return the player that has the bye."""
        fewest = min(self.byes[name] for name in order)
        eligible = [name for name in reversed(order) if self.byes[name] == fewest]
        for name in eligible:
            if not self._rematches_without(order, name):
                return (name,)
        return (min(eligible, key=lambda name: self._rematches_without(order, name)),)

    def _rematches_without(self, order: Sequence[str], absent: str) -> int:
        graph = self.strangers([name for name in order if name != absent])
        return (len(graph) - len(maximum_matching(graph))) // 2


def _pairings(
    order: Sequence[str], points: Mapping[str, float], history: _History
) -> list[Encounter]:
    graph, pairings = history.strangers(order), []
    plan = maximum_matching(graph)
    while graph:
        best, *others = graph
        rematches = (len(graph) - len(plan)) // 2
        for partner in _preferred(best, others, points, history):
            further = _without(graph, best, partner)
            mates = {one: two for one, two in plan.items() if one in further and two in further}
            mates = maximum_matching(further, mates)
            needed = (len(further) - len(mates)) // 2
            if needed + (partner not in graph[best]) == rematches:
                pairings.append(Encounter(best, partner))
                graph, plan = further, mates
                break
    return pairings


def _without(graph: Mapping[str, list[str]], *absent: str) -> dict[str, list[str]]:
    return {
        name: [other for other in others if other not in absent]
        for name, others in graph.items()
        if name not in absent
    }


def _preferred(
    best: str, others: Sequence[str], points: Mapping[str, float], history: _History
) -> list[str]:
    """Return partners by preference: rarely met, equal points, then middle of the group."""
    group = 1 + sum(points.get(name, 0) == points.get(best, 0) for name in others)
    place = {name: number for number, name in enumerate(others, start=1)}

    def dislike(name: str) -> tuple[int, float, float, int]:
        gap = abs(points.get(best, 0) - points.get(name, 0))
        fold = 0 if gap else abs(place[name] - group // 2)
        return history.times(best, name), gap, fold, place[name]

    return sorted(others, key=dislike)
