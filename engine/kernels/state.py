"""The state of the kernels: tuples of arrays, and the look-up tables that Python fills for them.

Every tuple passes to a kernel as one argument; beside each field stand its type, shape and meaning.
How a board lies in its words, :mod:`mancala.engine.kernels.layout` describes.
"""

import mmap
from functools import lru_cache
from math import comb
from typing import Final, NamedTuple

import numpy as np

from mancala.protocol.rules import Capture, Rules

from .layout import LANES, Bytes, Numbers, Octets, Shorts, Words

KNOWN_RULES: Final = frozenset(
    {"pits", "capture", "relap", "majority", "relay", "keep_one", "even", "empty_takes"}
)
"""The rules that the kernels take into account."""
HANDS: Final = 256
SOW_WORDS: Final = 4
WIDE_SOW_WORDS: Final = 8
RANK_STRIDE: Final = 40
"""One more than the most seeds of a row in endgame tables; as both rows hold some, the most seeds
in play."""
PAIR_PLACES: Final = 128
"""Positions whose codes fill a cache line."""
MEMO_SHARE: Final = 128
"""Positions of tables for each escape that a build has room to remember."""
FEWEST_PLACES: Final = 1 << 10
MAX_PLIES: Final = 2048
FRAME_WORDS: Final = 72
FRAME_INTS: Final = 96
BUSY_SLOTS: Final = 1 << 12
SLOTS: Final = 4
"""Entries in a bucket of the transposition table: one cache line."""

W_COUNTS: Final = 32
W_OTHER: Final = 512
W_TEMPO: Final = 1024
W_BOARD: Final = W_TEMPO + 1
W_BOARD_OTHER: Final = W_BOARD + 31
W_PAIR: Final = 64
"""Weights of a pair of pits, ``8 * count + count``."""
W_GROUPS: Final = 1088
W_GROUP: Final = 4096
NET_PITS: Final = 6
"""Pits of a row that the net is for."""
NET_COUNTS: Final = 24
NET_THREATS: Final = 8
NET_PLACES: Final = ((NET_COUNTS,) * (2 * NET_PITS)) + (NET_THREATS,) * 6
"""Rows of each place: the mover's pits, the other's, then the threats of both."""
NET_HIDDEN: Final = 64
NET_SHIFT: Final = 8
W_NET: Final = W_GROUPS + W_GROUP * (LANES + 1) * LANES // 2
W_NET_ROWS: Final = W_NET + NET_HIDDEN
W_NET_OUT: Final = W_NET_ROWS + NET_HIDDEN * sum(NET_PLACES)
WEIGHTS: Final = W_NET_OUT + NET_HIDDEN
"""Layout of the weights: ``lane * 32 + count`` for the mover's pits, the same from 512 for the
other's; the tempo; then the features of the whole board, of the mover and of the other. Counts
past 31 weigh as 31. Then pits in pairs, by groups of two neighbours so that one load weighs four
pits: from ``W_GROUPS`` 4096 for each two groups, ``64 * group + group`` in the order of
:func:`groups`. A group is ``count + 8 * count``, where counts past 7 weigh as 7. Last the net,
which stands in the place of the groups where ``W_NET`` is ``SIX_NET``: from ``W_NET_ROWS`` the
rows of each place in the order of ``NET_PLACES``, ``NET_HIDDEN`` numbers each; from ``W_NET_OUT``
what each hidden unit weighs, in ``2 ** -NET_SHIFT``. Counts past the last row of a place are as the
last. The net for any width (``SHARED_NET``) has blocks by lane instead: of sixteen pits of the
mover and of the other, of the threats, one row as bias, and the weights of the hidden units."""
NO_NET, SIX_NET, SHARED_NET = range(3)
"""What ``W_NET`` says: which net the weights hold."""
SHARED_LANES: Final = 16
SHARED_THREATS: Final = 16
SHARED_PLACES: Final = (
    *((NET_COUNTS,) * (2 * SHARED_LANES)),
    *((SHARED_THREATS,) * 6),
    SHARED_LANES + 1,
)
"""Rows of each place of the net for any width: the mover's pits by their distance from its store,
the other's, the threats of both, then the pits of a row."""
SHARED_THREAT_ROWS: Final = W_NET_ROWS + 2 * SHARED_LANES * NET_COUNTS * NET_HIDDEN
SHARED_BIAS: Final = SHARED_THREAT_ROWS + 6 * SHARED_THREATS * NET_HIDDEN
SHARED_OUT: Final = SHARED_BIAS + NET_HIDDEN
SHARED_WEIGHTS: Final = SHARED_OUT + NET_HIDDEN


class Variant(NamedTuple):
    """The rules as the kernels see them; see :func:`variant`."""

    sowing: Words
    """Narrow: u64[256 * 8 * 4], row ``hand * 8 + pit``: what is added to the own word and to the
    other word; eight times the last lane (of the other row, 64 more); 1 when it sows again.
    Wide: u64[256 * 16 * 8], row ``hand * 16 + pit``: what is added to own, other, upper own, upper
    other and the store; the last pit (16: the store; of the other row, 32 more); 1 when it sows
    again."""
    laps: Words
    """The same for hands from pits of the other row, under ``relay``; else u64[1]."""
    pits: int
    wide: bool
    """Whether a side takes two words."""
    store: np.uint64
    """Narrow: shift of the store's lane, ``8 m``."""
    row: np.uint64
    """Narrow: mask of the lanes that are pits."""
    reach: np.uint64
    """What the last lane, or pit, must be below to capture: the store, or 0."""
    lone: bool
    """Whether a seed that captures nothing goes to the store all the same."""
    majority: bool
    relay: bool
    relap: bool
    even: bool
    empty_takes: bool


class ExactTables(NamedTuple):
    """Exact values of positions with few seeds; see :mod:`mancala.engine.kernels.tablebase`."""

    values: Octets
    """u8[places / 2]: four bits a position, that of even index in the lower half of its byte."""
    ranks: Words
    """u64[48 * 40]: lines 0..5 the ranks of prefix sums, line 6 the rows of fewer seeds, line 7
    the rows of as many seeds, from line 8 the first index of the block of
    ``(own seeds, other seeds)``."""
    mover_part: Bytes
    """i8[rows]: the mover's part of the floor of a value in quarters of a seed, by the row's
    number: rows of fewer seeds, then the rank."""
    waiter_part: Bytes
    """i8[rows]: the other side's part."""
    seeds: int
    """Most seeds on the board that the values cover; 0 when there are none."""


class Stack(NamedTuple):
    """A paused search: everything that is needed to resume it."""

    words: Words
    """u64[plies * 72], a frame: its position in four words, then those of its children."""
    ints: Numbers
    """i64[plies * 96], a frame: see ``F_`` in :mod:`mancala.engine.kernels.frames`."""
    control: Numbers
    """i64[32]: see the ``C_`` constants of :mod:`mancala.engine.kernels.frames`."""


class Search(NamedTuple):
    """Everything one searching thread works on; threads may share ``entries`` and ``tables``."""

    variant: Variant
    entries: Words
    """u64[2 ** bits * 4 * 2], the transposition table; see :mod:`mancala.engine.kernels.tt`."""
    bits: int
    tables: ExactTables
    weights: Shorts
    """i16[WEIGHTS] or i16[SHARED_WEIGHTS]: see ``W_``; filled by
    :mod:`mancala.engine.evaluation.weights`."""
    busy: Words
    """u64[4096]: mixed keys of what the threads are searching (ABDADA), by their low bits."""
    stack: Stack


def pairs(pits: int) -> list[tuple[int, int]]:
    """Return the pairs of pits in the order of their weights; the other's pits begin at ``pits``.

    First each of the mover's with those right of it and all of the other's, then the other's.
    """
    return [(one, two) for one in range(2 * pits) for two in range(one + 1, 2 * pits)]


def groups(pits: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return each two groups of pits in the order of their weights; pits as in ``pairs``."""
    row = [tuple(range(pits)[at : at + 2]) for at in range(0, pits, 2)]
    both = row + [tuple(pit + pits for pit in group) for group in row]
    return [(one, two) for at, one in enumerate(both) for two in both[at + 1 :]]


def is_wide(rules: Rules) -> bool:
    """Return whether a side needs two words.

    With ``majority`` the store rides in a lane of the key, so seven pits are then too many.
    """
    return rules.pits > LANES or (rules.pits == LANES and rules.majority)


@lru_cache(maxsize=4)
def variant(rules: Rules) -> Variant:
    """Fill the sowing table for the rules, once; it is read-only by convention."""
    rules.require_known(KNOWN_RULES, "the compiled engine")
    wide = is_wide(rules)
    reach = 0 if rules.capture is Capture.NONE else rules.pits
    return Variant(
        sowing=_table(rules, 0),
        laps=_table(rules, rules.pits + 1) if rules.relay else np.zeros(1, dtype=np.uint64),
        pits=rules.pits,
        wide=wide,
        store=np.uint64(0 if wide else 8 * rules.pits),
        row=np.uint64(0 if wide else (1 << 8 * rules.pits) - 1),
        reach=np.uint64(reach if wide else 8 * reach),
        lone=rules.capture is Capture.ALWAYS,
        majority=rules.majority,
        relay=bool(rules.relay),
        relap=rules.relap,
        even=bool(rules.even),
        empty_takes=bool(rules.empty_takes),
    )


def _table(rules: Rules, first: int) -> Words:
    """Return the sowings of all hands from the pits of a row, which begins at a place."""
    wide = is_wide(rules)
    row = _wide_sowing if wide else _sowing
    shape = (HANDS, 16, WIDE_SOW_WORDS) if wide else (HANDS, 8, SOW_WORDS)
    table = np.zeros(shape, dtype=np.uint64)
    for hand in range(HANDS):
        for pit in range(rules.pits):
            words = row(rules, first + pit, hand)
            table[hand, pit, : len(words)] = words
    return table.reshape(-1)


def _ring(rules: Rules, pit: int, hand: int) -> tuple[list[int], int, int]:
    """Return what each place of an empty ring gets, the last place, and 1 when it sows again."""
    lap = 2 * rules.pits + 1
    before = pit - 1 if rules.keep_one and hand > 1 else pit
    ring = [hand // lap] * lap
    for place in range(before + 1, before + 1 + hand % lap):
        ring[place % lap] += 1
    ring[pit] -= hand
    last = (before + hand) % lap
    return ring, last, int(last == rules.pits or (rules.relap and last == pit))


def _word(counts: list[int]) -> int:
    return sum(count << 8 * lane for lane, count in enumerate(counts)) % (1 << 64)


def _sowing(rules: Rules, pit: int, hand: int) -> tuple[int, ...]:
    m = rules.pits
    ring, last, again = _ring(rules, pit, hand)
    return (
        _word(ring[: m + 1]),
        _word(ring[m + 1 :]),
        8 * last if last <= m else 64 + 8 * (last - m - 1),
        again,
    )


def _wide_sowing(rules: Rules, pit: int, hand: int) -> tuple[int, ...]:
    m = rules.pits
    ring, last, again = _ring(rules, pit, hand)
    own, other = ring[:m], ring[m + 1 :]
    words = _word(own[:8]), _word(other[:8]), _word(own[8:]), _word(other[8:])
    return *words, ring[m], last if last < m else 16 if last == m else 31 + last - m, again


def ranks(pits: int, seeds: int) -> Words:
    """Fill the table that turns two rows into an index; see ``key_of`` in the kernels."""
    table = np.zeros((8 + RANK_STRIDE, RANK_STRIDE), dtype=np.uint64)
    for lane in range(pits - 1):
        table[lane] = [comb(prefix + lane, lane + 1) for prefix in range(RANK_STRIDE)]
    table[6] = [rows_below(pits, total) for total in range(RANK_STRIDE)]
    table[7] = [comb(total + pits - 1, pits - 1) for total in range(RANK_STRIDE)]
    for pair, first, size in pairs_of_sums(pits, seeds):
        own, other = pair
        table[8 + own, other] = first
        if own != other:
            table[8 + other, own] = first + size // 2
    return table.reshape(-1)


def rows_below(pits: int, seeds: int) -> int:
    """Return the number of rows of fewer seeds, the empty one included."""
    return comb(seeds + pits - 1, pits)


def pairs_of_sums(pits: int, seeds: int) -> list[tuple[tuple[int, int], int, int]]:
    """Return each pair of row sums of at most ``seeds``, its first index and its positions.

    The block of ``(own, other)`` is followed by that of ``(other, own)``. A pair begins with a
    cache line, so that threads which fill two pairs write to no line in common.
    """
    pairs, first = [], 0
    for total in range(2, seeds + 1):
        for own in range(1, total // 2 + 1):
            other = total - own
            block = comb(own + pits - 1, pits - 1) * comb(other + pits - 1, pits - 1)
            size = block if own == other else 2 * block
            pairs.append(((own, other), first, size))
            first += -(-size // PAIR_PLACES) * PAIR_PLACES
    return pairs


def table_bytes(pits: int, seeds: int) -> int:
    """Return the bytes that tables take, four bits a position."""
    if seeds < 2:  # no position
        return 1
    _, first, size = pairs_of_sums(pits, seeds)[-1]
    return -(-(first + size) // PAIR_PLACES) * PAIR_PLACES // 2


def positions(pits: int, seeds: int) -> int:
    """Return the number of positions of at most ``seeds`` seeds whose rows both hold some.

    ``C(s+2m, 2m) - 2 C(s+m, m) + 1``: Irving, Donkers, Uiterwijk, "Solving Kalah", ICGA Journal
    23(3), 2000.
    """
    return comb(seeds + 2 * pits, 2 * pits) - 2 * comb(seeds + pits, pits) + 1


def no_tables(pits: int) -> ExactTables:
    """Return empty tables, which cover no position."""
    nothing = np.zeros(1, dtype=np.int8)
    return ExactTables(np.zeros(1, dtype=np.uint8), ranks(pits, 0), nothing, nothing, 0)


def busy() -> Words:
    """Allocate ABDADA's marks."""
    return np.zeros(BUSY_SLOTS, dtype=np.uint64)


def stack() -> Stack:
    """Allocate the frames of one search; a frame's numbers are written when it is entered."""
    return Stack(
        words=np.zeros(MAX_PLIES * FRAME_WORDS, dtype=np.uint64),
        ints=np.empty(MAX_PLIES * FRAME_INTS, dtype=np.int64),
        control=np.zeros(32, dtype=np.int64),
    )


def new_search(
    rules: Rules, weights: Shorts, *, tables: ExactTables | None = None, bits: int = 0
) -> Search:
    """Allocate what one thread searches on, with a table of ``2 ** bits`` buckets; 16 or more."""
    return Search(
        variant=variant(rules),
        entries=entries(bits),
        bits=bits,
        tables=no_tables(rules.pits) if tables is None else tables,
        weights=weights,
        busy=busy(),
        stack=stack(),
    )


def entries(bits: int) -> Words:
    """Allocate a transposition table of ``2 ** bits`` buckets on huge pages where there are any."""
    return np.frombuffer(huge(SLOTS * 16 << bits), dtype=np.uint64)


def memo_bytes(pits: int, seeds: int) -> int:
    """Return the bytes in which a build of tables remembers escapes: a twelfth of them, or less."""
    places = max(positions(pits, seeds) // MEMO_SHARE, FEWEST_PLACES)
    return 8 << (places.bit_length() - 1)


def memo(pits: int, seeds: int) -> Words:
    """Return room for the values of escapes, as a build of tables remembers them."""
    size = memo_bytes(pits, seeds)
    return np.frombuffer(huge(size), dtype=np.uint64, count=size // 8)


def huge(size: int) -> mmap.mmap:
    """Map anonymous memory, asking for huge pages: a search misses the TLB at every probe.

    Private memory, as Linux gives huge pages to shared memory only where configured to.
    """
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return mmap.mmap(-1, max(size, mmap.PAGESIZE))
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    memory = mmap.mmap(-1, max(size, mmap.PAGESIZE), flags=private)
    memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
