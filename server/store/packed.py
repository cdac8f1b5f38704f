"""The moves of a finished game as one value, and the reports of its bots as another.

Row by row a move takes 57 bytes and more in its index; packed, about four. Version 1 of the moves:

==========  =====================================================================================
bytes       meaning
==========  =====================================================================================
1           the version in the low four bits; bit 4: times are doubles; bit 5: no lag was credited
varint      how many moves
1 a pair    the pits of two moves, the earlier one in the low four bits
varint      how many moves the referee forced, then their plies, each less the one before
a move      the time it took
a move      the lag credited, unless bit 5 is set
==========  =====================================================================================

Version 2 is for games with a swap, which no four bits hold: after the pits comes the varint of its
ply, and its four bits are 0. All other games are packed in version 1.

A varint has seven bits a byte, the lowest first; the high bit says that more follow. A time is a
varint of microseconds, or, where one of the game's times is no whole number of them, an IEEE 754
double of milliseconds, the lowest byte first.

The reports are zlib's compression of JSON lines, one a move, empty where there is no report.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from mancala.protocol.rules import SWAP

VERSION: Final = 1
WITH_SWAP: Final = 2
VERSION_BITS: Final = 0x0F
HAS_DOUBLES: Final = 0x10
HAS_NO_LAG: Final = 0x20
LOW_BITS: Final = 0x7F
MORE: Final = 0x80


class StoredMove(NamedTuple):
    """A move as the store has it; the report is apart.

    Attributes:
        pit: the pit sown.
        elapsed_ms: the time it took.
        lag_ms: the part of it that was credited as lag.
        forced: whether the referee played it.
    """

    pit: int
    elapsed_ms: float
    lag_ms: float
    forced: bool


class PackedError(Exception):
    """A packed value has a version that this program does not know."""


def pack(moves: Sequence[StoredMove]) -> bytes:
    """Return moves as one value."""
    times = [move.elapsed_ms for move in moves]
    lags = [move.lag_ms for move in moves]
    has_lag = any(lags)
    columns = times + lags if has_lag else times
    whole = [round(1000 * time) for time in columns]
    is_whole = [time / 1000 for time in whole] == columns and min(whole, default=0) >= 0
    swaps = [ply for ply, move in enumerate(moves) if move.pit == SWAP]
    version = WITH_SWAP if swaps else VERSION
    head = version | (0 if is_whole else HAS_DOUBLES) | (0 if has_lag else HAS_NO_LAG)
    forced = [ply for ply, move in enumerate(moves) if move.forced]
    gaps = (later - earlier for earlier, later in pairwise([0, *forced]))
    return b"".join(
        (
            bytes((head,)),
            _varints((len(moves),)),
            bytes(_pairs([0 if move.pit == SWAP else move.pit for move in moves])),
            _varints(swaps),
            _varints((len(forced), *gaps)),
            _varints(whole) if is_whole else struct.pack(f"<{len(columns)}d", *columns),
        )
    )


def unpack(packed: bytes) -> list[StoredMove]:
    """Return the moves in a packed value.

    Raises:
        PackedError: when its version is unknown.
    """
    head = packed[0]
    version = head & VERSION_BITS
    if version not in (VERSION, WITH_SWAP):
        raise PackedError(f"moves of version {version} are packed in a way unknown here")
    count, at = _read(packed, 1)
    pits = [packed[at + ply // 2] >> 4 * (ply % 2) & 0x0F for ply in range(count)]
    at += (count + 1) // 2
    if version == WITH_SWAP:
        swap, at = _read(packed, at)
        pits[swap] = SWAP
    forced, at = _read_forced(packed, at)
    columns = count if head & HAS_NO_LAG else 2 * count
    times = _read_times(packed, at, columns, are_doubles=bool(head & HAS_DOUBLES))
    lags = times[count:] or [0.0] * count
    return [
        StoredMove(pit, elapsed, lag, ply in forced)
        for ply, (pit, elapsed, lag) in enumerate(zip(pits, times, lags, strict=False))
    ]


def pack_infos(infos: Sequence[str | None]) -> bytes | None:
    """Return the reports of a game, JSON texts in order of the moves; None if there are none."""
    if not any(info is not None for info in infos):
        return None
    return zlib.compress("\n".join(info or "" for info in infos).encode())


def unpack_infos(packed: bytes | None, count: int) -> list[str | None]:
    """Return the JSON text of each of a game's reports; None for a move without one."""
    if packed is None:
        return [None] * count
    return [line or None for line in zlib.decompress(packed).decode().split("\n")]


def _pairs(pits: Sequence[int]) -> Iterator[int]:
    padded = [*pits, 0]
    return (padded[at] | padded[at + 1] << 4 for at in range(0, len(pits), 2))


def _read_forced(packed: bytes, at: int) -> tuple[set[int], int]:
    count, at = _read(packed, at)
    ply, plies = 0, set[int]()
    for _ in range(count):
        gap, at = _read(packed, at)
        ply += gap
        plies.add(ply)
    return plies, at


def _read_times(packed: bytes, at: int, count: int, *, are_doubles: bool) -> list[float]:
    if are_doubles:
        return list(struct.unpack_from(f"<{count}d", packed, at))
    times = []
    for _ in range(count):
        time, at = _read(packed, at)
        times.append(time / 1000)
    return times


def _varints(numbers: Iterable[int]) -> bytes:
    digits = bytearray()
    for number in numbers:
        while number > LOW_BITS:
            digits.append(number & LOW_BITS | MORE)
            number >>= 7  # noqa: PLW2901  # what is left of it
        digits.append(number)
    return bytes(digits)


def _read(packed: bytes, at: int) -> tuple[int, int]:
    """Return the varint that begins at a place, and the place after it."""
    number = shift = 0
    while True:
        digit = packed[at]
        at += 1
        number |= (digit & LOW_BITS) << shift
        if digit < MORE:
            return number, at
        shift += 7
