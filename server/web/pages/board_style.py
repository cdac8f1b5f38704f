"""The style of boards in pictures: rules of the page's own style sheet, in plain colours.

Programs that show SVG know no variables and mix no colours; so both are worked out here, for light
and for dark.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from ..static import files

SHEET: Final = "style.css"
DARK: Final = "@media (prefers-color-scheme: dark) {"
BLOCK_END: Final = "\n}\n"
RULE: Final = re.compile(r"(\.board (?:\.|text)[^{]*?) \{ ([^}]+) \}")
DEFINED: Final = re.compile(r"--([\w-]+): ([^;]+);")
VARIABLE: Final = re.compile(r"var\(--([\w-]+)\)")
COLOUR: Final = r"(#[0-9a-f]{6}|white|black)"
MIXED: Final = re.compile(rf"color-mix\(in srgb, {COLOUR} ([0-9]+)%, {COLOUR}\)")
NAMED: Final = {"white": "#ffffff", "black": "#000000"}
LIVE: Final = re.compile(
    r"\.(?:again|arrow|best|captured|casing|landed|legal|mover|played)s?\b|\.texts"
)
"""What a board shows only on the page."""


class BoardStyle(NamedTuple):
    """Rules in a scheme of colours, each a selector and its declarations, and the variables."""

    rules: tuple[tuple[str, str], ...]
    variables: Mapping[str, str]

    def plain(self, text: str) -> str:
        """Return CSS in which each variable and each mixed colour is a plain one."""
        filled = VARIABLE.sub(lambda found: self.variables[found[1]], text)
        return MIXED.sub(lambda found: _mixed(found[1], int(found[2]), found[3]), filled)


@cache
def light() -> BoardStyle:
    return BoardStyle(*_parts(_sheet()[0]))


@cache
def dark() -> BoardStyle:
    plain, (_, night) = light(), _sheet()
    return BoardStyle(plain.rules, {**plain.variables, **dict(DEFINED.findall(night))})


@cache
def css(more: str, *, is_light: bool) -> str:
    """Return the rules of boards, and more, in light, and unless that is all, what dark changes."""
    found = (*light().rules, *RULE.findall(more))
    bright = {selector: light().plain(text) for selector, text in found}
    if is_light:
        return _css(bright)
    night = {selector: dark().plain(text) for selector, text in found}
    differing = {name: text for name, text in night.items() if text != bright[name]}
    return f"{_css(bright)}@media(prefers-color-scheme:dark){{{_css(differing)}}}"


def _sheet() -> tuple[str, str]:
    """Return the style sheet without its dark colours, and these."""
    before, _, after = files()[SHEET].body.decode().partition(DARK)
    night, _, rest = after.partition(BLOCK_END)
    return before + rest, night


def _parts(sheet: str) -> tuple[tuple[tuple[str, str], ...], dict[str, str]]:
    """Return the rules of boards that hold on every screen, and the variables."""
    lines = "".join(line for line in sheet.splitlines() if line.startswith(".board "))
    rules = (found for found in RULE.findall(lines) if not LIVE.search(found[0]))
    return tuple(rules), dict(DEFINED.findall(sheet.partition(BLOCK_END)[0]))


def _css(rules: Mapping[str, str]) -> str:
    return "".join(f"{selector}{{{text.rstrip(';')}}}" for selector, text in rules.items())


def _mixed(one: str, percent: int, other: str) -> str:
    channels = zip(_channels(one), _channels(other), strict=True)
    mixed = (round((percent * a + (100 - percent) * b) / 100) for a, b in channels)
    return "#" + "".join(f"{each:02x}" for each in mixed)


def _channels(colour: str) -> Iterator[int]:
    digits = NAMED.get(colour, colour)
    return (int(digits[at : at + 2], 16) for at in (1, 3, 5))
