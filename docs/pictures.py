"""The pictures of the readme: a game, a ladder, and a review in the terminal.

``make pictures`` takes them anew from a server whose house bots play a minute or two, with the
system's chromium. No two runs are alike, so a test asks only that they are there and small.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import httpx
import orjson
from playwright.sync_api import sync_playwright

FOLDER: Final = Path(__file__).parent / "pictures"
MANCALA: Final = (sys.executable, "-m", "mancala")
BROWSER: Final = "/usr/bin/chromium-headless-shell"
FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
LATEST: Final = 100
REVIEWED: Final = 25
POLL_S: Final = 5
PATIENCE_S: Final = 60
SETTINGS: Final = """
name = "club"
port = 0
http_port = 0
store = "{folder}/club.sqlite3"
drain_s = 0.0

[mqtt]
private_broker = false

[reviewers]
house = 1

[[ladder]]
name = "main"
pulse_s = 6.0

[ladder.house]
random = "random"
captures = "captures"
greedy = "greedy"
minimax = "minimax:depth=3"
alphabeta = "alphabeta:depth=5"
"""
USUAL: Final = "http://127.0.0.1:8080"
"""The address that is shown instead of that of the run."""
FONT: Final = "ui-monospace, Menlo, DejaVu Sans Mono, monospace"
LINE_HEIGHT: Final = 18
LETTER_WIDTH: Final = 7.9
MARGIN: Final = 20
TITLE_HEIGHT: Final = 44
COLOURS: Final = {" lost: ": "#ff8f8f", "was better": "#f2c063", "game ": "#8fd3ff"}


class Example(NamedTuple):
    """A game that is worth showing.

    Attributes:
        game: its id.
        ply: that of the move which lost it.
        loser: who made it.
    """

    game: str
    ply: int
    loser: str


def take(folder: Path) -> None:
    """Play on a server of our own and write the three pictures."""
    folder.mkdir(exist_ok=True)
    with serving() as url, sync_playwright() as playwright:
        example = _example(url)
        browser = playwright.chromium.launch(executable_path=BROWSER, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1060, "height": 720})
        for path, name in (
            (f"/games/{example.game}/{example.ply}", "game"),
            ("/ladders/main", "ladder"),
        ):
            page.goto(url + path, wait_until="networkidle")
            page.screenshot(path=folder / f"{name}.png")
        browser.close()
        (folder / "review.svg").write_text(terminal(*_review(url, example)))


@contextmanager
def serving() -> Iterator[str]:
    """Run a server in a folder of its own; yield the address of its page."""
    with TemporaryDirectory() as folder:
        config = Path(folder) / "club.toml"
        config.write_text(SETTINGS.format(folder=folder))
        command = (*MANCALA, "serve", "--config", str(config), "--json")
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:  # noqa: S603  # ours
            try:
                assert process.stdout is not None  # noqa: S101  # for the type checker
                yield orjson.loads(process.stdout.readline())["http"]
            finally:
                process.terminate()


def terminal(title: str, lines: list[str]) -> str:
    """Return the drawing of a terminal that shows lines, as SVG."""
    width = 2 * MARGIN + LETTER_WIDTH * max(map(len, [title, *lines]))
    height = TITLE_HEIGHT + LINE_HEIGHT * len(lines) + MARGIN
    size = f'viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}"'
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" font-size="13">',
        f'<rect width="{width:.0f}" height="{height}" rx="10" fill="#1d2125"/>',
        _line(title, TITLE_HEIGHT - LINE_HEIGHT, "#9aa4ad"),
        *(
            _line(line, TITLE_HEIGHT + LINE_HEIGHT * number + 10, _colour(line))
            for number, line in enumerate(lines)
        ),
        "</svg>",
    ]
    return "\n".join(drawn) + "\n"


def _line(text: str, y: int, colour: str) -> str:
    return f'<text x="{MARGIN}" y="{y}" fill="{colour}" xml:space="preserve">{escape(text)}</text>'


def _colour(line: str) -> str:
    return next((colour for mark, colour in COLOURS.items() if mark in line), "#e6e1d8")


def _example(url: str) -> Example:
    """Return the game whose losing move lost the most, once enough games are reviewed."""
    while len(reviews := list(_reviews(url))) < REVIEWED:
        time.sleep(POLL_S)
    found = [
        (
            losing["loss"],
            Example(game["game"], losing["ply"] + 1, game["players"][losing["player"]]),
        )
        for game, review in reviews
        if (losing := review.get("losing")) and losing["proven"] and "random" not in game["players"]
    ]
    return max(found)[1]


def _reviews(url: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for game in _ask(url, f"games?limit={LATEST}")["games"]:
        if review := _ask(url, f"games/{game['game']}/review"):
            yield game, review


def _review(url: str, example: Example) -> tuple[str, list[str]]:
    options = ("--server", url, "--bot", example.loser, "--lost", "--last", str(LATEST))
    shown = subprocess.check_output([*MANCALA, "review", *options], text=True)  # noqa: S603  # ours
    (game,) = (part for part in shown.split("\ngame ") if part.startswith(example.game))
    lines = [
        f"game {line}" if not number else line for number, line in enumerate(game.splitlines())
    ]
    return f"$ mancala review --server {USUAL} --bot {example.loser} --lost", lines


def _ask(url: str, path: str) -> dict[str, Any]:
    answer = httpx.get(f"{url}/api/v1/{path}", timeout=PATIENCE_S)
    found: dict[str, Any] = answer.json()
    return found if answer.is_success else {}


if __name__ == "__main__":
    take(FOLDER)
