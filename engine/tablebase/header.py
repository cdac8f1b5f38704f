"""The head of a file of endgame tables; the codes follow at `VALUES_AT`.

```
0     magic, version, pits, seeds, captures alone, relap, complete, positions, CRC-32 of a sample
64    the weights of the baselines, i16[2, pits, 32]; all zero before they are fitted
1024  CRC-32 of each pair of row sums, u32; then from 2048 for each pair whether it is written, u8
4092  CRC-32 of all this
```
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from mancala.engine.kernels.state import RANK_STRIDE, pairs_of_sums, positions
from mancala.protocol.rules import Capture

if TYPE_CHECKING:
    from mancala.engine.tablebase.baselines import Weights
    from mancala.protocol.rules import Rules

MAGIC: Final = b"KALAHEND"
VERSION: Final = 2
FACTS: Final = struct.Struct("<8sBBBBBBxxQI")
WEIGHTS_AT: Final = 64
CHECKSUMS_AT: Final = 1024
WRITTEN_AT: Final = 2048
CHECKED: Final = 4092
VALUES_AT: Final = 4096
KNOWN_RULES: Final = frozenset({"pits", "capture", "relap"})
"""The rules that headers tell apart."""


@dataclass(kw_only=True, slots=True)
class TableHeader:
    """What a file of endgame tables says of itself.

    Attributes:
        pits: pits a row.
        seeds: most seeds in play.
        always: whether a seed that captures nothing goes to the store.
        relap: whether a sowing into its own starting pit moves again.
        complete: whether all pairs are written.
        sample: CRC-32 of pages spread over the codes of a complete file.
        weights: those of the baselines; None before they are fitted.
        checksums: CRC-32 of each pair of row sums; None for one that is not written.
    """

    pits: int
    seeds: int
    always: bool
    relap: bool
    complete: bool
    sample: int
    weights: Weights | None
    checksums: list[int | None]

    @classmethod
    def new(cls, rules: Rules, seeds: int) -> Self:
        """Return the header of a file without pairs.

        Raises:
            UnknownRuleError: when a rule is in force that headers do not hold.
        """
        require_known(rules)
        return cls(
            pits=rules.pits,
            seeds=seeds,
            always=rules.capture is Capture.ALWAYS,
            relap=rules.relap,
            complete=False,
            sample=0,
            weights=None,
            checksums=[None] * len(pairs_of_sums(rules.pits, seeds)),
        )

    @classmethod
    def decode(cls, content: bytes) -> Self | None:
        """Read the head of a file; return None for one that is damaged or of another version."""
        if len(content) < VALUES_AT or not content.startswith(MAGIC + bytes([VERSION])):
            return None
        if int.from_bytes(content[CHECKED:VALUES_AT], "little") != zlib.crc32(content[:CHECKED]):
            return None
        *_, pits, seeds, always, relap, complete, _, sample = FACTS.unpack_from(content)
        weights = np.frombuffer(content, "<i2", 2 * pits * RANK_STRIDE, WEIGHTS_AT)
        count = len(pairs_of_sums(pits, seeds))
        checksums = np.frombuffer(content, "<u4", count, CHECKSUMS_AT).tolist()
        written = content[WRITTEN_AT : WRITTEN_AT + count]
        known = weights.reshape(2, pits, RANK_STRIDE).astype(np.int16)
        return cls(
            pits=pits,
            seeds=seeds,
            always=bool(always),
            relap=bool(relap),
            complete=bool(complete),
            sample=sample,
            weights=known if known.any() else None,
            checksums=[
                checksum if is_written else None
                for checksum, is_written in zip(checksums, written, strict=True)
            ],
        )

    def encode(self) -> bytes:
        """Return the `VALUES_AT` bytes that begin the file."""
        content = bytearray(VALUES_AT)
        FACTS.pack_into(
            content,
            0,
            MAGIC,
            VERSION,
            *(self.pits, self.seeds, self.always, self.relap, self.complete),
            positions(self.pits, self.seeds),
            self.sample,
        )
        if self.weights is not None:
            weights = self.weights.astype("<i2").tobytes()
            content[WEIGHTS_AT : WEIGHTS_AT + len(weights)] = weights
        checksums = np.array([c or 0 for c in self.checksums], dtype="<u4").tobytes()
        content[CHECKSUMS_AT : CHECKSUMS_AT + len(checksums)] = checksums
        written = bytes(c is not None for c in self.checksums)
        content[WRITTEN_AT : WRITTEN_AT + len(written)] = written
        content[CHECKED:] = zlib.crc32(content[:CHECKED]).to_bytes(4, "little")
        return bytes(content)

    def describes(self, other: TableHeader) -> bool:
        """Return whether both are of the same rules and seeds."""
        mine, theirs = (
            (header.pits, header.seeds, header.always, header.relap) for header in (self, other)
        )
        return mine == theirs


def require_known(rules: Rules) -> None:
    """Refuse rules that headers do not tell apart.

    Raises:
        UnknownRuleError: when another one is in force.
    """
    rules.require_known(KNOWN_RULES, "endgame tables")
