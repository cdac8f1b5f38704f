"""The proofs of a transposition table on disk, with which a campaign goes on after a kill.

Only proofs that took hundreds of nodes are kept: a few per cent of the table, which spare nearly
all of the work. A file is a header, for which rules it is and a checksum, and three words a proof.
It is a cache: one that is damaged, or for other rules, is not used.
"""

import struct
import zlib
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from mancala.files import write_whole
from mancala.protocol.rules import Rules

from .. import kernels
from ..kernels.layout import Words

MAGIC: Final = b"KALAHPRF"
VERSION: Final = 1
"""Counts changes of the keys and of the entries, too."""
KEY_BYTES: Final = 48
HEADER: Final = struct.Struct(f"<8sI{KEY_BYTES}sQI")
"""Magic, version, key of the rules, proofs, CRC-32 of the proofs."""
LEAST_WORK: Final = 3
"""Grade of work from which a proof is kept: 512 nodes."""
CHUNK: Final = 1 << 20
"""Proofs in memory at a time."""


def save(path: Path, rules: Rules, entries: Words, bits: int) -> int:
    """Write the proofs of a table, whole or not at all; return their number."""
    saved = 0

    def write(file: BinaryIO) -> None:
        nonlocal saved
        checksum = 0
        file.write(bytes(HEADER.size))
        out = np.empty(3 * CHUNK, dtype=np.uint64)
        bucket = 0
        while bucket < 1 << bits:
            count, bucket = kernels.collect_proofs(entries, bits, bucket, LEAST_WORK, out)
            words = out[: 3 * int(count)].data
            checksum = zlib.crc32(words, checksum)
            file.write(words)
            saved += int(count)
        file.seek(0)
        file.write(HEADER.pack(MAGIC, VERSION, _key_of(rules), saved, checksum))

    write_whole(path, write)
    return saved


def load(path: Path, rules: Rules, entries: Words, bits: int) -> int | None:
    """Put the proofs of a file into a table; return their number, or None for a file of no use."""
    if not path.exists():
        return 0
    if path.stat().st_size < HEADER.size:
        return None
    content = np.memmap(path, dtype=np.uint8, mode="r")
    *kind, count, checksum = HEADER.unpack(content[: HEADER.size].tobytes())
    if kind != [MAGIC, VERSION, _key_of(rules)] or content.size != HEADER.size + 24 * count:
        return None
    if zlib.crc32(content[HEADER.size :].data) != checksum:
        return None
    proofs = content[HEADER.size :].view(np.uint64)
    for first in range(0, proofs.size, 3 * CHUNK):
        kernels.restore_proofs(entries, bits, np.array(proofs[first : first + 3 * CHUNK]))
    return int(count)


def _key_of(rules: Rules) -> bytes:
    """Return the key of the rules in 48 bytes; of a longer one, its digest.

    The first two switches stand there without their names, as in the files of earlier versions.
    """
    key = rules.key.replace(" relap=", " ").replace(" majority=", " ").encode()
    fits = len(key) <= KEY_BYTES
    return key.ljust(KEY_BYTES, b"\0") if fits else blake2b(key, digest_size=KEY_BYTES).digest()
