"""The style page: every element of the pages side by side in light, dark and forced colours.

``make styles`` writes it to ``build/styles.html``, for developers, from the pages' own modules and
style sheet and a small event that it plays. Each theme is a frame, whose width is chosen above
them, so that the rules for phones show as well.
"""

from __future__ import annotations

import subprocess
import sys
from html import escape
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Any, Final

import orjson

from mancala.scripts.console.views.document import STYLE, data_of, document
from mancala.server.web.static import File, files

HERE: Final = Path(__file__).parent
MODULE: Final = "styles.js"
THEMES: Final = ("light", "dark", "forced colours")
SCHEMES: Final = "color-scheme: light dark;"
QUERIES: Final = {
    "dark": "@media (prefers-color-scheme: dark)",
    "forced colours": "@media (forced-colors: active)",
}
PLAYERS: Final = ("greedy", "captures", "transposition_search=minimax:depth=2", "random")
EVENT: Final = ("--games", "2", "--seed", "7", "--review", "0.2")


def write(path: Path) -> None:
    """Play a small event and write the style page that shows it.

    Raises:
        CalledProcessError: when the event cannot be played.
        OSError: when the page cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(sample()))


def sample() -> dict[str, Any]:
    """Return the data of the report of a small event: tables, and a game with its review."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        kept = ("--dir", str(Path(folder) / "event"), "--report", str(report))
        command = (sys.executable, "-m", "mancala", "tournament", *PLAYERS, *EVENT, *kept)
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603  # ours
        found: dict[str, Any] = orjson.loads(data_of(report.read_text()))["answers"]["/event"]
    game = max(found["games"], key=lambda each: _lost(found["reviews"][each["game"]]))
    return {**found, "games": [game], "reviews": {game["game"]: found["reviews"][game["game"]]}}


def _lost(review: dict[str, Any]) -> float:
    """Return what the dearest moves of a game lost together: they have most to show."""
    return float(sum(sorted(each["loss"] for each in review["plies"])[-3:]))


def page(data: dict[str, Any]) -> str:
    """Return the style page.

    Args:
        data: what its tables and its board show, as ``sample`` returns it.
    """
    frame = '<iframe title="{0}" scrolling="no" srcdoc="{1}"></iframe>'
    frames = (frame.format(theme, escape(_framed(theme, data))) for theme in THEMES)
    template = Template((HERE / "styles.html").read_text())
    return template.substitute(frames="\n    ".join(frames))


def _framed(theme: str, data: dict[str, Any]) -> str:
    found = files()
    style = found[STYLE]
    found[STYLE] = File(themed(style.body.decode(), theme).encode(), style.media_type)
    found[MODULE] = File((HERE / MODULE).read_bytes(), found["main.js"].media_type)
    return document("styles", theme, {"theme": theme, **data}, found=found, module=MODULE)


def themed(style: str, theme: str) -> str:
    """Return a style sheet that looks as in a theme, whatever the browser's own is.

    Args:
        style: the pages'.
        theme: one of ``THEMES``.
    """
    for name, query in QUERIES.items():
        style = style.replace(query, f"@media {'all' if name == theme else 'not all'}")
    return style.replace(SCHEMES, f"color-scheme: {'dark' if theme == 'dark' else 'light'};")
