"""A position as a PNG: what other programs show beside a link to it.

They take no SVG. The picture is made of discs and rounded bars, each blended by its distance from a
pixel's middle, so edges are smooth; a number is made of the cells of a grid of 5 by 7.
"""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from math import cos, pi, sin, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mancala.protocol.rules import Board

Pixels = NDArray[np.float64]
Colour = tuple[int, int, int]

WIDTH: Final = 1200
HEIGHT: Final = 630
"""What most programs show without cutting anything off."""
GROUND: Final[Colour] = (247, 244, 239)
WOOD: Final[Colour] = (216, 176, 128)
EDGE: Final[Colour] = (143, 96, 54)
BOWL: Final[Colour] = (107, 66, 33)
INK: Final[Colour] = (58, 37, 19)
SIDES: Final[tuple[Colour, Colour]] = ((27, 107, 114), (161, 64, 31))
SEEDS: Final[tuple[Colour, ...]] = (
    (244, 227, 191),
    (226, 196, 143),
    (251, 243, 223),
    (226, 178, 150),
)
MOST_DRAWN: Final = 48
GOLDEN: Final = pi * (3 - sqrt(5))
DIGITS: Final = (
    *("0E11111111110E", "040C040404040E", "0E11010204081F", "1F02040201110E", "02060A121F0202"),
    *("1F101E0101110E", "0608101E11110E", "1F010204080808", "0E11110E11110E", "0E11110F01020C"),
)
"""Seven rows of five cells each, as hexadecimal numbers."""


class Bar(NamedTuple):
    """A bar with round ends, or a disc.

    Attributes:
        x: its middle.
        y: its middle.
        radius: half of its width.
        tall: half of the straight part of its height; 0 for a disc.
    """

    x: float
    y: float
    radius: float
    tall: float = 0.0


def position_png(board: Board) -> bytes:
    """Return a position as a PNG of 1200 by 630 pixels; player 0's row is below."""
    pits = board.rules.pits
    pixels = _empty(pits).copy()
    for player in (0, 1):
        for pit, seeds in enumerate(board.pits[player]):
            bowl = _bowl(pits, player, pit)
            _fill(pixels, bowl, seeds, bowl.y - 92 if player == 0 else bowl.y + 92)
        _fill(pixels, _store(pits, player), board.stores[player], 125)
    return _encoded(pixels)


@lru_cache(maxsize=4)
def _empty(pits: int) -> Pixels:
    """Return a board without seeds."""
    pixels: Pixels = np.empty((HEIGHT, WIDTH, 3))
    pixels[:] = GROUND
    for inset, colour in ((12, EDGE), (18, WOOD)):
        _box(pixels, inset, 48 + inset, 90 - inset, colour)
    for player in (0, 1):
        for bowl in (*(_bowl(pits, player, pit) for pit in range(pits)), _store(pits, player)):
            _bar(pixels, bowl._replace(radius=bowl.radius + 4), SIDES[player])
            _bar(pixels, bowl, BOWL)
    return pixels


def _bowl(pits: int, player: int, pit: int) -> Bar:
    cell = (WIDTH - 60) / (pits + 2)
    place = pit if player == 0 else pits - 1 - pit
    return Bar(30 + cell * (place + 1.5), 430 if player == 0 else 200, min(62.0, 0.42 * cell))


def _store(pits: int, player: int) -> Bar:
    cell = (WIDTH - 60) / (pits + 2)
    x = 30 + cell * (pits + 1.5) if player == 0 else 30 + cell / 2
    return Bar(x, 340, min(53.0, 0.36 * cell), 110)


def _box(pixels: Pixels, left: float, top: float, radius: float, colour: Colour) -> None:
    """Draw a box with round corners, as far from the right and the bottom as from left and top."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH] + 0.5
    beyond_x = np.abs(x - WIDTH / 2) - (WIDTH / 2 - left - radius)
    beyond_y = np.abs(y - HEIGHT / 2) - (HEIGHT / 2 - top - radius)
    away = np.hypot(np.maximum(beyond_x, 0), np.maximum(beyond_y, 0))
    away += np.minimum(np.maximum(beyond_x, beyond_y), 0) - radius
    _blend(pixels, away, colour)


def _fill(pixels: Pixels, bowl: Bar, seeds: int, count_y: float) -> None:
    drawn = min(seeds, MOST_DRAWN)
    wide, high = bowl.radius - 14, bowl.tall + bowl.radius - 16
    size = min(14.0, 0.8 * sqrt(wide * high / max(1, drawn)))
    scale = min(1.0, 1.6 * size * sqrt(drawn) / wide) if drawn else 1.0
    for at in range(drawn):
        away = scale * sqrt((at + 0.4) / drawn)
        x = bowl.x + wide * away * cos(at * GOLDEN)
        y = bowl.y + high * away * sin(at * GOLDEN)
        _bar(pixels, Bar(x, y, size), SEEDS[(7 * at) % len(SEEDS)])
    _number(pixels, seeds, bowl.x, count_y)


def _bar(pixels: Pixels, bar: Bar, colour: Colour) -> None:
    reach = bar.radius + 2
    left, right = max(0, int(bar.x - reach)), min(WIDTH, int(bar.x + reach) + 1)
    top = max(0, int(bar.y - bar.tall - reach))
    bottom = min(HEIGHT, int(bar.y + bar.tall + reach) + 1)
    y, x = np.mgrid[top:bottom, left:right] + 0.5
    beyond = np.maximum(np.abs(y - bar.y) - bar.tall, 0)
    away = np.hypot(x - bar.x, beyond) - bar.radius
    _blend(pixels[top:bottom, left:right], away, colour)


def _blend(pixels: Pixels, away: Pixels, colour: Colour) -> None:
    """Paint pixels by their distance from an edge, positive outside."""
    share = np.clip(0.5 - away, 0, 1)[..., np.newaxis]
    pixels += share * (np.array(colour, float) - pixels)


def _number(pixels: Pixels, number: int, x: float, y: float, dot: int = 5) -> None:
    """Draw a number around a point."""
    text = str(number)
    left = round(x - (6 * len(text) - 1) * dot / 2)
    top = round(y - 3.5 * dot)
    for place, digit in enumerate(text):
        rows = bytes.fromhex(DIGITS[int(digit)])
        for row, cells in enumerate(rows):
            for column in range(5):
                if cells >> (4 - column) & 1:
                    at = left + (6 * place + column) * dot
                    pixels[top + row * dot : top + (row + 1) * dot, at : at + dot] = INK


def _encoded(pixels: Pixels) -> bytes:
    """Return pixels as a PNG (ISO/IEC 15948), each row as its difference from the one above."""
    rows = np.rint(pixels).astype(np.uint8).reshape(HEIGHT, 3 * WIDTH)
    above = np.vstack((np.zeros((1, 3 * WIDTH), np.uint8), rows[:-1]))
    lines = np.hstack((np.full((HEIGHT, 1), 2, np.uint8), rows - above))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    checked = kind + data
    return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))
