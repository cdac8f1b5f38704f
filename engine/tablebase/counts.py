"""Counting what endgame tables hold: where they reach all seeds, a game's strong solution.

A game is strongly solved in Allis' sense when the value of every position is known, not that of the
start alone (V. Allis, "Searching for Solutions in Games and Artificial Intelligence", 1994). Tables
that reach all seeds of a game are that: a position is its pits, whose value they hold, and how the
other seeds lie in the two stores.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from msgspec import Struct

from mancala.protocol.rules import Rules

from .. import kernels
from ..kernels import state
from ..kernels.layout import Words
from ..kernels.state import ExactTables
from . import baselines

AT_ONCE: Final = 1 << 20
"""Positions that are looked up at a time."""


class PositionCounts(Struct, frozen=True):
    """The positions with as many seeds in the pits, whether or not play leads to them.

    Attributes:
        seeds: seeds in the pits.
        positions: of both rows, neither of them empty, the mover's first.
        won: of positions with all ways to divide the other seeds among the stores: those that the
            mover wins.
        drawn: those that are drawn.
        lost: those that the mover loses.
    """

    seeds: int
    positions: int
    won: int
    drawn: int
    lost: int


def counts(rules: Rules, tables: ExactTables) -> Iterator[PositionCounts]:
    """Count the positions of a game by their outcome, those of few seeds first.

    Args:
        rules: the game; its seeds are in pits and stores.
        tables: exact values, for these rules.
    """
    total = 2 * rules.pits * rules.seeds
    for seeds in range(2, min(tables.seeds, total) + 1):
        yield _counts(rules, tables, seeds, total - seeds)


def _counts(rules: Rules, tables: ExactTables, seeds: int, stored: int) -> PositionCounts:
    """Count the positions of as many seeds in the pits and in both stores."""
    by_value = np.zeros(2 * seeds + 1, dtype=np.int64)
    for words in _positions(rules.pits, seeds):
        values = np.empty(len(words), dtype=np.int64)
        kernels.tables_at(state.variant(rules), tables, words.reshape(-1), values)
        by_value += np.bincount(values + seeds, minlength=len(by_value))
    margins = np.arange(-seeds, seeds + 1)[:, None] + np.arange(-stored, stored + 1, 2)
    won, drawn, lost = (
        int(by_value @ outcome.sum(axis=1)) for outcome in (margins > 0, margins == 0, margins < 0)
    )
    return PositionCounts(seeds, int(by_value.sum()), won, drawn, lost)


def _positions(pits: int, seeds: int) -> Iterator[Words]:
    """List all pairs of rows that hold some, u64[n, 2], a part at a time."""
    for own in range(1, seeds):
        mine, theirs = baselines.rows(pits, own), baselines.rows(pits, seeds - own)
        step = max(1, AT_ONCE // len(theirs))
        for begin in range(0, len(mine), step):
            some = mine[begin : begin + step]
            yield np.stack([np.repeat(some, len(theirs)), np.tile(theirs, len(some))], axis=1)
