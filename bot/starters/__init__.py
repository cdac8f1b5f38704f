"""Starters: a small bot in each of several languages, to copy and to change.

Each folder here is one starter: a source file of at most 95 lines, its rules with a test (those in
Python and JavaScript have them from the package and the page), what its language lacks (in Ruby a
file with a websocket, in Go and Java one that reads messages), and a README with the commands. In
all of them ``my-bot`` stands for the bot's name, and ``my-version`` for its version, which each of
them tells the server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from . import positions

LANGUAGES: Final = ("c", "csharp", "go", "java", "javascript", "python", "ruby", "rust")
_URL: Final = "ws://127.0.0.1:8765"
_LADDER: Final = "main"
_README: Final = "README.md"
_NAME: Final = "my-bot"
_VERSION: Final = "my-version"
_COMPILED: Final = "__pycache__"
"""What an installer leaves beside programs in Python."""
_PLACES: Final = re.compile(rf"{_NAME}|{_VERSION}|{_URL}|(?<=[` ]){_LADDER}(?=[` ])")


def starter(
    language: str, *, name: str, version: str = "0.1", url: str = _URL, ladder: str = _LADDER
) -> Mapping[str, str]:
    """Return the files of a starter by name, with its commands filled in.

    The one in JavaScript needs ``client.js`` and ``rules.js`` of the server's page beside them.

    Args:
        language: one of `LANGUAGES`.
        name: the bot's name.
        version: its version.
        url: where its server is.
        ladder: the ladder it joins.
    """
    words = {_NAME: name, _VERSION: version, _URL: url, _LADDER: ladder}
    folder = Path(__file__).parent / language
    files = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and _COMPILED not in path.parts
    }
    if any(positions.NAME in text for text in files.values()):
        files[positions.NAME] = positions.positions()
    filled = {
        file: text.replace(_NAME, name).replace(_VERSION, version) for file, text in files.items()
    }
    filled[_README] = _PLACES.sub(lambda found: words[found[0]], files[_README])
    return MappingProxyType(filled)
