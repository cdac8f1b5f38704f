"""Where the frames of a websocket end, in what a client sends (RFC 6455, section 5.2)."""

from __future__ import annotations

from typing import Final

HEADER: Final = 2
MASK: Final = 4
IS_MASKED: Final = 0x80
SHORT: Final = 126
"""Lengths from here on stand in two more bytes, or in eight."""
EXTENDED: Final = {126: 2, 127: 8}


def frame_bytes(data: bytes | bytearray) -> int:
    """Return the size of the frame that begins here, with its header; 0 if that is incomplete.

    A length may be written longer than it needs to be.
    """
    if len(data) < HEADER:
        return 0
    masked_length = data[1]
    mask = MASK if masked_length & IS_MASKED else 0
    length = masked_length & ~IS_MASKED
    if length < SHORT:
        return HEADER + mask + length
    begin = HEADER + EXTENDED[length]
    if len(data) < begin:
        return 0
    return begin + mask + int.from_bytes(data[HEADER:begin], "big")
