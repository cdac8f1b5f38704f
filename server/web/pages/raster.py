"""Positions and games as pixels, for programs that take no SVG: previews of links, and chats.

Pillow draws everything twice as large and averages four pixels to one, so edges are smooth. A game
is a GIF of half the size and one palette; each frame holds only what has changed since the last.
"""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from math import sqrt
from typing import Final, Literal, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from mancala.protocol.record import GameRecord, replay
from mancala.protocol.rules import KALAH, SWAP, Board

from .pictures import spiral

Colour = tuple[int, int, int]
Mode = Literal["RGB", "P"]

WIDTH: Final = 1200
HEIGHT: Final = 630
"""What most programs show of a preview without cutting anything off."""
SMOOTH: Final = 2
MOST_FRAMES: Final = 80
"""More plies than most games have; of a longer game, every second or third position is shown."""
STEP_MS: Final = 900
HOLD_MS: Final = 4000
COLOURS: Final = 32
PACKING: Final = 3
"""Level 6 makes a PNG a tenth smaller in twice the time."""
COUNT_SIZE: Final = 44
NAME_SIZE: Final = 34
GROUND: Final[Colour] = (247, 244, 239)
WOOD: Final[Colour] = (216, 176, 128)
EDGE: Final[Colour] = (143, 96, 54)
BOWL: Final[Colour] = (107, 66, 33)
INK: Final[Colour] = (58, 37, 19)
SOWN: Final[Colour] = (255, 246, 214)
SIDES: Final[tuple[Colour, Colour]] = ((27, 107, 114), (161, 64, 31))
SEEDS: Final[tuple[Colour, ...]] = (
    (244, 227, 191),
    (226, 196, 143),
    (251, 243, 223),
    (226, 178, 150),
)
MOST_DRAWN: Final = 48


class Bar(NamedTuple):
    """A disc, or a bar with round ends: its middle, half its width, half its straight height."""

    x: float
    y: float
    radius: float
    tall: float = 0.0


class Spot(NamedTuple):
    """A pit or a store (the pit after the last) with its seeds; the last move may have sown it."""

    pits: int
    player: int
    pit: int
    seeds: int
    is_sown: bool

    @property
    def bowl(self) -> Bar:
        """Where its seeds lie."""
        cell = (WIDTH - 60) / (self.pits + 2)
        place = self.pit if self.player == 0 else self.pits - 1 - self.pit
        x = 30 + cell * (place + 1.5)
        if self.pit == self.pits:
            return Bar(x, 340, min(53.0, 0.36 * cell), 110)
        return Bar(x, 430 if self.player == 0 else 200, min(62.0, 0.42 * cell))

    @property
    def count_y(self) -> float:
        """The middle of its number."""
        return 125 if self.pit == self.pits else 338 if self.player == 0 else 292


class Drawing:
    """A part of a picture, drawn in units of a PNG's pixels on a larger image."""

    def __init__(self, scale: int, edges: tuple[int, int, int, int], ground: Colour) -> None:
        """Prepare a part with its left, top, right and bottom edges, in units."""
        self._scale = scale
        self._left, self._top, right, bottom = edges
        size = (scale * (right - self._left), scale * (bottom - self._top))
        self.image = Image.new("RGB", size, ground)
        self._pen = ImageDraw.Draw(self.image)

    def bar(self, bar: Bar, colour: Colour) -> None:
        """Draw a bar or a disc."""
        across, along = bar.radius, bar.tall + bar.radius
        self.box((bar.x - across, bar.y - along, bar.x + across, bar.y + along), across, colour)

    def box(self, edges: tuple[float, float, float, float], radius: float, colour: Colour) -> None:
        """Draw a box with round corners."""
        scaled = (*self._at(*edges[:2]), *self._at(*edges[2:]))
        self._pen.rounded_rectangle(scaled, self._scale * radius, colour)

    def text(self, place: tuple[float, float], text: str, size: int, colour: Colour) -> None:
        """Write a line around a point."""
        self._pen.text(self._at(*place), text, colour, _font(self._scale * size), anchor="mm")

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return self._scale * (x - self._left), self._scale * (y - self._top)


class Scene(NamedTuple):
    """A position, player 0 below, and the player and pit of the move that sowed it, if any."""

    board: Board
    names: tuple[str, str]
    sown: tuple[int, int] | None


def position_png(record: GameRecord, ply: int) -> bytes:
    """Return the position of a game after N sowings as a PNG of 1200 by 630 pixels.

    Raises:
        IndexError: when the game has no such position.
    """
    file = BytesIO()
    _drawn(_scenes(record)[ply], SMOOTH, "RGB").save(file, "PNG", compress_level=PACKING)
    return file.getvalue()


def game_gif(record: GameRecord) -> bytes:
    """Return a game as a GIF of 600 by 315 pixels that repeats."""
    scenes = _scenes(record)
    stride = -(-len(scenes) // MOST_FRAMES)
    frames = [_drawn(scene, 1, "P") for scene in (*scenes[:-1:stride], scenes[-1])]
    file = BytesIO()
    frames[0].save(
        *(file, "GIF"),
        save_all=True,
        append_images=frames[1:],
        duration=[STEP_MS] * (len(frames) - 1) + [HOLD_MS],
        loop=0,
        optimize=False,
    )
    return file.getvalue()


def _scenes(record: GameRecord) -> list[Scene]:
    first, second = (player.name for player in record.players)
    moves = [(move.player, move.pit) for move in record.moves]
    sown = [None, *(None if pit == SWAP else (player, pit) for player, pit in moves)]
    boards = replay(record)
    return [Scene(board, (first, second), last) for board, last in zip(boards, sown, strict=True)]


def _drawn(scene: Scene, scale: int, mode: Mode) -> Image.Image:
    """Draw a scene with ``scale / SMOOTH`` pixels a unit."""
    pits = scene.board.rules.pits
    picture = _empty(scene.names, scale, mode).copy()
    for player in (0, 1):
        holdings = (*scene.board.pits[player], scene.board.stores[player])
        for pit, seeds in enumerate(holdings):
            spot = Spot(pits, player, pit, seeds, (player, pit) == scene.sown)
            left, top, *_ = _edges(spot)
            picture.paste(_tile(spot, scale, mode), (left * scale // SMOOTH, top * scale // SMOOTH))
    return picture


@lru_cache(maxsize=4)
def _empty(names: tuple[str, str], scale: int, mode: Mode) -> Image.Image:
    canvas = Drawing(scale, (0, 0, WIDTH, HEIGHT), GROUND)
    for inset, colour in ((12, EDGE), (18, WOOD)):
        edges = (inset, 48 + inset, WIDTH - inset, HEIGHT - 48 - inset)
        canvas.box(edges, 90 - inset, colour)
    for name, y, colour in zip(names, (HEIGHT - 29, 29), SIDES, strict=True):
        canvas.text((WIDTH / 2, y), name, NAME_SIZE, colour)
    return _reduced(canvas, mode)


@lru_cache(maxsize=1024)
def _tile(spot: Spot, scale: int, mode: Mode) -> Image.Image:
    """Return a pit or a store; the kept ones of the PNGs take 30 MB at most."""
    canvas = Drawing(scale, _edges(spot), WOOD)
    bowl = spot.bowl
    rim, colour = (8, SOWN) if spot.is_sown else (4, SIDES[spot.player])
    canvas.bar(bowl._replace(radius=bowl.radius + rim), colour)
    canvas.bar(bowl, BOWL)
    drawn = min(spot.seeds, MOST_DRAWN)
    wide, high = bowl.radius - 14, bowl.tall + bowl.radius - 16
    size = min(14.0, 0.8 * sqrt(wide * high / max(1, drawn)))
    spread = min(1.0, 1.6 * size * sqrt(drawn) / wide) if drawn else 1.0
    for at, (across, along) in enumerate(spiral(drawn)):
        x, y = bowl.x + spread * wide * across, bowl.y + spread * high * along
        canvas.bar(Bar(x, y, size), SEEDS[(7 * at) % len(SEEDS)])
    left, _, right, _ = _edges(spot)
    fitting = min(COUNT_SIZE, round(0.55 * (right - left)))
    canvas.text((bowl.x, spot.count_y), str(spot.seeds), fitting, INK)
    return _reduced(canvas, mode)


def _edges(spot: Spot) -> tuple[int, int, int, int]:
    bowl = spot.bowl
    half = (WIDTH - 60) / (spot.pits + 2) / 2
    top, bottom = bowl.y - bowl.tall - bowl.radius - 10, bowl.y + bowl.tall + bowl.radius + 10
    return (
        2 * round((bowl.x - half) / 2),
        2 * round(min(top, spot.count_y - 22) / 2),
        2 * round((bowl.x + half) / 2),
        2 * round(max(bottom, spot.count_y + 22) / 2),
    )


def _reduced(canvas: Drawing, mode: Mode) -> Image.Image:
    """Return what was drawn with smooth edges, in true colours or in those of GIFs."""
    smooth = canvas.image.reduce(SMOOTH)
    if mode == "RGB":
        return smooth
    return smooth.quantize(palette=_palette(), dither=Image.Dither.NONE)


@lru_cache(maxsize=1)
def _palette() -> Image.Image:
    scene = Scene(Board.start(KALAH), ("bob", "cid"), (0, 0))
    return _drawn(scene, 1, "RGB").quantize(COLOURS)


@lru_cache(maxsize=8)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
