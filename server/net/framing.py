"""The frames of a websocket (RFC 6455, section 5.2): where they end, and the usual ones.

``websockets`` parses and serialises all others. A move, its announcement, a ping and its pong are
one frame each, which takes it sixteen calls to read and four to write.
"""

from typing import Final

try:
    from websockets.speedups import apply_mask
except ImportError:  # of a build without C
    from websockets.utils import apply_mask

HEADER: Final = 2
MASK: Final = 4
IS_MASKED: Final = 0x80
IS_WHOLE_TEXT, IS_WHOLE_BINARY = 0x81, 0x82
IS_PING, IS_PONG = 0x89, 0x8A
SHORT: Final = 126
"""Lengths from here on stand in two more bytes, or in eight."""
EXTENDED: Final = {126: 2, 127: 8}
LONG: Final = 1 << 16


def frame_bytes(data: bytes | bytearray) -> int:
    """Return the size of the frame that begins here, with its header; 0 if that is incomplete."""
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


def message_in(data: bytes) -> bytes | None:
    """Return the message of a client whose only frame is the whole of ``data``, or None."""
    if len(data) < HEADER + MASK or data[0] not in (IS_WHOLE_TEXT, IS_WHOLE_BINARY):
        return None
    begin, length = HEADER, data[1] - IS_MASKED  # negative if it is not masked
    if length == SHORT:
        begin, length = HEADER + 2, data[2] << 8 | data[3]
    elif length > SHORT:
        return None
    mask, masked = data[begin : begin + MASK], data[begin + MASK :]
    return apply_mask(masked, mask) if len(masked) == length else None


def pong_in(data: bytes) -> bytes | None:
    """Return the payload of a client's pong that is the whole of ``data``, or None."""
    length = len(data) - HEADER - MASK
    if not 0 <= length < SHORT or data[0] != IS_PONG or data[1] != IS_MASKED | length:
        return None
    return apply_mask(data[HEADER + MASK :], data[HEADER : HEADER + MASK])


def ping_frame(payload: bytes) -> bytes:
    """Return a server's ping; its payload is shorter than ``SHORT``."""
    return bytes((IS_PING, len(payload))) + payload


def text_frame(message: bytes) -> bytes:
    length = len(message)
    if length < SHORT:
        return bytes((IS_WHOLE_TEXT, length)) + message
    if length < LONG:
        return bytes((IS_WHOLE_TEXT, SHORT, length >> 8, length & 0xFF)) + message
    return bytes((IS_WHOLE_TEXT, SHORT + 1)) + length.to_bytes(8, "big") + message
