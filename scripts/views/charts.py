"""Charts of an event as plain SVG, without libraries or scripts.

Every mark has a class, and the page's style sheet sets its colours and fonts, in light and dark
mode. Each mark has a ``<title>``, which a browser shows on hover.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10
from typing import Final, NamedTuple

WIDTH: Final = 720
ROW: Final = 30
LEFT: Final = 190
RIGHT: Final = 24
AXIS: Final = 34
NOTE: Final = 215
"""Width left for the note at the end of a full bar."""
PLOT_HEIGHT: Final = 230
SMALL: Final = (350, 120)
"""Width and height of a plot in a row of several."""
SERIES: Final = 8
"""Number of distinguishable colours; further series share the last."""
LONGEST_NAME: Final = 26
FEWEST_TICKS: Final = 4


class Interval(NamedTuple):
    """A named value with the half-width of its interval."""

    name: str
    value: float
    error: float


class Scale(NamedTuple):
    """A linear scale from values to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return a value's position in pixels."""
        span = (self.high - self.low) or 1.0
        return self.start + (value - self.low) / span * (self.end - self.start)


def ticks(low: float, high: float) -> list[float]:
    """Return four to nine round numbers within a range."""
    span = max(high - low, 1e-9)
    step = 10.0 ** floor(log10(span / FEWEST_TICKS))
    while span / step > 2 * FEWEST_TICKS + 1:
        step *= 5 if span / step > 5 * FEWEST_TICKS else 2
    first = ceil(low / step - 1e-9)
    return [number * step for number in range(first, floor(high / step + 1e-9) + 1)]


def ratings(players: Sequence[Interval]) -> str:
    """Return a chart of ratings with their 95 % intervals, the strongest on top."""
    low = min(player.value - player.error for player in players)
    high = max(player.value + player.error for player in players)
    margin = 0.04 * (high - low or 1.0)
    x = Scale(low - margin, high + margin, LEFT, WIDTH - RIGHT)
    bottom = ROW * len(players) + 8
    parts = _vertical_grid(x, bottom, "{:+.0f}") if low < high else []
    for row, player in enumerate(players):
        y = ROW * row + ROW / 2 + 4
        left, right = x(player.value - player.error), x(player.value + player.error)
        title = f"{player.name}: {player.value:+.0f} ± {player.error:.0f} Elo"
        parts += [
            _label(player.name, y),
            (
                f'<g><title>{escape(title)}</title><line class="whisker" x1="{left:.1f}" '
                f'x2="{right:.1f}" y1="{y}" y2="{y}"/><circle class="dot" r="5" '
                f'cx="{x(player.value):.1f}" cy="{y}"/></g>'
            ),
        ]
    return _svg(parts, bottom + AXIS, "Ratings in Elo with 95 % intervals")


def heat_map(names: Sequence[str], shares: Sequence[Sequence[float | None]]) -> str:
    """Return a heat map of the points, 0..1, that each row scored against each column."""
    cell = min(64.0, (WIDTH - LEFT - RIGHT) / max(1, len(names)))
    height = min(cell, 40.0)
    parts = []
    for column in range(len(names)):
        middle = LEFT + cell * (column + 0.5)
        parts.append(f'<text class="tick" x="{middle:.1f}" y="14">{column + 1}</text>')
    for row, (name, line) in enumerate(zip(names, shares, strict=True)):
        top = 22 + height * row
        parts.append(_label(f"{row + 1}  {name}", top + height / 2))
        for column, share in enumerate(line):
            if share is not None:
                title = f"{name} against {names[column]}: {share:.0%}"
                parts.append(_heat_cell(LEFT + cell * column, top, (cell, height), share, title))
    return _svg(parts, 30 + height * len(names), "Score of each player against each")


def opening_scores(scores: Sequence[tuple[str, float, int]]) -> str:
    """Return a chart of the first player's score in each opening, the highest on the left.

    Args:
        scores: the position, the first player's mean score 0..1, and the number of games.
    """
    ordered = sorted(scores, key=lambda score: (-score[1], score[0]))
    y = Scale(0.0, 1.0, PLOT_HEIGHT, 10.0)
    parts = _horizontal_grid(y, [0.0, 0.25, 0.5, 0.75, 1.0], "{:.0%}")
    width = (WIDTH - 60 - RIGHT) / max(1, len(ordered))
    for number, (opening, score, games) in enumerate(ordered):
        top, bottom = sorted((y(score), y(0.5)))
        title = f"{opening or 'the standard start'}: {score:.0%} in {games} games"
        parts.append(
            f'<rect class="{"good" if score >= 0.5 else "bad"}" x="{60 + width * number:.2f}" '
            f'y="{top - 1:.1f}" width="{max(0.6, width * 0.86):.2f}" '
            f'height="{bottom - top + 2:.1f}"><title>{escape(title)}</title></rect>'
        )
    return _svg(parts, PLOT_HEIGHT + 16, "Score of the player who moves first, by opening")


def lines(series: Mapping[str, Sequence[float | None]], unit: str) -> str:
    """Return a chart of a value by move number, one line per player, on a logarithmic scale.

    Args:
        series: each player's values by move, positive; None where there is none.
        unit: the unit shown beside the numbers.
    """
    values = [v for line in series.values() for v in line if v is not None]
    low, high = floor(log10(min(values))), ceil(log10(max(values)) + 1e-9)
    y = Scale(low, max(high, low + 1), PLOT_HEIGHT, 10.0)
    decades = [float(power) for power in range(low, max(high, low + 1) + 1)]
    longest = max(len(line) for line in series.values())
    x = Scale(0, max(1, longest - 1), 70, WIDTH - RIGHT)
    parts = _horizontal_grid(y, decades, "", [f"{10**power:g} {unit}" for power in decades])
    parts += [
        f'<text class="tick" x="{x(move):.1f}" y="{PLOT_HEIGHT + 18}">{move + 1:.0f}</text>'
        for move in ticks(0, longest - 1)
        if float(move).is_integer()
    ]
    for number, (name, line) in enumerate(series.items()):
        points = [(x(move), y(log10(v))) for move, v in enumerate(line) if v is not None]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        parts.append(
            f'<polyline class="line s{_colour(number)}" points="{path}">'
            f"<title>{escape(name)}</title></polyline>"
        )
    drawing = _svg(parts, PLOT_HEIGHT + 26, f"Time per move in {unit}, by move number")
    return drawing + legend(list(series))


def course(
    points: Sequence[Interval], *, level: float, form: str, size: tuple[int, int] = SMALL
) -> str:
    """Return a chart of a value over time, with its interval and a reference level.

    Args:
        points: from left to right, at least one; names are shown on hover.
        level: the reference, drawn as a dashed line.
        form: format of the numbers.
        size: width and height of the plot.
    """
    width, height = size
    right = width - RIGHT
    low = min(level, *(point.value - point.error for point in points))
    high = max(level, *(point.value + point.error for point in points))
    y = Scale(low, high, height, 10.0)
    x = Scale(0, max(1, len(points) - 1), 60, right)
    places = [(x(number), point) for number, point in enumerate(points)]
    upper = [f"{at:.1f},{y(point.value + point.error):.1f}" for at, point in places]
    lower = [f"{at:.1f},{y(point.value - point.error):.1f}" for at, point in reversed(places)]
    line = " ".join(f"{at:.1f},{y(point.value):.1f}" for at, point in places)
    title = f"{points[-1].name}: {form.format(points[-1].value)} ± {form.format(points[-1].error)}"
    parts = [
        *_horizontal_grid(y, ticks(low, high), form, right=right),
        f'<polygon class="band" points="{" ".join(upper + lower)}"/>',
        f'<line class="level" x1="60" x2="{right}" y1="{y(level):.1f}" y2="{y(level):.1f}"/>',
        f'<polyline class="line s0" points="{line}"><title>{escape(title)}</title></polyline>',
    ]
    return _svg(parts, height + 10, title, width=width)


def bars(players: Sequence[tuple[str, float, str]]) -> str:
    """Return a chart of shares, 0..1, one bar per player, with a note at its end."""
    x = Scale(0.0, 1.0, LEFT, WIDTH - NOTE)
    bottom = ROW * len(players) + 8
    parts = _vertical_grid(x, bottom, "{:.0%}")
    for row, (name, share, note) in enumerate(players):
        y = ROW * row + ROW / 2 + 4
        end = x(share)
        parts += [
            _label(name, y),
            (
                f'<rect class="bar" x="{LEFT}" y="{y - 9}" width="{end - LEFT:.1f}" height="18">'
                f"<title>{escape(f'{name}: {share:.1%}, {note}')}</title></rect>"
            ),
            f'<text class="note" x="{end + 8:.1f}" y="{y + 4}">{share:.1%}, {escape(note)}</text>',
        ]
    return _svg(parts, bottom + AXIS, "Accuracy of each player")


def legend(names: Sequence[str]) -> str:
    """Return a list of series with their colours."""
    items = "".join(
        f'<li><span class="key s{_colour(number)}"></span>{escape(name)}</li>'
        for number, name in enumerate(names)
    )
    return f'<ul class="legend">{items}</ul>'


def _heat_cell(left: float, top: float, size: tuple[float, float], share: float, title: str) -> str:
    width, height = size
    kind, strength = ("good", share - 0.5) if share >= 0.5 else ("bad", 0.5 - share)
    return (
        f"<g><title>{escape(title)}</title>"
        f'<rect class="cell {kind}" style="fill-opacity:{0.08 + 1.5 * strength:.2f}" '
        f'x="{left + 1:.1f}" y="{top + 1:.1f}" width="{width - 2:.1f}" '
        f'height="{height - 2:.1f}" rx="3"/>'
        f'<text class="share" x="{left + width / 2:.1f}" y="{top + height / 2 + 4:.1f}">'
        f"{100 * share:.0f}</text></g>"
    )


def _colour(number: int) -> int:
    return min(number, SERIES - 1)


def _label(name: str, y: float) -> str:
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return (
        f'<text class="name" x="{LEFT - 12}" y="{y + 4:.1f}">{escape(short)}'
        f"<title>{escape(name)}</title></text>"
    )


def _vertical_grid(x: Scale, bottom: float, form: str) -> list[str]:
    return [
        f'<line class="grid" x1="{x(t):.1f}" x2="{x(t):.1f}" y1="4" y2="{bottom}"/>'
        f'<text class="tick" x="{x(t):.1f}" y="{bottom + 18}">{form.format(t)}</text>'
        for t in ticks(x.low, x.high)
    ]


def _horizontal_grid(
    y: Scale,
    marks: Sequence[float],
    form: str,
    labels: Sequence[str] | None = None,
    *,
    right: float = WIDTH - RIGHT,
) -> list[str]:
    texts = labels or [form.format(mark) for mark in marks]
    return [
        f'<line class="grid" x1="60" x2="{right}" y1="{y(mark):.1f}" y2="{y(mark):.1f}"/>'
        f'<text class="name" x="52" y="{y(mark) + 4:.1f}">{text}</text>'
        for mark, text in zip(marks, texts, strict=True)
    ]


def _svg(parts: Sequence[str], height: float, label: str, *, width: float = WIDTH) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height:.0f}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )
