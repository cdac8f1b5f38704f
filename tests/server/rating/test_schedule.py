"""Plans of events: round robin, gauntlet and knockout."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.model.game import Encounter, Game, Round
from server.rating.schedule import (
    bracket,
    gauntlet,
    knockout_round,
    next_bracket,
    round_robin,
    winner,
)

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


@pytest.mark.parametrize("plan", [round_robin, bracket])
def test_a_name_twice_is_refused(plan: object) -> None:
    """Two players of one name can't be told apart."""
    assert callable(plan)
    with pytest.raises(ValueError, match="named twice: a"):
        plan(["a", "b", "a"])
    with pytest.raises(ValueError, match="named twice: a"):
        gauntlet(["a"], ["b", "a"])


def test_the_strongest_meet_last() -> None:
    """In a bracket of eight, first plays eighth, and first and second are in different halves."""
    assert bracket([*"12345678"]) == ("1", "8", "4", "5", "2", "7", "3", "6")


@given(st.integers(1, 40))
def test_if_the_stronger_always_wins_the_final_is_first_against_second(size: int) -> None:
    """Byes go to the strongest, everyone but the champion loses once, and places are fair."""
    players = field(size)
    places, lost = bracket(players), Counter[str]()
    first_byes = knockout_round(places).byes
    assert list(first_byes) == [name for name in places if name in players[: len(first_byes)]]
    while len(places) > 1:
        turn = knockout_round(places)
        if len(places) == 2:
            assert turn.encounters == (Encounter(*players[:2]),)
        lost.update(max(pairing) for pairing in turn.encounters)
        places = next_bracket(places, {min(pairing) for pairing in turn.encounters})
    assert places == next_bracket(places, set()) == (players[0],)
    assert lost == dict.fromkeys(players[1:], 1)


def test_an_encounter_without_one_winner_stops_the_knockout() -> None:
    """An encounter has exactly one winner."""
    for winners in [set[str](), {"a", "b"}]:
        with pytest.raises(ValueError, match="one winner"):
            next_bracket(("a", "b"), winners)


def test_no_players_make_an_empty_knockout() -> None:
    """Without players there is nothing to play."""
    assert knockout_round(bracket([])) == Round(())


@pytest.mark.parametrize(
    ("games", "best"),
    [
        ([Game("a", "b", 0, 2), Game("b", "a", 0, 30)], "b"),
        ([Game("a", "b", 0, 2), Game("b", "a", None, 0)], "a"),
        ([Game("a", "b", None), Game("b", "a", None)], "a"),
        ([Game("a", "b", 0, 4), Game("b", "a", 0, 4)], "a"),
        ([], "a"),
    ],
)
def test_a_drawn_encounter_goes_by_margin_then_by_seed(games: list[Game], best: str) -> None:
    """Points decide; if equal, seeds; if still equal, the better seeded goes on."""
    assert winner(Encounter("b", "a"), games, seeds=["a", "b"]) == best


def test_other_players_games_decide_nothing() -> None:
    """A game of other players is refused."""
    with pytest.raises(ValueError, match="no game of"):
        winner(Encounter("a", "b"), [Game("a", "c", 0)], ["a", "b"])
