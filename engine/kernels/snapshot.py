"""Proofs of the transposition table, taken out and put back."""

from __future__ import annotations

import numpy as np

from .compiler import Int, kernel
from .layout import PROOF, U1, Words
from .state import SLOTS
from .tt import BUCKET_WORDS, MOST_WORK, WORK_AT, bucket_of, entry_depth, tt_store, unpack_entry


@kernel
def collect_proofs(
    entries: Words, bits: int, first_bucket: int, least_work: int, out: Words
) -> tuple[Int, Int]:
    """Copy proofs that took at least a grade of work, from a bucket on, while there is room.

    Args:
        entries: the table.
        bits: its size.
        first_bucket: the bucket to begin with.
        least_work: the grade, 0 to 7; see `work_grade`.
        out: u64[3 n], what is found: own half of the key, mixed half, data.

    Returns:
        The number of proofs, and the bucket to go on with.
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
