"""Knockouts: who meets whom in a bracket with one life or two, and what results decide of it.

A bracket is a sequence of stages. Each is asked for with the winners of the one before, so that
whatever holds an event says who won, and how. Double knockout: who loses in the upper bracket goes
on in the lower one, who loses there is out; the upper bracket's winner has to be beaten twice.
"""

import hashlib
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from typing import NamedTuple

from ...model.game import Encounter, Forfeit, RatedGame, Round
from .terms import Plan, Terms, Tie, games_of

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


class _Meeting:
    """An encounter of a knockout: its games, and those of each replay."""

    def __init__(self, stage: str, encounter: Encounter) -> None:
        self.stage, self.encounter = stage, encounter
        self.attempts: list[tuple[RatedGame, ...]] = []

    def total(self, value: Callable[[RatedGame, int], float]) -> tuple[float, float]:
        """Return the sum over the games of a value of each player's seat."""
        one, two = (
            sum(value(game, game.players.index(name)) for games in self.attempts for game in games)
            for name in self.encounter
        )
        return one, two

    @property
    def points(self) -> tuple[float, float]:
        """The points of both players, replays included."""
        return self.total(lambda game, seat: game.points(seat))

    def is_tied(self) -> bool:
        """Return whether it has to be played, or played again."""
        one, two = self.points
        return one == two

    def tie(self, terms: Terms) -> Tie:
        last = self.attempts[-1]
        undecided = self.is_tied() and len(self.attempts) <= terms.replays
        if len(last) < terms.games or undecided:
            return Tie(self.stage, self.encounter, self.points)
        by, (one, two) = "replay" if len(self.attempts) > 1 else "points", self.points
        if one == two:
            by, (one, two) = "margin", self.total(lambda game, seat: (1 - 2 * seat) * game.margin)
        if one == two:
            by, (one, two) = "void", self.total(_not_spared)
        if one == two:
            one = lot(terms.seed, self.stage, *self.encounter)
            by, two = "lot", 1 - one
        return Tie(self.stage, self.encounter, self.points, self.encounter[one < two], by)


def _not_spared(game: RatedGame, seat: int) -> int:
    return not (isinstance(game, Forfeit) and game.spared == seat)


def lot(*words: object) -> int:
    """Draw 0 or 1 by what the lot is about."""
    text = " ".join(map(str, ("lot", *words)))
    return hashlib.blake2b(text.encode(), digest_size=1).digest()[0] % 2


def plan_of_stages(
    terms: Terms, results: Mapping[int, RatedGame], stages: Stages, most_losses: int
) -> Plan:
    """Play the stages of a bracket one after the other, until games are missing."""
    lives = dict.fromkeys(terms.players, most_losses)
    reached: dict[str, int] = {}
    rounds, ties = list[Round](), list[Tie]()
    stage = next(stages)
    while True:
        reached.update({name: len(ties) for name, left in lives.items() if left})
        decided = _ties(terms, results, stage, rounds)
        ties += decided
        if not all(tie.winner for tie in decided):
            return Plan(tuple(rounds), False, tuple(ties), reached)  # a field
        for tie in decided:
            lives[tie.players[tie.winner == tie.players[0]]] -= 1
        try:
            stage = stages.send({tie.winner for tie in decided if tie.winner})
        except StopIteration as end:
            reached[end.value] = len(ties)
            return Plan(tuple(rounds), True, tuple(ties), reached)  # a field


def _ties(
    terms: Terms, results: Mapping[int, RatedGame], stage: Stage, rounds: list[Round]
) -> list[Tie]:
    """Add the rounds of a stage, with replays, as far as they were played."""
    meetings = [*map(_Meeting, stage.name, stage.encounters)]
    for attempt in range(1 + terms.replays):
        tied = [meeting for meeting in meetings if meeting.is_tied()]
        if not tied:
            break
        first = sum(len(each.encounters) for each in rounds)
        seats = slice(None, None, -1 if attempt % 2 else 1)
        paired = tuple(Encounter(*meeting.encounter[seats]) for meeting in tied)
        rounds.append(Round(paired, () if attempt else stage.byes))
        for place, meeting in enumerate(tied, first):
            meeting.attempts.append(games_of(terms, place, results))
        if any(len(meeting.attempts[-1]) < terms.games for meeting in tied):
            break
    return [meeting.tie(terms) for meeting in meetings]
