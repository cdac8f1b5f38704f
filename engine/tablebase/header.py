"""The head of a file of endgame tables; the codes follow at `VALUES_AT`.

```
0     magic, version, pits, seeds, captures alone, relap, complete, positions, CRC-32 of a sample
64    the weights of the baselines, i16[2, pits, reach]; all zero before they are fitted
*     CRC-32 of each pair of row sums, u32
*     for each pair whether it is written, u8
4092  CRC-32 of all this
```

Tables of up to 32 seeds have version 2, with a reach of 32 seeds, and both lists begin at 1024 and
2048. Larger ones have version 3: 40 seeds, 1184 and 2784.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

import numpy as np

from mancala.protocol.rules import Capture, Rules

from ..kernels.state import RANK_STRIDE, pairs_of_sums, positions
from .baselines import Weights

MAGIC: Final = b"KALAHEND"
FACTS: Final = struct.Struct("<8sBBBBBBxxQI")
WEIGHTS_AT: Final = 64
CHECKED: Final = 4092
VALUES_AT: Final = 4096
KNOWN_RULES: Final = frozenset({"pits", "capture", "relap"})
"""The rules that headers tell apart."""


class Layout(NamedTuple):
    """Where a version has the checksums of pairs, and which are written; and its most seeds."""

    version: int
    reach: int
    checksums_at: int
    written_at: int


LAYOUTS: Final = (Layout(2, 32, 1024, 2048), Layout(3, RANK_STRIDE, 1184, 2784))


def layout_of(seeds: int) -> Layout:
    """Return the layout of tables that reach as many seeds."""
    return next(layout for layout in LAYOUTS if seeds <= layout.reach)


@dataclass(kw_only=True, slots=True)
class TableHeader:
    """What a file of endgame tables says of itself.

    The sample is the CRC-32 of pages spread over the codes of a complete file. The weights are None
    before they are fitted, and so is the checksum of a pair of row sums that is not written.
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
        if len(content) < VALUES_AT or not content.startswith(MAGIC):
            return None
        if int.from_bytes(content[CHECKED:VALUES_AT], "little") != zlib.crc32(content[:CHECKED]):
            return None
        _, version, pits, seeds, always, relap, complete, _, sample = FACTS.unpack_from(content)
        layout = next((each for each in LAYOUTS if each.version == version), None)
        if layout is None:
            return None
        weights = np.frombuffer(content, "<i2", 2 * pits * layout.reach, WEIGHTS_AT)
        count = len(pairs_of_sums(pits, seeds))
        checksums = np.frombuffer(content, "<u4", count, layout.checksums_at).tolist()
        written = content[layout.written_at : layout.written_at + count]
        known = np.zeros((2, pits, RANK_STRIDE), np.int16)
        known[:, :, : layout.reach] = weights.reshape(2, pits, layout.reach)
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
        content, layout = bytearray(VALUES_AT), layout_of(self.seeds)
        FACTS.pack_into(
            content,
            0,
            MAGIC,
            layout.version,
            *(self.pits, self.seeds, self.always, self.relap, self.complete),
            positions(self.pits, self.seeds),
            self.sample,
        )
        if self.weights is not None:
            weights = self.weights[:, :, : layout.reach].astype("<i2").tobytes()
            content[WEIGHTS_AT : WEIGHTS_AT + len(weights)] = weights
        checksums = np.array([c or 0 for c in self.checksums], dtype="<u4").tobytes()
        content[layout.checksums_at : layout.checksums_at + len(checksums)] = checksums
        written = bytes(c is not None for c in self.checksums)
        content[layout.written_at : layout.written_at + len(written)] = written
        content[CHECKED:] = zlib.crc32(content[:CHECKED]).to_bytes(4, "little")
        return bytes(content)

    def describes(self, other: TableHeader) -> bool:
        """Return whether both are of the same rules and seeds."""
        mine, theirs = (
            (header.pits, header.seeds, header.always, header.relap) for header in (self, other)
        )
        return mine == theirs


def require_known(rules: Rules) -> None:
    """Refuse rules that headers do not tell apart: UnknownRuleError."""
    rules.require_known(KNOWN_RULES, "endgame tables")
