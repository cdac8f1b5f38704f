"""The moves of a finished game as one value, and the reports of its bots as another.

Row by row a move takes 57 bytes and more in its index; packed, about four. Version 3 of the moves:

==========  =====================================================================================
bytes       meaning
==========  =====================================================================================
1           the version in the low four bits; bit 5: no lag was credited; bit 6: a pit is above 7
varint      how many moves
varint      how many moves the referee forced, then their plies, each less the one before
1           the order of the times
1           the order of the lag, unless bit 5 is set
bits        the pits, three bits each, or four with bit 6; the times; the lag, unless bit 5 is set
==========  =====================================================================================

Version 4 is for games with a swap: before the forced moves comes the varint of its ply, and its pit
is 0. A varint has seven bits a byte, the lowest first; the high bit says that more follow. The bits
are those of ``review/bits.py``: times and lag are whole microseconds in exponential Golomb code.

Where a time is no whole number of microseconds, it is version 1 instead, or 2 with a swap:

==========  =====================================================================================
1           the version in the low four bits; bit 4: times are doubles; bit 5: no lag was credited
varint      how many moves
1 a pair    the pits of two moves, the earlier one in the low four bits
varint      the ply of the swap, in version 2
varint      how many moves the referee forced, then their plies, each less the one before
a move      the time it took
a move      the lag credited, unless bit 5 is set
==========  =====================================================================================

There a time is an IEEE 754 double of milliseconds, the lowest byte first; in values of former
versions, without bit 4, a varint of microseconds.

The reports are zlib's compression of JSON lines, one a move, empty where there is no report.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from mancala.protocol.rules import SWAP

from ...model.review.bits import BitReader, BitWriter

VERSION: Final = 3
WITH_SWAP: Final = 4
IN_BYTES: Final = 1
IN_BYTES_WITH_SWAP: Final = 2
VERSION_BITS: Final = 0x0F
HAS_DOUBLES: Final = 0x10
HAS_NO_LAG: Final = 0x20
HAS_WIDE_PITS: Final = 0x40
LOW_BITS: Final = 0x7F
MORE: Final = 0x80
WIDEST: Final = 7
"""The last pit that three bits hold."""


class StoredMove(NamedTuple):
    """A move as the store has it; the report is apart."""

    pit: int
    elapsed_ms: float
    lag_ms: float
    forced: bool


class PackedError(Exception):
    """A packed value has a version that this program does not know."""


def pack(moves: Sequence[StoredMove]) -> bytes:
    columns = [[move.elapsed_ms for move in moves]]
    if any(move.lag_ms for move in moves):
        columns.append([move.lag_ms for move in moves])
    whole = [[round(1000 * time) for time in column] for column in columns]
    are_whole = [[time / 1000 for time in column] for column in whole] == columns
    if not are_whole or min(map(min, filter(None, whole)), default=0) < 0:
        return _packed_in_bytes(moves, columns)
    pits, swaps = _pits(moves)
    width = 4 if max(pits, default=0) > WIDEST else 3
    head = WITH_SWAP if swaps else VERSION
    head |= (0 if columns[1:] else HAS_NO_LAG) | (HAS_WIDE_PITS if width > 3 else 0)
    orders, bits = [_order(column) for column in whole], BitWriter()
    for pit in pits:
        bits.bits(pit, width)
    for order, column in zip(orders, whole, strict=True):
        for time in column:
            bits.number(time, order)
    counts = _varints((len(moves), *swaps)) + _forced(moves)
    return b"".join((bytes((head,)), counts, bytes(orders), bits.packed()))


def unpack(packed: bytes) -> list[StoredMove]:
    """Return the moves in a packed value; raise `PackedError` when its version is unknown."""
    version = packed[0] & VERSION_BITS
    if version in (IN_BYTES, IN_BYTES_WITH_SWAP):
        return _unpack_bytes(packed)
    if version not in (VERSION, WITH_SWAP):
        raise PackedError(f"moves of version {version} are packed in a way unknown here")
    count, at = _read(packed, 1)
    swap, at = _read(packed, at) if version == WITH_SWAP else (None, at)
    forced, at = _read_forced(packed, at)
    columns = 1 if packed[0] & HAS_NO_LAG else 2
    bits, width = BitReader(packed[at + columns :]), 4 if packed[0] & HAS_WIDE_PITS else 3
    pits = [bits.bits(width) for _ in range(count)]
    times = [bits.number(order) / 1000 for order in packed[at : at + columns] for _ in range(count)]
    return _moves(pits, swap, times, forced)


def _packed_in_bytes(moves: Sequence[StoredMove], columns: Sequence[Sequence[float]]) -> bytes:
    """Return moves whose times are no whole microseconds."""
    pits, swaps = _pits(moves)
    head = HAS_DOUBLES | (IN_BYTES_WITH_SWAP if swaps else IN_BYTES)
    head |= 0 if columns[1:] else HAS_NO_LAG
    paired = bytes(_pairs(pits)) + _varints(swaps)
    doubles = [struct.pack(f"<{len(column)}d", *column) for column in columns]
    return b"".join((bytes((head,)), _varints((len(moves),)), paired, _forced(moves), *doubles))


def _unpack_bytes(packed: bytes) -> list[StoredMove]:
    head = packed[0]
    count, at = _read(packed, 1)
    pits = [packed[at + ply // 2] >> 4 * (ply % 2) & 0x0F for ply in range(count)]
    at += (count + 1) // 2
    has_swap = head & VERSION_BITS == IN_BYTES_WITH_SWAP
    swap, at = _read(packed, at) if has_swap else (None, at)
    forced, at = _read_forced(packed, at)
    columns = count if head & HAS_NO_LAG else 2 * count
    times = _read_times(packed, at, columns, are_doubles=bool(head & HAS_DOUBLES))
    return _moves(pits, swap, times, forced)


def _moves(
    pits: list[int], swap: int | None, times: list[float], forced: set[int]
) -> list[StoredMove]:
    """Return moves of their columns; the lag follows the times, if any was credited."""
    if swap is not None:
        pits[swap] = SWAP
    lags = times[len(pits) :] or [0.0] * len(pits)
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


def _pits(moves: Sequence[StoredMove]) -> tuple[list[int], list[int]]:
    """Return the pits, 0 for a swap, and the plies of swaps: one at most."""
    swaps = [ply for ply, move in enumerate(moves) if move.pit == SWAP]
    return [0 if move.pit == SWAP else move.pit for move in moves], swaps


def _forced(moves: Sequence[StoredMove]) -> bytes:
    forced = [ply for ply, move in enumerate(moves) if move.forced]
    gaps = (later - earlier for earlier, later in pairwise([0, *forced]))
    return _varints((len(forced), *gaps))


def _order(numbers: Sequence[int]) -> int:
    """Return the order in which numbers take fewest bits, or nearly so.

    One more costs each that is below ``2 ** order`` a bit, and saves one of each other: so half of
    them are to be below.
    """
    middle = sorted(numbers)[len(numbers) // 2].bit_length() if numbers else 0
    return min(range(max(0, middle - 1), middle + 1), key=lambda order: _size(numbers, order))


def _size(numbers: Sequence[int], order: int) -> int:
    return sum(order + 2 * ((number >> order) + 1).bit_length() for number in numbers)


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
