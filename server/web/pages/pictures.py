"""Boards and games as SVG files: for links, mails and other pages.

A picture has its style inside, for light and dark, and no script. In an animation each number of
seeds in a pit is an element that a CSS animation shows while it holds; who prefers reduced motion
sees the last position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import cos, pi, sin, sqrt
from typing import Final, NamedTuple

from mancala.protocol.record import GameRecord, replay
from mancala.protocol.rules import Board

LARGEST: Final = 300_000
"""Bytes that an animation may have."""
CELL: Final = 100
WIDTH_BESIDE: Final = 20
TALL: Final = 480
TOP_Y: Final = 150
BOTTOM_Y: Final = 334
STORE_Y: Final = 246
PIT_ROOM: Final = (33.0, 31.0)
STORE_ROOM: Final = (28.0, 98.0)
MOST_DRAWN: Final = 40
STEP_S: Final = 0.8
HOLD_S: Final = 4.0
STYLE: Final = (
    "svg{--wood:#d8b080;--edge:#8f6036;--pit:#7d5029;--ink:#3a2513;--ring:#12316e;--name:#26211c}"
    "@media(prefers-color-scheme:dark){svg{--wood:#8a6238;--edge:#50341d;--pit:#2a1a0d;"
    "--ink:#fff5e4;--ring:#cfe3ff;--name:#ece6de}}"
    "text{font:700 32px system-ui,sans-serif;text-anchor:middle;dominant-baseline:central;"
    "fill:var(--ink)}.i{font-weight:400;font-size:27px}.s{font-size:40px}"
    ".n{font-size:28px;fill:var(--name)}.w{fill:var(--wood);stroke:var(--edge);stroke-width:4}"
    ".h{fill:var(--pit)}.r{fill:none;stroke:var(--ring);stroke-width:6}circle{fill:#f4e3bf}"
)
MOTION: Final = (
    ".v{{visibility:hidden;animation:{total:g}s step-end infinite}}"
    "@media(prefers-reduced-motion:reduce){{.v{{animation:none!important}}"
    ".z{{visibility:visible}}}}"
)


GOLDEN: Final = pi * (3 - sqrt(5))
"""The golden angle, in radians."""


class DrawnPlace(NamedTuple):
    """A pit at the bottom (``b``) or top (``t``), or a store (``s``), and its middle in pixels."""

    kind: str
    x: int


class Stretch(NamedTuple):
    """Positions, from one to before another, in which a place holds the same number of seeds."""

    place: DrawnPlace
    seeds: int
    begin: int
    end: int


def board_picture(record: GameRecord, ply: int) -> str:
    """Return the position of a game after N sowings as SVG.

    Raises:
        IndexError: when the game has no such position.
    """
    boards = list(replay(record))
    if ply >= len(boards):
        raise IndexError(ply)
    sown = None if ply == 0 else _place(boards[ply - 1], record.moves[ply - 1].pit)
    runs = [Stretch(place, seeds, 0, 1) for place, seeds in _holdings(boards[ply])]
    rings = "" if sown is None else _ring(sown, "")
    drawn = "".join(_use(run, "", "") for run in runs)
    return _document(record, boards[ply], f", move {ply}", _symbols(runs), rings + drawn)


def game_picture(record: GameRecord) -> str:
    """Return a game as an animated SVG of at most 300 kB.

    A game that would take more is shown without seeds, in numbers; a still longer one skips
    positions.
    """
    boards = list(replay(record))
    picture, stride, most = _animation(record, boards, 1, MOST_DRAWN), 1, 0
    while len(picture.encode()) > LARGEST:
        picture = _animation(record, boards, stride, most)
        stride *= 2
    return picture


def _animation(record: GameRecord, boards: Sequence[Board], stride: int, most: int) -> str:
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
        sown = _place(boards[number - 1], record.moves[number - 1].pit)
        drawn.append(_ring(sown, f'class="{kind}" style="{style}" '))
    frames = "".join(_keyframes(name, total) for name in sorted(lengths))
    defined = f"<style>{MOTION.format(total=total)}{frames}</style>" + _symbols(runs, most)
    return _document(record, boards[-1], "", defined, "".join(drawn))


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
    for row in zip(*map(_holdings, boards), strict=True):
        begin = 0
        for at in range(1, len(row) + 1):
            if at == len(row) or row[at] != row[begin]:
                place, seeds = row[begin]
                runs.append(Stretch(place, seeds, begin, at))
                begin = at
    return runs


def _holdings(board: Board) -> list[tuple[DrawnPlace, int]]:
    m = board.rules.pits
    middles = [WIDTH_BESIDE // 2 + CELL // 2 + CELL * (pit + 1) for pit in range(m)]
    south, north = board.pits
    return [
        *((DrawnPlace("b", x), seeds) for x, seeds in zip(middles, south, strict=True)),
        *((DrawnPlace("t", x), seeds) for x, seeds in zip(reversed(middles), north, strict=True)),
        (DrawnPlace("s", WIDTH_BESIDE // 2 + CELL // 2 + CELL * (m + 1)), board.stores[0]),
        (DrawnPlace("s", WIDTH_BESIDE // 2 + CELL // 2), board.stores[1]),
    ]


def _place(board: Board, pit: int) -> DrawnPlace:
    return _holdings(board)[board.player * board.rules.pits + pit][0]


def _use(run: Stretch, kind: str, style: str) -> str:
    timed = f' class="{kind}" style="{style}"' if kind else ""
    return f'<use href="#{run.place.kind}{run.seeds}" x="{run.place.x}"{timed}/>'


def _ring(place: DrawnPlace, timed: str) -> str:
    return f'<use href="#r{place.kind}" x="{place.x}" {timed}/>'


def _symbols(runs: Sequence[Stretch], most: int = MOST_DRAWN) -> str:
    """Return the definitions of all holdings: seeds and their number."""
    found = sorted({(run.place.kind, run.seeds) for run in runs})
    holdings = "".join(_symbol(kind, seeds, most) for kind, seeds in found)
    rings = "".join(
        f'<circle id="r{kind}" class="r" cy="{y}" r="46"/>'
        for kind, y in (("b", BOTTOM_Y), ("t", TOP_Y))
    )
    return f"<defs>{holdings}{rings}</defs>"


def _symbol(kind: str, seeds: int, most: int) -> str:
    y = {"b": BOTTOM_Y, "t": TOP_Y, "s": STORE_Y}[kind]
    count_y = {"b": BOTTOM_Y - 68, "t": TOP_Y + 68, "s": 100}[kind]
    wide, high = STORE_ROOM if kind == "s" else PIT_ROOM
    drawn = min(seeds, most)
    radius = min(8.5, 0.8 * sqrt(wide * high / max(1, drawn)))
    scale = min(1.0, 9.5 * sqrt(drawn) / wide)
    dots = "".join(
        f'<circle cx="{scale * wide * across:.0f}" '
        f'cy="{y + scale * high * along:.0f}" r="{radius:.1f}"/>'
        for across, along in spiral(drawn)
    )
    named = ' class="s"' if kind == "s" else ""
    return f'<g id="{kind}{seeds}">{dots}<text{named} y="{count_y}">{seeds}</text></g>'


def _document(record: GameRecord, board: Board, place: str, defined: str, drawn: str) -> str:
    m = board.rules.pits
    width = (m + 2) * CELL + WIDTH_BESIDE
    south, north = (player.name for player in record.players)
    title = f"{south} against {north}{place}"
    holes = "".join(_hole(place) for place, _ in _holdings(board))
    labels = "".join(
        f'<text class="i" x="{place.x}" y="{TOP_Y - 74 if place.kind == "t" else BOTTOM_Y + 74}">'
        f"{at % m + 1}</text>"
        for at, (place, _) in enumerate(_holdings(board)[: 2 * m])
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TALL}" width="{width}" '
        f'height="{TALL}" role="img"><title>{escape(title)}</title><style>{STYLE}</style>{defined}'
        f'<rect class="w" x="4" y="42" width="{width - 8}" height="396" rx="60"/>{holes}{labels}'
        f'<text class="n" x="{width // 2}" y="20">{escape(north)}</text>'
        f'<text class="n" x="{width // 2}" y="460">{escape(south)}{escape(place)}</text>'
        f"{drawn}</svg>"
    )


def _hole(place: DrawnPlace) -> str:
    if place.kind == "s":
        size = f'x="{place.x - 36}" y="{STORE_Y - 112}" width="72" height="224" rx="36"'
        return f'<rect class="h" {size}/>'
    y = TOP_Y if place.kind == "t" else BOTTOM_Y
    return f'<circle class="h" cx="{place.x}" cy="{y}" r="41"/>'


def spiral(number: int) -> Iterator[tuple[float, float]]:
    """Yield points of the unit disc with equal room for each, from its middle outwards.

    Each is a golden angle further than the last one, at a distance that grows as the square root of
    its number (Vogel, "A better way to construct the sunflower head", 1979).
    """
    for at in range(number):
        away = sqrt((at + 0.4) / number)
        yield away * cos(at * GOLDEN), away * sin(at * GOLDEN)
