"""Schedules that are fixed in advance: round robin and gauntlet."""

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from mancala.server.contest.events.schedule import gauntlet, round_robin
from mancala.server.model.game import Encounter, Round

sizes = st.integers(2, 24)


def field(size: int) -> list[str]:
    return [f"bot{number:02}" for number in range(size)]


def meetings(rounds: list[Round]) -> Counter[frozenset[str]]:
    return Counter(frozenset(pairing) for turn in rounds for pairing in turn.encounters)


def no_player_plays_twice(rounds: list[Round]) -> bool:
    seated = [[name for pairing in turn.encounters for name in pairing] for turn in rounds]
    return all(len(names) == len(set(names)) for names in seated)


def test_an_encounter_is_two_games_with_the_seats_swapped() -> None:
    """Each of the two moves first once."""
    assert Encounter("a", "b").games == (("a", "b"), ("b", "a"))


@given(sizes, st.integers(1, 3))
def test_in_a_round_robin_everyone_meets_everyone_once_a_lap(size: int, laps: int) -> None:
    """No meeting is missing or superfluous, no one is in two places, no round is wasted."""
    players = field(size)
    rounds = round_robin(players, laps=laps)
    assert meetings(rounds) == {frozenset(two): laps for two in combinations(players, 2)}
    assert no_player_plays_twice(rounds)
    assert len(rounds) == laps * (size - 1 + size % 2)


@given(st.integers(1, 12), st.integers(1, 3))
def test_in_a_gauntlet_a_challenger_meets_the_others(many: int, laps: int) -> None:
    """One after the other, once a lap."""
    others = field(many)
    met = [pair for turn in gauntlet("new", others, laps=laps) for pair in turn.encounters]
    assert met == laps * [("new", other) for other in others]


def test_six_players_follow_the_berger_table() -> None:
    """The table of FIDE's handbook for six players, round by round and seat by seat."""
    rounds = [" ".join(map("".join, each.encounters)) for each in round_robin([*"123456"])]
    assert rounds == ["16 25 34", "64 53 12", "26 31 45", "65 14 23", "36 42 51"]


@given(sizes)
def test_a_second_lap_swaps_the_seats(size: int) -> None:
    """Who moved first in an encounter's first game moves second in the other lap's."""
    rounds = round_robin(field(size), laps=2)
    half = len(rounds) // 2
    assert [[pair[::-1] for pair in each.encounters] for each in rounds[:half]] == [
        [*map(tuple, each.encounters)] for each in rounds[half:]
    ]
