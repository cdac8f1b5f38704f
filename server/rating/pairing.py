"""The next pairings of a ladder: the most informative encounters, with a bounded wait.

The bot that has waited longest is paired first, with the opponent whose games add most information
to the ratings.

The information of an encounter is the reduction of uncertainty about the difference ``d`` of the
two ratings, now known with the variance ``V``. A game carries the Fisher information ``I = p(1-p)``
about ``d`` on the natural scale, so a normal belief gains ``½ ln(1 + 2VI)`` nats from two games
(D. V. Lindley, "On a measure of the information provided by an experiment", 1956; applied to
paired comparisons by Glickman and Jensen, "Adaptive paired comparison design", 2005). It is large
where ratings are close (``p`` near ½) and where they are uncertain (``V`` large). ``p`` is the
expected score with Glicko's allowance for uncertainty.

``V`` is the sum of the two ratings' variances, as if they had nothing to do with each other. What
the two have learnt from their own games lowers it: ``n`` of them leave ``V / (1 + nVI)``. So the
pairings of a few bots that are equally strong and equally fast take turns.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop
from math import exp, log1p, pi, sqrt

from ..model.game import Encounter
from .glicko import SCALE


@dataclass(frozen=True, slots=True)
class Waiting:
    """A bot that is free to play.

    Attributes:
        deviation: the rating's standard error, in Elo.
        since: when it became free, in seconds on the caller's clock.
        never: names it is never paired with, such as other versions of itself.
    """

    name: str
    elo: float
    deviation: float
    since: float
    last_opponent: str = ""
    never: frozenset[str] = frozenset()


Meetings = Callable[[str, str], int]
"""Returns the number of games that two bots have played against each other."""


def information(one: Waiting, two: Waiting, met: int = 0) -> float:
    """Return the information from a pair of games of two that met so often before, in nats."""
    variance = (one.deviation**2 + two.deviation**2) / SCALE**2
    attenuation = 1 / sqrt(1 + 3 * variance / pi**2)
    # The sign does not matter: p(1-p) is the same from both sides.
    p = 1 / (1 + exp(-attenuation * min(abs(one.elo - two.elo) / SCALE, 700)))
    per_game = variance * p * (1 - p)
    return log1p(2 * per_game / (1 + met * per_game)) / 2


def pair(
    waiting: Iterable[Waiting], now: float, *, patience_s: float, meetings: Meetings
) -> list[Encounter]:
    """Return encounters among the waiting bots; a bot that is in none keeps waiting.

    A bot meets its last opponent again only after one of the two has waited for ``patience_s``.
    Two bots that may meet are never both left over, and the bot that waited longest is left over
    only if it may meet none of the others. Encounters are in the order of the longest wait; the
    bot that waited longer moves first in the first game.
    """
    queue = sorted(waiting, key=lambda bot: (bot.since, bot.name))
    encounters = []
    while queue:
        bot = queue.pop(0)
        rivals = [other for other in queue if _may_meet(bot, other, now, patience_s)]
        if rivals:
            best = _best(bot, rivals, meetings)
            queue.remove(best)
            encounters.append(Encounter(bot.name, best.name))
    return encounters


def next_look(waiting: Iterable[Waiting], now: float, *, patience_s: float) -> float:
    """Return when :func:`pair` could find more without a new bot; infinity for never."""
    moments = (bot.since + patience_s for bot in waiting)
    return min((moment for moment in moments if moment > now), default=float("inf"))


def _best(bot: Waiting, rivals: Sequence[Waiting], meetings: Meetings) -> Waiting:
    """Return the opponent that teaches most; of equals the first.

    No meeting adds information. So the opponents are looked at in the order of what they would
    teach if they had never met the bot, as long as the next one could be the best.
    """
    promising = [(-information(bot, rival), place) for place, rival in enumerate(rivals)]
    heapify(promising)
    best = 0.0, 0
    while promising and promising[0] < best:
        _, place = heappop(promising)
        met = meetings(bot.name, rivals[place].name)
        best = min(best, (-information(bot, rivals[place], met), place))
    return rivals[best[1]]


def _may_meet(one: Waiting, two: Waiting, now: float, patience_s: float) -> bool:
    if two.name in one.never or one.name in two.never:
        return False
    again = one.last_opponent == two.name or two.last_opponent == one.name
    return not again or now >= min(one.since, two.since) + patience_s
