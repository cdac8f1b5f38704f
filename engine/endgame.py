"""Endgame tables: the exact value-to-go of every position with few seeds, one byte each."""

from __future__ import annotations

from functools import cache

import numpy as np

from engine import kernels
from engine.state import Tables, Variant, Words, huge, positions, ranks

ROW_STRIDE = 32


@cache
def rows(pits: int, seeds: int) -> Words:
    """List all rows of exactly ``seeds`` seeds, packed, in rank order (u64[C(seeds+m-1, m-1)])."""
    if pits == 1:
        return np.array([seeds], dtype=np.uint64)
    shift = np.uint64(8 * (pits - 1))
    parts = [
        rows(pits - 1, seeds - last) | (np.uint64(last) << shift) for last in range(seeds, -1, -1)
    ]
    return np.concatenate(parts)


def build(variant: Variant, seeds: int) -> Tables:
    """Compute the tables in memory, on the calling thread."""
    count = positions(variant.pits, seeds)
    table = ranks(variant.pits, seeds)
    tables = Tables(np.frombuffer(huge(count), dtype=np.int8)[:count], table, seeds)
    first = table.reshape(-1, ROW_STRIDE)
    for total in range(2, seeds + 1):
        for own in range(1, total // 2 + 1):
            other = total - own
            firsts = (int(first[8 + own, other]), int(first[8 + other, own]))
            mine, theirs = rows(variant.pits, own), rows(variant.pits, other)
            kernels.fill_block(variant, tables, mine, theirs, firsts)
    return tables
