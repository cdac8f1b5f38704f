"""Starters: a small bot in each of several languages, to copy and to change.

Each folder here is one starter: a source file of at most 95 lines, its rules with a test (those in
Python and JavaScript have them from the package and the page), what its language lacks (in Ruby a
file with a websocket, in Go and Java one that reads messages), and a README with the commands. In
all of them ``my-bot`` stands for the bot's name, and ``my-version`` for its version, which each of
them tells the server.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from mancala.protocol.rules import Board, Rules

LANGUAGES: Final = ("c", "csharp", "go", "java", "javascript", "python", "ruby", "rust")
BESIDE: Final = ("client.js", "client.d.ts", "rules.js")
"""Files of the server's page that belong beside the starter in JavaScript."""
_URL: Final = "ws://127.0.0.1:8765"
_LADDER: Final = "main"
_README: Final = "README.md"
_NAME: Final = "my-bot"
_VERSION: Final = "my-version"
_COMPILED: Final = "__pycache__"
"""What an installer leaves beside programs in Python."""
POSITIONS: Final = "positions.txt"
_GAMES: Final = ("kalah", "kalah:pits=4,seeds=8")
"""What is played for positions; the second one has sowings of more than a lap."""
_PLACES: Final = re.compile(rf"{_NAME}|{_VERSION}|{_URL}|(?<=[` ]){_LADDER}(?=[` ])")


def starter(
    language: str, *, name: str, version: str = "0.1", url: str = _URL, ladder: str = _LADDER
) -> Mapping[str, str]:
    """Return the files of a starter by name, with its commands filled in: server and ladder.

    The one in JavaScript needs ``client.js`` and ``rules.js`` of the server's page beside them.
    """
    words = {_NAME: name, _VERSION: version, _URL: url, _LADDER: ladder}
    folder = Path(__file__).parent / language
    files = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and _COMPILED not in path.parts
    }
    if any(POSITIONS in text for text in files.values()):
        files[POSITIONS] = positions()
    filled = {
        file: text.replace(_NAME, name).replace(_VERSION, version) for file, text in files.items()
    }
    filled[_README] = _PLACES.sub(lambda found: words[found[0]], files[_README])
    return MappingProxyType(filled)


def positions() -> str:
    """Return positions by which a starter tests its own rules, the same each time.

    They are the moves of a few games drawn at random. A line has whole numbers only, so that any
    language reads it: the pit, 1 if the same player moves again, the board before the move, and the
    board after it. A board is a ring: the mover's pits, the mover's store, the other's pits, and
    the other's store.
    """
    rng = random.Random(28)  # noqa: S311  # any games will do
    lines = [line for rules in _GAMES for line in _moves(Board.start(Rules.parse(rules)), rng)]
    return "\n".join(lines) + "\n"


def _moves(board: Board, rng: random.Random) -> Iterator[str]:
    while not board.is_over:
        pit = rng.choice(board.legal())
        after, _, _, again = board.sow(pit)
        numbers = (pit, int(again), *_ring(board, board.player), *_ring(after, board.player))
        yield " ".join(map(str, numbers))
        board = after


def _ring(board: Board, player: int) -> tuple[int, ...]:
    rings = [(*board.pits[seat], board.stores[seat]) for seat in (player, 1 - player)]
    return (*rings[0], *rings[1])
