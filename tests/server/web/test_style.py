"""The colours of the page: contrasts by WCAG 2.2, computed from the style sheet."""

import re
from typing import Final

import pytest

from mancala.server.web.static import files

TEXT: Final = 4.5
MARK: Final = 3.0
COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
SERIES: Final = tuple(f"s{number}" for number in range(8))
LEAST: Final = {
    ("card", TEXT): ("ink", "quiet", "accent", "south", "north", "bad-1", "bad-2", "bad-3"),
    ("ground", TEXT): ("ink", "quiet", "accent"),
    ("wood", TEXT): ("count",),
    ("accent", TEXT): ("card",),
    ("card", MARK): ("focus", "good", "bad", *SERIES),
    ("ground", MARK): ("focus",),
    ("wood", MARK): ("pit", "ring", "captured", "best"),
    ("pit", MARK): tuple(f"seed-{kind}" for kind in range(6)),
    ("casing", MARK): ("captured", "best"),
}
"""What must stand out from a ground, and how much (success criteria 1.4.3 and 1.4.11)."""


def colours(scheme: str) -> dict[str, str]:
    text = files()["style.css"].body.decode()
    light, dark = re.findall(r":root \{(.*?)\}", text, re.DOTALL)[:2]
    found = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", light))
    if scheme == "dark":
        found |= dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", dark))
    return found


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2, "contrast ratio")."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """Return a colour's relative luminance (WCAG 2.2)."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_marks_stand_out_from_their_ground(scheme: str) -> None:
    """Text by 4.5 to 1 at least, marks of boards and charts by 3 to 1."""
    known = colours(scheme)
    weak = {
        (name, ground): round(ratio, 2)
        for (ground, least), names in LEAST.items()
        for name in names
        if (ratio := contrast(known[name], known[ground])) < least
    }
    assert weak == {}
    board = max(contrast(known[name], known["card"]) for name in ("wood", "wood-edge"))
    assert board >= MARK


def test_every_colour_gives_way_to_the_readers_own() -> None:
    """With forced colours, each variable is one of the system's."""
    text = files()["style.css"].body.decode()
    own = dict(re.findall(r"--([a-z0-9-]+): ([A-Za-z]+);", text[text.index("forced-colors") :]))
    assert own.keys() == {*colours("light"), "shade"}


def test_a_page_turns_with_its_language() -> None:
    """No rule names the left or the right, but for what is never turned: see `direction: ltr`."""
    sided = re.compile(r"(?<![\w-])(\w+-)?(left|right):|text-align: (left|right)")
    found = files()
    sheets = [COMMENT.sub("", found[name].body.decode()) for name in ("style.css", "river.css")]
    lines = [line.strip() for sheet in sheets for line in sheet.splitlines() if sided.search(line)]
    assert lines
    assert [line for line in lines if not line.startswith((".copied ", ".plot "))] == []
