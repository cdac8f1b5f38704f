"""The words of the pages: a catalogue for each language.

Texts stand in the modules and in the HTML in English, which are the keys of the catalogues: JSON
files in the format of i18next, version 4, which tools for translators know. A value takes the place
of each ``{{name}}``. A text that has a ``count`` has one entry for each plural category of its
language (Unicode CLDR), such as ``KEY_one`` and ``KEY_other``; a word with two meanings has entries
such as ``KEY_replay``. The English catalogue holds only such entries.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path  # noqa: TID251  # the files of this package, read once at start
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from mancala.protocol import codec

if TYPE_CHECKING:
    from starlette.requests import Request

ENGLISH: Final = "en"
LANGUAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ENGLISH: "English",
        "ar": "العربية",
        "de": "Deutsch",
        "es": "Español",
        "fr": "Français",
        "tr": "Türkçe",
    }
)
"""The languages of the pages, by their codes, each by its own name."""
RIGHT_TO_LEFT: Final = frozenset({"ar"})
CHOICE: Final = "lang"
"""The query parameter and the cookie that choose a language."""
HOLE: Final = re.compile(r"\{\{(\w+)\}\}")
IN_SCRIPT: Final = re.compile(rb'\b(?:t|rich)\(("(?:[^"\\]|\\.)+")')
IN_HTML: Final = re.compile(r"\[\[(.+?)\]\]", re.DOTALL)


class Catalogue:
    def __init__(self, language: str, entries: Mapping[str, str]) -> None:
        self.language = language
        self.entries = entries

    def text(self, key: str, /, **values: object) -> str:
        return HOLE.sub(lambda hole: str(values[hole[1]]), self.entries.get(key, key))

    def html(self, template: str) -> str:
        """Return HTML in which each ``[[text]]`` is in this language."""
        return IN_HTML.sub(lambda found: escape(self.text(found[1]), quote=False), template)

    def part(self, wanted: frozenset[str]) -> dict[str, str]:
        """Return the entries of some keys."""
        return {
            entry: text
            for entry, text in self.entries.items()
            if entry in wanted or entry.rpartition("_")[0] in wanted
        }


def catalogues() -> dict[str, Catalogue]:
    here = Path(__file__).parent
    return {
        language: Catalogue(
            language,
            codec.from_json((here / f"{language}.json").read_bytes(), dict[str, str]),
        )
        for language in LANGUAGES
    }


@cache
def keys_in(script: bytes) -> frozenset[str]:
    """Return the texts of a module, as it writes them: ``t("text")`` and ``rich("text")``."""
    return frozenset(codec.from_json(literal, str) for literal in IN_SCRIPT.findall(script))


def language_of(request: Request) -> str:
    """Return the language of a request: the one that was chosen, else the browser's first known."""
    chosen = (request.query_params.get(CHOICE, ""), _cookie(request.headers.get("Cookie", "")))
    wanted = (*chosen, *_accepted(request.headers.get("Accept-Language", "")))
    return next((each for each in wanted if each in LANGUAGES), ENGLISH)


def _cookie(header: str) -> str:
    """Return the language that a cookie has kept.

    Values are not unquoted: Python did that in quadratic time up to 3.12.6, so a header of 15 kB
    held up the page for 0.7 s.
    """
    pairs = (each.partition("=") for each in header.split(";"))
    return next((value.strip() for name, _, value in pairs if name.strip() == CHOICE), "")


def _accepted(header: str) -> list[str]:
    """Return the languages of a browser, the most wanted one first (RFC 9110, 12.5.4)."""
    ranges = [each.partition(";q=") for each in header.lower().replace(" ", "").split(",")]
    ranges.sort(key=lambda each: each[2] or "1", reverse=True)
    return [name.partition("-")[0] for name, _, _ in ranges]
