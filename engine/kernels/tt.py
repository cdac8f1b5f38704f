"""The transposition table: keys, entries, and how they lie in two words.

**Keys.** A narrow position has 7 + 7 lanes, 112 bits: the own half ``a`` (56 bits, kept as it is)
and the other half, mixed invertibly with ``a`` into ``h`` (56 bits). The number of the bucket is
the top of ``h``; it has at least 16 bits, so 56 bits of ``a`` and the low 40 of ``h`` identify a
position fully. Under ``majority`` the mover's store rides in ``a``. A wide position is folded to
112 bits; two positions that fold alike have a chance of one in 2 ** 96.

**Entries.** That leaves 32 bits of data in the two words of an entry:

```
           bit 63        56 55                                             0
                +----------+-----------------------------------------------+
 first  (xored) | data 0-7 |            own half of the key, a             |
                +----------+--------+--------------------------------------+
 second         |     data 8-31     |     low 40 bits of the mixed half h  |
                +-------------------+--------------------------------------+
           bit 63                 40 39                                    0

       bit 31           23 22           14 13  11 10    7 6        0
          +---------------+---------------+------+-------+----------+
 proof    | upper + 256   | lower + 256   | work |  pit  |   127    |   whole seeds
          +---------------+--------+------+------+-------+----------+
 estimate | value + 32768          | kind | work |  pit  |  depth   |   units
          +------------------------+------+------+-------+----------+
       bit 31                    16 15  14 13  11 10    7 6        0
```

``kind`` is 1 for a lower bound, 2 for an upper bound, 3 for both. The first word is stored xored
with the second, so a torn pair, written by two threads, reads as another position (Hyatt and Mann,
"A lockless transposition table", ICGA Journal 25(1), 2002).

A proof holds both bounds, is a function of the position alone, and serves every depth. An estimate
is a function of position and depth. Four entries make a bucket, one cache line; a new entry
replaces the position's own, else the one that cost the least work.
"""

import numpy as np

from .compiler import Int, inlined, kernel
from .layout import INFINITY, LANE_BITS, PROOF, TOP_LANE, U0, U1, U2, U3, UNIT, Words
from .state import SLOTS, Variant

MIX_OWN = np.uint64(0x9E3779B97F4A7C15)
MIX_OTHER = np.uint64(0x00C2B2AE3D27D4EB4F & ((1 << 56) - 1))
MIX_HIGH = np.uint64(0xA0761D6478BD642F)
MIX_MORE = np.uint64(0xE7037ED1A0B428DB)
MIX_BOTH = np.uint64(0x00D6E8FEB86659FD93 & ((1 << 56) - 1))
"""Odd multipliers without structure, from splitmix64 and wyhash."""
HALF_KEY = np.uint64(28)

BUCKET_WORDS = np.uint64(2 * SLOTS)
OWN_MASK = np.uint64((1 << 56) - 1)
STORED_BITS = np.uint64(40)
STORED_MASK = np.uint64((1 << 40) - 1)

DEPTH_MASK = np.uint64(127)
PIT_AT = np.uint64(7)
PIT_MASK = np.uint64(15)
WORK_AT = np.uint64(11)
WORK_IN_SECOND = np.uint64(43)
"""Where ``work`` lies in the second word: ``11 - 8 + 40``."""
MOST_WORK = np.uint64(7)
NO_WORK_LIMIT = np.uint64(255)
KIND_AT = np.uint64(14)
KIND_MASK = U3
VALUE_AT = np.uint64(16)
VALUE_MASK = np.uint64(0xFFFF)
LOWER_AT = np.uint64(14)
UPPER_AT = np.uint64(23)
BOUND_MASK = np.uint64(511)
LOWER_KIND, UPPER_KIND, EXACT_KIND = U1, U2, U3


@inlined
def fold_wide(low: np.uint64, high: np.uint64, more: np.uint64) -> np.uint64:
    """Return three words mixed to 56 bits."""
    mixed = (low ^ (high * MIX_HIGH) ^ (more * MIX_MORE)) * MIX_OWN
    mixed = (mixed ^ (mixed >> HALF_KEY)) * MIX_MORE
    return mixed >> LANE_BITS


@inlined
def mix_key(a: np.uint64, b: np.uint64) -> np.uint64:
    """Return a key of 56 + 56 bits mixed to 56; for a known ``a`` this is invertible in ``b``."""
    h = ((b * MIX_OTHER) ^ ((a * MIX_OWN) >> LANE_BITS)) & OWN_MASK
    h = ((h ^ (h >> HALF_KEY)) * MIX_BOTH) & OWN_MASK
    return h ^ (h >> HALF_KEY)


@inlined
def own_key(v: Variant, words: Words, at: np.uint64, store: int) -> np.uint64:
    """Return the half of a position's key that is kept as it is, 56 bits.

    The mover's store is part of it under ``majority``, where the value depends on it.
    """
    a: np.uint64 = words[at]
    if v.wide:
        return fold_wide(a, words[at + U2], np.uint64(store) if v.majority else U0)
    return a | (np.uint64(store) << v.store) if v.majority else a


@inlined
def mixed_key(v: Variant, words: Words, at: np.uint64, a: np.uint64) -> np.uint64:
    """Return the other half of the key, mixed with the first."""
    b: np.uint64 = words[at + U1]
    return mix_key(a, fold_wide(b, words[at + U3], a) if v.wide else b)


@inlined
def bucket_of(h: np.uint64, bits: int) -> np.uint64:
    """Return the index of the first word of the bucket that may hold the key."""
    return (h >> np.uint64(56 - bits)) * BUCKET_WORDS


@inlined
def pack_entry(a: np.uint64, h: np.uint64, data: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the two words of an entry, as drawn above."""
    second = (h & STORED_MASK) | ((data >> LANE_BITS) << STORED_BITS)
    return (a | (data << TOP_LANE)) ^ second, second


@inlined
def unpack_entry(first: np.uint64, second: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return own half, stored bits of the mixed half, and data of an entry's two words."""
    plain = first ^ second
    data = (plain >> TOP_LANE) | ((second >> STORED_BITS) << LANE_BITS)
    return plain & OWN_MASK, second & STORED_MASK, data


@inlined
def entry_depth(data: np.uint64) -> Int:
    """Return the depth of an entry; PROOF for a proof."""
    return np.int64(data & DEPTH_MASK)


@inlined
def entry_pit(data: np.uint64) -> Int:
    """Return the best pit of an entry, or NO_PIT."""
    return np.int64((data >> PIT_AT) & PIT_MASK)


@inlined
def entry_bounds(data: np.uint64, depth: int) -> tuple[Int, Int]:
    """Return the bounds that an entry gives for a search of this depth, in units."""
    if entry_depth(data) == PROOF:
        lower = np.int64((data >> LOWER_AT) & BOUND_MASK) - 256
        upper = np.int64((data >> UPPER_AT) & BOUND_MASK) - 256
        return lower * UNIT, upper * UNIT
    if entry_depth(data) < depth:
        return -INFINITY, INFINITY
    kind = (data >> KIND_AT) & KIND_MASK
    value = np.int64((data >> VALUE_AT) & VALUE_MASK) - 32768
    return (
        -INFINITY if kind == UPPER_KIND else value,
        INFINITY if kind == LOWER_KIND else value,
    )


@inlined
def pack_estimate(value: int, alpha: int, beta: int) -> np.uint64:
    """Return the payload of an estimate: what ``value`` bounds follows from the window."""
    kind = LOWER_KIND if value >= beta else UPPER_KIND if value <= alpha else EXACT_KIND
    return (kind << KIND_AT) | (np.uint64(value + 32768) << VALUE_AT)


@inlined
def pack_proof(lower: int, upper: int) -> np.uint64:
    """Return the payload of a proof; the bounds are whole seeds in units."""
    low, high = max(lower // UNIT, -256), min(upper // UNIT, 255)
    return (np.uint64(low + 256) << LOWER_AT) | (np.uint64(high + 256) << UPPER_AT)


@inlined
def work_grade(nodes: int) -> np.uint64:
    """Return the work that an entry saves: a third of its nodes' binary logarithm, at most 7."""
    work = U0
    while nodes > 7 and work < MOST_WORK:
        nodes >>= 3
        work += U1
    return work


@inlined
def tt_probe(entries: Words, bucket: np.uint64, a: np.uint64, h: np.uint64) -> np.uint64:
    """Return the data stored for a position, 0 for none."""
    for slot in range(SLOTS):
        at = bucket + np.uint64(2 * slot)
        own, stored, data = unpack_entry(entries[at], entries[at + U1])
        if own == a and stored == h & STORED_MASK:
            return data
    return U0


@inlined
def tt_store(
    entries: Words, bucket: np.uint64, a: np.uint64, h: np.uint64, data: np.uint64
) -> None:
    """Write an entry over the position's own, else over the one that cost the least work."""
    at = bucket
    least = NO_WORK_LIMIT
    for slot in range(SLOTS):
        i = bucket + np.uint64(2 * slot)
        own, stored, _ = unpack_entry(entries[i], entries[i + U1])
        if own == a and stored == h & STORED_MASK:
            at = i
            break
        work = (entries[i + U1] >> WORK_IN_SECOND) & MOST_WORK
        if work < least:
            at, least = i, work
    first, second = pack_entry(a, h, data)
    entries[at + U1] = second
    entries[at] = first


@kernel
def collect_proofs(
    entries: Words, bits: int, first_bucket: int, least_work: int, out: Words
) -> tuple[Int, Int]:
    """Copy proofs that took at least a grade of work, from a bucket on, while there is room.

    The grade is 0 to 7, see `work_grade`. ``out`` (u64[3 n]) takes own half of the key, mixed half
    and data of each; returned are their number, and the bucket to go on with.
    """
    count, room = 0, out.size // 3 - SLOTS
    bucket = first_bucket
    while bucket < 1 << bits and count <= room:
        for slot in range(SLOTS):
            at = np.uint64(bucket) * BUCKET_WORDS + np.uint64(2 * slot)
            own, stored, data = unpack_entry(entries[at], entries[at + U1])
            if entry_depth(data) == PROOF and np.int64((data >> WORK_AT) & MOST_WORK) >= least_work:
                out[3 * count] = own
                out[3 * count + 1] = stored | (np.uint64(bucket) << np.uint64(56 - bits))
                out[3 * count + 2] = data
                count += 1
        bucket += 1
    return count, bucket


@kernel
def restore_proofs(entries: Words, bits: int, proofs: Words) -> None:
    """Store proofs that `collect_proofs` found, in a table of any size."""
    for each in range(proofs.size // 3):
        h = proofs[3 * each + 1]
        tt_store(entries, bucket_of(h, bits), proofs[3 * each], h, proofs[3 * each + 2])
