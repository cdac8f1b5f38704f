"""A position drawn as text, as HTML and as SVG, for :class:`mancala.protocol.rules.Board`.

Player 0 sits below and sows to the right, player 1 above and sows to the left; each row carries
the indices of its pits, and ``*`` stands beside the row of the player to move.
"""

from collections.abc import Sequence
from html import escape

Rows = tuple[Sequence[int], Sequence[int]]

CELL = 'style="text-align:center;min-width:2em;border:1px solid"'
INDEX = 'style="text-align:center;opacity:.6;border:none"'
STEP = 64
"""Pixels between the middles of two pits of a picture."""


def as_text(pits: Rows, stores: tuple[int, int], mover: int | None) -> str:
    """Return five lines, without a final newline; ``mover`` is None when the game is over."""
    m = len(pits[0])
    below, above = pits[0], pits[1][::-1]
    lines = (
        _indices(range(m - 1, -1, -1)),
        f"      |{_cells(above)}|" + " *" * (mover == 1),
        f" {stores[1]:>3}  {'-' * (4 * m + 1)}  {stores[0]:<3}".rstrip(),
        f"      |{_cells(below)}|" + " *" * (mover == 0),
        _indices(range(m)),
    )
    return "\n".join(lines)


def as_html(pits: Rows, stores: tuple[int, int], mover: int | None, caption: str) -> str:
    """Return the same drawing as an HTML table with a caption below it."""
    m = len(pits[0])
    marks = ["*" if mover == player else "" for player in (0, 1)]
    upper = f"{_html_store(stores[1])}{_html_cells(pits[1][::-1])}{_html_store(stores[0])}"
    rows = (
        _index_row(range(m - 1, -1, -1)),
        f"{upper}<td {INDEX}>{marks[1]}</td>",
        f"{_html_cells(pits[0])}<td {INDEX}>{marks[0]}</td>",
        _index_row(range(m)),
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    bottom = f'<caption style="caption-side:bottom">{escape(caption)}</caption>'
    return f'<table style="border-collapse:collapse">{bottom}{body}</table>'


def as_svg(pits: Rows, stores: tuple[int, int], ringed: tuple[int, int] | None = None) -> str:
    """Return the same drawing as SVG; the place of one pit, a player and its index, has a ring."""
    m = len(pits[0])
    width, height = STEP * (m + 2), 2 * STEP
    drawn = [
        _svg_hole(STEP * (0.5 + (m + 1) * (player == 0)), STEP, stores[player], "store")
        for player in (0, 1)
    ]
    for player, row in enumerate(pits):
        for pit, seeds in enumerate(row):
            place = pit + 1 if player == 0 else m - pit
            kind = "ringed" if (player, pit) == ringed else "pit"
            drawn.append(_svg_hole(STEP * (place + 0.5), STEP * (1.5 - player), seeds, kind))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">'
        f'<rect width="{width}" height="{height}" rx="12" fill="#d8b080"/>{"".join(drawn)}</svg>'
    )


def _svg_hole(x: float, y: float, seeds: int, kind: str) -> str:
    tall = STEP * (0.9 if kind == "store" else 0.42)
    ring = ' stroke="#12316e" stroke-width="4"' if kind == "ringed" else ""
    return (
        f'<ellipse cx="{x:g}" cy="{y:g}" rx="{STEP * 0.42:g}" ry="{tall:g}" fill="#7d5029"{ring}/>'
        f'<text x="{x:g}" y="{y:g}" fill="#fff5e4" text-anchor="middle" '
        f'dominant-baseline="central" font-family="sans-serif">{seeds}</text>'
    )


def _indices(indices: range) -> str:
    return "       " + " ".join(f"{index:^3}" for index in indices).rstrip()


def _cells(row: Sequence[int]) -> str:
    return "|".join(f"{seeds:^3}" for seeds in row)


def _index_row(indices: range) -> str:
    return "<td></td>" + "".join(f"<td {INDEX}>{index}</td>" for index in indices) + "<td></td>"


def _html_cells(row: Sequence[int]) -> str:
    return "".join(f"<td {CELL}>{seeds}</td>" for seeds in row)


def _html_store(seeds: int) -> str:
    return f'<td rowspan="2" {CELL}>{seeds}</td>'
