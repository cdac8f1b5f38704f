"""All compiled code: sowing, perft, the evaluation and the search.

One file, because numba's cache looks only at the calling kernel's file: a change elsewhere would
leave the old machine code in place, silently (numba issue 1833). Module constants are frozen into
the code; whatever varies (rules, weights, tables) is an argument.

**Boards.** A side is one unsigned 64-bit word of eight 8-bit lanes, pit ``i`` in lane ``i`` and
the store in lane ``m``. Sowing ``hand`` seeds from ``pit`` always adds the same amount to the own
word (the emptied pit included, by wrapping) and to the other word, so both come from a table and
a sowing is two additions; only a capture needs more. Every constant is wrapped in ``np.uint64``:
a mixed sum of signed and unsigned is signed here and a float in plain Python.

**Values.** Captured seeds never return and no position repeats, so what the mover can still gain
over the other depends on the pits and the mover alone: the *value-to-go*. The search works on
pits without stores and adds the gain of each sowing on the way up:
``value(move) = gain + value(child)`` when the mover sows again, else ``gain - value(child)``.
Under ``majority`` the stores decide when the game ends; the mover's store then rides in lane ``m``
of the key. Values are counted in 1/64 seed (``UNIT``), as the evaluation needs a finer grain than
the game; a value that is proven is a whole number of seeds.

**What search denotes.** ``run`` computes, fail-soft, the depth-limited negamax value of frame 0
within its window. At a depth of ``PROOF`` nothing is ever evaluated: values come from ended games,
endgame tables and other proofs, and are exact. What the transposition table holds under a key is
either a *proof* (both bounds, in whole seeds), a function of the position alone, which any depth
may use; or an *estimate* (depth below ``PROOF``; one bound), of position and depth.

**Selective depth** makes estimates cheap, and blurs them: one of depth ``d`` is the value of a tree
of ``d`` plies less what was left out on the way there, which depends on the windows and the order
it was met with. Against a null window, close to the leaves, an evaluation that lies outside by a
margin a ply stands (futility pruning on both sides: Heinz, "Extended futility pruning", ICCA
Journal 21(2), 1998). Further up, a shallower search of the same position asks first whether its
value lies outside by a margin (ProbCut: Buro, ICCA Journal 18(2), 1995); where it does not, its
best move is tried first. The principal variation has an open window and is spared both. Proofs
know nothing of this.

**Nodes.** A node is a position whose sowings are generated. It first sows all its children, and
touches their entries in both tables so that the cache misses overlap; then settles each child
that an ended game, a table, or the seeds left can settle against the window (this is enhanced
transposition cut-off and futility in one); only what remains open is ordered and searched.

**Frames.** There is no recursion: a search is an explicit stack of frames in arrays. So it can be
put down after any node and taken up again, by the same call, with nothing lost; that is how a
limit or a stop is obeyed. A window handed to a child is the parent's, shifted by the gain, and
turned when the other side moves; principal-variation search adds a null window first, and a
second visit when that fails high. The search is compiled twice, for estimates and for proofs, so
that a proof carries nothing of what only estimates need.

**Threads** may search one question on stacks of their own and one transposition table. In a proof
each marks the child it is in; who comes to a child that another is in takes the next one first,
and finds the result in the table later (after ABDADA: Weill, ICCA Journal 19(1), 1996).

**Entries** of the transposition table are two words. The 7 + 7 lanes of a position, 112 bits, are
mixed invertibly; the bucket's number holds at least 16 of them, so 96 bits identify the position
fully and 32 are left: depth 7, move 4, work 3, and 18 of payload. Words are stored xored, so
that a torn pair written by two threads is seen as another position (Hyatt and Mann, 2002).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from engine.state import (
    BUSY_SLOTS,
    FRAME_INTS,
    FRAME_WORDS,
    LANES,
    MAX_PLIES,
    POSITION,
    RANK_STRIDE,
    SLOTS,
    W_COUNTS,
    W_GROUP,
    W_GROUPS,
    W_OTHER,
    W_TEMPO,
    Numbers,
    Search,
    Shorts,
    Tables,
    Variant,
    Words,
)

F = TypeVar("F", bound=Callable[..., Any])
Int: TypeAlias = Any
"""An int in plain Python, np.int64 when compiled; no static type is both."""
Flag: TypeAlias = Any
"""Likewise bool and np.bool."""
Numba: TypeAlias = Any
"""What numba hands to an intrinsic; it ships no types for it."""


_njit = cast("Callable[..., Any]", numba.njit)


def kernel(function: F) -> F:
    """Compile a function, cached on disk, that gives up the GIL while it runs.

    Kernels allocate nothing. That being so, numba may leave out the counting of references, whose
    atomic additions otherwise cost half the time of a search and tie two threads to one another.
    """
    return cast("F", _njit(cache=True, nogil=True, error_model="numpy", _nrt=False)(function))


def inlined(function: F) -> F:
    """Compile a function into each kernel that calls it."""
    options = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
    return cast("F", _njit(**options, forceinline=True)(function))


U0 = np.uint64(0)
U1 = np.uint64(1)
U3 = np.uint64(3)
U7 = np.uint64(7)
U8 = np.uint64(8)
U15 = np.uint64(15)
U28 = np.uint64(28)
U40 = np.uint64(40)
U56 = np.uint64(56)
BYTE = np.uint64(0xFF)
ONES = np.uint64(0x0101010101010101)
SEVENS = np.uint64(0x7F7F7F7F7F7F7F7F)
HIGHS = np.uint64(0x8080808080808080)
MASK40 = np.uint64((1 << 40) - 1)
MASK56 = np.uint64((1 << 56) - 1)
MIX_OWN = np.uint64(0x9E3779B97F4A7C15)
MIX_OTHER = np.uint64(0x00C2B2AE3D27D4EB4F & ((1 << 56) - 1))
MIX_HIGH = np.uint64(0xA0761D6478BD642F)
MIX_MORE = np.uint64(0xE7037ED1A0B428DB)
MIX_BOTH = np.uint64(0x00D6E8FEB86659FD93 & ((1 << 56) - 1))

STRIDE = np.uint64(RANK_STRIDE)
LAST_PLY = np.uint64(MAX_PLIES)
FRAME = np.uint64(FRAME_INTS)
FRAME_W = np.uint64(FRAME_WORDS)
POSITION_W = np.uint64(POSITION)
U2 = np.uint64(2)
BUCKET = np.uint64(2 * SLOTS)

BUSY = np.uint64(BUSY_SLOTS - 1)
DEFERRED = np.int64(1 << 40)
FILLED_TOGETHER: Final = 64
"""Rows of endgame tables that are filled together: a cache line of the other side's block."""
LAST_COUNT = np.uint64(W_COUNTS - 1)
OTHERS = np.uint64(W_OTHER)
GROUP = np.uint64(W_GROUP)
GROUPS = np.uint64(W_GROUPS)
SMALL = np.uint64(0x0707070707070707)
COUPLES = np.uint64(0x003F003F003F003F)
U5 = np.uint64(5)
U6 = np.uint64(6)
U16 = np.uint64(16)
U63 = np.uint64(63)

UNIT: Final = 64
"""One seed, in the units of values inside the search."""
PROOF: Final = 127
"""The depth at which nothing is evaluated."""
INFINITY: Final = 1 << 20
NO_PIT: Final = 15

C_STOP, C_PLY, C_ENTERING, C_NODES, C_TOTAL, C_TEAM = map(np.uint64, range(6))
"""Control words: stop flag, frame on top, whether it is new, nodes so far, seeds in all (for
``majority``), whether others search the same question."""
C_PARAMETERS: Final = 8
(
    C_AGAIN_COST,
    C_QUIET,
    C_FUTILE_PLIES,
    C_FUTILE_MARGIN,
    C_RAZOR_MARGIN,
    C_PROBE_FROM,
    C_PROBE_LESS,
    C_PROBE_MARGIN,
) = map(np.uint64, range(C_PARAMETERS, C_PARAMETERS + 8))
"""Control words from the eighth on: see :class:`engine.search_options.SearchOptions`."""

F_ALPHA0, F_ALPHA, F_BETA, F_BEST, F_PIT, F_DEPTH, F_SEEDS, F_STORE = map(np.uint64, range(8))
"""Frame: window as given, window now, best value, its pit, depth, seeds in pits, mover's store."""
F_CURSOR, F_OPEN, F_BEGAN, F_SCOUT, F_KNOWN, F_HASH = map(np.uint64, range(8, 14))
"""Frame: next in the order, length of the order, nodes when it began, how the next child is being
searched, whether nothing is to be written back, mixed half of the key."""
FRESH, SCOUT, FULL, PROBE_HIGH, PROBE_LOW = range(5)
"""How a child is searched: not yet, or in the frame's own window; in a null window; in the frame's
own, as that failed high. The last two: no child, but the position itself is being probed."""
TABLE_SCORE: Final = 8192
"""What puts a child first in the order."""
F_GAIN, F_AGAIN, F_CHILD_PIT, F_PLACE, F_ORDER = map(np.uint64, range(16, 96, 16))
"""Frame: sixteen of each, by child: seeds gained, sows again, pit, and where to look it up; then
the children still open in the order to search them."""

DONE, PAUSED, TOO_DEEP = 1, 0, 2
"""What ``run`` returns: frame 0 has its value; take it up again; more plies than frames."""

SETTLED, IN_TABLES, IN_ENTRIES = 0, 1, 2


# --- Sowing -------------------------------------------------------------------------------------


@inlined
def sow(
    v: Variant, me: np.uint64, you: np.uint64, pit: np.uint64, hand: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Sow a non-empty pit: own word, other word, 1 when the mover sows again. Sweeps nothing."""
    row = ((hand << U3) | pit) << U2
    me = me + v.sowing[row]
    you = you + v.sowing[row | U1]
    last = v.sowing[row | np.uint64(2)]
    if last < v.store and (me >> last) & BYTE == U1:
        opposite = v.store - U8 - last
        taken = (you >> opposite) & BYTE
        if taken != U0 or v.lone:
            me = me - (U1 << last) + ((taken + U1) << v.store)
            you = you - (taken << opposite)
    return me, you, v.sowing[row | U3]


@inlined
def row_sum(word: np.uint64) -> np.uint64:
    """Add up all lanes of a word; the sum must be below 256."""
    return (word * ONES) >> U56


@inlined
def hand_at(words: Words, at: np.uint64, pit: Int) -> np.uint64:
    """Count the seeds in a pit of the mover of a position."""
    lane = np.uint64(pit)
    hand: np.uint64 = (words[at + ((lane >> U3) << U1)] >> ((lane & U7) << U3)) & BYTE
    return hand


@inlined
def seeds_of(words: Words, at: np.uint64) -> Int:
    """Count the seeds in the pits of a position."""
    total = row_sum(words[at]) + row_sum(words[at + U1])
    return np.int64(total + row_sum(words[at + U2]) + row_sum(words[at + U3]))


@inlined
def count_pits(word: np.uint64) -> np.uint64:
    """Count the lanes that are not zero."""
    return ((((((word & SEVENS) + SEVENS) | word) & HIGHS) >> U7) * ONES) >> U56


@inlined
def turn(words: Words, at: np.uint64) -> None:
    """Give a position to the other side."""
    words[at], words[at + U1] = words[at + U1], words[at]
    words[at + U2], words[at + U3] = words[at + U3], words[at + U2]


@inlined
def sow_wide(v: Variant, words: Words, at: np.uint64, pit: Int) -> tuple[Int, Int]:
    """Sow on a wide position in place: seeds gained, 1 when the mover sows again."""
    row = ((hand_at(words, at, pit) << np.uint64(4)) | np.uint64(pit)) << U3
    for word in range(POSITION):
        i = np.uint64(word)
        words[at + i] += v.sowing[row + i]
    gain = v.sowing[row | np.uint64(4)]
    last = v.sowing[row | np.uint64(5)]
    if last < np.uint64(v.pits) and hand_at(words, at, last) == U1:
        opposite = np.uint64(v.pits - 1) - last
        taken = hand_at(words, at + U1, opposite)
        if taken != U0 or v.lone:
            gain += taken + U1
            words[at + ((last >> U3) << U1)] -= U1 << ((last & U7) << U3)
            words[at + U1 + ((opposite >> U3) << U1)] -= taken << ((opposite & U7) << U3)
    return np.int64(gain), np.int64(v.sowing[row | np.uint64(6)])


@inlined
def is_over(v: Variant, me: np.uint64, you: np.uint64, half: np.uint64) -> Flag:
    """Tell whether a narrow board is finished; stores in lane ``m``, ``half`` of all seeds."""
    if me & v.row == U0 or you & v.row == U0:
        return True
    return v.majority and ((me >> v.store) & BYTE > half or (you >> v.store) & BYTE > half)


@kernel
def play(v: Variant, board: Words, stores: Numbers, pit: int) -> Int:
    """Sow on a position (u64[4]) and its stores (i64[2]), in place; the mover's side is first.

    A finished game is swept. Returns 0 when the turn passes, 1 when the mover sows again, 2 when
    the game is over. The sides stay where they are: whose turn it is, the caller keeps.
    """
    total = seeds_of(board, U0) + stores[0] + stores[1]
    if v.wide:
        gain, again = sow_wide(v, board, U0, pit)
    else:
        me, you, more = sow(v, board[0], board[1], np.uint64(pit), hand_at(board, U0, pit))
        board[0], board[1] = me & v.row, you
        gain, again = np.int64(me >> v.store), np.int64(more)
    stores[0] += gain
    mine = np.int64(row_sum(board[0]) + row_sum(board[2]))
    theirs = np.int64(row_sum(board[1]) + row_sum(board[3]))
    if mine == 0 or theirs == 0:
        for i in range(POSITION):
            board[i] = U0
        stores[0] += mine
        stores[1] += theirs
        return 2
    return 2 if v.majority and 2 * max(stores[0], stores[1]) > total else again


@inlined
def leaves_at_one(v: Variant, me: np.uint64, you: np.uint64, half: np.uint64) -> np.uint64:
    """Count the leaves one ply below a narrow board."""
    return U1 if is_over(v, me, you, half) else count_pits(me & v.row)


@kernel
def perft(v: Variant, me: np.uint64, you: np.uint64, half: np.uint64, depth: int) -> Int:
    """Count the leaves of a narrow board at ``depth``, every sowing one ply.

    The stores are in lane ``m``; ``half`` of all seeds; a finished game is one leaf. The last two
    plies are counted in one loop: a call costs more than a sowing.
    """
    if depth < 2:
        return np.int64(leaves_at_one(v, me, you, half)) if depth == 1 else 1
    if is_over(v, me, you, half):
        return 1
    leaves: Int = 0
    for lane in range(v.pits):
        pit = np.uint64(lane)
        hand = (me >> (pit << U3)) & BYTE
        if hand == U0:
            continue
        own, other, again = sow(v, me, you, pit, hand)
        mover, waiting = (own, other) if again != U0 else (other, own)
        if depth == 2:
            leaves += np.int64(leaves_at_one(v, mover, waiting, half))
        else:
            leaves += perft(v, mover, waiting, half, depth - 1)
    return leaves


@kernel
def perft_wide(v: Variant, boards: Words, stores: Numbers, ply: int, depth: int) -> Int:
    """Count the leaves of a wide board at ``depth``.

    The board stands at ``ply`` of ``boards`` (u64[4 * plies]) and ``stores`` (i64[2 * plies], the
    mover's first); what follows is room for its descendants.
    """
    at, child = np.uint64(ply * POSITION), np.uint64((ply + 1) * POSITION)
    mine, theirs = stores[2 * ply], stores[2 * ply + 1]
    total = seeds_of(boards, at) + mine + theirs
    finished = boards[at] | boards[at + U2] == U0 or boards[at + U1] | boards[at + U3] == U0
    if depth == 0 or finished or (v.majority and 2 * max(mine, theirs) > total):
        return 1
    leaves = 0
    for pit in range(v.pits):
        if hand_at(boards, at, pit) == U0:
            continue
        for word in range(POSITION):
            boards[child + np.uint64(word)] = boards[at + np.uint64(word)]
        gain, again = sow_wide(v, boards, child, pit)
        stores[2 * ply + 2], stores[2 * ply + 3] = mine + gain, theirs
        if again == 0:
            turn(boards, child)
            stores[2 * ply + 2], stores[2 * ply + 3] = theirs, mine + gain
        leaves += perft_wide(v, boards, stores, ply + 1, depth - 1)
    return leaves


# --- Looking up ---------------------------------------------------------------------------------


def _touch(array: NDArray[Any], index: np.uint64) -> None:
    """Ask for the cache line of ``array[index]``; nothing, where nothing is compiled."""


def _touch_lowered(_typing: Numba, array: Numba, index: Numba) -> Numba:
    """Lower :func:`_touch` to LLVM's prefetch for reading, to be kept in all levels."""

    def build(context: Numba, builder: Numba, signature: Numba, values: Numba) -> Numba:
        data = context.make_array(signature.args[0])(context, builder, values[0]).data
        byte = ir.IntType(8).as_pointer()
        place = builder.bitcast(builder.gep(data, [values[1]]), byte)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        declare: Numba = cgutils.get_or_insert_function
        prefetch = declare(builder.module, kind, "llvm.prefetch.p0")
        builder.call(prefetch, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, index), build


_lowered = cast("Callable[[NDArray[Any], np.uint64], None]", intrinsic(_touch_lowered))
touch = _touch if vars(numba.config)["DISABLE_JIT"] else _lowered


@inlined
def index_of(t: Tables, x: np.uint64, y: np.uint64) -> np.uint64:
    """Number a position of two non-empty rows, own row first.

    Blocks of equal (own seeds, other seeds) follow one another by their sum; within a block a row
    has the combinatorial rank ``sum C(p_i + i, i + 1)`` of its prefix sums ``p_i``. The table of
    ranks is zero for lanes past the last but one pit, so the loop has a fixed length.
    """
    own, other = x * ONES, y * ONES
    high = other_rank = U0
    for lane in range(LANES - 1):
        shift, line = np.uint64(8 * lane), np.uint64(lane * RANK_STRIDE)
        high += t.ranks[line + ((own >> shift) & BYTE)]
        other_rank += t.ranks[line + ((other >> shift) & BYTE)]
    block = (U8 + (own >> U56)) * STRIDE + (other >> U56)
    index: np.uint64 = t.ranks[block] + high * t.ranks[U7 * STRIDE + (other >> U56)] + other_rank
    return index


@inlined
def fold(low: np.uint64, high: np.uint64, more: np.uint64) -> np.uint64:
    """Mix three words to 56 bits."""
    mixed = (low ^ (high * MIX_HIGH) ^ (more * MIX_MORE)) * MIX_OWN
    mixed = (mixed ^ (mixed >> U28)) * MIX_MORE
    return mixed >> U8


@inlined
def hashed(a: np.uint64, b: np.uint64) -> np.uint64:
    """Mix a key of 56 + 56 bits to 56; with ``a`` known, ``b`` can be got back: nothing is lost."""
    h = ((b * MIX_OTHER) ^ ((a * MIX_OWN) >> U8)) & MASK56
    h = ((h ^ (h >> U28)) * MIX_BOTH) & MASK56
    return h ^ (h >> U28)


@inlined
def bucket_of(h: np.uint64, bits: int) -> np.uint64:
    """Give the place of the first word of the bucket that may hold the hash."""
    return (h >> np.uint64(56 - bits)) * BUCKET


@inlined
def find(entries: Words, place: np.uint64, a: np.uint64, h: np.uint64) -> np.uint64:
    """Give the 32 bits stored for a position, 0 when there are none."""
    for slot in range(SLOTS):
        i = place + np.uint64(2 * slot)
        low = entries[i + U1]
        high = entries[i] ^ low
        if high & MASK56 == a and low & MASK40 == h & MASK40:
            data: np.uint64 = (high >> U56) | ((low >> U40) << U8)
            return data
    return U0


@inlined
def depth_in(data: np.uint64) -> Int:
    """Depth of an entry; PROOF for a proof."""
    return np.int64(data & np.uint64(127))


@inlined
def pit_in(data: np.uint64) -> Int:
    """Best pit of an entry, or NO_PIT."""
    return np.int64((data >> U7) & U15)


@inlined
def bounds_in(data: np.uint64, depth: int) -> tuple[Int, Int]:
    """Give the bounds that an entry proves for a search of this depth, in units."""
    if depth_in(data) == PROOF:
        lower = np.int64((data >> np.uint64(14)) & np.uint64(511)) - 256
        upper = np.int64((data >> np.uint64(23)) & np.uint64(511)) - 256
        return lower * UNIT, upper * UNIT
    if depth_in(data) < depth:
        return -INFINITY, INFINITY
    kind = (data >> np.uint64(14)) & U3
    value = np.int64((data >> np.uint64(16)) & np.uint64(0xFFFF)) - 32768
    return (
        -INFINITY if kind == np.uint64(2) else value,
        INFINITY if kind == U1 else value,
    )


@inlined
def estimate(value: int, alpha: int, beta: int) -> np.uint64:
    """Encode one bound; 1 lower, 2 upper, 3 both."""
    kind = U1 if value >= beta else np.uint64(2) if value <= alpha else U3
    return (kind << np.uint64(14)) | (np.uint64(value + 32768) << np.uint64(16))


@inlined
def proof(lower: int, upper: int) -> np.uint64:
    """Encode two proven bounds, whole seeds in units."""
    low, high = max(lower // UNIT, -256), min(upper // UNIT, 255)
    return (np.uint64(low + 256) << np.uint64(14)) | (np.uint64(high + 256) << np.uint64(23))


@inlined
def keep(entries: Words, place: np.uint64, a: np.uint64, h: np.uint64, data: np.uint64) -> None:
    """Write an entry over its own older one, or over the one that cost the least work."""
    at = place
    least = np.uint64(255)
    for slot in range(SLOTS):
        i = place + np.uint64(2 * slot)
        low = entries[i + U1]
        if (entries[i] ^ low) & MASK56 == a and low & MASK40 == h & MASK40:
            at = i
            break
        work = (low >> np.uint64(43)) & U7
        if work < least:
            at, least = i, work
    low = (h & MASK40) | ((data >> U8) << U40)
    entries[at + U1] = low
    entries[at] = (a | (data << U56)) ^ low


@inlined
def work_of(nodes: int) -> np.uint64:
    """Grade the work that an entry saves: a third of its nodes' binary logarithm, at most 7."""
    work = U0
    while nodes > 7 and work < U7:
        nodes >>= 3
        work += U1
    return work


# --- Evaluation ---------------------------------------------------------------------------------


@inlined
def best_capture(v: Variant, me: np.uint64, you: np.uint64) -> Int:
    """Give the most seeds of the other row that one sowing captures; without branches.

    An empty pit is no case of its own: its sowing ends where it began, in a pit without a seed.
    """
    best = U0
    for lane in range(v.pits):
        pit = np.uint64(lane)
        row = ((((me >> (pit << U3)) & BYTE) << U3) | pit) << U2
        last = v.sowing[row | U2]
        lands = ((me + v.sowing[row]) >> (last & U63)) & BYTE
        taken = ((you + v.sowing[row | U1]) >> ((v.store - U8 - last) & U63)) & BYTE
        best = max(best, taken if (last < v.store) & (lands == U1) else U0)
    return np.int64(best)


@inlined
def chain(v: Variant, me: np.uint64, you: np.uint64) -> tuple[Int, np.uint64, np.uint64]:
    """Play re-turns, always the rightmost there is: their number and the rows after them."""
    length = 0
    pit = np.uint64(v.pits)
    while pit != U0:
        pit -= U1
        hand = (me >> (pit << U3)) & BYTE
        row = ((hand << U3) | pit) << np.uint64(2)
        if hand != U0 and v.sowing[row | U3] != U0:
            me = (me + v.sowing[row]) & v.row
            you = you + v.sowing[row | U1]
            length += 1
            pit = np.uint64(v.pits)
    return length, me, you


@inlined
def side_features(v: Variant, w: Shorts, at: np.uint64, me: np.uint64, you: np.uint64) -> Int:
    """Weigh what one side threatens: chains, captures, and captures at the end of a chain."""
    length, own, other = chain(v, me, you)
    now = best_capture(v, me, you)
    then = best_capture(v, own, other) if length > 0 else now
    return w[at] * length + w[at + U1] * now + w[at + U2] * then


@inlined
def couples(row: np.uint64) -> np.uint64:
    """Put the counts of two neighbours, cut to at most 7, into six bits of each other lane."""
    large = row & ~SMALL
    large = (((large & SEVENS) + SEVENS) | large) & HIGHS
    small = (row & SMALL) | ((large >> U7) * U7)
    return (small | (small >> U5)) & COUPLES


@inlined
def pair_features(v: Variant, w: Shorts, me: np.uint64, you: np.uint64) -> Int:
    """Weigh each two pits together, by their counts; the order is that of ``state.groups``."""
    mine, theirs = couples(me), couples(you)
    groups = (v.pits + 1) >> 1
    value = np.int64(0)
    at = GROUPS
    for one in range(groups):
        line = ((mine >> (np.uint64(one) * U16)) & U63) << U6
        for two in range(one + 1, groups):
            value += w[at + line + ((mine >> (np.uint64(two) * U16)) & U63)]
            at += GROUP
        for two in range(groups):
            value += w[at + line + ((theirs >> (np.uint64(two) * U16)) & U63)]
            at += GROUP
    for one in range(groups):
        line = ((theirs >> (np.uint64(one) * U16)) & U63) << U6
        for two in range(one + 1, groups):
            value += w[at + line + ((theirs >> (np.uint64(two) * U16)) & U63)]
            at += GROUP
    return value


@inlined
def evaluate(v: Variant, w: Shorts, words: Words, at: np.uint64) -> Int:
    """Estimate the value-to-go in units; :mod:`engine.evaluation` has the layout of the weights.

    Wide rows are weighed by pit and count alone.
    """
    value = np.int64(w[W_TEMPO])
    for pit in range(v.pits):
        line = np.uint64(pit * W_COUNTS)
        value += w[line + min(hand_at(words, at, pit), LAST_COUNT)]
        value += w[OTHERS + line + min(hand_at(words, at + U1, pit), LAST_COUNT)]
    if not v.wide:
        value += side_features(v, w, np.uint64(W_TEMPO + 1), words[at], words[at + U1])
        value += side_features(v, w, np.uint64(W_TEMPO + 4), words[at + U1], words[at])
        value += pair_features(v, w, words[at], words[at + U1])
    left = seeds_of(words, at) * UNIT
    return max(-left, min(left, value))


# --- The search ---------------------------------------------------------------------------------


@inlined
def own_key(v: Variant, words: Words, at: np.uint64, store: int) -> np.uint64:
    """Give the half of a position's key that is kept as it is, 56 bits.

    The mover's store belongs to it where it matters to the value. A wide position is folded to
    112 bits; two that fold alike are one in 2 ** 96.
    """
    a: np.uint64 = words[at]
    if v.wide:
        return fold(a, words[at + U2], np.uint64(store) if v.majority else U0)
    return a | (np.uint64(store) << v.store) if v.majority else a


@inlined
def mixed_key(v: Variant, words: Words, at: np.uint64, a: np.uint64) -> np.uint64:
    """Give the other half of the key, mixed with the first."""
    b: np.uint64 = words[at + U1]
    return hashed(a, fold(b, words[at + U3], a) if v.wide else b)


@kernel
def begin(s: Search, position: Words, store: int, goal: tuple[int, int, int]) -> None:
    """Set up frame 0: a position, the mover's store, and ``goal`` = (depth, alpha, beta)."""
    ints, control = s.stack.ints, s.stack.control
    for i in range(POSITION):
        s.stack.words[i] = position[i]
    ints[F_DEPTH] = goal[0]
    ints[F_ALPHA] = goal[1]
    ints[F_BETA] = goal[2]
    ints[F_SEEDS] = seeds_of(position, U0)
    ints[F_STORE] = store
    control[C_PLY] = 0
    control[C_ENTERING] = 1


@inlined
def known(s: Search, w: np.uint64, f: np.uint64, proving: Flag) -> tuple[Flag, Int]:
    """Look up the position of a frame: whether that settles it, and the pit to try first."""
    ints = s.stack.ints
    a = own_key(s.variant, s.stack.words, w, ints[f + F_STORE])
    h = mixed_key(s.variant, s.stack.words, w, a)
    ints[f + F_HASH] = np.int64(h)
    data = find(s.entries, bucket_of(h, s.bits), a, h)
    if data == U0:
        return False, NO_PIT
    lower, upper = bounds_in(data, PROOF if proving else ints[f + F_DEPTH])
    if lower >= ints[f + F_BETA] or lower == upper:
        ints[f + F_BEST] = lower
        return True, pit_in(data)
    if upper <= ints[f + F_ALPHA]:
        ints[f + F_BEST] = upper
        return True, pit_in(data)
    return False, pit_in(data)


@inlined
def narrow_child(
    v: Variant, words: Words, w: np.uint64, child: np.uint64, pit: np.uint64
) -> tuple[Int, Int, Flag]:
    """Sow a child of a narrow frame: the gain, whether the mover sows again, whether it is over."""
    hand = (words[w] >> (pit << U3)) & BYTE
    own, other, again = sow(v, words[w], words[w + U1], pit, hand)
    gain = np.int64(own >> v.store)
    own &= v.row
    words[child] = own if again != U0 else other
    words[child + U1] = other if again != U0 else own
    over = not (own and other)
    if over:
        gain += np.int64(row_sum(own)) - np.int64(row_sum(other))
    return gain, np.int64(again), over


@inlined
def wide_child(
    v: Variant, words: Words, w: np.uint64, child: np.uint64, pit: np.uint64
) -> tuple[Int, Int, Flag]:
    """Do the same for a wide frame."""
    for word in range(POSITION):
        words[child + np.uint64(word)] = words[w + np.uint64(word)]
    gain, again = sow_wide(v, words, child, np.int64(pit))
    own = row_sum(words[child]) + row_sum(words[child + U2])
    other = row_sum(words[child + U1]) + row_sum(words[child + U3])
    over = not (own and other)
    if over:
        gain += np.int64(own) - np.int64(other)
    if again == 0:
        turn(words, child)
    return gain, again, over


@inlined
def generate(s: Search, w: np.uint64, f: np.uint64) -> np.uint64:
    """Sow every pit of a frame, right to left, and touch the entries of the children."""
    v, words, ints, t = s.variant, s.stack.words, s.stack.ints, s.tables
    seeds, store, total = ints[f + F_SEEDS], ints[f + F_STORE], s.stack.control[C_TOTAL]
    child, at = f, w
    pit = np.uint64(v.pits)
    while pit != U0:
        pit -= U1
        if hand_at(words, w, pit) == U0:
            continue
        at += POSITION_W
        if v.wide:
            gain, again, over = wide_child(v, words, w, at, pit)
        else:
            gain, again, over = narrow_child(v, words, w, at, pit)
        ints[child + F_AGAIN] = again
        ints[child + F_CHILD_PIT] = np.int64(pit)
        kind = IN_ENTRIES
        if over or (v.majority and 2 * (store + gain) > total):
            kind = SETTLED
        elif seeds - gain <= t.seeds:
            kind = IN_TABLES
            index = index_of(t, words[at], words[at + U1])
            touch(t.values, index)
            ints[child + F_PLACE] = np.int64(index)
        else:
            mover = store + gain if again != 0 else total - store - seeds
            h = mixed_key(v, words, at, own_key(v, words, at, mover))
            touch(s.entries, bucket_of(h, s.bits))
            ints[child + F_PLACE] = np.int64(h)
        ints[child + F_GAIN] = gain * 4 + kind
        child += U1
    return child - f


@inlined
def child_depth(s: Search, f: np.uint64, again: int, proving: Flag) -> Int:
    """Give the depth that is left to a child."""
    if proving:
        return PROOF
    return s.stack.ints[f + F_DEPTH] - (s.stack.control[C_AGAIN_COST] if again != 0 else 1)


@inlined
def child_bounds(
    s: Search, w: np.uint64, f: np.uint64, child: np.uint64, proving: Flag
) -> tuple[Int, Int]:
    """Bound the value of a move without searching, for the mover of the frame, in units."""
    ints = s.stack.ints
    gain = (ints[f + child + F_GAIN] >> 2) * UNIT
    kind = ints[f + child + F_GAIN] & 3
    again = ints[f + child + F_AGAIN]
    if kind == SETTLED:
        return gain, gain
    place = np.uint64(ints[f + child + F_PLACE])
    if kind == IN_TABLES:
        value = UNIT * np.int64(s.tables.values[place])
        value = gain + value if again != 0 else gain - value
        return value, value
    store, seeds = ints[f + F_STORE], ints[f + F_SEEDS]
    mover = store + gain // UNIT if again != 0 else s.stack.control[C_TOTAL] - store - seeds
    a = own_key(s.variant, s.stack.words, w + POSITION_W * (child + U1), mover)
    data = find(s.entries, bucket_of(place, s.bits), a, place)
    upper = seeds * UNIT - gain
    lower = -upper
    if data != U0:
        low, high = bounds_in(data, child_depth(s, f, again, proving))
        lower, upper = max(lower, low), min(upper, high)
    if again != 0:
        return gain + lower, gain + upper
    return gain - upper, gain - lower


@inlined
def is_noisy(s: Search, f: np.uint64, child: np.uint64) -> Flag:
    """Tell whether quiescence follows a move: it sows again or captures."""
    gain = s.stack.ints[f + child + F_GAIN] >> 2
    return s.stack.ints[f + child + F_AGAIN] != 0 or gain > 2


@inlined
def insert(ints: Numbers, f: np.uint64, child: np.uint64, score: int) -> None:
    """Put a child into the order of a frame, best score first."""
    first = f + F_ORDER
    at = first + np.uint64(ints[f + F_OPEN])
    item = (score << 4) | np.int64(child)
    while at > first and ints[at - U1] < item:
        ints[at] = ints[at - U1]
        at -= U1
    ints[at] = item
    ints[f + F_OPEN] += 1


@inlined
def settle(
    s: Search, w: np.uint64, f: np.uint64, children: np.uint64, table_pit: int, proving: Flag
) -> None:
    """Settle what can be without searching; put the rest in order.

    The table's move first, then what sows again, right to left, then by the gain of the sowing.
    """
    ints = s.stack.ints
    alpha, beta, best = ints[f + F_ALPHA], ints[f + F_BETA], ints[f + F_BEST]
    quiet = not proving and ints[f + F_DEPTH] <= 0
    for number in range(children):
        child = np.uint64(number)
        lower, upper = child_bounds(s, w, f, child, proving)
        pit = ints[f + child + F_CHILD_PIT]
        best = max(best, lower)
        if lower > alpha:
            alpha = lower
            ints[f + F_PIT] = pit
            if lower >= beta:
                ints[f + F_OPEN] = 0
                break
        if upper <= alpha:
            best = max(best, upper)
        elif not quiet or is_noisy(s, f, child):
            score = (ints[f + child + F_GAIN] >> 2) * 8 + pit
            if ints[f + child + F_AGAIN] != 0:
                score = 4096 + pit
            if pit == table_pit:
                score = TABLE_SCORE
            insert(ints, f, child, score)
    ints[f + F_ALPHA] = alpha
    ints[f + F_BEST] = best


@inlined
def assess(s: Search, w: np.uint64, f: np.uint64) -> Flag:
    """Evaluate a frame, and tell whether that is all there is to it.

    At depth 0 the evaluation stands where nothing noisy improves on it. Above, against a null
    window, it stands where it lies far enough outside; and it tells which side to probe.
    """
    ints, control = s.stack.ints, s.stack.control
    depth, alpha, beta = ints[f + F_DEPTH], ints[f + F_ALPHA], ints[f + F_BETA]
    stand = evaluate(s.variant, s.weights, s.stack.words, w)
    if depth <= 0:
        ints[f + F_KNOWN] = 1
        ints[f + F_BEST] = stand
        ints[f + F_ALPHA] = max(alpha, stand)
        return stand >= beta or depth <= -control[C_QUIET]
    if beta - alpha > 1:
        return False
    if depth >= control[C_PROBE_FROM]:
        ints[f + F_SCOUT] = PROBE_HIGH if stand >= beta else PROBE_LOW
    less = stand - control[C_FUTILE_MARGIN] * depth
    more = stand + control[C_RAZOR_MARGIN] * depth
    if depth > control[C_FUTILE_PLIES] or (less < beta and more > alpha):
        return False
    ints[f + F_KNOWN] = 1
    ints[f + F_BEST] = less if less >= beta else more
    return True


@inlined
def expand(s: Search, w: np.uint64, f: np.uint64, proving: Flag) -> None:
    """Open a frame: known from the table, or its children generated, settled and in order."""
    ints, control = s.stack.ints, s.stack.control
    ints[f + F_ALPHA0] = ints[f + F_ALPHA]
    ints[f + F_BEST] = -INFINITY
    ints[f + F_PIT] = NO_PIT
    ints[f + F_CURSOR] = 0
    ints[f + F_OPEN] = 0
    ints[f + F_SCOUT] = FRESH
    ints[f + F_BEGAN] = control[C_NODES]
    settled, table_pit = known(s, w, f, proving)
    ints[f + F_KNOWN] = settled
    if settled:
        return
    if not proving and assess(s, w, f):
        return
    settle(s, w, f, generate(s, w, f), table_pit, proving)


@inlined
def next_child(ints: Numbers, f: np.uint64) -> np.uint64:
    """Give the child whose turn it is."""
    return np.uint64(ints[f + F_ORDER + np.uint64(ints[f + F_CURSOR])] & 15)


@inlined
def copy_position(s: Search, source: np.uint64, to: np.uint64) -> None:
    """Copy the words of a position to those of another."""
    words = s.stack.words
    words[to] = words[source]
    words[to + U1] = words[source + U1]
    if s.variant.wide:
        words[to + U2] = words[source + U2]
        words[to + U3] = words[source + U3]


@inlined
def probe(s: Search, w: np.uint64, f: np.uint64) -> None:
    """Make a frame of the same position, less deep, that asks for more than the window does."""
    ints, margin = s.stack.ints, s.stack.control[C_PROBE_MARGIN]
    f2 = f + FRAME
    copy_position(s, w, w + FRAME_W)
    ints[f2 + F_SEEDS] = ints[f + F_SEEDS]
    ints[f2 + F_STORE] = ints[f + F_STORE]
    ints[f2 + F_DEPTH] = ints[f + F_DEPTH] - s.stack.control[C_PROBE_LESS]
    high = ints[f + F_SCOUT] == PROBE_HIGH
    ints[f2 + F_ALPHA] = ints[f + F_ALPHA] + (margin if high else -margin)
    ints[f2 + F_BETA] = ints[f2 + F_ALPHA] + 1


@inlined
def prefer(ints: Numbers, f: np.uint64, pit: int) -> None:
    """Put the child of a pit first in the order, unless the table's move stands there."""
    first = f + F_ORDER
    if ints[first] >> 4 == TABLE_SCORE:
        return
    at = first
    end = first + np.uint64(ints[f + F_OPEN])
    while at < end and ints[f + np.uint64(ints[at] & 15) + F_CHILD_PIT] != pit:
        at += U1
    if at == end:
        return
    item = ints[at]
    while at > first:
        ints[at] = ints[at - U1]
        at -= U1
    ints[first] = item


@inlined
def heed(s: Search, f: np.uint64) -> None:
    """End a frame whose probe found the window exceeded by the margin; else go on with it."""
    ints, margin = s.stack.ints, s.stack.control[C_PROBE_MARGIN]
    value = ints[f + FRAME + F_BEST]
    high = ints[f + F_SCOUT] == PROBE_HIGH
    ints[f + F_SCOUT] = FRESH
    if high and value - margin >= ints[f + F_BETA]:
        ints[f + F_BEST] = value - margin
        ints[f + F_PIT] = ints[f + FRAME + F_PIT]
        ints[f + F_OPEN] = 0
    elif not high and value + margin <= ints[f + F_ALPHA]:
        ints[f + F_BEST] = value + margin
        ints[f + F_OPEN] = 0
    else:
        prefer(ints, f, ints[f + FRAME + F_PIT])


@inlined
def descend(s: Search, w: np.uint64, f: np.uint64, proving: Flag) -> None:
    """Make the frame of the next child: its rows, what is left to it, and its window."""
    ints = s.stack.ints
    if not proving and ints[f + F_SCOUT] >= PROBE_HIGH:
        probe(s, w, f)
        return
    child = next_child(ints, f)
    gain, again = ints[f + child + F_GAIN] >> 2, ints[f + child + F_AGAIN]
    alpha, beta = ints[f + F_ALPHA], ints[f + F_BETA]
    f2 = f + FRAME
    if not proving and beta - alpha > 1 and ints[f + F_SCOUT] == FRESH and ints[f + F_CURSOR] > 0:
        ints[f + F_SCOUT] = SCOUT
        beta = alpha + 1
    copy_position(s, w + POSITION_W * (child + U1), w + FRAME_W)
    seeds, store = ints[f + F_SEEDS], ints[f + F_STORE]
    ints[f2 + F_SEEDS] = seeds - gain
    ints[f2 + F_DEPTH] = child_depth(s, f, again, proving)
    if again != 0:
        ints[f2 + F_STORE] = store + gain
        ints[f2 + F_ALPHA] = alpha - gain * UNIT
        ints[f2 + F_BETA] = beta - gain * UNIT
    else:
        ints[f2 + F_STORE] = s.stack.control[C_TOTAL] - store - seeds
        ints[f2 + F_ALPHA] = gain * UNIT - beta
        ints[f2 + F_BETA] = gain * UNIT - alpha


@inlined
def mark(s: Search, f: np.uint64, child: np.uint64, taken: Flag) -> None:
    """Say that a child with much to search is being searched, or no longer."""
    h = np.uint64(s.stack.ints[f + child + F_PLACE])
    if taken:
        s.busy[h & BUSY] = h
    elif s.busy[h & BUSY] == h:
        s.busy[h & BUSY] = U0


@inlined
def is_large(s: Search, f: np.uint64) -> Flag:
    """Tell whether the children of a frame are worth marking."""
    return s.stack.ints[f + F_SEEDS] >= s.tables.seeds + 6


@inlined
def defer(s: Search, f: np.uint64) -> Flag:
    """Put the next child at the end of the order, once, if another thread is in it."""
    ints = s.stack.ints
    cursor, last = np.uint64(ints[f + F_CURSOR]), np.uint64(ints[f + F_OPEN]) - U1
    item = ints[f + F_ORDER + cursor]
    h = np.uint64(ints[f + next_child(ints, f) + F_PLACE])
    if not U0 < cursor < last or item >= DEFERRED or s.busy[h & BUSY] != h:
        return False
    for i in range(cursor, last):
        at = f + F_ORDER + np.uint64(i)
        ints[at] = ints[at + U1]
    ints[f + F_ORDER + last] = item + DEFERRED
    return True


@inlined
def absorb(s: Search, f: np.uint64, proving: Flag) -> None:
    """Take the value of the child just searched into the frame."""
    ints = s.stack.ints
    if not proving and ints[f + F_SCOUT] >= PROBE_HIGH:
        heed(s, f)
        return
    child = next_child(ints, f)
    gain = (ints[f + child + F_GAIN] >> 2) * UNIT
    value = ints[f + FRAME + F_BEST]
    value = gain + value if ints[f + child + F_AGAIN] != 0 else gain - value
    if not proving and ints[f + F_SCOUT] == SCOUT and ints[f + F_ALPHA] < value < ints[f + F_BETA]:
        ints[f + F_SCOUT] = FULL
        return
    ints[f + F_SCOUT] = FRESH
    ints[f + F_CURSOR] += 1
    ints[f + F_BEST] = max(ints[f + F_BEST], value)
    if value > ints[f + F_ALPHA]:
        ints[f + F_ALPHA] = value
        ints[f + F_PIT] = ints[f + child + F_CHILD_PIT]
        if value >= ints[f + F_BETA]:
            ints[f + F_OPEN] = 0


@inlined
def finish(s: Search, w: np.uint64, f: np.uint64, proving: Flag) -> None:
    """Write what a frame found into the transposition table."""
    ints = s.stack.ints
    if ints[f + F_KNOWN] != 0:
        return
    best, alpha, beta = ints[f + F_BEST], ints[f + F_ALPHA0], ints[f + F_BETA]
    a = own_key(s.variant, s.stack.words, w, ints[f + F_STORE])
    h = np.uint64(ints[f + F_HASH])
    place = bucket_of(h, s.bits)
    old = find(s.entries, place, a, h)
    if proving:
        lower, upper = -INFINITY, INFINITY
        if depth_in(old) == PROOF:
            lower, upper = bounds_in(old, PROOF)
        lower = max(lower, best) if best > alpha else lower
        upper = min(upper, best) if best < beta else upper
        data = proof(lower, upper)
    elif depth_in(old) == PROOF:
        return
    else:
        data = estimate(best, alpha, beta)
    data |= np.uint64(ints[f + F_DEPTH]) | (np.uint64(ints[f + F_PIT]) << U7)
    data |= work_of(s.stack.control[C_NODES] - ints[f + F_BEGAN]) << np.uint64(11)
    keep(s.entries, place, a, h, data)


@inlined
def drive(s: Search, budget: int, proving: Flag) -> Int:
    """Search on as :func:`run` does; ``proving`` is known to the compiler."""
    control, ints = s.stack.control, s.stack.ints
    limit = control[C_NODES] + budget
    ply = np.uint64(control[C_PLY])
    entering = control[C_ENTERING] != 0
    while True:
        f, w = ply * FRAME, ply * FRAME_W
        if entering:
            if control[C_STOP] != 0 or control[C_NODES] >= limit:
                control[C_PLY] = np.int64(ply)
                control[C_ENTERING] = 1
                return PAUSED
            control[C_NODES] += 1
            expand(s, w, f, proving)
        if ints[f + F_CURSOR] < ints[f + F_OPEN]:
            if ply + U1 == LAST_PLY:
                return TOO_DEEP
            if proving and control[C_TEAM] != 0 and is_large(s, f):
                if defer(s, f):
                    entering = False
                    continue
                mark(s, f, next_child(ints, f), True)
            descend(s, w, f, proving)
            ply += U1
            entering = True
            continue
        finish(s, w, f, proving)
        if ply == U0:
            return DONE
        ply -= U1
        if proving and control[C_TEAM] != 0 and is_large(s, f - FRAME):
            mark(s, f - FRAME, next_child(ints, f - FRAME), False)
        absorb(s, f - FRAME, proving)
        entering = False


@kernel
def run(s: Search, budget: int) -> Int:
    """Search on from where the stack stands, for at most ``budget`` nodes.

    Returns DONE when frame 0 has its value, PAUSED when the budget is spent or the stop flag is
    up, TOO_DEEP when a line is longer than the stack.
    """
    if s.stack.ints[F_DEPTH] == PROOF:
        return drive(s, budget, True)
    return drive(s, budget, False)


@kernel
def lookup(s: Search, position: Words, store: int, depth: int) -> tuple[Int, Int, Int]:
    """Give what the tables know of a position: lower and upper bound in units, best pit."""
    seeds = seeds_of(position, U0)
    if seeds <= s.tables.seeds:
        index = index_of(s.tables, position[0], position[1])
        value = UNIT * np.int64(s.tables.values[index])
        return value, value, NO_PIT
    a = own_key(s.variant, position, U0, store)
    h = mixed_key(s.variant, position, U0, a)
    data = find(s.entries, bucket_of(h, s.bits), a, h)
    lower, upper = bounds_in(data, depth) if data != U0 else (-INFINITY, INFINITY)
    return max(lower, -seeds * UNIT), min(upper, seeds * UNIT), pit_in(data) if data else NO_PIT


@kernel
def follow(s: Search, position: Words, stores: Numbers, pits: Numbers) -> Int:
    """Play on with the best pits that the table holds, as long as it holds any.

    The position (u64[4]) and its stores (i64[2]), the mover's first, are played on in place; the
    pits are written down, as many as there is room for. Returns their number.
    """
    count = 0
    while count < pits.size:
        pit = lookup(s, position, stores[0], 0)[2]
        if pit == NO_PIT or hand_at(position, U0, pit) == U0:
            break
        after = play(s.variant, position, stores, pit)
        pits[count] = pit
        count += 1
        if after == 2:
            break
        if after == 0:
            turn(position, U0)
            stores[0], stores[1] = stores[1], stores[0]
    return count


@kernel
def static_value(s: Search, position: Words) -> Int:
    """Evaluate a position without searching, in units."""
    return evaluate(s.variant, s.weights, position, U0)


# --- Endgame tables -----------------------------------------------------------------------------


@inlined
def table_value(v: Variant, t: Tables, me: np.uint64, you: np.uint64) -> Int:
    """Compute the value-to-go of a position whose children are all in the tables."""
    best: Int = -128
    for lane in range(v.pits):
        pit = np.uint64(lane)
        hand = (me >> (pit << U3)) & BYTE
        if hand == U0:
            continue
        own, other, again = sow(v, me, you, pit, hand)
        value = np.int64(own >> v.store)
        own &= v.row
        if not (own and other):
            value += np.int64(row_sum(own)) - np.int64(row_sum(other))
        elif again != U0:
            value += np.int64(t.values[index_of(t, own, other)])
        else:
            value -= np.int64(t.values[index_of(t, other, own)])
        best = max(best, value)
    return best


@kernel
def table_at(t: Tables, me: np.uint64, you: np.uint64) -> Int:
    """Look up the value-to-go of a position that the tables cover, in seeds."""
    return np.int64(t.values[index_of(t, me, you)])


@kernel
def fill_block(v: Variant, t: Tables, own: Words, other: Words, firsts: tuple[int, int]) -> None:
    """Fill the blocks of two row sums, ``own`` and ``other`` to move, from rows in rank order.

    A sowing that gains nothing keeps both sums and moves seeds of one row to the right, which
    lowers the row's rank. So when rows are taken in rank order, and both sides to move together,
    every child comes first. That also holds when the own rows are taken a few at a time, which
    keeps what is written to both blocks in the cache.
    """
    for first in range(0, own.size, FILLED_TOGETHER):
        last = min(first + FILLED_TOGETHER, own.size)
        for j in range(other.size):
            back = firsts[1] + j * own.size
            for i in range(first, last):
                t.values[firsts[0] + i * other.size + j] = table_value(v, t, own[i], other[j])
                t.values[back + i] = table_value(v, t, other[j], own[i])
