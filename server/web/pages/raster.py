"""Positions and games as pixels, for programs that take no SVG: previews of links, and chats.

Everything is drawn from the parts of the SVG pictures: an empty board, and on it the seeds of each
place, which are kept, since the same ones return from move to move and from game to game. A GIF is
of half the size and one palette; each frame holds only what has changed since the last.
"""

from functools import cache, lru_cache
from io import BytesIO
from tempfile import NamedTemporaryFile  # noqa: TID251  # the renderer reads fonts from files
from typing import IO, Final, NamedTuple

from PIL import Image, ImageFont
from resvg_py import svg_to_bytes

from mancala.protocol.record import GameRecord, replay
from mancala.protocol.rules import Board, Rules

from .board_style import light
from .captions import Caption
from .pictures import (
    CELL,
    FOOT,
    HEAD,
    KEPT,
    MOST_FRAMES,
    TALL,
    WIDTH,
    DrawnPlace,
    board_width,
    empty_board,
    frame_of,
    held,
    holdings,
    ring,
    sown_place,
    svg,
    words_above,
    words_below,
)

PNG_SIZE: Final = (1200, 630)
"""What most programs show of a preview without cutting anything off."""
GIF_SIZE: Final = (600, 315)
STEP_MS: Final = 900
HOLD_MS: Final = 4000
COLOURS: Final = 64
OCTREE: Final = Image.Quantize.FASTOCTREE
"""The way of choosing colours that keeps those of few pixels, as of rings."""
MANY: Final = Rules(seeds=12)
"""A board with seeds of all colours in each pit."""
PACKING: Final = 3
"""Level 6 makes a PNG a tenth smaller in twice the time."""
PARTS: Final = {"b": (196, 150), "t": (58, 150), "s": (36, 336)}
"""The top and the height of what holds a place's seeds, their number and its ring."""
FONT: Final = "Aileron"
FONT_SIZE: Final = 20
Box = tuple[float, float, float, float]


class Scene(NamedTuple):
    """A position, player 0 below, and the pit that was sown last, if any."""

    board: Board
    sown: DrawnPlace | None


class Canvas(NamedTuple):
    """Where a picture of a game lies in an image: pixels a unit, and its left and top edges."""

    size: tuple[int, int]
    pits: int
    scale: float
    left: float
    top: float

    @property
    def board(self) -> tuple[float, float, float]:
        """The pixels a unit of the board, and its left and top edges."""
        frame = frame_of(self.pits)
        left, top = self.left + self.scale * frame.left, self.top + self.scale * HEAD
        return self.scale * frame.scale, left, top


def position_png(record: GameRecord, ply: int, caption: Caption) -> bytes:
    """Return the position of a game after N sowings as a PNG of 1200 by 630 pixels."""
    canvas, file = _canvas(record.rules.pits, PNG_SIZE), BytesIO()
    drawn = _drawn(_scenes(record)[ply], canvas, _around(canvas, caption))
    drawn.save(file, "PNG", compress_level=PACKING)
    return file.getvalue()


def game_gif(record: GameRecord, caption: Caption, last: int | None = None) -> bytes:
    """Return a game, or its last N moves, as a GIF of 600 by 315 pixels that repeats."""
    scenes = _scenes(record)[0 if last is None else -last - 1 :]
    stride = -(-len(scenes) // MOST_FRAMES)
    canvas, file = _canvas(record.rules.pits, GIF_SIZE), BytesIO()
    around, palette = _around(canvas, caption), _palette()
    frames = [
        _drawn(scene, canvas, around).quantize(palette=palette, dither=Image.Dither.NONE)
        for scene in (*scenes[:-1:stride], scenes[-1])
    ]
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
    boards = list(replay(record))
    pits = (move.pit for move in record.moves)
    sown = [sown_place(board, pit) for board, pit in zip(boards, pits, strict=False)]
    return [Scene(board, last) for board, last in zip(boards, [None, *sown], strict=True)]


def _canvas(pits: int, size: tuple[int, int]) -> Canvas:
    width, height = size
    tall = frame_of(pits).height
    scale = min(width / WIDTH, height / tall)
    return Canvas(size, pits, scale, (width - scale * WIDTH) / 2, (height - scale * tall) / 2)


def _drawn(scene: Scene, canvas: Canvas, around: Image.Image) -> Image.Image:
    picture, (scale, left, top) = around.copy(), canvas.board
    parts = [(place, held(place.kind, seeds)) for place, seeds in holdings(scene.board)]
    if scene.sown is not None:
        parts.append((scene.sown, ring(scene.sown.kind)))
    for place, drawn in parts:
        y, tall = PARTS[place.kind]
        part = _part(drawn, (-CELL / 2, y, CELL, tall), scale)
        picture.paste(
            part, (round(left + scale * (place.x - CELL / 2)), round(top + scale * y)), part
        )
    return picture


def _around(canvas: Canvas, caption: Caption) -> Image.Image:
    """Return a picture without its seeds."""
    picture = Image.new("RGB", canvas.size, light().variables["ground"])
    scale, left, top = canvas.board
    box = (0, 0, board_width(canvas.pits), TALL)
    board = _part(empty_board(canvas.pits), box, scale)
    picture.paste(board, (round(left), round(top)), board)
    below = frame_of(canvas.pits).height - FOOT
    for texts, y, tall in (
        (words_above(caption), 0, HEAD),
        (words_below(caption, below), below, FOOT),
    ):
        lines = _rendered(texts, (0, y, WIDTH, tall), canvas.scale, is_text=True)
        place = (round(canvas.left), round(canvas.top + canvas.scale * y))
        picture.paste(lines, place, lines)
    return picture


@lru_cache(maxsize=KEPT)
def _part(drawn: str, box: Box, scale: float) -> Image.Image:
    """Return a part of boards; the kept ones take 30 MB at most."""
    return _rendered(drawn, box, scale)


def _rendered(drawn: str, box: Box, scale: float, *, is_text: bool = False) -> Image.Image:
    """Return a part of a picture; texts may need letters that only fonts of the machine have."""
    size = (round(scale * box[2]), round(scale * box[3]))
    whole = (*box[:2], size[0] / scale, size[1] / scale)  # else it is drawn smaller, and centred
    data = svg_to_bytes(
        svg(whole, size, drawn, is_light=True),
        skip_system_fonts=not is_text,
        font_files=[_font().name],
        sans_serif_family=FONT,
    )
    return Image.open(BytesIO(data)).convert("RGBA")


@cache
def _font() -> IO[bytes]:
    """Return the font that Pillow brings, as a file, since a server may have none."""
    font = ImageFont.load_default(FONT_SIZE)
    file = NamedTemporaryFile(suffix=".ttf")  # noqa: SIM115  # it lasts as long as this process
    file.write(getattr(font, "font_bytes", b""))
    file.flush()
    return file


@cache
def _palette() -> Image.Image:
    """Return the colours of GIFs: those of a board with its names, seeds and a ring."""
    names, board = Caption("", ("South", "North"), "", "", ""), Board.start(MANY)
    canvas = _canvas(MANY.pits, GIF_SIZE)
    scene = Scene(board, sown_place(board, 0))
    return _drawn(scene, canvas, _around(canvas, names)).quantize(COLOURS, OCTREE)
