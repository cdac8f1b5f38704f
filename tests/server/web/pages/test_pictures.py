"""Boards and games as SVG files."""

import random
import re
from collections.abc import Callable
from typing import Final
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.record import GameRecord, RecordedMove
from mancala.protocol.results import Contestant
from mancala.protocol.rules import SWAP, Board, Rules
from mancala.server.web.languages import Catalogue
from mancala.server.web.pages.board_style import css
from mancala.server.web.pages.captions import Caption, caption_of
from mancala.server.web.pages.pictures import (
    LARGEST,
    MOST_DRAWN,
    ROWS,
    board_picture,
    game_picture,
    held,
)
from tests.stored import assert_is_stored

SVG: Final = "{http://www.w3.org/2000/svg}"
CAPTION: Final = Caption(
    "ann against bob", ("ann", "bob"), "bob wins 30 : 18.", "ann let the win go.", "Club Arena"
)


def random_record(rules: Rules, seed: int) -> GameRecord:
    rng, board, moves = random.Random(seed), Board.start(rules), []
    opening = board.state
    while legal := board.legal():
        moves.append(RecordedMove(board.player, rng.choice(legal)))
        board = board.sow(moves[-1].pit).board
    players = Contestant("ann"), Contestant("bob")
    return GameRecord("g1", rules, players, opening, tuple(moves))


def shown(svg: str) -> list[str]:
    """Return the ids of what a picture without animation shows."""
    root = ET.fromstring(svg)  # noqa: S314  # made here
    return [use.attrib["href"][1:] for use in root.iter(f"{SVG}use")]


def test_a_picture_shows_every_pit_and_store() -> None:
    """The start of Kalah(6,4): four seeds in each pit, none in the stores."""
    found = shown(board_picture(random_record(Rules(), 1), 0, CAPTION))
    assert sorted(found) == sorted(["b4"] * 6 + ["t4"] * 6 + ["s0"] * 2)


@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("position", lambda: board_picture(random_record(Rules(), 1), 5, CAPTION)),
        ("large", lambda: board_picture(random_record(Rules(pits=8, seeds=15), 2), 9, CAPTION)),
        ("game", lambda: game_picture(random_record(Rules(pits=3, seeds=2), 5), CAPTION)),
    ],
    ids=("position", "large", "game"),
)
def test_a_picture_is_the_one_that_was_looked_at(name: str, draw: Callable[[], str]) -> None:
    """The start, the last move, what is drawn small, and a game in motion."""
    assert_is_stored(f"{name}.svg", draw())


def test_what_is_used_has_the_style_inside() -> None:
    """Else browsers, which match rules inside of what is used alone, draw small black numbers."""
    root = ET.fromstring(board_picture(random_record(Rules(), 1), 1, CAPTION))  # noqa: S314  # made here
    used = [group for group in root.iter(f"{SVG}g") if "id" in group.attrib]
    assert {group.attrib["class"] for group in used} == {"board"}
    assert len(used) > 4


def test_a_picture_has_the_colours_of_the_page() -> None:
    """Not those of the system, which the page takes where the visitor forces colours."""
    assert not re.search("Canvas|Highlight|LinkText", css("", is_light=False))


@pytest.mark.parametrize("kind", ROWS)
def test_seeds_lie_inside_of_their_hole_and_beside_one_another(kind: str) -> None:
    """Few and many, up to the most that are drawn; the number below is that of all."""
    row = ROWS[kind]
    for seeds in (1, 2, 9, 48, 100):
        root = ET.fromstring(f"<g>{held(kind, seeds)}</g>")  # noqa: S314  # made here
        drawn = [[float(it.attrib[key]) for key in ("cx", "cy", "r")] for it in root.iter("circle")]
        assert len({(x, y) for x, y, _ in drawn}) == min(seeds, MOST_DRAWN)
        assert all(abs(x) + radius < row.wide + 5 for x, _, radius in drawn)
        assert all(abs(y - row.y) + radius < row.tall + 5 for _, y, radius in drawn)
        assert [text.text for text in root.iter("text")] == [str(seeds)]


def test_a_picture_marks_the_pit_that_was_sown() -> None:
    """After the first ply one ring is drawn, at the bottom."""
    found = shown(board_picture(random_record(Rules(), 1), 1, CAPTION))
    assert [each for each in found if each.startswith("r")] == ["rb"]


def test_a_swap_of_sides_marks_no_pit() -> None:
    """Once both pictures of such a game were an internal error."""
    rules, players = Rules(pits=7, seeds=7, pie=True), (Contestant("ann"), Contestant("bob"))
    moves = RecordedMove(0, 1), RecordedMove(1, SWAP)
    record = GameRecord("g1", rules, players, Board.start(rules).state, moves)
    rings = [
        [each for each in shown(board_picture(record, ply, CAPTION)) if each.startswith("r")]
        for ply in range(3)
    ]
    assert rings == [[], ["rb"], []]
    assert sum(each.startswith("r") for each in shown(game_picture(record, CAPTION))) == 1


def test_there_is_no_picture_beyond_the_end() -> None:
    """A game of N plies has N + 1 positions."""
    record = random_record(Rules(), 1)
    board_picture(record, len(record.moves), CAPTION)
    with pytest.raises(IndexError):
        board_picture(record, len(record.moves) + 1, CAPTION)


def test_names_are_text() -> None:
    """Whatever a bot is called, the picture is well-formed and has no script."""
    record = random_record(Rules(), 1)
    caption = CAPTION._replace(players=("<script>alert(1)</script>", "a&b"))
    for svg in (board_picture(record, 2, caption), game_picture(record, caption)):
        root = ET.fromstring(svg)  # noqa: S314  # made here
        assert not list(root.iter(f"{SVG}script"))
        assert set(caption.players) < {text.text for text in root.iter(f"{SVG}text")}


def test_a_picture_says_whose_game_it_is_and_how_it_went() -> None:
    """Both names, the result, the move that lost it, and the server; long lines are smaller."""
    long = CAPTION._replace(story="ann let the win go. " * 10)
    root = ET.fromstring(board_picture(random_record(Rules(), 1), 3, long))  # noqa: S314  # made here
    lines = {text.text: text.attrib.get("style") for text in root.iter(f"{SVG}text")}
    assert {*long.players, long.verdict, long.story, long.server} < set(lines)
    assert (lines[long.verdict], lines[long.story]) == ("font-size:24px", "font-size:7.5px")


@pytest.mark.parametrize(
    ("winner", "said"),
    [(0, "ann wins 18 : 30."), (1, "bob wins 30 : 18."), (None, "A draw, 18 : 30.")],
)
def test_the_score_of_a_game_begins_with_its_winners(winner: int | None, said: str) -> None:
    """Whichever seat that has."""
    result = Outcome(winner, (18, 30), Reason.NORMAL)
    record = replace(random_record(Rules(), 1), result=result)
    assert caption_of(record, None, Catalogue("en", {}), "Club Arena").verdict == said


def test_an_animation_shows_each_position_in_turn() -> None:
    """At any time each place shows one number: the intervals of a place follow each other."""
    record = random_record(Rules(pits=3, seeds=2), 5)
    svg = game_picture(record, CAPTION)
    root = ET.fromstring(svg)  # noqa: S314  # made here
    places: dict[tuple[str, str], list[float]] = {}
    for use in root.iter(f"{SVG}use"):
        kind = use.attrib["href"][1]
        if kind != "r":
            style = use.attrib.get("style", "animation-delay:0s")
            delay = float(style.removeprefix("animation-delay:").removesuffix("s"))
            places.setdefault((kind, use.attrib["x"]), []).append(delay)
    assert len(places) == 2 * 3 + 2
    assert all(begins[0] == 0 and begins == sorted(set(begins)) for begins in places.values())
    assert "prefers-reduced-motion" in svg


@pytest.mark.parametrize("rules", [Rules(), Rules(pits=6, seeds=8), Rules(pits=16, seeds=7)])
def test_an_animation_has_a_bound(rules: Rules) -> None:
    """Also that of a game of hundreds of plies on the largest board."""
    assert len(game_picture(random_record(rules, 7), CAPTION).encode()) <= LARGEST


def test_a_line_that_goes_to_the_left_goes_there_as_a_whole() -> None:
    """A name in it turned no other words around: its own direction is kept apart."""
    caption = CAPTION._replace(verdict="فاز ann بنتيجة 26 : 22.")
    root = ET.fromstring(board_picture(random_record(Rules(), 1), 3, caption))  # noqa: S314  # made here
    lines = {text.text for text in root.iter(f"{SVG}text")}
    assert {f"\u2068{caption.verdict}\u2069", *caption.players, caption.story} < lines
