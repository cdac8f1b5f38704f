"""Drill: simulated events of all formats break no rule of pairing.

    python -m tests.drills.pairings --events 1000

Swiss events of 5 to 60 players, with late entries, withdrawals, byes, acceleration, players that
are away when rounds are paired and such that vanish after that; arenas of 5 to 64 with absences;
knockouts, double knockouts and double round robins of 2 to 64. Results are drawn by strength. Each
round is planned from the results alone, as after a kill. It fails when a rule is broken.
"""

import random
from collections import Counter, defaultdict
from itertools import chain, combinations, pairwise
from typing import Annotated, Final

import typer

from mancala.server.config.events import Format
from mancala.server.contest.events.pairings import forfeited
from mancala.server.contest.events.plan import plan, played_rounds, table_of, usual_rounds
from mancala.server.contest.events.standings import SWISS_TIE_BREAKS, PlayedRound
from mancala.server.contest.events.terms import Attendance, Plan, Terms
from mancala.server.model.game import Encounter, Forfeit, RatedGame
from tests.drills.report import DrillReport, SeedOption, command_line

FEWEST, MOST = 5, 60
"""Players of a Swiss event."""
OTHERS: Final = (Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT, Format.DOUBLE_ROUND_ROBIN)
MOST_OTHERS: Final = 64
ELO_A_PLACE: Final = 8
VANISHES: Final = 0.02
"""The share of players of a Swiss round that vanish after it was paired."""
Games = dict[int, RatedGame]


def drill(
    events: Annotated[int, typer.Option(min=1, help="Number of Swiss events.")] = 1000,
    seed: SeedOption = 1,
    most: int = MOST,
) -> DrillReport:
    """Simulate events of all formats and hold them to the rules of pairing."""
    broken: Counter[str] = Counter()
    rng = random.Random(seed)
    players = games = 0
    for _ in range(events):
        terms = swiss_terms(rng, rng.randint(FEWEST, most))
        decided, played = _played(terms, rng)
        players += len(terms.players)
        games += len(played)
        broken.update(_broken_by_swiss(terms, decided, played))
    for _ in range(max(1, events // 10)):
        terms = _arena_terms(rng, rng.randint(FEWEST, MOST_OTHERS))
        decided, played = _played(terms, rng)
        games += len(played)
        broken.update(_broken_by_arena(terms, decided, played))
    for format_ in OTHERS:
        for _ in range(max(1, events // 10)):
            names = _names(rng.randint(2, MOST_OTHERS))
            terms = Terms(format_, names, 2, 1, rng.randrange(1000), replays=rng.randint(0, 2))
            decided, played = _played(terms, rng)
            games += len(played)
            broken.update(_broken_by_others(terms, decided))
    rules = (
        "all_present_are_seated_once",
        "no_two_meet_twice",
        "no_second_bye",
        "seats_are_balanced",
        "no_two_meet_in_two_waves_in_a_row",
        "rests_go_round",
        "points_equal_a_recount",
        "no_points_for_a_round_away",
        "points_without_play_are_those_of_the_table",
        "no_bye_after_points_without_play",
        "one_champion_and_no_life_too_many",
        "all_meet_twice_with_seats_swapped",
    )
    figures = {"swiss_events": events, "players": players, "games": games}
    return DrillReport("pairings", seed, figures, {rule: not broken[rule] for rule in rules})


def _names(size: int) -> tuple[str, ...]:
    return tuple(f"p{number:03}" for number in range(size))


def swiss_terms(rng: random.Random, size: int) -> Terms:
    """Draw an event in which players of whom each meets fewer than half of those present."""
    rounds = min(usual_rounds(Format.SWISS, size) + rng.randint(0, 2), max(2, size // 3))
    names, absent = _attendance(rng, size, size // 5, rounds)
    accelerated = rng.random() < 0.3  # some are
    return Terms(Format.SWISS, names, 2, rounds, accelerated=accelerated, attendance=absent)


def _arena_terms(rng: random.Random, size: int) -> Terms:
    """Draw an arena in which at least four players are there in each wave."""
    rounds = rng.randint(2, 30)
    names, absent = _attendance(rng, size, min(size // 5, size - 4), rounds, has_byes=False)
    return Terms(Format.ARENA, names, 2, rounds, attendance=absent)


def _attendance(
    rng: random.Random, size: int, absent: int, rounds: int, *, has_byes: bool = True
) -> tuple[tuple[str, ...], dict[str, Attendance]]:
    """Draw when some of as many players are not there; return all names, and that."""
    names, drawn = _names(size), dict[str, Attendance]()
    for name in rng.sample(names, absent):
        first = rng.randint(1, rounds)
        kinds = [
            Attendance(joins=rng.randint(2, rounds)),
            Attendance(leaves=rng.randint(1, rounds - 1)),
            Attendance(away=((first, rng.randint(first, rounds)),)),
            Attendance(byes=(rng.randint(1, rounds),)),
        ]
        drawn[name] = rng.choice(kinds if has_byes else kinds[:-1])
    return names, drawn


def result_of(terms: Terms, seats: tuple[str, str], rng: random.Random) -> RatedGame:
    one, two = seats
    ahead = ELO_A_PLACE * (terms.players.index(two) - terms.players.index(one))
    wins = 1 / (1 + 10 ** (-ahead / 400))
    winner = rng.choices((0, 1, None), (wins, 1 - wins, 0.3))[0]
    return RatedGame(one, two, winner, rng.randint(-9, 9))


def _played(terms: Terms, rng: random.Random) -> tuple[Plan, Games]:
    played: Games = {}
    vanished: set[str] = set()
    while True:
        decided = plan(terms, played)
        pairs = [pair for each in decided.rounds for pair in each.encounters]
        seats = [(pair, pair[::-1])[leg] for pair in pairs for leg in range(terms.games)]
        if len(seats) == len(played):
            return decided, played
        for number in range(len(played), len(seats)):
            one, two = seats[number]
            if number % terms.games == 0:
                vanished = {name for name in (one, two) if rng.random() < VANISHES}
            if vanished and terms.format is Format.SWISS:
                played[number] = forfeited((one, two), vanished)
                continue
            played[number] = result_of(terms, (one, two), rng)


def _broken_by_swiss(terms: Terms, decided: Plan, played: Games) -> set[str]:
    broken = _broken_by_scores(terms, decided, played)
    met: Counter[frozenset[str]] = Counter()
    byes: Counter[str] = Counter()
    free: Counter[str] = Counter()
    seats: dict[str, list[int]] = {name: [] for name in terms.players}
    top = _top_scorers(terms, decided, played)
    for each, wins in zip(decided.rounds, _won_by_absence(terms, decided, played), strict=True):
        if any(byes[name] + free[name] for name in each.byes):
            broken.add("no_bye_after_points_without_play")
        byes.update(each.byes)
        for pair in each.encounters:
            if wins[pair] is not None:
                free.update(wins[pair] or ())
                continue
            met[frozenset(pair)] += 1
            if each is decided.rounds[-1] and top.intersection(pair):
                continue  # may have any seats (FIDE C.04.3, C3)
            for seat, name in enumerate(pair):
                seats[name].append(seat)
    if max(met.values()) > 1:
        broken.add("no_two_meet_twice")
    if max(byes.values(), default=0) > 1:
        broken.add("no_second_bye")
    if any(map(_is_unbalanced, seats.values())):
        broken.add("seats_are_balanced")
    return broken


def _top_scorers(terms: Terms, decided: Plan, played: Games) -> set[str]:
    before = played_rounds(terms, decided.rounds, played)[:-1]
    gained = [_gained(each) for each in before]
    most = terms.games * len(before)
    return {name for name in terms.players if 2 * sum(each[name] for each in gained) > most}


def _won_by_absence(
    terms: Terms, decided: Plan, played: Games
) -> list[dict[Encounter, set[str] | None]]:
    """Return who won each encounter of each round by absence; None for one that was played."""
    games = iter(played[number] for number in range(len(played)))
    found: list[dict[Encounter, set[str] | None]] = []
    for each in decided.rounds:
        found.append({})
        for pair in each.encounters:
            its = [next(games) for _ in range(terms.games)]
            is_free = all(isinstance(game, Forfeit) for game in its)
            wins = {game.players[game.winner] for game in its if game.winner is not None}
            found[-1][pair] = wins if is_free else None
    return found


def _gained(played: PlayedRound) -> defaultdict[str, float]:
    gained = defaultdict[str, float](float, played.unplayed)
    for game in chain.from_iterable(played.encounters):
        for seat, name in enumerate(game.players):
            gained[name] += game.points(seat)
    return gained


def _broken_by_points(terms: Terms, decided: Plan, played: Games) -> set[str]:
    """Return what is broken of the table of points without play, recounted round by round."""
    broken = set()
    rounds = played_rounds(terms, decided.rounds, played)
    is_swiss = terms.format is Format.SWISS
    for number, (paired, each) in enumerate(zip(decided.rounds, rounds, strict=True), start=1):
        gained = _gained(each)
        for name, it in terms.attendance.items():
            is_away = any(first <= number <= last for first, last in it.away)
            has_left = bool(it.leaves) and number > it.leaves
            is_half = is_swiss and (number < it.joins or number in it.byes)
            due = 0.5 * terms.games * is_half
            if is_away and gained[name]:
                broken.add("no_points_for_a_round_away")
            if (is_away or has_left or is_half) and gained[name] != due * (not is_away):
                broken.add("points_without_play_are_those_of_the_table")
        if any(gained[name] != terms.games / (2 - is_swiss) for name in paired.byes):
            broken.add("points_without_play_are_those_of_the_table")
    return broken


def _broken_by_arena(terms: Terms, decided: Plan, played: Games) -> set[str]:
    broken = _broken_by_scores(terms, decided, played)
    met = [{*map(frozenset, each.encounters)} for each in decided.rounds]
    if any(one & two for one, two in pairwise(met)):
        broken.add("no_two_meet_in_two_waves_in_a_row")
    since: dict[str, int] = {}  # by player, the first wave since its last rest
    for number, each in enumerate(decided.rounds, start=1):
        there = {name for pair in each.encounters for name in pair} | {*each.byes}
        longest = min(since.get(name, number) for name in there)
        if any(since.get(name, number) > longest for name in each.byes):
            broken.add("rests_go_round")
        since = {name: since.get(name, number) for name in there - {*each.byes}}
    return broken


def _broken_by_scores(terms: Terms, decided: Plan, played: Games) -> set[str]:
    """Return what is broken of what holds wherever rounds are paired by points."""
    broken = _broken_by_points(terms, decided, played)
    for number, each in enumerate(decided.rounds, start=1):
        absent = {name for name, it in terms.attendance.items() if it.points(number) is not None}
        seated = [name for pair in each.encounters for name in pair]
        if sorted([*seated, *each.byes, *absent]) != sorted(terms.players):
            broken.add("all_present_are_seated_once")
    rounds = played_rounds(terms, decided.rounds, played)
    rows = table_of(terms, decided.rounds, played, SWISS_TIE_BREAKS, reached={})
    unplayed = sum(sum(each.unplayed.values()) for each in rounds)
    brought = sum(game.points(0) + game.points(1) for game in played.values())
    if sum(row.points for row in rows) != brought + unplayed:
        broken.add("points_equal_a_recount")
    return broken


def _is_unbalanced(seats: list[int]) -> bool:
    balance = len(seats) - 2 * sum(seats)
    rows = zip(seats, seats[1:], seats[2:], strict=False)
    return abs(balance) > 2 or any(one == two == three for one, two, three in rows)  # FIDE's bound


def _broken_by_others(terms: Terms, decided: Plan) -> set[str]:
    if terms.format is Format.DOUBLE_ROUND_ROBIN:
        pairs = Counter(pair for each in decided.rounds for pair in each.encounters)
        wanted = [*combinations(terms.players, 2)]
        once = len(pairs) == 2 * len(wanted) and set(pairs.values()) == {1}
        return set() if once else {"all_meet_twice_with_seats_swapped"}
    lives = 2 if terms.format is Format.DOUBLE_KNOCKOUT else 1
    lost = Counter(name for tie in decided.ties for name in tie.players if name != tie.winner)
    champion = decided.ties[-1].winner
    others = {name: lost[name] for name in terms.players if name != champion}
    is_fair = set(others.values()) == {lives} and lost[champion or ""] < lives
    return set() if is_fair else {"one_champion_and_no_life_too_many"}


if __name__ == "__main__":
    command_line(drill)
