"""Floors are a good guess of values, and the same for files as for builds."""

import numpy as np

from mancala.engine.kernels import state
from mancala.engine.tablebase import build
from mancala.engine.tablebase.baselines import FITTED, fit, no_weights, parts, rows
from tests.engine.tablebase.positions import KALAH


def test_rows_are_in_rank_order() -> None:
    """A sowing that stays in the row lowers its rank: later rows hold more seeds further left."""
    assert [int(row) for row in rows(2, 2)] == [0x0200, 0x0101, 0x0002]


def test_parts_add_up_the_weights_of_a_row() -> None:
    """The parts are numbered by sum, then by rank, in quarters of a seed."""
    weights = no_weights(2)
    weights[0, 0, 1], weights[0, 1, 2] = 64, -32
    mover, waiter = parts(weights, 2, 4)
    numbered = [row for seeds in range(4) for row in rows(2, seeds)]
    assert mover[numbered.index(np.uint64(0x0201))] == 2
    assert mover[numbered.index(np.uint64(0x0001))] == 4
    assert not waiter.any()


def test_fitted_floors_leave_few_values_out() -> None:
    """On more seeds than the model was fitted to, less than one value in a thousand escapes."""
    variant = state.variant(KALAH)
    tables = build(variant, FITTED + 1)
    codes = tables.values[state.table_bytes(6, FITTED) :]
    assert np.count_nonzero(codes >> 4 == 15) < codes.size / 1000
    assert fit(variant, tables).any()
