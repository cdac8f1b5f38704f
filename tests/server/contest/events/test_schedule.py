"""Schedules that are fixed in advance: round robin and gauntlet."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.server.contest.events.schedule import gauntlet, round_robin
from mancala.server.model.game import Encounter, Round

sizes = st.integers(0, 24)


def field(size: int, prefix: str = "bot") -> list[str]:
    """Name some players, the strongest first."""
    return [f"{prefix}{number:02}" for number in range(size)]


def meetings(rounds: list[Round]) -> Counter[frozenset[str]]:
    """Count who meets whom."""
    return Counter(frozenset(pairing) for turn in rounds for pairing in turn.encounters)


def no_player_plays_twice(rounds: list[Round]) -> bool:
    """Return whether no player occurs twice in a round."""
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
    assert len(rounds) == (laps * (size - 1 + size % 2) if size > 1 else 0)


@given(st.integers(0, 6), st.integers(0, 12), st.integers(1, 3))
def test_in_a_gauntlet_challengers_meet_the_field(some: int, many: int, laps: int) -> None:
    """Each challenger meets all of the field, and none of its own side."""
    challengers, others = field(some, "new"), field(many, "old")
    rounds = gauntlet(challengers, others, laps=laps)
    wanted = {frozenset((new, old)): laps for new in challengers for old in others}
    assert meetings(rounds) == wanted
    assert no_player_plays_twice(rounds)


def test_a_name_twice_is_refused() -> None:
    """Two players of one name can't be told apart."""
    with pytest.raises(ValueError, match="named twice: a"):
        round_robin(["a", "b", "a"])
    with pytest.raises(ValueError, match="named twice: a"):
        gauntlet(["a"], ["b", "a"])


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
