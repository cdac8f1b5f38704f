"""Swiss rounds: no avoidable rematch, byes go round, equals meet."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.model.game import Encounter, Round
from server.rating.swiss import rounds_for, swiss_round


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


def play(turn: Round, points: dict[str, float], chance: st.DataObject) -> None:
    """Return random results of a round; a bye brings both points."""
    for one, two in turn.encounters:
        won = chance.draw(st.sampled_from([0, 0.5, 1, 1.5, 2]))
        points[one] += won
        points[two] += 2 - won
    for name in turn.byes:
        points[name] += 2


@given(st.integers(2, 16), st.integers(1, 6), st.data())
def test_a_whole_event_keeps_the_wishes(size: int, rounds: int, data: st.DataObject) -> None:
    """All play each round but one with a bye, which goes round; rematches only when all met."""
    names = [f"bot{number:02}" for number in range(size)]
    points = dict.fromkeys(names, 0.0)
    played: list[Round] = []
    for _ in range(rounds):
        order = sorted(names, key=lambda name: (-points[name], name))
        turn = swiss_round(order, points, played)
        seated = [name for pairing in turn.encounters for name in pairing]
        assert sorted([*seated, *turn.byes]) == names
        assert len(turn.byes) == size % 2
        played.append(turn)
        play(turn, points, data)
    byes = Counter(name for turn in played for name in turn.byes)
    assert max(byes.values(), default=0) <= -(-rounds // size)
    if rounds <= size // 2:
        # Each player has met fewer than half of the others, so a pairing of strangers exists
        # (Dirac's theorem).
        assert max(met(played).values()) == 1


@given(st.integers(1, 4), st.data())
def test_no_rematch_that_any_pairing_avoids(half: int, data: st.DataObject) -> None:
    """Whatever happened before, the fewest possible rematches are chosen."""
    names = [*"abcdefgh"[: 2 * half]]
    pairs = [Encounter(one, two) for one, two in combinations(names, 2)]
    past = data.draw(st.sets(st.sampled_from(pairs)))
    points = {name: data.draw(st.integers(0, 3)) / 2 for name in names}
    order = sorted(names, key=lambda name: (-points[name], name))
    turn = swiss_round(order, points, [Round(tuple(past))])
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
        played.append(swiss_round(names, {}, played))
    byes = Counter(name for turn in played for name in turn.byes)
    assert byes == (dict.fromkeys(names, 1) if size % 2 else {})
    assert max(met(played[: size // 2]).values()) == 1


def test_the_first_round_is_upper_half_against_lower() -> None:
    """By strength: first meets fifth, second meets sixth."""
    turn = swiss_round([*"12345678"], {}, [])
    assert [*map("".join, turn.encounters)] == ["15", "26", "37", "48"]


def test_winners_meet_winners() -> None:
    """In the second round those with equal points meet."""
    first = swiss_round([*"12345678"], {}, [])
    points = dict.fromkeys([*"1234"], 2.0)
    second = swiss_round([*"12345678"], points, [first])
    assert [*map("".join, second.encounters)] == ["13", "24", "57", "68"]


def test_the_lowest_sits_out_and_not_twice() -> None:
    """Of five the fifth has the first bye; then another."""
    first = swiss_round([*"12345"], {}, [])
    assert first.byes == ("5",)
    assert swiss_round([*"12345"], {}, [first]).byes == ("4",)


def test_a_bye_goes_to_another_rather_than_force_a_rematch() -> None:
    """If without the lowest the others had all met, a higher one sits out."""
    past = Round((Encounter("1", "2"),))
    assert swiss_round([*"123"], {}, [past]).byes == ("2",)


def test_those_who_left_are_not_paired() -> None:
    """A player that is no longer named is not paired; its games still count for its opponents."""
    first = swiss_round([*"1234"], {}, [])
    turn = swiss_round([*"124"], {}, [first])
    assert {name for pairing in turn.encounters for name in pairing} | {*turn.byes} == {*"124"}


def test_a_name_twice_is_refused() -> None:
    """Two players of one name can't be told apart."""
    with pytest.raises(ValueError, match="twice"):
        swiss_round(["a", "a"], {}, [])


@pytest.mark.parametrize(("players", "rounds"), [(0, 0), (1, 0), (2, 1), (8, 3), (9, 4), (100, 7)])
def test_rounds_single_out_a_winner(players: int, rounds: int) -> None:
    """Enough rounds for one player to win all: the binary logarithm, rounded up."""
    assert rounds_for(players) == rounds


def test_the_strongest_win_a_large_event(chance: np.random.Generator) -> None:
    """Among 101 players of graded strength, nine rounds put most of the ten best on top."""
    names = [f"bot{number:03}" for number in range(101)]
    points = dict.fromkeys(names, 0.0)
    played: list[Round] = []
    for _ in range(9):
        order = sorted(names, key=lambda name: (-points[name], name))
        turn = swiss_round([*chance.permutation(names)] if not played else order, points, played)
        for one, two in turn.encounters:
            gap = (names.index(two) - names.index(one)) * 10
            won = float(chance.binomial(2, 1 / (1 + 10 ** (-gap / 400))))
            points[one] += won
            points[two] += 2 - won
        points |= {name: points[name] + 2 for name in turn.byes}
        played.append(turn)
    best = sorted(names, key=lambda name: -points[name])[:10]
    assert max(met(played).values()) == 1
    assert len(set(best) & set(names[:20])) >= 7
