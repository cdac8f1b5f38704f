"""Positions with what their moves are worth, as arrays."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from mancala.engine import dataset, tablebase
from mancala.engine.kernels import state
from mancala.engine.search.solver import Solver
from mancala.protocol.rules import KALAH, PRESETS, Board, Rules

RULES = Rules(pits=4, seeds=3)
PLAN = dataset.DatasetPlan(RULES, 1, 80, 40, 5, 14, most_nodes=10**6, tables=6)
TABLES = tablebase.build(state.variant(RULES), 6)


def test_each_move_is_worth_what_the_solver_proves() -> None:
    """Values count from empty stores, for the mover; illegal pits are marked."""
    solver = Solver(RULES, tables=state.no_tables(RULES.pits), table_bits=16)
    shard = dataset.make_shard(PLAN, 0, TABLES)
    assert dataset.is_exact(shard).all()
    for row in shard:
        mine, theirs = map(tuple, row["pits"].tolist())
        board = Board(RULES, (mine, theirs), (0, 0))
        *_, solution = solver.solve(board, every_move=True)
        assert tuple(np.flatnonzero(row["legal"])) == board.legal()
        assert {pit: row["low"][pit] for pit in board.legal()} == {
            pit: bounds.low for pit, bounds in solution.moves.items()
        }
        assert solution.value.low == row["low"][row["legal"]].max()


def test_there_are_as_many_positions_for_each_number_of_seeds() -> None:
    """Four of each: 40 positions of 5 to 14 seeds."""
    shard = dataset.make_shard(PLAN, 0, TABLES)
    counts = np.bincount(shard["pits"].sum(axis=(1, 2)))
    assert counts[5:].tolist() == [4] * 10


def test_a_shard_follows_from_its_seed_and_number() -> None:
    """The same bytes again, in any order; others for another number or seed."""
    first = [dataset.make_shard(PLAN, number, TABLES).tobytes() for number in (1, 0)]
    assert dataset.make_shard(PLAN, 0, TABLES).tobytes() == first[1] != first[0]
    assert dataset.make_shard(structs.replace(PLAN, seed=2), 0, TABLES).tobytes() != first[1]


def test_a_proof_that_takes_too_long_ends_with_bounds() -> None:
    """What is not proven lies between two bounds that hold the value."""
    plan = dataset.DatasetPlan(KALAH, 1, 2, 2, 34, 35, most_nodes=1, tables=0)
    shard = dataset.make_shard(plan, 0, state.no_tables(KALAH.pits))
    assert not dataset.is_exact(shard).any()
    assert (shard["low"] <= shard["high"]).all()
    assert (shard["nodes"] < 10_000).all()


def test_the_best_pits_are_marked() -> None:
    """Only legal pits of the greatest value are best."""
    shard = dataset.make_shard(PLAN, 0, TABLES)
    for row, best in zip(shard, dataset.best_pits(shard), strict=True):
        greatest = row["low"][row["legal"]].max()
        assert np.array_equal(best, row["legal"] & (row["low"] == greatest))
        assert best.any()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"rules": replace(PRESETS["article"], pits=4)}, "majority"),
        ({"fewest": 1, "most": 9}, "2 to 40"),
        ({"fewest": 9, "most": 8}, "2 to 40"),
        ({"fewest": 9, "most": 41}, "2 to 40"),
    ],
    ids=str,
)
def test_positions_that_cannot_be_are_refused(change: dict[str, Any], complaint: str) -> None:
    """Rules under which stores count, and seeds that no game has."""
    with pytest.raises(ValueError, match=complaint):
        dataset.check(structs.replace(PLAN, **change))
