"""Whom an arena pairs in its waves, who rests, and what that is worth."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from msgspec.structs import replace

from mancala.server.config.events import Format
from mancala.server.contest.events.arena import Waves
from mancala.server.contest.events.plan import plan, table_of
from mancala.server.contest.events.terms import Attendance, Plan, Terms
from mancala.server.model.game import RatedGame, Round


def named(count: int) -> list[str]:
    return [f"p{number:02}" for number in range(count)]


def waves(players: int, count: int, seed: int) -> list[Round]:
    rng, arena, order = Random(seed), Waves(), named(players)
    return [arena.pair(rng.sample(order, players)) for _ in range(count)]


def held(players: int, rounds: int, **attendance: Attendance) -> Terms:
    return Terms(Format.ARENA, tuple(named(players)), 2, rounds, attendance=attendance)


def won_by_seeding(terms: Terms) -> tuple[Plan, dict[int, RatedGame]]:
    played: dict[int, RatedGame] = {}
    while True:
        decided = plan(terms, played)
        pairs = [pair for each in decided.rounds for pair in each.encounters]
        seats = [(pair, pair[::-1])[leg] for pair in pairs for leg in range(terms.games)]
        if len(seats) == len(played):
            return decided, played
        played |= {
            number: RatedGame(one, two, int(two < one))
            for number, (one, two) in enumerate(seats)
            if number not in played
        }


@pytest.mark.parametrize("players", [2, 3, 4, 5, 8, 13])
def test_each_wave_seats_everyone_once_and_one_of_an_odd_number_rests(players: int) -> None:
    """So no player is in two encounters at a time."""
    for wave in waves(players, 40, seed=players):
        seated = [name for encounter in wave.encounters for name in encounter]
        assert sorted([*seated, *wave.byes]) == named(players)
        assert len(wave.byes) == players % 2


@pytest.mark.parametrize("players", [4, 5, 6, 9, 16])
def test_no_two_meet_in_two_waves_in_a_row(players: int) -> None:
    """However the order changes, as long as four are paired."""
    met = [{*map(frozenset, wave.encounters)} for wave in waves(players, 60, seed=players)]
    assert not any(one & two for one, two in pairwise(met))


@pytest.mark.parametrize("players", [3, 5, 9])
def test_rests_go_round(players: int) -> None:
    """No one rests again before all others have."""
    rests = Counter(name for wave in waves(players, 4 * players, seed=7) for name in wave.byes)
    assert rests == dict.fromkeys(named(players), 4)


def test_the_lowest_placed_rests_first() -> None:
    """While all have played equally long."""
    assert Waves().pair(["a", "b", "c", "d", "e"]).byes == ("e",)


def test_seats_stay_level() -> None:
    """Over many waves no player begins much more often than it does not."""
    balance: Counter[str] = Counter()
    for wave in waves(10, 50, seed=3):
        for first, second in wave.encounters:
            balance[first] += 1
            balance[second] -= 1
            assert max(map(abs, balance.values())) <= 3
    assert sum(balance.values()) == 0


def test_who_moves_first_follows_from_the_waves_before() -> None:
    """Who began less often; else who did not begin last; else the better placed in odd waves."""
    arena = Waves()
    assert arena.pair(["a", "b", "c", "d"]).encounters == (("a", "b"), ("c", "d"))
    assert arena.pair(["a", "c", "b", "d"]).encounters == (("c", "a"), ("d", "b"))
    assert arena.pair(["d", "a", "c", "b"]).encounters == (("a", "d"), ("b", "c"))


def test_neighbours_meet_and_an_earlier_encounter_counts_as_three_places() -> None:
    """After b, c and d the leader meets b again, not e: both are three places away; then e."""
    arena, order = Waves(), ["a", "b", "c", "d", "e", "f", "g", "h"]
    opponents = []
    for _ in range(5):
        wave = arena.pair(order)
        [pair] = (pair for pair in wave.encounters if "a" in pair)
        opponents.append(next(name for name in pair if name != "a"))
    assert opponents == ["b", "c", "d", "b", "e"]


def test_of_two_who_would_cost_the_same_the_better_placed_is_met() -> None:
    """Who is new moves first before one that did not move last; it has not begun last."""
    arena = Waves()
    for other in "bcbddcfe":
        arena.pair(["a", other])
    assert arena.pair([*"abcdef"]).encounters[0] in {("a", "b"), ("b", "a")}
    again = Waves()
    for _ in range(2):
        again.pair(["x", "z"])
    assert again.pair(["y", "x"]).encounters == (("x", "y"),)


def test_who_is_alone_is_not_paired() -> None:
    """A wave of fewer than two is empty, so the arena is over."""
    assert Waves().pair(["a"]) == Waves().pair([]) == Round(())


def test_a_win_is_one_point_and_a_rest_half_a_point_a_game() -> None:
    """Wins in a row bring no more; the table adds up."""
    terms = held(3, 6)
    decided, played = won_by_seeding(terms)
    assert decided.is_complete
    rows = table_of(terms, decided.rounds, played, (), reached={})
    assert {row.name: row.points for row in rows} == {"p00": 10.0, "p01": 6.0, "p02": 2.0}


def test_who_comes_late_has_nothing_for_the_waves_before() -> None:
    """It is paired from its wave on, and who left is paired no more."""
    terms = held(5, 6, p00=Attendance(joins=3), p04=Attendance(leaves=2))
    decided, played = won_by_seeding(terms)
    there = [
        {*(name for pair in each.encounters for name in pair), *each.byes}
        for each in decided.rounds
    ]
    assert there == [{*named(5)[1:]}] * 2 + [{*named(4)}] * 4
    rows = table_of(terms, decided.rounds, played, (), reached={})
    assert [row.points for row in rows if row.name == "p00"] == [8.0]


def test_waves_are_a_function_of_the_results() -> None:
    """Read again after a kill, each wave is the same; a player who enters later changes none."""
    terms = held(6, 8)
    decided, played = won_by_seeding(terms)
    assert plan(terms, dict(reversed(played.items()))).rounds == decided.rounds
    more = replace(terms, players=(*terms.players, "p06"), attendance={"p06": Attendance(joins=5)})
    assert plan(more, played).rounds[:4] == decided.rounds[:4]


def test_an_arena_has_no_byes_that_are_asked_for_and_no_acceleration() -> None:
    """These are terms of Swiss events."""
    with pytest.raises(ValueError, match="only a Swiss event has acceleration, and byes"):
        held(4, 3, p00=Attendance(byes=(1,)))
    with pytest.raises(ValueError, match="only a Swiss event has acceleration, and byes"):
        replace(held(4, 3), accelerated=True)
