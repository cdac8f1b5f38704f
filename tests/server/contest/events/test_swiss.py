"""Swiss rounds: no avoidable rematch, byes go round, equals meet, seats are balanced."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.server.contest.events.swiss import acceleration, rounds_for, swiss_round
from mancala.server.model.game import Encounter, Round


def all_pairings(names: list[str]) -> list[list[frozenset[str]]]:
    """List every way to pair an even number of players."""
    if not names:
        return [[]]
    one, rest = names[0], names[1:]
    return [
        [frozenset((one, two)), *further]
        for two in rest
        for further in all_pairings([name for name in rest if name != two])
    ]


def met(played: list[Round]) -> Counter[frozenset[str]]:
    """Count who met whom."""
    return Counter(frozenset(pairing) for turn in played for pairing in turn.encounters)


def pairs_of(turn: Round) -> list[str]:
    """Return who meets, whatever the seats, in the order of the boards."""
    return ["".join(sorted(pair)) for pair in turn.encounters]


@given(st.integers(1, 4), st.data())
def test_no_rematch_that_any_pairing_avoids(half: int, data: st.DataObject) -> None:
    """Whatever happened before, the fewest possible rematches are chosen."""
    names = [*"abcdefgh"[: 2 * half]]
    pairs = [Encounter(one, two) for one, two in combinations(names, 2)]
    past = data.draw(st.sets(st.sampled_from(pairs)))
    points = {name: data.draw(st.integers(0, 3)) / 2 for name in names}
    turn = swiss_round(names, [Round(tuple(past))], [{}, points])
    before = {frozenset(pairing) for pairing in past}
    rematches = sum(frozenset(pairing) in before for pairing in turn.encounters)
    assert rematches == min(
        sum(pairing in before for pairing in pairing_of_all)
        for pairing_of_all in all_pairings(names)
    )


@pytest.mark.parametrize("size", [4, 6, 7, 8, 9])
def test_a_long_event_gives_each_one_bye_and_late_rematches(size: int) -> None:
    """In as many rounds as a round robin has, byes go all round; the first half is all new."""
    names = [f"bot{number}" for number in range(size)]
    played: list[Round] = []
    for _ in range(size - 1 + size % 2):
        played.append(swiss_round(names, played, [{}] * (len(played) + 1)))
    byes = Counter(name for turn in played for name in turn.byes)
    assert byes == (dict.fromkeys(names, 1) if size % 2 else {})
    assert max(met(played[: size // 2]).values()) == 1


def test_the_first_round_is_upper_half_against_lower() -> None:
    """By strength: first meets fifth, second meets sixth; the better ones take turns to begin."""
    turn = swiss_round([*"12345678"], [], [{}])
    assert [*map("".join, turn.encounters)] == ["15", "62", "37", "84"]


def test_winners_meet_winners() -> None:
    """In the second round those with equal points meet, and such as had different seats."""
    first = swiss_round([*"12345678"], [], [{}])
    points = dict.fromkeys([*"1234"], 2.0)
    second = swiss_round([*"12345678"], [first], [{}, points])
    assert pairs_of(second) == ["14", "23", "58", "67"]


def test_the_lowest_sits_out_and_not_twice() -> None:
    """Of five the fifth has the first bye; then another."""
    first = swiss_round([*"12345"], [], [{}])
    assert first.byes == ("5",)
    assert swiss_round([*"12345"], [first], [{}, {}]).byes == ("4",)


def test_of_those_with_the_fewest_points_the_bye_goes_to_who_played_most() -> None:
    """Not to the lowest placed, if that one was away before (FIDE C.04.3, C9)."""
    past = Round((Encounter("1", "2"), Encounter("3", "4")))
    assert swiss_round([*"12345"], [past], [{}, {}]).byes == ("4",)
    points = {"4": 1.0}
    assert swiss_round([*"12345"], [past], [{}, points]).byes == ("3",)


def test_a_bye_goes_to_another_rather_than_force_a_rematch() -> None:
    """If without the lowest the others had all met, a higher one sits out."""
    past = Round((Encounter("1", "2"),))
    assert swiss_round([*"123"], [past], [{}, {}]).byes == ("2",)


def test_the_absent_are_not_paired() -> None:
    """Who sits out or has left is not paired; its games still count for its opponents."""
    first = swiss_round([*"1234"], [], [{}])
    turn = swiss_round([*"1234"], [first], [{}, {}], absent={"3"})
    assert {name for pairing in turn.encounters for name in pairing} | {*turn.byes} == {*"124"}


def test_the_same_player_does_not_float_down_twice_in_a_row() -> None:
    """Of two who might float, the one that did not in the round before does."""
    past = [Round((Encounter("3", "4"), Encounter("1", "2")))]
    before = {"1": 1.0, "2": 1.0, "3": 1.0}
    points = {"1": 2.0, "2": 2.0, "3": 2.0, "4": 0.0, "5": 0.0, "6": 0.0}
    assert pairs_of(swiss_round([*"123456"], past, [before, points]))[0] == "13"


def test_no_player_has_one_seat_three_times_in_a_row() -> None:
    """Two that must both move second are not paired, though their points are equal."""
    past = [
        Round((Encounter("1", "5"), Encounter("2", "6"), Encounter("7", "3"), Encounter("8", "4"))),
        Round((Encounter("1", "6"), Encounter("2", "5"), Encounter("7", "4"), Encounter("8", "3"))),
    ]
    points = dict.fromkeys("12", 2.0)
    turn = swiss_round([*"12345678"], past, [{}, {}, points])
    assert "12" not in pairs_of(turn)
    assert not {pair.first for pair in turn.encounters} & {*"1278"}


@given(st.integers(1, 4), st.data())
def test_as_many_as_can_meet_their_equals(half: int, data: st.DataObject) -> None:
    """No pairing without rematches has more pairs in the highest group; then in the next."""
    names = [*"abcdefgh"[: 2 * half]]
    pairs = [Encounter(one, two) for one, two in combinations(names, 2)]
    past = data.draw(st.sets(st.sampled_from(pairs), max_size=half))
    points = {name: float(data.draw(st.integers(0, 2))) for name in names}
    # A round without an encounter keeps all seats open.
    before = {frozenset(pair) for pair in past}
    seatless = [Round((pair, Encounter(*pair[::-1]))) for pair in past]
    legal = [one for one in all_pairings(names) if not before & {*one}]
    if not legal:
        return

    def upper(pairing: list[frozenset[str]]) -> int:
        top = max(points.values())
        return sum(all(points[name] == top for name in pair) for pair in pairing)

    turn = swiss_round(names, seatless, [{}] * len(seatless) + [points])
    chosen = [frozenset(pair) for pair in turn.encounters]
    assert upper(chosen) == max(map(upper, legal))


def test_the_upper_half_is_accelerated() -> None:
    """Nine rounds: three with a point for the upper half, two with half a point (FIDE)."""
    players = [*"123456"]
    bonus = [acceleration(players, number, 9) for number in range(1, 10)]
    assert [each.get("1", 0) for each in bonus] == [1, 1, 1, 0.5, 0.5, 0, 0, 0, 0]
    assert set(bonus[0]) == {*"1234"}


@pytest.mark.parametrize(("players", "rounds"), [(0, 0), (1, 0), (2, 1), (8, 3), (9, 4), (100, 7)])
def test_rounds_single_out_a_winner(players: int, rounds: int) -> None:
    """Enough rounds for one player to win all: the binary logarithm, rounded up."""
    assert rounds_for(players) == rounds
