"""A spot check of endgame tables finds values that are wrong."""

import random
from collections import Counter

from mancala.engine import tablebase
from mancala.engine.kernels import state
from mancala.engine.solving import check_at_random, random_position, table_bits
from mancala.protocol.rules import Rules

RULES = Rules(pits=2)


def test_falsified_values_are_found() -> None:
    """Where the tables say another value than the search, both are reported."""
    tables = tablebase.build(state.variant(RULES), 15)
    rng = random.Random(7)
    assert all(found.in_tables == found.proven for found in check_at_random(RULES, tables, 50, rng))
    tables.values[state.table_bytes(2, 14) :] ^= 0x11
    wrong = [c for c in check_at_random(RULES, tables, 100, rng) if c.in_tables != c.proven]
    assert wrong
    assert {found.board.in_play for found in wrong} == {15}


def test_all_positions_are_equally_likely() -> None:
    """Positions of one pit a row: any split of up to three seeds that leaves none empty."""
    rng = random.Random(1)
    drawn = Counter(random_position(Rules(pits=1), 3, rng).pits for _ in range(3000))
    assert set(drawn) == {((1,), (1,)), ((1,), (2,)), ((2,), (1,))}
    assert min(drawn.values()) > 800


def test_a_short_proof_does_not_wait_for_a_large_table() -> None:
    """The system clears what a table takes: a second for 1 GiB, beside proofs of two."""
    assert [table_bits(seeds) for seeds in (20, 36, 37, 44, 48)] == [18, 18, 20, 20, 24]
