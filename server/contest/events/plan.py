"""The plan of an event: which encounters there are, and which come next.

The plan is a function of the terms and the results so far, and of nothing else: not of the order in
which games ended, nor of when. So an event that was interrupted continues exactly where it was, and
ends as it would have. Games are numbered through the whole event; encounter ``k`` has the games
from ``k * games`` on, in the order of rounds and of the encounters in them.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from typing import Final, NamedTuple

from msgspec import Struct

from mancala.plugins import Plugged
from mancala.protocol.text import quantity

from ...config.events import Format, TieBreak
from ...model.game import Encounter, Forfeit, RatedGame, Round
from . import knockout, schedule
from .arena import Waves
from .dutch import paired_here
from .standings import (
    ROUND_ROBIN_TIE_BREAKS,
    SWISS_TIE_BREAKS,
    EventStanding,
    PlayedRound,
    standings,
)
from .swiss import Asked, acceleration, rounds_for, swiss_round
from .trf import PastRound, SwissEvent

BYE: Final = 1.0
"""Points a game of the bye of the player left over in a Swiss round."""
HALF_BYE: Final = 0.5
"""Points a game of a bye asked for, of a round before a late entry, and of an arena's rest."""

MOST_EVENT_GAMES: Final = 100_000
"""Games of a whole event on a server, all of which are gone through with each result."""

BRACKETS: Final = frozenset({Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT})
"""The formats in which who loses is out."""
BY_SCORES: Final = frozenset({Format.SWISS, Format.ARENA})
"""The formats that pair each round by the points so far; players may come late and leave early."""


class Attendance(Struct, frozen=True):
    """In which rounds of a Swiss event or an arena a player is paired.

    Attributes:
        joins: the first round; in a Swiss event each one before it is a half-point bye.
        leaves: the last round, after which the player has withdrawn; 0 for the event's last.
        away: the first and the last round of each time in which it was not connected when rounds
            were paired, and so was left out of them, without points.
    """

    joins: int = 1
    leaves: int = 0
    byes: tuple[int, ...] = ()
    away: tuple[tuple[int, int], ...] = ()

    def points(self, number: int) -> float | None:
        """Return the points a game of a Swiss round without play; None for one that is played."""
        is_away = any(first <= number <= last for first, last in self.away)
        if is_away or (self.leaves and number > self.leaves):
            return 0.0
        return HALF_BYE if number < self.joins or number in self.byes else None


class Terms(Struct, frozen=True):
    """What decides the pairings of an event, besides the results.

    Attributes:
        players: names, in order of seeding.
        games: games per encounter.
        rounds: rounds of a Swiss event; the most waves of an arena; laps of a round robin,
            gauntlet or match.
        replays: how often a tied encounter of a knockout is played again before seeds ahead,
            and then a lot, decide.
        owners: whose bots the players of a Swiss event are, as far as that is known; two of one
            owner meet in the last round only if it can't be helped.
        apart: players of a Swiss event of whom no two are to meet, by groups.
        meetings: encounters of a Swiss event that the organiser ordered, with their rounds; where
            one of the two is not paired, the other is paired as usual.

    Raises:
        ValueError: when the values are inconsistent.
    """

    format: Format
    players: tuple[str, ...]
    games: int
    rounds: int
    seed: int = 0
    accelerated: bool = False
    replays: int = 0
    attendance: dict[str, Attendance] = {}
    owners: dict[str, str] = {}
    apart: tuple[tuple[str, ...], ...] = ()
    meetings: tuple[tuple[int, str, str], ...] = ()

    def __post_init__(self) -> None:
        if len(self.players) < 2:  # two players
            raise ValueError("an event needs two players or more")
        if self.format is Format.MATCH and len(self.players) > 2:  # two players
            raise ValueError(f"a match has two players, not {len(self.players)}")
        if self.games < 1:
            raise ValueError(f"an encounter has a game or more, not {self.games}")
        if self.rounds < 1:
            raise ValueError(f"an event has a round or more, not {self.rounds}")
        if self.replays < 0:
            raise ValueError(f"replays are counted from 0, not {self.replays}")
        if twice := [name for name, count in Counter(self.players).items() if count > 1]:
            raise ValueError(f"named twice: {', '.join(twice)}")
        self._check_attendance()

    def _check_attendance(self) -> None:
        has_byes = any(each.byes for each in self.attendance.values())
        if self.format is not Format.SWISS and (self.accelerated or has_byes):
            raise ValueError("only a Swiss event has acceleration, and byes that are asked for")
        if self.attendance and self.format not in BY_SCORES:
            raise ValueError("only a Swiss event or an arena has late entries and withdrawals")
        for name, each in self.attendance.items():
            if name not in self.players:
                raise ValueError(f"no player is named {name!r}")
            if not all(1 <= it <= self.rounds for it in (each.joins, each.leaves or 1, *each.byes)):
                raise ValueError(f"{name}: rounds are 1 to {self.rounds}")
            if each.leaves and each.leaves < each.joins:
                raise ValueError(f"{name} leaves after round {each.leaves}, before it joins")


class Tie(Struct, frozen=True):
    """An encounter of a knockout with its replays.

    Attributes:
        stage: such as ``round 1``, ``lower 2`` or ``final``.
        decided_by: ``points``, ``replay``, ``margin`` (seeds ahead over all games), ``void``
            (fewer games void by one's own fault) or ``lot``; None while it is being played.
    """

    stage: str
    players: tuple[str, str]
    points: tuple[float, float]
    winner: str | None = None
    decided_by: str | None = None

    def sentence(self) -> str:
        (one, two), (ours, theirs) = self.players, self.points
        score = f"{self.stage}: {one} {ours:g} : {theirs:g} {two}"
        return score if self.winner is None else f"{score}, {self.winner} by {self.decided_by}"


class Plan(NamedTuple):
    """The rounds of an event decided so far.

    Attributes:
        rounds: the rounds paired so far; replays of a knockout are rounds of their own.
        reached: the stage of a knockout that each player reached, from 0; the champion's is the
            highest. Empty for other formats.
    """

    rounds: tuple[Round, ...]
    is_complete: bool
    ties: tuple[Tie, ...] = ()
    reached: Mapping[str, int] = {}


class FormatKind(NamedTuple):
    """How the events of a format are paired.

    Attributes:
        plan: returns the rounds decided by the results, which are by the games' numbers.
        encounters: returns the number of encounters of a whole event, with all replays that there
            may be.
        rounds: returns the usual rounds of a number of players.
    """

    title: str
    plan: Callable[[Terms, Mapping[int, RatedGame]], Plan]
    encounters: Callable[[Terms], int]
    rounds: Callable[[int], int] = lambda _players: 1


def usual_rounds(format_: Format, players: int) -> int:
    """Return the default rounds: as a Swiss event needs, one lap for formats that have laps."""
    return FORMATS[format_].rounds(players)


def most_encounters(terms: Terms) -> int:
    """Return the number of encounters of a whole event, with all replays that there may be."""
    return FORMATS[terms.format].encounters(terms)


def problem_of_size(terms: Terms) -> str | None:
    """Return why a server takes no event of such terms; None if it does."""
    is_arena = terms.format is Format.ARENA
    encounters = len(terms.players) // 2 if is_arena else most_encounters(terms)
    if (games := encounters * terms.games) <= MOST_EVENT_GAMES:
        return None
    return f"{quantity(len(terms.players), 'player')} would have up to {too_many(games)}"


def too_many(games: int) -> str:
    """Return that these are more games than an event may have, as the end of a sentence."""
    return f"{quantity(games, 'game', form=',')}, and an event has {MOST_EVENT_GAMES:,} at most"


def plan(
    terms: Terms,
    results: Mapping[int, RatedGame],
    kept: Sequence[Round] = (),
    asked: Asked = paired_here,
) -> Plan:
    """Return the rounds decided by the results, which are by the games' numbers.

    ``kept`` are the rounds of a Swiss event that were paired before, and stay as they are; what is
    ``asked`` pairs the others.
    """
    if terms.format is Format.SWISS:
        return _swiss(terms, results, kept, asked)
    return FORMATS[terms.format].plan(terms, results)


def played_rounds(
    terms: Terms,
    rounds: Sequence[Round],
    results: Mapping[int, RatedGame],
    annulled: Collection[int] = (),
) -> tuple[PlayedRound, ...]:
    """Return what came of the rounds so far; unplayed points count when the round is over.

    Games that are annulled are left out.
    """
    counting = {number: game for number, game in results.items() if number not in annulled}
    encounter, played = 0, []
    for number, each in enumerate(rounds, start=1):
        places = range(encounter, encounter + len(each.encounters))
        encounter += len(each.encounters)
        is_over = all(len(_games(terms, place, results)) == terms.games for place in places)
        unplayed = _unplayed(terms, number, each) if is_over else {}
        games = tuple(_games(terms, place, counting) for place in places)
        played.append(PlayedRound(games, unplayed))
    return tuple(played)


def table_of(
    terms: Terms,
    rounds: Sequence[Round],
    results: Mapping[int, RatedGame],
    tie_breaks: Sequence[TieBreak],
    *,
    reached: Mapping[str, int],
    annulled: Collection[int] = (),
) -> tuple[EventStanding, ...]:
    """Return the standings after some rounds; as for `played_rounds` and `standings`."""
    return standings(
        played_rounds(terms, rounds, results, annulled),
        players=terms.players,
        games=terms.games,
        tie_breaks=tie_breaks,
        reached=reached,
        counts_absence=terms.format is not Format.SWISS,
    )


def usual_tie_breaks(format_: Format) -> tuple[TieBreak, ...]:
    """Return what decides between equal points where nothing is asked for."""
    return SWISS_TIE_BREAKS if format_ is Format.SWISS else ROUND_ROBIN_TIE_BREAKS


def _games(terms: Terms, encounter: int, results: Mapping[int, RatedGame]) -> tuple[RatedGame, ...]:
    first = encounter * terms.games
    return tuple(results[it] for it in range(first, first + terms.games) if it in results)


def _unplayed(terms: Terms, number: int, paired: Round) -> dict[str, float]:
    """Return the points without play; none in a knockout, where a bye already advances."""
    if terms.format is Format.ARENA:
        away = dict.fromkeys(_absent(terms, number), 0.0)
        return away | dict.fromkeys(paired.byes, HALF_BYE * terms.games)
    if terms.format is not Format.SWISS:
        return {}
    points = dict.fromkeys(paired.byes, BYE * terms.games)
    for name, each in terms.attendance.items():
        share = each.points(number)
        if share is not None:
            points[name] = share * terms.games
    return points


def _absent(terms: Terms, number: int) -> set[str]:
    return {name for name, each in terms.attendance.items() if each.points(number) is not None}


def due(terms: Terms, number: int) -> tuple[str, ...]:
    """Return who is paired in a round of a Swiss event or an arena if it is connected then."""
    if number > terms.rounds:
        return ()
    absent = _absent(terms, number)
    return tuple(name for name in terms.players if name not in absent)


def _gauntlet(terms: Terms, _results: Mapping[int, RatedGame]) -> Plan:
    first, *others = terms.players
    return Plan(tuple(schedule.gauntlet(first, others, laps=terms.rounds)), is_complete=True)


def _round_robin(terms: Terms, _results: Mapping[int, RatedGame], *, times: int = 1) -> Plan:
    laps = terms.rounds * times
    return Plan(tuple(schedule.round_robin(terms.players, laps=laps)), is_complete=True)


def _swiss(
    terms: Terms,
    results: Mapping[int, RatedGame],
    kept: Sequence[Round] = (),
    asked: Asked = paired_here,
) -> Plan:
    def next_round(rounds: Sequence[Round], _gained: Mapping[str, float]) -> Round:
        number = len(rounds) + 1
        if number <= len(kept):
            return kept[number - 1]
        absent = _absent(terms, number)
        ordered = _ordered(terms, number, absent)
        forbidden = frozenset(_apart(terms))
        owned = forbidden.union(_of_one_owner(terms)) if number == terms.rounds else forbidden
        found = swiss_round(
            SwissEvent(terms.players, terms.rounds, terms.games),
            *reported(terms, rounds, results),
            absent=absent.union(*ordered),
            apart=(owned, forbidden),
            asked=asked,
        )
        return Round((*ordered, *found.encounters), found.byes)

    return _by_scores(terms, results, next_round)


def _ordered(terms: Terms, number: int, absent: set[str]) -> tuple[Encounter, ...]:
    """Return the encounters of a Swiss round that the organiser ordered, of those who are there."""
    return tuple(
        Encounter(first, second)
        for at, first, second in terms.meetings
        if at == number and absent.isdisjoint((first, second))
    )


def _apart(terms: Terms) -> Iterator[frozenset[str]]:
    """Yield each two players who are not to meet."""
    for group in terms.apart:
        yield from map(frozenset, combinations(set(terms.players).intersection(group), 2))


def reported(
    terms: Terms,
    rounds: Sequence[Round],
    results: Mapping[int, RatedGame],
    annulled: Collection[int] = (),
) -> tuple[list[PastRound], list[dict[str, float]]]:
    """Return rounds that are over as reports have them, and the points before each and after all.

    Points are with the virtual ones of accelerated rounds, and without games that are annulled.
    """
    past, scores = list[PastRound](), list[dict[str, float]]()
    gained = dict.fromkeys(terms.players, 0.0)
    played = [*zip(rounds, played_rounds(terms, rounds, results, annulled), strict=True), None]
    for number, each in enumerate(played, start=1):
        bonus = acceleration(terms.players, number, terms.rounds) if terms.accelerated else {}
        scores.append(
            {name: it + terms.games * bonus.get(name, 0.0) for name, it in gained.items()}
        )
        if each is None:
            break
        paired, its = each
        half = (name for name, it in terms.attendance.items() if it.points(number))
        past.append(PastRound(paired, its.encounters, frozenset(half)))
        _add_points(gained, its.unplayed, its.encounters)
    return past, scores


def _add_points(
    gained: dict[str, float],
    unplayed: Mapping[str, float],
    encounters: Iterable[Sequence[RatedGame]],
) -> None:
    for name, points in unplayed.items():
        gained[name] += points
    for game in chain.from_iterable(encounters):
        for seat, name in enumerate(game.players):
            gained[name] += game.points(seat)


def _arena(terms: Terms, results: Mapping[int, RatedGame]) -> Plan:
    waves = Waves()

    def next_round(rounds: Sequence[Round], gained: Mapping[str, float]) -> Round:
        return waves.pair(sorted(due(terms, len(rounds) + 1), key=lambda name: -gained[name]))

    return _by_scores(terms, results, next_round)


def _by_scores(
    terms: Terms,
    results: Mapping[int, RatedGame],
    next_round: Callable[[Sequence[Round], Mapping[str, float]], Round],
) -> Plan:
    """Pair one round after the other, until games are missing."""
    rounds: list[Round] = []
    played = 0
    gained = dict.fromkeys(terms.players, 0.0)
    for number in range(1, terms.rounds + 1):
        rounds.append(next_round(rounds, gained))
        found = [_games(terms, played + it, results) for it in range(len(rounds[-1].encounters))]
        if any(len(games) < terms.games for games in found):
            return Plan(tuple(rounds), is_complete=False)
        played += len(found)
        _add_points(gained, _unplayed(terms, number, rounds[-1]), found)
    return Plan(tuple(rounds), is_complete=True)


def _of_one_owner(terms: Terms) -> Iterator[frozenset[str]]:
    """Yield each two players whose bots are one owner's."""
    for one, two in combinations(terms.owners, 2):
        if terms.owners[one] == terms.owners[two]:
            yield frozenset((one, two))


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


class _Knockout:
    def __init__(self, terms: Terms, results: Mapping[int, RatedGame]) -> None:
        self.terms, self.results = terms, results
        self.rounds: list[Round] = []
        self.ties: list[Tie] = []
        self.encounters = 0

    def plan(self, stages: knockout.Stages, most_losses: int) -> Plan:
        """Play the stages one after the other, until games are missing."""
        lives = dict.fromkeys(self.terms.players, most_losses)
        reached: dict[str, int] = {}
        stage, number = next(stages), 1
        while True:
            reached.update({name: number for name, left in lives.items() if left})
            ties = self._ties(stage)
            self.ties += ties
            if not all(tie.winner for tie in ties):
                return Plan(tuple(self.rounds), False, tuple(self.ties), reached)  # a field
            for tie in ties:
                lives[tie.players[tie.winner == tie.players[0]]] -= 1
            try:
                stage, number = stages.send({tie.winner for tie in ties if tie.winner}), number + 1
            except StopIteration as end:
                reached[end.value] = number + 1
                return Plan(tuple(self.rounds), True, tuple(self.ties), reached)  # a field

    def _ties(self, stage: knockout.Stage) -> list[Tie]:
        """Add the rounds of a stage, with replays, as far as they were played."""
        meetings = [*map(_Meeting, stage.name, stage.encounters)]
        for attempt in range(1 + self.terms.replays):
            tied = [meeting for meeting in meetings if meeting.is_tied()]
            if not tied:
                break
            seats = slice(None, None, -1 if attempt % 2 else 1)
            paired = tuple(Encounter(*meeting.encounter[seats]) for meeting in tied)
            self.rounds.append(Round(paired, () if attempt else stage.byes))
            for meeting in tied:
                meeting.attempts.append(_games(self.terms, self.encounters, self.results))
                self.encounters += 1
            if any(len(meeting.attempts[-1]) < self.terms.games for meeting in tied):
                break
        return [meeting.tie(self.terms) for meeting in meetings]


def _each_other(terms: Terms) -> int:
    players = len(terms.players)
    return terms.rounds * (players * (players - 1) // 2)


def _by_pairs(terms: Terms) -> int:
    return terms.rounds * (len(terms.players) // 2)


FORMATS: Final = Plugged(
    "formats",
    FormatKind,
    {
        Format.ROUND_ROBIN: FormatKind("Round robin", _round_robin, _each_other),
        Format.DOUBLE_ROUND_ROBIN: FormatKind(
            "Double round robin",
            partial(_round_robin, times=2),
            lambda terms: 2 * _each_other(terms),
        ),
        Format.GAUNTLET: FormatKind(
            "Gauntlet", _gauntlet, lambda terms: terms.rounds * (len(terms.players) - 1)
        ),
        Format.SWISS: FormatKind("Swiss tournament", _swiss, _by_pairs, rounds_for),
        Format.KNOCKOUT: FormatKind(
            "Knockout",
            lambda terms, games: _Knockout(terms, games).plan(knockout.single(terms.players), 1),
            lambda terms: (1 + terms.replays) * (len(terms.players) - 1),
        ),
        Format.DOUBLE_KNOCKOUT: FormatKind(
            "Double knockout",
            lambda terms, games: _Knockout(terms, games).plan(knockout.double(terms.players), 2),
            lambda terms: (1 + terms.replays) * (2 * len(terms.players) - 1),
        ),
        Format.ARENA: FormatKind("Arena", _arena, _by_pairs, rounds_for),
        Format.MATCH: FormatKind("Match", _round_robin, lambda terms: terms.rounds),
    },
)
"""Every format by name."""
