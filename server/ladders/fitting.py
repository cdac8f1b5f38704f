"""The joint fit of a ladder, and all that follows from it for each entrant; pure.

This runs beside the event loop, on a copy of the ladder as it stood when the fit began. It ends
with tables that :meth:`LadderState.adopt` only has to put in place, so that the loop's work depends
on who played meanwhile and not on the number of entrants.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple

from ..model.entrant import MOST_DEVIATION, Entrant, LiveRating, bot_name
from ..model.misfit import Misfit
from ..rating.fit import Model, Start, fit_columns
from ..rating.pair_table import PairColumns
from ..rating.ratings import RankRange, Rating, Ratings
from ..rating.scale import Z95

COMPARED: Final = 20
"""Entrants, the best, that are compared each with each."""

UNRATED: Final = float("-inf")
"""The merit of an entrant without a rating."""

LEAST_CHANGE: Final = 0.05
"""A fit changes no rating by less, in Elo, so that what is stored after it is what it changed."""


class Ranking:
    """Names by merit, the greatest first; equal ones by name, which share a rank.

    Merits and names are apart: twenty thousand tuples take two milliseconds to free.
    """

    def __init__(self, merits: Mapping[str, float]) -> None:
        self.replace(merits)

    def __len__(self) -> int:
        return len(self._names)

    def replace(self, merits: Mapping[str, float]) -> None:
        """Rank these names instead, in the time that it takes to sort them."""
        self._merits = dict(merits)
        order = sorted((-merit, name) for name, merit in merits.items())
        self._negated = array("d", [negated for negated, _name in order])
        self._names = [name for _negated, name in order]

    def put(self, name: str, merit: float) -> None:
        """Rank one name by this merit."""
        former = self._merits.get(name)
        if former == merit:
            return
        if former is not None:
            self._remove(name, former)
        self._merits[name] = merit
        place = self._place(name, merit)
        self._negated.insert(place, -merit)
        self._names.insert(place, name)

    def drop(self, name: str) -> None:
        self._remove(name, self._merits.pop(name))

    def names(self, begin: int = 0, end: int | None = None) -> list[str]:
        """Return the names from one place to another, the best at 0."""
        return self._names[begin:end]

    def rank(self, name: str) -> int:
        """Return how many names have a greater merit, and one; KeyError when it is unknown."""
        return 1 + bisect_left(self._negated, -self._merits[name])

    def _place(self, name: str, merit: float) -> int:
        begin = bisect_left(self._negated, -merit)
        end = bisect_right(self._negated, -merit, begin)
        return bisect_left(self._names, name, begin, end)

    def _remove(self, name: str, merit: float) -> None:
        place = self._place(name, merit)
        del self._negated[place], self._names[place]


class FitInput(NamedTuple):
    """A ladder as it stands when a fit begins; anchors are by entrant or by bot."""

    columns: PairColumns
    anchors: Mapping[str, float]
    house: Container[str]
    entrants: dict[str, Entrant]
    advantage: float
    leave_out: bool = False


class Superiority(NamedTuple):
    """Who is how likely stronger than whom by the last fit; None where no game connects them."""

    names: tuple[str, ...] = ()
    los: tuple[tuple[float | None, ...], ...] = ()


class Findings(NamedTuple):
    """What a fit found, beside each entrant's rating.

    Attributes:
        advantage: what moving first is worth, in Elo.
        misfit: how far results lie from what the ratings let expect; None where that is unknown.
        groups: the number of each entrant's group, from 1, the largest first. Only ratings of one
            group can be compared; anchors have one scale, so one group.
    """

    advantage: float = 0.0
    misfit: Misfit | None = None
    superiority: Superiority = Superiority()
    groups: Mapping[str, int] = MappingProxyType({})
    rank_ranges: dict[str, RankRange] = {}  # noqa: RUF012  # of no fit: read only


class FittedLadder(NamedTuple):
    """A joint fit, with what takes too long to compute between two moves.

    Attributes:
        changed: those among them that the fit changed or added, in order.
    """

    findings: Findings
    entrants: dict[str, Entrant]
    changed: dict[str, None]
    added: set[str]
    ranking: Ranking


def fit_ladder(known: FitInput) -> FittedLadder:
    """Fit a ladder's ratings, in up to some seconds; LinAlgError when there is no fit."""
    anchors = _fixed(known)
    ratings = fit_ratings(known)
    groups, (entrants, changed) = _groups(ratings, anchors), _rated(known, ratings)
    is_rated = {each.name for each in ratings.players if each.games or each.name in anchors}
    merits = {name: merit_of(each, is_rated=name in is_rated) for name, each in entrants.items()}
    findings = Findings(
        *(ratings.advantage, ratings.misfit, _superiority(ratings, groups)),
        *(groups, ratings.rank_ranges()),
    )
    added = entrants.keys() - known.entrants.keys()
    return FittedLadder(findings, entrants, changed, added, Ranking(merits))


def fit_ratings(known: FitInput) -> Ratings:
    """Return the joint fit alone; LinAlgError when there is none."""
    names = known.entrants
    house = frozenset(name for name in names if bot_name(name) in known.house)
    start = Start({name: each.live.elo for name, each in names.items()}, known.advantage)
    columns = known.columns.within(names)
    model = Model(leave_out=known.leave_out)
    return fit_columns(columns, anchors=_fixed(known), references=house, model=model, start=start)


def _fixed(known: FitInput) -> dict[str, float]:
    found = ((name, anchor(known.anchors, name)) for name in known.entrants)
    return {name: elo for name, elo in found if elo is not None}


def anchor(anchors: Mapping[str, float], name: str) -> float | None:
    return anchors.get(name, anchors.get(bot_name(name)))


def anchored(anchors: Mapping[str, float], entrant: Entrant) -> Entrant:
    """Return an entrant with its fixed rating, if it has one."""
    elo = anchor(anchors, entrant.name)
    return entrant if elo is None else replace(entrant, live=LiveRating(elo, deviation=0.0))


def merit_of(entrant: Entrant, *, is_rated: bool) -> float:
    """Return the number by which an entrant is ranked."""
    return round(entrant.live.elo, 1) if is_rated else UNRATED


def _rated(known: FitInput, ratings: Ratings) -> tuple[dict[str, Entrant], dict[str, None]]:
    changed: dict[str, Entrant] = {}
    for rating in ratings.players:
        before = known.entrants.get(rating.name)
        if before is None and not rating.games:
            continue  # all its games were annulled
        after = anchored(known.anchors, _moved(before or Entrant(rating.name), rating))
        if after != before:
            changed[rating.name] = after
    return known.entrants | changed, dict.fromkeys(changed)


def _moved(entrant: Entrant, rating: Rating) -> Entrant:
    """Return an entrant with the rating of a fit; as it is if that is nearly the same."""
    deviation = min(rating.error / Z95, MOST_DEVIATION)
    live = replace(entrant.live, elo=rating.elo, deviation=deviation)
    moved = abs(live.elo - entrant.live.elo), abs(live.deviation - entrant.live.deviation)
    return replace(entrant, live=live) if max(moved) >= LEAST_CHANGE else entrant


def _groups(ratings: Ratings, anchors: Container[str]) -> dict[str, int]:
    names = (rating.name for rating in ratings.players)
    found = dict(zip(names, ratings.groups.tolist(), strict=True))
    fixed = {group for name, group in found.items() if name in anchors}
    joined = {name: -1 if group in fixed else group for name, group in found.items()}
    sizes = Counter(joined.values())
    numbers = {group: number for number, (group, _) in enumerate(sizes.most_common(), start=1)}
    return {name: numbers[group] for name, group in joined.items()}


def _superiority(ratings: Ratings, groups: Mapping[str, int]) -> Superiority:
    likelihoods = ratings.los(COMPARED).tolist()
    names = tuple(rating.name for rating in ratings.players[: len(likelihoods)])
    lines = (
        tuple(
            round(los, 4) if groups[row] == groups[column] else None
            for column, los in zip(names, line, strict=True)
        )
        for row, line in zip(names, likelihoods, strict=True)
    )
    return Superiority(names, tuple(lines))
