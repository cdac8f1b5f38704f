"""The log of a check: a line for each leaf that was proven again, so that an ended check goes on.

A line begins with what the leaf asserts; whether that holds, nodes and seconds follow. The prover
in ``docs/certificates`` writes the same form. A line that a kill cut off does not count.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from mancala.protocol import codec

from .certificate import CertificateLine


class ProvenLeaf(msgspec.Struct, frozen=True):
    """A line of the log: what a leaf asserts, whether it holds, and what the proof took."""

    board: str
    bound: str
    value: int
    holds: bool
    nodes: int
    seconds: float


class LeafLog:
    """A log that is open for appending; ValueError where the file holds anything else."""

    def __init__(self, path: Path) -> None:
        text = path.read_bytes() if path.exists() else b""
        *whole, cut = text.split(b"\n")
        lines = [codec.from_json(line, ProvenLeaf) for line in whole]
        self._holding = {(each.board, each.bound, each.value) for each in lines if each.holds}
        self._file = path.open("ab")
        self._file.truncate(len(text) - len(cut))

    def confirms(self, leaf: CertificateLine) -> bool:
        """Return whether a leaf was proven by an earlier run."""
        return (leaf.board, leaf.bound, leaf.value) in self._holding

    def write(self, leaf: CertificateLine, *, holds: bool, nodes: int, seconds: float) -> None:
        """Write down what came of a leaf; it is in the file when this returns."""
        found = ProvenLeaf(leaf.board, leaf.bound, leaf.value, holds, nodes, round(seconds, 3))
        self._file.write(codec.to_line(found) + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
