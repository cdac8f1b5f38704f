"""The baselines of endgame tables: a guess of each value from the pits of both rows, by regression.

Four bits hold fifteen values above a baseline (`mancala.engine.kernels.tablebase`). The baseline is
a constant below what a linear model expects: a weight for each pit and count, fitted by ridge
regression to the positions of `FITTED` seeds, whose values need no baseline. Counts that are rarer
there weigh by a line. With six pits a guess is off by 2.1 seeds won (standard deviation) at 18
seeds in play and 2.4 at 22, so few values lie beyond it. A poor fit costs time, and no value: what
lies beyond is computed from the children.
"""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..kernels.layout import Bytes, Words
from ..kernels.state import RANK_STRIDE, ExactTables, Variant

FITTED: Final = 14
"""Seeds in play of the positions that the model is fitted to; up to here the baseline is 0."""
SAMPLE: Final = 12_000
RIDGE: Final = 20.0
BELOW: Final = 6.5
"""How far the baseline lies below the expected value, in seeds: the middle of fifteen values."""
QUARTERS: Final = 4
UNITS: Final = 64
"""Weights are kept in parts of a seed."""

Weights = NDArray[np.int16]
"""i16[2, pits, 40]: what a count in a pit adds, for the mover's row and the other, in 1/64 seed."""


@cache
def rows(pits: int, seeds: int) -> Words:
    """List all rows of exactly ``seeds`` seeds, packed, in rank order (u64[C(seeds+m-1, m-1)])."""
    if pits == 1:
        return np.array([seeds], dtype=np.uint64)
    shift = np.uint64(8 * (pits - 1))
    parts = [rows(pits - 1, seeds - last) | (np.uint64(last) << shift) for last in _downward(seeds)]
    return np.concatenate(parts)


def no_weights(pits: int) -> Weights:
    """Return the weights of tables that need no baseline."""
    return np.zeros((2, pits, RANK_STRIDE), dtype=np.int16)


def parts(weights: Weights, pits: int, seeds: int) -> tuple[Bytes, Bytes]:
    """Return both parts of the baselines, i8[rows], for all rows of fewer than ``seeds`` seeds."""
    mover, waiter = (_part(weights[side].astype(np.int32), pits, seeds) for side in range(2))
    return mover, waiter


def _part(weights: NDArray[np.int32], pits: int, seeds: int) -> Bytes:
    """Add the weights of all rows up, pit by pit, in the order of `rows`."""
    sums = [weights[0, total : total + 1] for total in range(seeds)]
    for pit in range(1, pits):
        sums = [
            np.concatenate([sums[total - last] + weights[pit, last] for last in _downward(total)])
            for total in range(seeds)
        ]
    quarters = np.concatenate(sums) // (UNITS // QUARTERS)
    return np.clip(quarters, -128, 127).astype(np.int8)


def _downward(total: int) -> range:
    """Return what the last pit of a row may hold, the most first."""
    return range(total, -1, -1)


def fit(variant: Variant, tables: ExactTables) -> Weights:
    """Fit the weights to a sample of the positions of `FITTED` seeds, which the tables cover."""
    pits = variant.pits
    mine, theirs = _sample(pits)
    words = np.stack([mine, theirs], axis=1).reshape(-1)
    to_go = np.zeros(len(mine), dtype=np.int64)
    kernels.tables_at(variant, tables, words, to_go)
    counts = np.hstack([_counts(mine, pits), _counts(theirs, pits)])
    features = _features(counts)
    strength = np.full(features.shape[1], RIDGE)
    strength[-counts.shape[1] - 1 :] /= 1000
    goal = features.T @ ((to_go + FITTED) / 2)
    solved = np.linalg.solve(features.T @ features + np.diag(strength), goal).astype(np.float64)
    return _tabulated(solved, pits)


def _sample(pits: int) -> tuple[Words, Words]:
    """Draw positions of `FITTED` seeds, evenly from all; the same ones each time."""
    rng = np.random.default_rng(FITTED)
    sizes = np.array(
        [len(rows(pits, own)) * len(rows(pits, FITTED - own)) for own in range(FITTED)]
    )
    sizes[0] = 0
    sums = rng.choice(FITTED, SAMPLE, p=sizes / sizes.sum())
    mine, theirs = [], []
    for own, drawn in zip(*np.unique(sums, return_counts=True), strict=True):
        mine.append(rng.choice(rows(pits, int(own)), drawn))
        theirs.append(rng.choice(rows(pits, FITTED - int(own)), drawn))
    return np.concatenate(mine), np.concatenate(theirs)


def _counts(words: Words, pits: int) -> NDArray[np.int64]:
    """Return the seeds in each pit, i64[rows, pits]."""
    return words.view(np.uint8).reshape(-1, 8)[:, :pits].astype(np.int64)


def _features(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return one column for each pit and count, one for each pit, and a constant."""
    known = [counts[:, pit, None] == np.arange(FITTED) for pit in range(counts.shape[1])]
    return np.hstack([*known, counts, np.ones((len(counts), 1))]).astype(np.float64)


def _tabulated(solved: NDArray[np.float64], pits: int) -> Weights:
    """Return the fitted model as weights, the constant spread over the pits."""
    known = solved[: 2 * pits * FITTED].reshape(2, pits, FITTED)
    slopes = solved[2 * pits * FITTED : -1].reshape(2, pits, 1)
    weights = slopes * np.arange(RANK_STRIDE) + (solved[-1] - BELOW) / (2 * pits)
    weights[:, :, :FITTED] += known
    limits = np.iinfo(np.int16)
    scaled: NDArray[np.float64] = np.clip(np.round(weights * UNITS), limits.min, limits.max)
    return scaled.astype(np.int16)
