"""Boards and games as SVG files, for links, mails and other pages: drawn as the page draws them.

Holes and seeds lie where :file:`board.js` puts them, dressed by its style. A picture has its style
inside, for light and dark, and no script. In an animation each holding, the seeds of a place with
their number, is an element that a CSS animation shows while it holds; who prefers reduced motion
sees the last position.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from html import escape
from math import cos, sin, sqrt
from typing import Final, NamedTuple
from unicodedata import bidirectional

from mancala.protocol.record import GameRecord, replay
from mancala.protocol.rules import SWAP, Board

from .board_style import css
from .captions import Caption

KEPT: Final = 384
"""Parts of boards that are kept, as drawings and as pixels."""
LARGEST: Final = 300_000
"""Bytes that an animation may have."""
STEP_S: Final = 0.8
HOLD_S: Final = 4.0
WIDTH: Final = 820
"""Of every picture, in its own units; a board is drawn smaller where it is wider."""
HEAD: Final = 44
FOOT: Final = 112
"""Room above and below the board, for the caption."""
CELL: Final = 100
PIT: Final = 41
TALL: Final = 404
MOST_DRAWN: Final = 60
MOST_FRAMES: Final = 80
"""Of a GIF: more plies than most games have; of a longer one every second or third is shown."""
ISOLATED: Final = "\u2068{}\u2069"
"""A text apart, in the direction of its first letter."""
KINDS: Final = 6
WITH_SHADOW: Final = 1.22
GOLDEN: Final = 2.399963
"""The golden angle, in radians."""
WORDS: Final = """
.board .words { fill: var(--ink); stroke: none; font-weight: 400; text-anchor: start }
.board .south.words { fill: var(--south); font-weight: 700 }
.board .north.words { fill: var(--north); font-weight: 700 }
.board .quiet.words { fill: var(--quiet); text-anchor: end }
.board .said.words { font-weight: 700 }
"""
MOTION: Final = (
    ".v{{visibility:hidden;animation:{total:g}s step-end infinite}}"
    "@media(prefers-reduced-motion:reduce){{.v{{animation:none!important}}"
    ".z{{visibility:visible}}}}"
)


class HoleRow(NamedTuple):
    """Heights of the middle of holes, of their numbers of seeds, and of their own numbers."""

    y: int
    count_y: int
    label_y: int
    wide: int = PIT
    tall: int = PIT


ROWS: Final = {
    "b": HoleRow(294, 226, 368),
    "t": HoleRow(110, 178, 36),
    "s": HoleRow(208, 62, 0, PIT - 5, 112),
}
"""Of the row at the bottom, of that at the top, and of the stores."""


class DrawnPlace(NamedTuple):
    """A pit at the bottom (``b``) or top (``t``), or a store (``s``), and its middle in units."""

    kind: str
    x: int


class Stretch(NamedTuple):
    """Positions, from one to before another, in which a place holds the same number of seeds."""

    place: DrawnPlace
    seeds: int
    begin: int
    end: int


class Frame(NamedTuple):
    """How a board with N pits a row lies in a picture: its scale, and its left edge."""

    scale: float
    left: float

    @property
    def height(self) -> float:
        return HEAD + FOOT + self.scale * TALL


def frame_of(pits: int) -> Frame:
    scale = min(1.0, WIDTH / board_width(pits))
    return Frame(scale, (WIDTH - scale * board_width(pits)) / 2)


def board_width(pits: int) -> int:
    return CELL * (pits + 2) + 20


def board_picture(record: GameRecord, ply: int, caption: Caption) -> str:
    """Return the position of a game after N sowings as SVG."""
    boards = list(replay(record))
    if ply >= len(boards):
        raise IndexError(ply)
    sown = None if ply == 0 else sown_place(boards[ply - 1], record.moves[ply - 1].pit)
    runs = [Stretch(place, seeds, 0, 1) for place, seeds in holdings(boards[ply])]
    rings = "" if sown is None else _ring(sown, "")
    drawn = "".join(_use(run, "", "") for run in runs)
    return _document(record.rules.pits, caption, _symbols(runs), rings + drawn)


def game_picture(record: GameRecord, caption: Caption) -> str:
    """Return a game as an animated SVG of at most 300 kB."""
    boards = list(replay(record))
    picture, stride = _animation(record, caption, boards, 1, MOST_DRAWN), 1
    while len(picture.encode()) > LARGEST:
        picture = _animation(record, caption, boards, stride, 0)
        stride *= 2
    return picture


def _animation(
    record: GameRecord, caption: Caption, boards: Sequence[Board], stride: int, most: int
) -> str:
    shown = [*range(0, len(boards) - 1, stride), len(boards) - 1]
    last = len(shown)
    runs = _runs([boards[at] for at in shown])
    total = last * STEP_S + HOLD_S
    lengths: set[str] = set()
    drawn = []
    for run in runs:
        if run.begin == 0 and run.end == last:
            drawn.append(_use(run, "", ""))
            continue
        name, kind, style = _timed(run.begin, run.end, last)
        lengths.add(name)
        drawn.append(_use(run, kind, style))
    for at, number in enumerate(shown[1:], start=1):
        name, kind, style = _timed(at, at + 1, last)
        lengths.add(name)
        sown = sown_place(boards[number - 1], record.moves[number - 1].pit)
        if sown is not None:
            drawn.append(_ring(sown, f'class="{kind}" style="{style}" '))
    frames = "".join(_keyframes(name, total) for name in sorted(lengths))
    defined = f"<style>{MOTION.format(total=total)}{frames}</style>" + _symbols(runs, most)
    return _document(record.rules.pits, caption, defined, "".join(drawn))


def _timed(begin: int, end: int, last: int) -> tuple[str, str, str]:
    """Return the animation of what is shown from one position to another: name, class, style."""
    long_s = (end - begin) * STEP_S + (HOLD_S if end == last else 0.0)
    name = f"d{round(long_s * 10)}"
    return name, f"v {name}{' z' if end == last else ''}", f"animation-delay:{begin * STEP_S:g}s"


def _keyframes(name: str, total: float) -> str:
    share = 10 * int(name[1:]) / total
    hidden = f"{share:.3f}%{{visibility:hidden}}" if share < 99.99 else ""
    return f".{name}{{animation-name:{name}}}@keyframes {name}{{0%{{visibility:visible}}{hidden}}}"


def _runs(boards: Sequence[Board]) -> list[Stretch]:
    runs = []
    for row in zip(*map(holdings, boards), strict=True):
        begin = 0
        for at in range(1, len(row) + 1):
            if at == len(row) or row[at] != row[begin]:
                place, seeds = row[begin]
                runs.append(Stretch(place, seeds, begin, at))
                begin = at
    return runs


def holdings(board: Board) -> list[tuple[DrawnPlace, int]]:
    """Return the places of a board with their seeds: both rows of pits, and both stores."""
    return list(
        zip(_places(board.rules.pits), [*board.pits[0], *board.pits[1], *board.stores], strict=True)
    )


@cache
def _places(pits: int) -> tuple[DrawnPlace, ...]:
    middles = [10 + CELL // 2 + CELL * at for at in range(pits + 2)]
    return (
        *(DrawnPlace("b", x) for x in middles[1:-1]),
        *(DrawnPlace("t", x) for x in reversed(middles[1:-1])),
        *(DrawnPlace("s", middles[-1]), DrawnPlace("s", middles[0])),
    )


def sown_place(board: Board, pit: int) -> DrawnPlace | None:
    """Return the place of a pit of the player to move; a swap of sides sows none."""
    return None if pit == SWAP else _places(board.rules.pits)[board.player * board.rules.pits + pit]


def _use(run: Stretch, kind: str, style: str) -> str:
    timed = f' class="{kind}" style="{style}"' if kind else ""
    return f'<use href="#{run.place.kind}{run.seeds}" x="{run.place.x}"{timed}/>'


def _ring(place: DrawnPlace, timed: str) -> str:
    return f'<use href="#r{place.kind}" x="{place.x}" {timed}/>'


def _symbols(runs: Sequence[Stretch], most: int = MOST_DRAWN) -> str:
    """Return the definitions of all holdings, and of the rings.

    Each is a board of its own for the style: browsers match a rule inside of what is used alone.
    """
    found = sorted({(run.place.kind, run.seeds) for run in runs})
    named = [(f"{kind}{seeds}", held(kind, seeds, most)) for kind, seeds in found]
    named += [(f"r{kind}", ring(kind)) for kind in ("b", "t")]
    symbols = "".join(f'<g id="{name}" class="board">{drawn}</g>' for name, drawn in named)
    return f"<defs>{symbols}</defs>"


@lru_cache(maxsize=KEPT)
def held(kind: str, seeds: int, most: int = MOST_DRAWN) -> str:
    """Return the seeds of a place around x = 0, at most N of them, and their number."""
    row = ROWS[kind]
    store = " store" if kind == "s" else ""
    drawn = "".join(
        f'<circle cx="{x:.0f}" cy="{row.y + y:.0f}" r="{radius:.1f}" fill="url(#g{colour})"/>'
        for x, y, radius, colour in _seeds(row, min(seeds, most))
    )
    return f'{drawn}<text class="count{store}" y="{row.count_y}">{seeds}</text>'


def ring(kind: str) -> str:
    """Return the ring of the pit that was sown last, around x = 0."""
    return f'<g class="last"><rect class="ring" {_round(0, ROWS[kind], 5)}/></g>'


def _seeds(row: HoleRow, number: int) -> Iterator[tuple[float, float, float, int]]:
    """Yield the places of seeds from the middle of a hole, their radius and their colour.

    Each is a golden angle further than the last one, at a distance that grows as the square root of
    its number (Vogel, "A better way to construct the sunflower head", 1979).
    """
    wide, high = row.wide - 9, row.tall - 11
    radius = min(9.5, 0.8 * sqrt(wide * high / max(1, number)))
    scale = min(1.0, 10.5 * sqrt(number) / wide)
    for at in range(number):
        away, angle = scale * sqrt((at + 0.4) / number), at * GOLDEN + row.count_y
        colour = (at * at + 9 * at + 8) % 31 % KINDS
        size = WITH_SHADOW * (0.9 + 0.04 * (5 * colour % KINDS))
        yield wide * away * cos(angle), high * away * sin(angle), radius * size, colour


def _document(pits: int, caption: Caption, defined: str, drawn: str) -> str:
    frame = frame_of(pits)
    board = f'<g transform="translate({frame.left:g} {HEAD}) scale({frame.scale:g})">'
    return svg(
        (0, 0, WIDTH, frame.height),
        (WIDTH, frame.height),
        f"<title>{escape(caption.title)}</title><desc>{escape(caption.about)}</desc>{defined}"
        f"{words_above(caption)}{words_below(caption, frame.height - FOOT)}"
        f"{board}{empty_board(pits)}{drawn}</g>",
    )


def svg(
    box: tuple[float, ...], size: tuple[float, float], drawn: str, *, is_light: bool = False
) -> str:
    """Return a part of a picture, of a size in pixels, as a document, in light alone or both."""
    width, height = size
    edges = " ".join(f"{each:g}" for each in box)
    style = css(WORDS, is_light=is_light)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" role="img" viewBox="{edges}" '
        f'width="{width:g}" height="{height:g}"><style>{style}</style>{PAINTS}{drawn}</svg>'
    )


def words_above(caption: Caption) -> str:
    return _line("north", 20, HEAD / 2, 28, caption.players[1])


def words_below(caption: Caption, below: float) -> str:
    """Return the lines below the board, whose lower edge is given."""
    return "".join(
        (
            _line("south", 20, below + 22, 28, caption.players[0]),
            _line("quiet", WIDTH - 20, below + 22, 20, caption.server),
            _line("said", 20, below + 58, 24, caption.verdict),
            _line("", 20, below + 90, 22, caption.story),
        )
    )


def _line(kind: str, x: float, y: float, size: int, text: str) -> str:
    """Return a line of text; what is too long for it is written smaller."""
    fitting = min(size, 1500 / max(1, len(text)))
    place = f'x="{x:g}" y="{y:g}" style="font-size:{fitting:.3g}px"'
    if any(bidirectional(letter) in {"R", "AL"} for letter in text):
        text = ISOLATED.format(text)
    return f'<text class="words {kind}" {place}>{escape(text)}</text>'


def empty_board(pits: int) -> str:
    width = board_width(pits)
    bevel = '<rect class="bevel{}" x="{}" y="{}" width="{}" height="{}" rx="{}"/>'
    return "".join(
        (
            f'<rect class="wood" x="4" y="4" width="{width - 8}" height="{TALL - 8}" rx="60" ',
            f'fill="url(#w)"/><g class="grain">{"".join(_grain(width))}</g>',
            bevel.format("", 10, 10, width - 20, TALL - 20, 54),
            bevel.format(" low", 7, 7, width - 14, TALL - 14, 57),
            *(_hole(place, at, pits) for at, place in enumerate(_places(pits))),
        )
    )


def _grain(width: int) -> Iterator[str]:
    for line in range(22):
        y, bend = 18 + line * 17 + 6 * sin(line * 1.7), 12 * sin(line * 0.9)
        late = "" if line % 3 else ' class="late"'
        yield (
            f'<path{late} d="M30 {y:.1f}C{width * 0.3:g} {y + bend:.1f} {width * 0.6:g} '
            f'{y - bend:.1f} {width - 30} {y + bend / 2:.1f}"/>'
        )


def _hole(place: DrawnPlace, at: int, pits: int) -> str:
    row = ROWS[place.kind]
    is_south = at < pits or at == 2 * pits
    label = f'<text class="index" x="{place.x}" y="{row.label_y}">{at % pits + 1}</text>'
    return (
        f'<g class="{"south" if is_south else "north"}"><rect class="lip" '
        f'{_round(place.x, row, 5, 2.5)}/><rect class="rim" {_round(place.x, row, 2.5)}/>'
        f'<rect class="hole" fill="url(#h)" {_round(place.x, row, 0)}/></g>'
        f"{label if place.kind != 's' else ''}"
    )


def _round(x: int, row: HoleRow, more: float, lower: float = 0) -> str:
    """Return the shape around a hole that is larger by some units on each side."""
    wide, tall = row.wide + more, row.tall + more
    return (
        f'x="{x - wide:g}" y="{row.y - tall + lower:g}" width="{2 * wide:g}" '
        f'height="{2 * tall:g}" rx="{wide:g}"'
    )


def _paint(kind: str, attributes: str, stops: Sequence[tuple[float, str]]) -> str:
    drawn = "".join(f'<stop offset="{offset:g}" class="{stop}"/>' for offset, stop in stops)
    return f"<{kind} {attributes}>{drawn}</{kind}>"


def _marble(colour: int) -> str:
    stops = [(0, "seed-shine"), (0.22, f"seed-stop-{colour}"), (0.8, f"seed-edge-{colour}")]
    light = 'cx="0.5" cy="0.5" r="0.5" fx="0.36" fy="0.3"'
    shadow = [(0.8, "seed-shadow"), (1, "seed-nothing")]
    return _paint("radialGradient", f'id="g{colour}" {light}', [*stops, *shadow])


PAINTS: Final = "<defs>{}</defs>".format(
    _paint(
        *("linearGradient", 'id="w" x1="0" y1="0" x2="0" y2="1"'),
        ((0, "wood-light"), (0.5, "wood-plain"), (1, "wood-dark")),
    )
    + _paint(
        *("linearGradient", 'id="h" x1="0.3" y1="0" x2="0.7" y2="1"'),
        ((0, "pit-shade"), (0.3, "pit-deep"), (0.75, "pit-plain"), (1, "pit-lip")),
    )
    + "".join(map(_marble, range(KINDS)))
)
"""The colours of wood, holes and seeds, whose places in a scheme the style has."""
