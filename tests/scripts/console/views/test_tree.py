"""A walk on paper: lines, sentences and a drawing say the same."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.async_api import expect

from mancala.engine.classics.lecture.exercises import exercise
from mancala.engine.classics.lecture.game_tree import tree_of
from mancala.engine.classics.lecture.tree_text import parse
from mancala.engine.classics.lecture.tree_walk import walk
from mancala.protocol.rules import Board
from mancala.scripts.console.views.tree import Notes, animated, best_line, lines, story, svg
from tests.server.web.browser import browsing, visiting

LECTURE = parse("((3 12 8) (2 4 6) (14 5 2))")
NOTES = Notes.of(walk(LECTURE))


def test_the_lines_show_values_windows_and_what_was_cut() -> None:
    """One line a node, the best line doubled."""
    shown = list(lines(LECTURE, NOTES))
    assert shown[0] == "max 3  (α 3, β +∞)"
    assert shown[1:3] == ["├═ min 3  (α -∞, β 3)", "│  ├═ 3"]
    assert [line.strip("│├└─ ") for line in shown if "✂" in line] == ["✂ 4", "✂ 6"]
    assert "├─ min ≤2  (α 3, β 2)" in shown
    assert len(shown) == LECTURE.size


def test_the_story_says_why_a_branch_is_cut() -> None:
    """The window of the cut is in the sentence."""
    told = list(story(LECTURE, walk(LECTURE)))
    assert told[0] == "enter the root (max): α -∞, β +∞"
    assert "cut at min 2: α 3, β 2, so 2 children cannot matter" in told
    assert told[-1] == "the root (max) is worth 3"


def test_the_moves_of_a_position_name_its_nodes() -> None:
    """From the start, pit 2 moves again and is followed by pit 3."""
    tree = tree_of(Board.start(), 1)
    notes = Notes.of(walk(tree))
    assert [node.move for _, node in best_line(tree, notes)[1:]] == ["2", "3"]
    assert "├═ 2!: max 2  (α 2, β +∞)" in list(lines(tree, notes))


def test_the_drawing_has_a_shape_a_node_and_marks_what_was_cut() -> None:
    """It is one XML document with a title, and no script."""
    root = ET.fromstring(svg(LECTURE, NOTES))  # noqa: S314  # our own document
    space = "{http://www.w3.org/2000/svg}"
    assert root.findtext(f"{space}title") == "max tree worth 3, 7 leaves visited"
    groups = root.findall(f"{space}g")
    shapes = [group for group in groups if group.find(f"{space}line") is None]
    assert len(shapes) == LECTURE.size
    assert sum(group.get("class") == "cut" for group in shapes) == 2


def test_a_tree_that_is_too_large_is_not_drawn() -> None:
    """The number of nodes is in the message."""
    large = tree_of(Board.start(), 3)
    with pytest.raises(ValueError, match="at most 400 nodes"):
        svg(large, Notes.of(walk(large)))


def test_every_exercise_can_be_drawn() -> None:
    """They are small enough for a page."""
    for number in range(1, 10):
        tree = exercise(number)
        assert svg(tree, Notes.of(walk(tree))).startswith("<svg")


def test_a_walk_can_be_watched_step_by_step() -> None:
    """There is a frame and a sentence for each step; the last frame is the whole drawing."""
    steps = list(walk(LECTURE))
    root = ET.fromstring(animated(LECTURE, steps))  # noqa: S314  # our own document
    space = "{http://www.w3.org/2000/svg}"
    frames = root.findall(f"{space}g")
    assert len(frames) == len(steps)
    told = [frame.findall(f"{space}text")[-1].text for frame in frames]
    assert told == list(story(LECTURE, steps))
    later = [sum(group.get("class") == "later" for group in frame) for frame in frames]
    assert later == sorted(later, reverse=True)
    assert later[-1] == 0
    assert "prefers-reduced-motion" in "".join(root.itertext())


async def test_a_walk_can_be_held_and_clicked_through(tmp_path: Path) -> None:
    """In a browser it stands still at a click, and goes on and back by a step."""
    steps = list(walk(LECTURE))
    told = list(story(LECTURE, steps))
    file = tmp_path / "walk.svg"
    file.write_text(animated(LECTURE, steps), encoding="utf-8")
    async with browsing() as browser, visiting(browser, "", reduced_motion="reduce") as tab:
        await tab.page.goto(file.as_uri())
        for press, sentence in (("", -1), ("ArrowRight", 0), ("ArrowRight", 1), ("ArrowLeft", 0)):
            await (tab.page.keyboard.press(press) if press else tab.page.click("svg"))
            await expect(tab.page.locator(".shown > text").last).to_have_text(told[sentence])
        await tab.page.keyboard.press(" ")
        assert await tab.page.locator(".held").count() == 0
        assert tab.complaints == []


def test_a_walk_of_a_large_tree_is_not_animated() -> None:
    """It would repeat the tree hundreds of times."""
    large = tree_of(Board.start(), 2)
    with pytest.raises(ValueError, match="at most 60 nodes"):
        animated(large, list(walk(large)))
