"""Look positions up in a file of endgame tables: python3 endgames.py FILE BOARD ...

Prints the seeds that are still to come for the mover less those for the other, under best play.
It shares nothing with the arena's own programs; ../endgames.md describes the file.
"""

from __future__ import annotations

import struct
import sys
from math import comb
from pathlib import Path

Row = tuple[int, ...]


class Endgames:
    """The value of every position with at most ``seeds`` seeds in its pits."""

    def __init__(self, path: Path) -> None:
        """Read the head of a file; ValueError when it is none, or not complete."""
        self.file = path.open("rb")
        head = self.file.read(4096)
        kind = struct.unpack_from("<8s6B", head)
        magic, version, self.pits, self.seeds, self.always, self.relap, complete = kind
        if magic != b"KALAHEND" or version not in (2, 3) or not complete:
            raise ValueError(f"{path} holds no complete endgame tables of version 2 or 3")
        self.reach = 32 if version == 2 else 40
        self.weights = struct.unpack_from(f"<{2 * self.pits * self.reach}h", head, 64)
        self.first, at = {}, 0
        for total in range(2, self.seeds + 1):
            for own in range(1, total // 2 + 1):
                block = self.rows(own) * self.rows(total - own)
                self.first[total - own, own] = at + block
                self.first[own, total - own] = at
                places = block if 2 * own == total else 2 * block
                at += -(-places // 128) * 128

    def rows(self, seeds: int) -> int:
        """Return how many rows hold as many seeds."""
        return comb(seeds + self.pits - 1, seeds)

    def rank(self, row: Row) -> int:
        """Return the number of a row among those of as many seeds."""
        return sum(comb(sum(row[: i + 1]) + i, i + 1) for i in range(self.pits - 1))

    def part(self, side: int, row: Row) -> int:
        """Return what a row adds to the floor, in quarters of a seed."""
        begin = side * self.pits
        weight: int = sum(self.weights[(begin + i) * self.reach + row[i]] for i in range(self.pits))
        return max(-128, min(127, weight // 16))

    def won(self, me: Row, you: Row) -> int:
        """Return the seeds that the mover still collects."""
        own, other = sum(me), sum(you)
        if not own or not other:
            return own
        index = self.first[own, other] + self.rank(me) * self.rows(other) + self.rank(you)
        self.file.seek(4096 + index // 2)
        code: int = self.file.read(1)[0] >> 4 * (index % 2) & 15
        if code < 15:
            floor = (self.part(0, me) + self.part(1, you)) >> 2
            return min(max(floor, 0), max(own + other - 14, 0)) + code
        return max(self.after(me, you, pit) for pit in range(self.pits) if me[pit])

    def after(self, me: Row, you: Row, pit: int) -> int:
        """Return the seeds that the mover collects by sowing a pit."""
        m, ring, last = len(me), [*me, 0, *you], pit
        ring[pit] = 0
        for _ in range(me[pit]):
            last = (last + 1) % (2 * m + 1)
            ring[last] += 1
        if last < m and ring[last] == 1 and (ring[2 * m - last] or self.always):
            ring[m] += 1 + ring[2 * m - last]
            ring[last] = ring[2 * m - last] = 0
        mine, theirs = tuple(ring[:m]), tuple(ring[m + 1 :])
        if last == m or (self.relap and last == pit):
            return ring[m] + self.won(mine, theirs)
        return sum(me) + sum(you) - self.won(theirs, mine)


if __name__ == "__main__":
    tables = Endgames(Path(sys.argv[1]))
    for board in sys.argv[2:]:
        pits, _, _, *seeds = map(int, board.strip("<>").split(","))
        if pits != tables.pits or not 0 < sum(seeds) <= tables.seeds:
            sys.exit(f"{board} is not of {tables.pits} pits and 1 to {tables.seeds} seeds in them")
        print(f"{2 * tables.won(tuple(seeds[:pits]), tuple(seeds[pits:])) - sum(seeds):+d}")
