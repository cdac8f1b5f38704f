"""Filling endgame tables: all positions of two row sums together, tile by tile.

A pair of blocks holds the positions of a row of ``a`` seeds against one of ``b``, either to move.
A sowing that gains seeds leads to a smaller sum, which is complete. Any other keeps both sums,
passes the turn and moves seeds of one row to the right, which lowers the row's rank. So rows are
taken in rank order and both sides to move together, and every child comes first.

A *tile* is up to 128 rows of each side. Most of the work is to find the children, and most of that
is the same for a whole tile: for one row and pit, the row after the sowing, the seeds that cross
and the block they lead to; for one opposing row, its rank after receiving 1, 2, … seeds and after
losing a pit to a capture (`Side`). What is left for a position is an index, a code and a maximum.
Children outside of the tile are taken first, for one row and pit a loop over the opposing rows.
Those in the tile follow, row by row. Then both sides to move are written.

A child whose code is an escape takes as long as twenty others, as it has to be computed from its
own children. So the values of escapes are remembered when they are written or computed, one for
each slot of a table that all threads share (`Memo`).
"""

from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .compiler import Flag, Int, called, inlined, kernel
from .layout import BYTE, LANE_LOG2, LANES, U0, U1, Bytes, Octets, Words, hand_in, row_sum
from .sowing import S_OTHER, narrow_row, sow
from .state import ExactTables, Variant
from .tablebase import (
    CODES,
    ESCAPE,
    code_at,
    first_of,
    first_row,
    floor_of,
    row_rank,
    rows_of,
    table_at,
    won_by_children,
)

TILE: Final = 128
"""Most rows of a side in a tile."""
ACROSS: Int = np.int64(1)
DOWN: Int = np.int64(TILE)
"""Steps from one place of a tile to the next."""
LOST: Final = LANES + 1
"""Line of a side's ranks, and of its parts, from which a pit is lost instead of seeds received."""
INNER: Final = 3
"""Numbers of a child within the tile: place of the row, of the row after it, opposite pit."""
ANY_OPPOSITE: Final = -1

Memo: TypeAlias = Words
"""u64[2^n]: values of escapes, each with the position's index above its 8 bits; 0 is none."""
MEMO_MIX = np.uint64(0x9E3779B97F4A7C15)
MEMO_SHIFT = np.uint64(24)

Ranks: TypeAlias = NDArray[np.uint32]
Places: TypeAlias = NDArray[np.int64]


class Side(NamedTuple):
    """What a tile needs to know of the rows of one side, by their place in the tile."""

    rows: Words
    """u64[128]: the rows."""
    counts: Octets
    """u8[7 * 128]: the seeds in each pit."""
    ranks: Ranks
    """u32[15 * 128]: the rank after ``k`` seeds are received, 0..7; from 8, after a pit is lost."""
    moving: Bytes
    """i8[15 * 128]: the part of a floor when this side moves, for the rows of ``ranks``."""
    waiting: Bytes
    """i8[128]: the part of a floor when the other side moves."""


class Tile(NamedTuple):
    """Room for a tile, for one thread. The rows of side 0 are the slower index of all squares."""

    side0: Side
    side1: Side
    won0: Octets
    """u8[128 * 128]: what side 0 collects when it moves."""
    won1: Octets
    """u8[128 * 128]: what side 1 collects when it moves."""
    inner: Places
    """i64[7 * 128 * 3]: children of side 1 within the tile."""
    codes: Octets
    """u8[128]: a run of codes before they are packed."""
    memo: Memo
    """Values of escapes; the one thing that threads share."""


class Run(NamedTuple):
    """The rows of the side that waits, against one row of the mover."""

    waits: Side
    won: Octets
    """What the mover collects."""
    first: int
    """Where in ``won`` the first row is."""
    step: int
    """From one row to the next in ``won``."""
    size: int
    """Rows."""
    total: Int
    """Seeds in play."""
    memo: Memo
    """Values of escapes."""


def tile(memo: Memo) -> Tile:
    """Allocate room for a tile, with the values of escapes that all tiles share."""

    def side() -> Side:
        return Side(
            rows=np.zeros(TILE, dtype=np.uint64),
            counts=np.zeros(LANES * TILE, dtype=np.uint8),
            ranks=np.zeros((LOST + LANES) * TILE, dtype=np.uint32),
            moving=np.zeros((LOST + LANES) * TILE, dtype=np.int8),
            waiting=np.zeros(TILE, dtype=np.int8),
        )

    return Tile(
        side0=side(),
        side1=side(),
        won0=np.zeros(TILE * TILE, dtype=np.uint8),
        won1=np.zeros(TILE * TILE, dtype=np.uint8),
        inner=np.zeros(LANES * TILE * INNER, dtype=np.int64),
        codes=np.zeros(TILE, dtype=np.uint8),
        memo=memo,
    )


@inlined
def memo_slot(memo: Memo, index: np.uint64) -> np.uint64:
    """Return where the value of a position is remembered."""
    return ((index * MEMO_MIX) >> MEMO_SHIFT) & np.uint64(memo.size - 1)


@inlined
def remember(memo: Memo, index: np.uint64, won: Int) -> None:
    """Remember what the mover of a position collects."""
    memo[memo_slot(memo, index)] = (index << np.uint64(8)) | np.uint64(won)


@called
def won_from_escape(
    v: Variant, t: ExactTables, memo: Memo, index: np.uint64, rows: tuple[np.uint64, np.uint64]
) -> Int:
    """Return what the mover of a position collects whose code is an escape; rows mover first."""
    known = memo[memo_slot(memo, index)]
    if known >> np.uint64(8) == index:
        return np.int64(known & BYTE)
    won = won_by_children(v, t, rows[0], rows[1])
    remember(memo, index, won)
    return won


@inlined
def describe(
    t: ExactTables, side: Side, rows: Words, span: tuple[int, int], pits: int, most: Int
) -> None:
    """Fill in a side of a tile: rows by first and number, which receive up to ``most`` seeds."""
    start, size = span
    for i in range(size):
        row = rows[start + i]
        side.rows[i] = row
        number = first_row(t, row_sum(row)) + row_rank(t, row)
        side.waiting[i] = t.waiter_part[number]
        changed = row
        for k in range(most + 1):
            rank = row_rank(t, changed)
            side.ranks[k * TILE + i] = rank
            side.moving[k * TILE + i] = t.mover_part[first_row(t, row_sum(changed)) + rank]
            changed += U1 << np.uint64(8 * k)
        for lane in range(pits):
            shift = np.uint64(8 * lane)
            changed = row & ~(BYTE << shift)
            rank = row_rank(t, changed)
            side.counts[lane * TILE + i] = (row >> shift) & BYTE
            side.ranks[(LOST + lane) * TILE + i] = rank
            side.moving[(LOST + lane) * TILE + i] = t.mover_part[
                first_row(t, row_sum(changed)) + rank
            ]


@inlined
def raise_won(run: Run, j: Int, won: Int) -> None:
    """Raise what the mover collects against the row at place ``j``."""
    at = run.first + j * run.step
    run.won[at] = max(np.int64(run.won[at]), np.int64(won))


@inlined
def pass_turn(
    v: Variant, t: ExactTables, run: Run, own: np.uint64, sown: tuple[Int, np.uint64]
) -> None:
    """Take a sowing after which the other side moves, against every row of that side.

    ``own`` is the mover's row after it; ``sown`` the seeds that the other side receives, and as
    they are added to its row.
    """
    received, added = sown
    left, theirs = row_sum(own), row_sum(run.waits.rows[0]) + np.uint64(received)
    if left == U0:
        for j in range(run.size):
            raise_won(run, j, run.total - np.int64(theirs))
        return
    rank = row_rank(t, own)
    part = np.int64(t.waiter_part[first_row(t, left) + rank])
    start, stride = first_of(t, theirs, left) + rank, rows_of(t, left)
    in_play = np.int64(theirs + left)
    for j in range(run.size):
        line = received * TILE + j
        index = start + np.uint64(run.waits.ranks[line]) * stride
        code = code_at(t, index)
        if code == ESCAPE:
            won = won_from_escape(v, t, run.memo, index, (run.waits.rows[j] + added, own))
        else:
            won = code + floor_of(np.int64(run.waits.moving[line]), part, in_play)
        raise_won(run, j, run.total - won)


@inlined
def move_again(v: Variant, t: ExactTables, run: Run, own: np.uint64) -> None:
    """Take a sowing that ends in the store; arguments as in `pass_turn`."""
    left, theirs = row_sum(own), row_sum(run.waits.rows[0])
    if left == U0:
        for j in range(run.size):
            raise_won(run, j, 1)
        return
    rank = row_rank(t, own)
    part = np.int64(t.mover_part[first_row(t, left) + rank])
    start = first_of(t, left, theirs) + rank * rows_of(t, theirs)
    in_play = np.int64(theirs + left)
    for j in range(run.size):
        index = start + np.uint64(run.waits.ranks[j])
        code = code_at(t, index)
        if code == ESCAPE:
            won = won_from_escape(v, t, run.memo, index, (own, run.waits.rows[j]))
        else:
            won = code + floor_of(part, np.int64(run.waits.waiting[j]), in_play)
        raise_won(run, j, 1 + won)


@inlined
def capture(
    v: Variant, t: ExactTables, run: Run, own: np.uint64, last: np.uint64, inside: Flag
) -> None:
    """Take a sowing that ends in an empty own pit, against every row of the other side.

    Arguments as in `pass_turn`, and ``last``, the pit, and ``inside``: whether the child without a
    capture lies in the tile, and is taken later.
    """
    opposite = v.pits - 1 - np.int64(last)
    theirs = row_sum(run.waits.rows[0])
    taken = own - (U1 << (last << LANE_LOG2))
    for j in range(run.size):
        captured = np.uint64(run.waits.counts[opposite * TILE + j])
        left, line = taken, (LOST + opposite) * TILE + j
        if captured == U0 and not v.lone:
            if inside:
                continue
            left, line = own, np.int64(j)
        rest, remaining = theirs - captured, row_sum(left)
        won = np.int64(rest)
        if rest and remaining:
            rank = row_rank(t, left)
            index = first_of(t, rest, remaining) + rank
            index += np.uint64(run.waits.ranks[line]) * rows_of(t, remaining)
            code = code_at(t, index)
            if code == ESCAPE:
                row = run.waits.rows[j] - (captured << np.uint64(8 * opposite))
                won = won_from_escape(v, t, run.memo, index, (row, left))
            else:
                part = np.int64(t.waiter_part[first_row(t, remaining) + rank])
                mover = np.int64(run.waits.moving[line])
                won = code + floor_of(mover, part, np.int64(rest + remaining))
        raise_won(run, j, run.total - won)


@inlined
def go_round(v: Variant, t: ExactTables, run: Run, row: np.uint64, pit: np.uint64) -> None:
    """Take a sowing that comes back to the own row, against every row of the other side."""
    hand = hand_in(row, pit)
    for j in range(run.size):
        own, other, again = sow(v, row, run.waits.rows[j], pit, hand)
        gain = np.int64(own >> v.store)
        own &= v.row
        mover, waiter = (own, other) if again != U0 else (other, own)
        won = np.int64(row_sum(mover))
        if own and other:
            won = (table_at(v, t, mover, waiter) + run.total - gain) >> 1
        raise_won(run, j, gain + won if again != U0 else run.total - won)


@called
def take_outside(
    v: Variant,
    t: ExactTables,
    sides: tuple[Side, Side],
    won: Octets,
    memo: Memo,
    shape: tuple[int, int, int, int, int],
) -> None:
    """Raise what the mover collects to the best child outside of the tile.

    ``sides`` has the side to move first. ``shape`` is: rows of the mover, their step in ``won``,
    rows of the other side, their step; rank of the mover's first row.
    """
    moves, waits = sides
    rows, row_step, others, step, start = shape
    store = np.uint64(v.pits)
    total = np.int64(row_sum(moves.rows[0]) + row_sum(waits.rows[0]))
    for i in range(rows):
        row = moves.rows[i]
        run = Run(waits, won, i * row_step, step, others, total, memo)
        for lane in range(v.pits):
            pit = np.uint64(lane)
            hand = hand_in(row, pit)
            if hand == U0:
                continue
            last = pit + hand
            if last > store + store:
                go_round(v, t, run, row, pit)
                continue
            entry = narrow_row(hand, pit)
            own = (row + v.sowing[entry]) & v.row
            if last == store:
                move_again(v, t, run, own)
            elif last > store:
                pass_turn(v, t, run, own, (np.int64(last - store), v.sowing[entry | S_OTHER]))
            else:
                inside = np.int64(row_rank(t, own)) >= start
                if hand_in(own, last) == U1:
                    capture(v, t, run, own, last, inside)
                elif not inside:
                    pass_turn(v, t, run, own, (np.int64(0), U0))


@inlined
def inner_child(
    v: Variant, t: ExactTables, row: np.uint64, lane: int, start: int
) -> tuple[Int, Int]:
    """Return the row after a sowing that stays in the tile, and the pit that must be empty for it.

    The row is a place in the tile, -1 for a sowing that leads outside. The pit is opposite to an
    empty pit in which the sowing ends; `ANY_OPPOSITE` where it ends in another.
    """
    pit = np.uint64(lane)
    hand = hand_in(row, pit)
    last = pit + hand
    if hand == U0 or last >= np.uint64(v.pits):
        return -1, ANY_OPPOSITE
    own = row + v.sowing[narrow_row(hand, pit)]
    place = np.int64(row_rank(t, own)) - start
    if hand_in(own, last) != U1:
        return place, ANY_OPPOSITE
    return -1 if v.lone else place, v.pits - 1 - np.int64(last)


@inlined
def list_inner(v: Variant, t: ExactTables, side: Side, inner: Places, size: int, start: int) -> Int:
    """List the children of a side within the tile; return their number."""
    count = 0
    for j in range(size):
        for lane in range(v.pits - 1):
            place, opposite = inner_child(v, t, side.rows[j], lane, start)
            if place >= 0:
                inner[count] = j
                inner[count + 1] = place
                inner[count + 2] = opposite
                count += INNER
    return count


@inlined
def take_inside(
    v: Variant, t: ExactTables, room: Tile, sizes: tuple[int, int], starts: tuple[int, int]
) -> None:
    """Raise what both movers collect to the best child within the tile, in rank order."""
    side0, side1, won0, won1, inner = room.side0, room.side1, room.won0, room.won1, room.inner
    total = np.int64(row_sum(side0.rows[0]) + row_sum(side1.rows[0]))
    count = list_inner(v, t, side1, inner, sizes[1], starts[1])
    for i in range(sizes[0]):
        line = i * TILE
        for lane in range(v.pits - 1):
            place, opposite = inner_child(v, t, side0.rows[i], lane, starts[0])
            if place < 0:
                continue
            for j in range(sizes[1]):
                if opposite == ANY_OPPOSITE or side1.counts[opposite * TILE + j] == 0:
                    here = np.int64(won0[line + j])
                    won0[line + j] = max(here, total - np.int64(won1[place * TILE + j]))
        for k in range(0, count, INNER):
            j, place, opposite = inner[k], inner[k + 1], inner[k + 2]
            if opposite == ANY_OPPOSITE or side0.counts[opposite * TILE + i] == 0:
                here = np.int64(won1[line + j])
                won1[line + j] = max(here, total - np.int64(won0[line + place]))


@inlined
def write_run(t: ExactTables, index: np.uint64, codes: Octets, size: int) -> None:
    """Write codes of consecutive positions, two in a byte; neighbours in a byte keep theirs."""
    at = 0
    if index & U1:
        byte = index >> U1
        t.values[byte] = (t.values[byte] & 0x0F) | (codes[0] << 4)
        at = 1
    byte = (index + np.uint64(at)) >> U1
    while at + 1 < size:
        t.values[byte] = codes[at] | (codes[at + 1] << 4)
        byte += U1
        at += 2
    if at < size:
        t.values[byte] = (t.values[byte] & 0xF0) | codes[at]


@inlined
def write_side(
    t: ExactTables,
    sides: tuple[Side, Side],
    won: Octets,
    codes: Octets,
    memo: Memo,
    run: tuple[int, int, int, int],
) -> None:
    """Write what one side collects as codes; remember the escapes.

    ``run`` is the number of its rows, their step in ``won``, and the same of the other side.
    """
    moves, waits = sides
    rows, row_step, others, step = run
    mine, theirs = row_sum(moves.rows[0]), row_sum(waits.rows[0])
    total = np.int64(mine + theirs)
    start, stride = first_of(t, mine, theirs), rows_of(t, theirs)
    for i in range(rows):
        part = np.int64(moves.moving[i])
        index = start + np.uint64(moves.ranks[i]) * stride + np.uint64(waits.ranks[0])
        for j in range(others):
            value = np.int64(won[i * row_step + j * step])
            code = value - floor_of(part, np.int64(waits.waiting[j]), total)
            if not 0 <= code < CODES:
                code = ESCAPE
                remember(memo, index + np.uint64(j), value)
            codes[j] = code
        write_run(t, index, codes, others)


@kernel
def fill_pair(
    v: Variant, t: ExactTables, rows0: Words, rows1: Words, span: tuple[int, int], room: Tile
) -> None:
    """Fill part of the blocks of two row sums, either side to move, from rows in rank order.

    With equal sums one block is both, so half of its tiles are enough. The tables are complete for
    fewer seeds, and for earlier parts. ``rows0`` and ``rows1`` are all rows of the sums; of the
    first, ``span`` (from and up to) is filled, from a multiple of `TILE`. ``room`` is overwritten.
    """
    side0, side1, won0, won1 = room.side0, room.side1, room.won0, room.won1
    memo = room.memo
    seeds0, seeds1 = np.int64(row_sum(rows0[0])), np.int64(row_sum(rows1[0]))
    for start0 in range(span[0], span[1], TILE):
        size0 = min(TILE, rows0.size - start0)
        describe(t, side0, rows0, (start0, size0), v.pits, max(min(v.pits, seeds1 - 2), 0))
        end1 = start0 + 1 if seeds0 == seeds1 else rows1.size
        for start1 in range(0, end1, TILE):
            size1 = min(TILE, rows1.size - start1)
            describe(t, side1, rows1, (start1, size1), v.pits, max(min(v.pits, seeds0 - 2), 0))
            won0[:] = 0
            won1[:] = 0
            take_outside(v, t, (side0, side1), won0, memo, (size0, DOWN, size1, ACROSS, start0))
            take_outside(v, t, (side1, side0), won1, memo, (size1, ACROSS, size0, DOWN, start1))
            take_inside(v, t, room, (size0, size1), (start0, start1))
            write_side(t, (side0, side1), won0, room.codes, memo, (size0, DOWN, size1, ACROSS))
            write_side(t, (side1, side0), won1, room.codes, memo, (size1, ACROSS, size0, DOWN))
