"""Rounds that are paired once, and the hash of what they follow from."""

from random import Random

import pytest
from msgspec.structs import replace

from mancala.server.config.events import Format
from mancala.server.contest.events.entry import Entrants, after_round, entered, withdrawn
from mancala.server.contest.events.lifecycle import EventState, Phase
from mancala.server.contest.events.pairings import (
    PairedRound,
    Regulations,
    forfeited,
    missing,
    pair,
)
from mancala.server.contest.events.plan import plan, table_of, usual_rounds
from mancala.server.contest.events.terms import seats_of
from mancala.server.model.contests import EntrantRow
from mancala.server.model.game import Encounter, Forfeit, RatedGame
from tests.seeds import seed

Games = dict[int, RatedGame]


def field(count: int) -> Entrants:
    return tuple(EntrantRow.entering(f"p{number}") for number in range(count))


def regulations(format_: Format, count: int, games: int = 2) -> Regulations:
    return Regulations(format_, games, usual_rounds(format_, count), seed=1, replays=1)


def play(paired: PairedRound, games: int, results: Games, rng: Random) -> None:
    for place, numbers in missing(paired, games, results).items():
        for number in numbers:
            seats = seats_of(paired.round.encounters[place], games, number)
            results[number] = RatedGame(*seats, rng.choice((0, 1, None)), rng.randint(-9, 9))


def paired_round(held: Regulations, entrants: Entrants, results: Games, number: int) -> PairedRound:
    found = pair(held.terms(entrants), results, number)
    assert found is not None
    return found


def test_a_swiss_event_that_all_have_left_has_no_further_round() -> None:
    """A round without a player would be announced, and be gone after a restart."""
    held, entrants, results = regulations(Format.SWISS, 4), field(4), Games()
    play(paired_round(held, entrants, results, 1), 2, results, Random(1))
    for each in entrants:
        entrants = withdrawn(entrants, Phase(EventState.PLAYING, 1), each.name)
    assert pair(held.terms(entrants), results, 2) is None


@pytest.mark.parametrize("format_", [it for it in Format if it is not Format.MATCH])
@pytest.mark.parametrize("games", [1, 2, 4])
def test_rounds_paired_one_by_one_are_those_of_the_plan(format_: Format, games: int) -> None:
    """And pairing a round again, later, gives the same round and the same hash."""
    held, entrants, results = regulations(format_, 7, games), field(7), Games()
    rounds: list[PairedRound] = []
    rng = Random(7)
    while (paired := pair(held.terms(entrants), results, len(rounds) + 1)) is not None:
        rounds.append(paired)
        play(paired, games, results, rng)
    whole = plan(held.terms(entrants), results)
    assert [each.round for each in rounds] == [*whole.rounds]
    again = [paired_round(held, entrants, results, each.number) for each in rounds]
    assert again == rounds
    assert pair(held.terms(entrants), results, len(rounds) + 1) is None
    assert len({each.inputs for each in rounds}) == len(rounds)


def test_a_round_is_not_paired_before_the_one_before_it_is_over() -> None:
    """Its results decide who meets."""
    held = regulations(Format.SWISS, 8)
    assert pair(held.terms(field(8)), {}, 1) is not None
    assert pair(held.terms(field(8)), {}, 2) is None


def test_the_hash_follows_from_entrants_results_and_seed() -> None:
    """Each of them changes it; results of later rounds do not."""
    held, entrants, results = regulations(Format.SWISS, 8), field(8), Games()
    first = paired_round(held, entrants, results, 1)
    play(first, 2, results, Random(1))
    second = paired_round(held, entrants, results, 2)
    other = {**results, 0: RatedGame(*results[0].players, results[0].winner, 40)}
    hashes = {
        second.inputs,
        paired_round(held, entrants, other, 2).inputs,
        paired_round(replace(held, seed=2), entrants, results, 2).inputs,
        paired_round(held, (*entrants, EntrantRow.entering("late", 2)), results, 2).inputs,
    }
    assert len(hashes) == 4
    assert paired_round(held, entrants, results, 1).inputs == first.inputs
    addressed, numbered, unowned = (
        paired_round(held, tuple(it._replace(owner=owner) for it in entrants), {}, 1).inputs
        for owner in ("192.0.2.1", "1", "")
    )
    assert addressed == numbered != unowned


@pytest.mark.parametrize("draw", range(20))
def test_late_entries_and_withdrawals_leave_the_rounds_before_them_as_they_were(draw: int) -> None:
    """Who comes or goes changes no pairing that was played."""
    rng = Random(f"{seed()} {draw}")
    held, entrants, results = replace(regulations(Format.SWISS, 9), rounds=5), field(9), Games()
    rounds: list[PairedRound] = []
    for number in range(1, 6):
        rounds.append(paired_round(held, entrants, results, number))
        play(rounds[-1], 2, results, rng)
        phase = Phase(EventState.PLAYING, number)
        here = [each.name for each in entrants if not each.has_withdrawn]
        if rng.random() < 0.5:
            entrants = withdrawn(entrants, phase, rng.choice(here))
        if rng.random() < 0.5 and number < 5:
            name = f"late{number}"
            entrants = entered(entrants, phase, name, format_=Format.SWISS, late_until=5)
        absent = {rng.choice(sorted(rounds[-1].names))}
        entrants = after_round(entrants, number, rounds[-1].names, absent)
        final = plan(held.terms(entrants), results).rounds[:number]
        assert [each.round for each in rounds] == [*final]


def test_two_meet_by_order_unless_one_of_them_is_gone() -> None:
    """In the round that was ordered; then the other one is paired as usual."""
    entrants = tuple(
        each._replace(meets="2:p3") if each.name == "p0" else each for each in field(4)
    )
    held = regulations(Format.SWISS, 4)
    assert held.terms(entrants).meetings == ((2, "p0", "p3"),)
    gone = withdrawn(entrants, Phase(EventState.DRAFT), "p3")
    assert held.terms(gone).meetings == ()


def test_missing_games_are_listed_by_encounter_of_the_round() -> None:
    """Those of other rounds are not this round's."""
    held, entrants, results = regulations(Format.ROUND_ROBIN, 4), field(4), Games()
    play(paired_round(held, entrants, results, 1), 2, results, Random(3))
    second = paired_round(held, entrants, results, 2)
    assert missing(second, 2, results) == {0: [4, 5], 1: [6, 7]}
    results[4] = RatedGame("p0", "p1", 0)
    assert missing(second, 2, results) == {0: [5], 1: [6, 7]}


def test_seats_alternate_within_an_encounter() -> None:
    """Whatever the number of games is, the first-named moves first in the first one."""
    encounter = Encounter("ann", "bob")
    assert [seats_of(encounter, 3, number)[0] for number in range(3, 6)] == ["ann", "bob", "ann"]
    assert seats_of(encounter, 1, 5) == ("ann", "bob")


def test_who_is_absent_loses() -> None:
    """In either seat."""
    assert forfeited(("ann", "bob"), {"ann"}).winner == 1
    assert forfeited(("ann", "bob"), {"bob", "cat"}).winner == 0


def test_two_absent_players_both_lose() -> None:
    """Neither gets a point in the table."""
    game = forfeited(("ann", "bob"), {"ann", "bob"})
    assert isinstance(game, Forfeit)
    held = Regulations(Format.MATCH, 1, 1)
    terms = held.terms((EntrantRow.entering("ann"), EntrantRow.entering("bob")))
    rows = table_of(terms, plan(terms, {0: game}).rounds, {0: game}, (), reached={})
    assert [(row.points, row.draws, row.losses) for row in rows] == [(0, 0, 1), (0, 0, 1)]


def test_a_knockout_goes_on_when_both_are_absent() -> None:
    """The lot decides after the replays, as in every tie; it brings no points."""
    held, entrants, results = regulations(Format.KNOCKOUT, 4), field(4), Games()
    terms = held.terms(entrants)
    number = 1
    while (paired := pair(terms, results, number)) is not None:
        for place, numbers in missing(paired, 2, results).items():
            for game in numbers:
                seats = seats_of(paired.round.encounters[place], 2, game)
                absent = {"p1", "p2"} if {*seats} == {"p1", "p2"} else {seats[0]}
                results[game] = forfeited(seats, absent)
        number += 1
    tie = next(it for it in plan(terms, results).ties if {*it.players} == {"p1", "p2"})
    assert (tie.points, tie.decided_by) == ((0.0, 0.0), "lot")
