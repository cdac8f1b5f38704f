"""Endgame tables hold exact values, whatever the rules, the baselines and the number of threads."""

import random
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from mancala.engine.kernels import state
from mancala.engine.kernels.layout import Octets
from mancala.engine.kernels.tablebase import ESCAPE
from mancala.engine.tablebase import NoTablesError, build, value_of
from mancala.engine.tablebase.baselines import Weights, no_weights
from mancala.engine.tablebase.limits import check
from mancala.protocol.rules import Rules
from tests.engine.tablebase.positions import KALAH, best_of, negamax, random_board

SEEDS = 7
MANY = 18
"""Seeds of tables whose values need baselines."""
MOST = 40
"""The most seeds that tables can be built for."""
ALL_RULES = ["kalah", "kalah-empty-capture", "kalah:relap=true"]


class NoFloors:
    """Keeps nothing, and gives a build baselines that fit badly."""

    weights: Weights | None = no_weights(3)

    def restore(self, _pair: int, _codes: Octets) -> bool:
        return False

    def keep(self, pair: int, codes: Octets) -> None:
        """Drop a pair."""


@pytest.mark.parametrize("name", [*ALL_RULES, "kalah:pits=3", "kalah:pits=7"])
def test_values_are_those_of_playing_everything_out(name: str, rng: random.Random) -> None:
    """Random positions have the value that full search by the rules gives them."""
    rules = Rules.parse(name)
    tables = build(state.variant(rules), SEEDS)
    for _ in range(100):
        board = random_board(rng, rules, rng.randint(2, SEEDS))
        assert value_of(board, tables) == negamax(board), board.text


@pytest.mark.parametrize("pits", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ALL_RULES)
def test_values_are_those_of_the_best_move(name: str, pits: int, rng: random.Random) -> None:
    """With many seeds, sowings go round the board and values need baselines, and still agree.

    A value that agrees with those of its children, for every number of seeds, is exact.
    """
    preset = Rules.parse(name)
    rules = Rules(pits=pits, capture=preset.capture, relap=preset.relap)
    tables = build(state.variant(rules), MANY)
    value = partial(value_of, tables=tables)
    for seeds in range(2, MANY + 1):
        for _ in range(40):
            board = random_board(rng, rules, seeds)
            assert value(board) == best_of(board, value), board.text


@pytest.mark.parametrize("pits", [1, 3])
def test_the_largest_tables_are_exact(pits: int, rng: random.Random) -> None:
    """Tables of 40 seeds agree with the best move where one row holds nearly all seeds, too."""
    rules = Rules(pits=pits)
    check(rules, MOST)
    tables = build(state.variant(rules), MOST)
    value = partial(value_of, tables=tables)
    for _ in range(100):
        board = random_board(rng, rules, rng.randint(MOST - 2, MOST))
        assert value(board) == best_of(board, value), board.text
    with pytest.raises(NoTablesError, match="2 to 40 seeds"):
        check(rules, MOST + 1)


def test_values_do_not_depend_on_floors(rng: random.Random) -> None:
    """Where baselines fit badly many values are computed from the children, and are the same."""
    rules = Rules(pits=3)
    fitted = build(state.variant(rules), MANY)
    bare = build(state.variant(rules), MANY, keeper=NoFloors())
    assert escapes(bare.values) > 10 * escapes(fitted.values)
    for _ in range(300):
        board = random_board(rng, rules, MANY)
        assert value_of(board, bare) == value_of(board, fitted), board.text


@pytest.mark.parametrize("places", [1, 1 << 16])
def test_values_do_not_depend_on_how_many_escapes_are_remembered(
    monkeypatch: pytest.MonkeyPatch, places: int
) -> None:
    """One or all of them: the tables are the same, byte by byte."""
    variant = state.variant(Rules(pits=3))
    usual = build(variant, MANY, threads=2, keeper=NoFloors())
    monkeypatch.setattr(state, "MEMO_SHARE", 1 << 30)
    monkeypatch.setattr(state, "FEWEST_PLACES", places)
    assert (build(variant, MANY, keeper=NoFloors()).values == usual.values).all()


def escapes(codes: Octets) -> int:
    return int(np.count_nonzero(codes & 15 == ESCAPE) + np.count_nonzero(codes >> 4 == ESCAPE))


def test_positions_are_counted_as_published() -> None:
    """Irving, Donkers and Uiterwijk's formula; tables hold four bits for each."""
    assert state.positions(6, 16) == 30_272_530
    assert state.table_bytes(6, 16) * 8 / state.positions(6, 16) < 4.001


def test_two_threads_build_the_same_table() -> None:
    """How many cores build does not show in the values."""
    variant = state.variant(KALAH)
    one, two = (build(variant, 9, threads=threads) for threads in (1, 2))
    assert (one.values == two.values).all()


def test_progress_grows_to_the_whole() -> None:
    """The progress of a build advances to the number of positions."""
    seen: list[tuple[int, int]] = []
    build(state.variant(KALAH), SEEDS, progress=lambda *step: seen.append(step))
    assert all(before < after for (before, _), (after, _) in pairwise(seen))
    assert seen[-1] == (state.positions(6, SEEDS),) * 2
