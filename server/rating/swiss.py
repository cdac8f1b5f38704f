"""Swiss rounds: equals meet, nobody meets again while that can be avoided, byes go round.

Three wishes, the first before the second before the third:

1. With an odd number, whoever sits out has sat out least often: nobody twice while somebody has
   not. Among those the lowest placed does, if the other wishes allow it as well as for another.
2. As few rematches as possible; with none possible, none. Whether the players still to be paired
   can avoid rematches is a question of perfect matchings, and it is asked before each pairing is
   settled, so no pairing at the top paints the bottom into a corner.
3. Players meet within their score group, the upper half against the lower half in order of
   place (the Dutch system, FIDE Handbook C.04.3); whoever is left over meets the next group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, log2

from server.model.game import Encounter, Round
from server.rating.matching import maximum_matching


def rounds_for(players: int) -> int:
    """Tell how many rounds single out a winner: enough for one player to win all."""
    return ceil(log2(players)) if players > 1 else 0


def swiss_round(
    order: Sequence[str], points: Mapping[str, float], played: Sequence[Round]
) -> Round:
    """Pair the next round.

    Args:
        order: those who play on, the best placed first; in the first round, by strength.
        points: what they have so far, byes included; nothing is 0.
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
    """Who met whom, and who sat out, how often."""

    def __init__(self, played: Sequence[Round]) -> None:
        self.byes = Counter(name for past in played for name in past.byes)
        self.met = Counter(frozenset(pairing) for past in played for pairing in past.encounters)

    def times(self, one: str, two: str) -> int:
        """Tell how often the two met."""
        return self.met[frozenset((one, two))]

    def strangers(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Give the graph of those who have not met."""
        return {
            one: [two for two in names if one != two and not self.times(one, two)] for one in names
        }

    def bye(self, order: Sequence[str]) -> tuple[str]:
        """Choose who sits out."""
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
    """Sort possible partners: rarely met, equal points, then from the middle of the group."""
    group = 1 + sum(points.get(name, 0) == points.get(best, 0) for name in others)
    place = {name: number for number, name in enumerate(others, start=1)}

    def dislike(name: str) -> tuple[int, float, float, int]:
        gap = abs(points.get(best, 0) - points.get(name, 0))
        fold = 0 if gap else abs(place[name] - group // 2)
        return history.times(best, name), gap, fold, place[name]

    return sorted(others, key=dislike)
