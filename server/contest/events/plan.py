"""The plan of an event: which encounters there are, and which come next.

The plan is a function of the terms and the results so far, and of nothing else: not of the order in
which games ended, nor of when. So an event that was interrupted continues exactly where it was, and
ends as it would have. Games are numbered through the whole event; encounter ``k`` has the games
from ``k * games`` on, in the order of rounds and of the encounters in them.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, combinations, zip_longest
from operator import index
from typing import Final, NamedTuple

from mancala.plugins import Plugged, PluginGroup
from mancala.protocol.text import quantity

from ...config.events import Format, TieBreak
from ...model.game import Encounter, RatedGame, Round
from . import schedule
from .arena import Waves
from .dutch import PairingFailedError, paired_here
from .knockout import double, plan_of_stages, single
from .standings import (
    ROUND_ROBIN_TIE_BREAKS,
    SWISS_TIE_BREAKS,
    EventStanding,
    PlayedRound,
    standings,
)
from .swiss import Asked, acceleration, rounds_for, swiss_round
from .terms import HALF_BYE, Attendance, Plan, Terms, Tie, games_of, seats_of
from .trf import PastRound, SwissEvent

__all__ = ["Attendance", "FormatKind", "Plan", "Terms", "Tie"]  # what plug-ins with a format import

BYE: Final = 1.0
"""Points a game of the bye of the player left over in a Swiss round."""

MOST_EVENT_GAMES: Final = 100_000
"""Games of a whole event on a server, all of which are gone through with each result."""


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
    """Return the default rounds: as a Swiss event needs, one lap for formats that have laps.

    Raises:
        PairingFailedError: when the format of a plug-in fails.
    """
    with _guarded(format_):
        return index(FORMATS[format_].rounds(players))


def most_encounters(terms: Terms) -> int:
    """Return the number of encounters of a whole event, with all replays that there may be.

    Raises:
        PairingFailedError: when the format of a plug-in fails.
    """
    with _guarded(terms.format):
        return index(FORMATS[terms.format].encounters(terms))


def problem_of_size(terms: Terms) -> str | None:
    """Return why a server takes no event of such terms; None if it does."""
    is_arena = terms.format is Format.ARENA
    try:
        encounters = len(terms.players) // 2 if is_arena else most_encounters(terms)
    except PairingFailedError as error:
        return str(error)
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

    ``kept`` are the rounds that were paired before: those of a Swiss event stay as they are, and
    what is ``asked`` pairs the others; a plug-in has to return them unchanged.

    Raises:
        PairingFailedError: when another program, or the format of a plug-in, fails.
    """
    if terms.format is Format.SWISS:
        return _swiss(terms, results, kept, asked)
    if terms.format.is_plugged:
        return _plugged(terms, results, kept)
    return FORMATS[terms.format].plan(terms, results)


@contextmanager
def _guarded(format_: Format) -> Iterator[None]:
    """Raise `PairingFailedError` for what the format of a plug-in raises; it stops no server."""
    try:
        yield
    except Exception as error:
        if not format_.is_plugged:
            raise
        words = f"the format {format_} fails: {type(error).__name__}: {error}"
        raise PairingFailedError(words) from error


def _plugged(terms: Terms, results: Mapping[int, RatedGame], kept: Sequence[Round]) -> Plan:
    """Return what a plug-in decides, if that is a plan, in our own types."""
    with _guarded(terms.format):
        found = FORMATS[terms.format].plan(terms, results)
        rounds = tuple(
            Round(tuple(Encounter(*pair) for pair in each.encounters), tuple(each.byes))
            for each in found.rounds
        )
        decided = Plan(rounds, bool(found.is_complete), tuple(found.ties), dict(found.reached))
    problems = (_problem_of_round(terms, number, each) for number, each in enumerate(rounds, 1))
    for problem in chain(problems, _changes(terms, rounds, results, kept)):
        if problem:
            raise PairingFailedError(f"the format {terms.format} fails: it {problem}")
    return decided


def _changes(
    terms: Terms, rounds: Sequence[Round], results: Mapping[int, RatedGame], kept: Sequence[Round]
) -> Iterator[str]:
    """Yield what is not as it was paired or played; a game is known by its number alone."""
    for number, (now, was) in enumerate(zip_longest(rounds[: len(kept)], kept), start=1):
        if now != was:
            yield f"changes round {number}, which was paired before"
    encounters = [*chain.from_iterable(each.encounters for each in rounds)]
    for number, game in results.items():
        place = number // terms.games
        paired = encounters[place : place + 1]
        if game.players not in [seats_of(it, terms.games, number) for it in paired]:
            yield f"has others play game {number + 1}, which {' and '.join(game.players)} played"


def _problem_of_round(terms: Terms, number: int, paired: Round) -> str | None:
    names = [*chain.from_iterable(paired.encounters), *paired.byes]
    if not names:
        return f"pairs no one in round {number}"
    for name in names:
        if name not in terms.players:
            return f"has {name}, who is no player"
    for one, two in paired.encounters:
        if one == two:
            return f"lets {one} meet itself"
    twice = [name for name, times in Counter(names).items() if times > 1]
    return f"has {twice[0]} twice in round {number}" if twice else None


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
        is_over = all(len(games_of(terms, place, results)) == terms.games for place in places)
        unplayed = _unplayed(terms, number, each) if is_over else {}
        games = tuple(games_of(terms, place, counting) for place in places)
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
        paired = next_round(rounds, gained)
        rounds.append(paired)
        found = [games_of(terms, played + it, results) for it in range(len(paired.encounters))]
        if any(len(games) < terms.games for games in found):
            return Plan(tuple(rounds), is_complete=False)
        played += len(found)
        _add_points(gained, _unplayed(terms, number, paired), found)
    return Plan(tuple(rounds), is_complete=True)


def _of_one_owner(terms: Terms) -> Iterator[frozenset[str]]:
    for one, two in combinations(terms.owners, 2):
        if terms.owners[one] == terms.owners[two]:
            yield frozenset((one, two))


def _each_other(terms: Terms) -> int:
    players = len(terms.players)
    return terms.rounds * (players * (players - 1) // 2)


def _by_pairs(terms: Terms) -> int:
    return terms.rounds * (len(terms.players) // 2)


FORMATS: Final = Plugged(
    PluginGroup.FORMATS,
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
            lambda terms, games: plan_of_stages(terms, games, single(terms.players), 1),
            lambda terms: (1 + terms.replays) * (len(terms.players) - 1),
        ),
        Format.DOUBLE_KNOCKOUT: FormatKind(
            "Double knockout",
            lambda terms, games: plan_of_stages(terms, games, double(terms.players), 2),
            lambda terms: (1 + terms.replays) * (2 * len(terms.players) - 1),
        ),
        Format.ARENA: FormatKind("Arena", _arena, _by_pairs, rounds_for),
        Format.MATCH: FormatKind("Match", _round_robin, lambda terms: terms.rounds),
    },
)
"""Every format by name."""
