"""Proofs of ``mancala solve``."""

import pytest

from tests.scripts.commands.results import result_of

ENDING = "<6,25,37,2,2,0,0,0,0,1,2,1,1,1,0>"


def test_solve_proves_a_small_game() -> None:
    """The value of Kalah(4,3) and of each first move is proven."""
    answer = result_of("solve", "kalah:4,3")
    assert answer["value"] == 6
    assert answer["best"] in {move["pit"] for move in answer["moves"] if move["value"] == 6}
    assert {"nodes", "seconds"} <= answer.keys()


def test_solve_comes_to_the_same_with_any_number_of_threads() -> None:
    """One thread proves what all cores prove, move by move."""
    game = ("solve", "--pits", "5", "--seeds", "2")
    alone, together = (result_of(*game, "--threads", number) for number in ("1", "2"))
    assert alone["value"] == together["value"] == 2
    assert alone["moves"] == together["moves"]


def test_solve_out_of_time_gives_bounds() -> None:
    """Where there was no time for a proof, true bounds are given and no value."""
    answer = result_of("solve", "--pits", "6", "--seeds", "9", "--time", "0.05")
    assert answer["value"] is None
    assert -108 <= answer["low"] < answer["high"] <= 108


@pytest.mark.parametrize(("rules", "value"), [("kalah", 4), ("kalah-empty-capture", 2)])
def test_solve_says_at_once_what_a_certificate_proves(rules: str, value: int) -> None:
    """Kalah(6,6) is worth 4, or 2 with single seeds, by pit 0; no other first move more."""
    answer = result_of("solve", "--rules", rules, "--seeds", "6", "--time", "0.05")
    assert (answer["value"], answer["best"]) == (value, 0)
    assert all(move["high"] <= value for move in answer["moves"])
