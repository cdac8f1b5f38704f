"""What the kernels work on: tuples of arrays, and the look-up tables that Python fills for them.

Words are unsigned 64-bit integers of eight 8-bit lanes. A *side* is one word: pit ``i`` in lane
``i`` and, where it is kept at all, the store in lane ``m``. Every tuple here passes to a kernel
as one argument; beside each field stand its type, shape and meaning.
"""

from __future__ import annotations

import mmap
from math import comb
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from protocol.rules import Capture, Rules

Word: TypeAlias = np.uint64
Words: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]
Bytes: TypeAlias = NDArray[np.int8]

LANES: Final = 7
"""Most pits a row that one word holds beside the store."""
HANDS: Final = 256
SOW_WORDS: Final = 4
RANK_STRIDE: Final = 32
MAX_PLIES: Final = 2048
FRAME_WORDS: Final = 32
FRAME_INTS: Final = 64
SLOTS: Final = 4
"""Entries in a bucket of the transposition table: one cache line."""

W_COUNTS: Final = 32
W_OTHER: Final = 256
W_TEMPO: Final = 512
WEIGHTS: Final = 520
"""Layout of the weights: ``lane * 32 + count`` for the mover's pits, the same from 256 for the
other's; the tempo; then chain, capture now and capture after the chain, of the mover and of the
other. Counts past 31 weigh as 31."""


class Variant(NamedTuple):
    """The rules as the packed kernels see them; see :func:`variant`."""

    sowing: Words
    """u64[256 * 8 * 4], row ``hand * 8 + pit``: what is added to the own word and to the other
    word; eight times the last lane (64: none of the own row or store); 1 when it sows again."""
    pits: int
    store: np.uint64
    """Shift of the store's lane, ``8 m``."""
    row: np.uint64
    """Mask of the lanes that are pits."""
    lone: bool
    """Whether a seed that captures nothing goes to the store all the same."""
    majority: bool


class Tables(NamedTuple):
    """Exact values of positions with few seeds; see :mod:`engine.endgame`."""

    values: Bytes
    """i8[positions]: what the mover still gains over the other, in seeds."""
    ranks: Words
    """u64[40 * 32]: rows 0..6 the ranks of prefix sums, row 7 positions of a row by its seeds,
    from row 8 the first index of the block of ``(own seeds, other seeds)``."""
    seeds: int
    """Most seeds on the board that the values cover; 0 when there are none."""


class Stack(NamedTuple):
    """A search put down: everything it needs to be taken up again."""

    words: Words
    """u64[plies * 32], a frame: own word, other word, then the children's two words each."""
    ints: Numbers
    """i64[plies * 64], a frame: see the ``F_`` constants of :mod:`engine.kernels`."""
    control: Numbers
    """i64[16]: see the ``C_`` constants of :mod:`engine.kernels`."""


class Search(NamedTuple):
    """All that a thinking thread works on; threads may share ``entries`` and ``tables``."""

    variant: Variant
    entries: Words
    """u64[2 ** bits * 4 * 2], the transposition table; :mod:`engine.kernels` has the format."""
    bits: int
    tables: Tables
    weights: Numbers
    """i64[WEIGHTS]: see the ``W_`` constants; :mod:`engine.features` fills them."""
    stack: Stack


def is_packed(rules: Rules) -> bool:
    """Tell whether the packed kernels can search these rules.

    With ``majority`` the key of a position needs a lane for the store, so seven pits are too many.
    """
    return rules.pits < LANES or (rules.pits == LANES and not rules.majority)


def variant(rules: Rules) -> Variant:
    """Fill the sowing table for rules of at most seven pits a row."""
    m = rules.pits
    table = np.zeros((HANDS, 8, SOW_WORDS), dtype=np.uint64)
    for hand in range(HANDS):
        for pit in range(m):
            table[hand, pit] = _sowing(rules, pit, hand)
    return Variant(
        sowing=table.reshape(-1),
        pits=m,
        store=np.uint64(8 * m),
        row=np.uint64((1 << 8 * m) - 1),
        lone=rules.capture is Capture.ALWAYS,
        majority=rules.majority,
    )


def _sowing(rules: Rules, pit: int, hand: int) -> tuple[int, int, int, int]:
    m = rules.pits
    lap = 2 * m + 1
    ring = [hand // lap] * lap
    for place in range(pit + 1, pit + 1 + hand % lap):
        ring[place % lap] += 1
    ring[pit] -= hand
    last = (pit + hand) % lap
    own = sum(count << 8 * lane for lane, count in enumerate(ring[: m + 1])) % (1 << 64)
    other = sum(count << 8 * lane for lane, count in enumerate(ring[m + 1 :]))
    again = last == m or (rules.relap and last == pit)
    return own, other, 8 * last if last <= m else 64, int(again)


def ranks(pits: int, seeds: int) -> Words:
    """Fill the table that turns two rows into an index; see ``index_of`` in the kernels."""
    table = np.zeros((8 + RANK_STRIDE, RANK_STRIDE), dtype=np.uint64)
    for lane in range(pits - 1):
        table[lane] = [comb(prefix + lane, lane + 1) for prefix in range(RANK_STRIDE)]
    table[7] = [comb(total + pits - 1, pits - 1) for total in range(RANK_STRIDE)]
    first = 0
    for total in range(2, seeds + 1):
        for own in range(1, total):
            table[8 + own, total - own] = first
            first += int(table[7, own]) * int(table[7, total - own])
    return table.reshape(-1)


def positions(pits: int, seeds: int) -> int:
    """Count the positions of at most ``seeds`` seeds whose rows both hold some.

    ``C(s+2m, 2m) - 2 C(s+m, m) + 1``: Irving, Donkers, Uiterwijk, "Solving Kalah", ICGA Journal
    23(3), 2000.
    """
    return comb(seeds + 2 * pits, 2 * pits) - 2 * comb(seeds + pits, pits) + 1


def no_tables(pits: int) -> Tables:
    """Stand in for tables that are not there."""
    return Tables(np.zeros(1, dtype=np.int8), ranks(pits, 0), 0)


def stack() -> Stack:
    """Allocate the frames of one search."""
    return Stack(
        words=np.zeros(MAX_PLIES * FRAME_WORDS, dtype=np.uint64),
        ints=np.zeros(MAX_PLIES * FRAME_INTS, dtype=np.int64),
        control=np.zeros(16, dtype=np.int64),
    )


def entries(bits: int) -> Words:
    """Allocate a transposition table of ``2 ** bits`` buckets on huge pages where there are any."""
    return np.frombuffer(huge(SLOTS * 16 << bits), dtype=np.uint64)


def huge(size: int) -> mmap.mmap:
    """Map anonymous memory, asking for huge pages: a search misses the TLB at every probe."""
    memory = mmap.mmap(-1, max(size, mmap.PAGESIZE))
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def pack(row: tuple[int, ...]) -> np.uint64:
    """Put a row into a word, pit ``i`` in lane ``i``."""
    return np.uint64(sum(count << 8 * lane for lane, count in enumerate(row)))
