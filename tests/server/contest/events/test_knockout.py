"""Brackets with one life and two."""

from collections import Counter
from collections.abc import Callable, Collection
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.server.contest.events.knockout import Stage, Stages, bracket, double, single


def field(size: int) -> list[str]:
    return [f"bot{number:02}" for number in range(size)]


def play(stages: Stages, winner: Callable[[Collection[str]], str]) -> tuple[str, list[Stage]]:
    stage, held = next(stages), list[Stage]()
    while True:
        held.append(stage)
        try:
            stage = stages.send({winner(pair) for pair in stage.encounters})
        except StopIteration as end:
            return end.value, held


def losses(held: list[Stage], winner: Callable[[Collection[str]], str]) -> Counter[str]:
    pairs = [pair for stage in held for pair in stage.encounters]
    return Counter(name for pair in pairs for name in pair if name != winner(pair))


def test_the_strongest_meet_last() -> None:
    """In a bracket of eight, first plays eighth, and first and second are in different halves."""
    assert bracket([*"12345678"]) == ("1", "8", "4", "5", "2", "7", "3", "6")


@given(st.integers(2, 40))
def test_if_the_stronger_always_wins_the_final_is_first_against_second(size: int) -> None:
    """Byes go to the strongest, and everyone but the champion loses once."""
    players = field(size)
    champion, held = play(single(players), min)
    assert champion == players[0]
    assert sorted(held[0].byes) == players[: len(held[0].byes)]
    assert [*held[-1].name] == ["final"]
    assert set(held[-1].encounters[0]) == set(players[:2])
    assert losses(held, min) == dict.fromkeys(players[1:], 1)


@given(st.integers(2, 40), st.integers(0, 999))
def test_in_a_double_knockout_the_second_loss_is_the_last(size: int, seed: int) -> None:
    """All but the champion lose twice, and no stage seats a player twice."""
    rng, decided = Random(seed), dict[int, str]()

    def winner(pair: Collection[str]) -> str:
        return decided.setdefault(id(pair), rng.choice(sorted(pair)))

    champion, held = play(double(field(size)), winner)
    lost = losses(held, winner)
    assert lost.pop(champion, 0) <= 1
    assert lost == dict.fromkeys(set(field(size)) - {champion}, 2)
    for stage in held:
        seated = [name for pair in stage.encounters for name in pair]
        assert len({*seated, *stage.byes}) == len(seated) + len(stage.byes)
        assert len(stage.name) == len(stage.encounters)


@pytest.mark.parametrize("size", [4, 8, 16])
def test_a_lower_bracket_meets_strangers_first(size: int) -> None:
    """Who dropped out of the second upper round does not meet again who lost to it before."""
    met = set[frozenset[str]]()
    _, held = play(double(field(size)), min)
    for stage in held[: 3 if size > 4 else 2]:
        for pair in stage.encounters:
            assert frozenset(pair) not in met
            met.add(frozenset(pair))


def test_rounds_of_both_brackets_are_counted() -> None:
    """Where eight play, the lower one has two rounds for each round of the upper one."""
    _, held = play(double(field(8)), min)
    assert [sorted({*stage.name}) for stage in held] == [
        *(["upper 1"], ["lower 1", "upper 2"], ["lower 2"], ["lower 3", "upper 3"], ["lower 4"]),
        ["final"],
    ]


def test_the_upper_bracket_s_winner_has_to_be_beaten_twice() -> None:
    """A final that it loses is played again."""
    upper = play(double(["a", "b"]), min)[1]
    assert [stage.name for stage in upper] == [("upper 1",), ("final",)]
    results = iter("aba")
    _, again = play(double(["a", "b"]), lambda _: next(results))
    assert [stage.name for stage in again] == [("upper 1",), ("final",), ("second final",)]
