"""The page of an event."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scripts.mancala import build
from scripts.views.report import time_by_move
from server.headless.journal import Journal
from tests.scripts.views.pages import well_formed

HEADINGS = (
    "Standings",
    "Ratings",
    "Who is stronger",
    "Each against each",
    "Openings",
    "Time",
    "Accuracy",
)


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Hold a small event with a report; give the page and the event's folder."""
    place = tmp_path_factory.mktemp("event")
    report = place / "report.html"
    players = ("<b>bold</b>=random", "greedy", "captures")
    options = ("--rules", "kalah:pits=4,seeds=3", "--games", "4", "--dir", str(place / "event"))
    result = CliRunner().invoke(
        build(), ["tournament", *players, *options, "--report", str(report), "--review", "0.5"]
    )
    assert result.exit_code == 0, result.stderr
    return report.read_text(encoding="utf-8"), place / "event"


def test_the_page_has_every_table_and_picture(event: tuple[str, Path]) -> None:
    """Standings, ratings, crosstable, openings, time and accuracy, each under its heading."""
    page, _ = event
    assert re.findall(r"<h2>(.+?)</h2>", page) == list(HEADINGS)
    assert page.count("<svg") == 6
    well_formed(page)


def test_the_page_needs_no_network(event: tuple[str, Path]) -> None:
    """One file holds all: no script, no style or picture from elsewhere."""
    page, _ = event
    assert not re.findall(r"https?://|<script|<link|<img|@import|url\(", page)


def test_a_players_name_cannot_break_the_page(event: tuple[str, Path]) -> None:
    """Names are text, whatever they contain."""
    page, _ = event
    assert "<b>bold</b>" not in page
    assert "&lt;b&gt;bold&lt;/b&gt;" in page


def test_time_is_averaged_by_the_players_own_moves(event: tuple[str, Path]) -> None:
    """A player's first value is its mean time for the first moves of its games."""
    kept = Journal(event[1])
    kept.close()
    used = time_by_move(kept.games.values())
    first_moves = []
    for game in kept.games.values():
        names = [player.name for player in game.record.players]
        if "greedy" not in names:
            continue
        seat = names.index("greedy")
        times = [move.elapsed_ms for move in game.record.moves if move.player == seat]
        first_moves.append(max(0.001, times[0] or 0.0))
    assert used["greedy"][0] == pytest.approx(sum(first_moves) / len(first_moves))
