"""Starters: a small bot in each of several languages, to copy and to change.

Each folder here is one starter: a source file of at most 95 lines, its rules with a test (those in
Python and JavaScript have them from the package and the page), what its language lacks (in Ruby a
file with a websocket, in Go and Java one that reads messages), and a README with the commands. In
all of them ``my-bot`` stands for the bot's name, and ``my-version`` for its version, which each of
them tells the server.
"""

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

REPOSITORY: Final = {
    ".github/workflows/bot.yml": "bot.yml",
    ".gitlab-ci.yml": "gitlab-ci.yml",
    "Containerfile": "Containerfile",
}
"""The templates, by the place of what is made of them. Forgejo and Gitea read the first as well."""
TEMPLATES: Final = Path(__file__).parent / "repository"
INSTALL: Final = "apt-get"
_BLOCK: Final = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMAND: Final = re.compile(r"<(install|build|test|check|rate|play)>")


def workflows(readme: str) -> Mapping[str, str]:
    """Return what makes a starter a repository: files by their places, for one with this README.

    Workflows check and rate it on each push, in a container. A line of a template stands for one
    command of the README, named in angle brackets; one that the README lacks is left out.
    """
    commands = commands_of(readme)
    texts = {place: (TEMPLATES / name).read_text("utf-8") for place, name in REPOSITORY.items()}
    return {place: _filled(text, commands) for place, text in texts.items()}


def commands_of(readme: str) -> dict[str, str]:
    """Return the commands of a README by what they do; those that it lacks are empty."""
    *blocks, play = [" && ".join(block.strip().splitlines()) for block in _BLOCK.findall(readme)]
    return {
        "install": " && ".join(block for block in blocks if INSTALL in block),
        "build": " && ".join(block for block in blocks if INSTALL not in block),
        "test": _tests(readme),
        "check": _inline(readme, "check-bot"),
        "rate": _inline(readme, "rate"),
        "play": play,
    }


def _inline(readme: str, command: str) -> str:
    found = re.search(rf"`(mancala {command} [^`]+)`", readme)
    return "" if found is None else found[1]


def _tests(readme: str) -> str:
    found = re.search(r"`([^`]+)` runs the tests", readme)
    return "" if found is None else found[1]


def _filled(text: str, commands: Mapping[str, str]) -> str:
    lines = [
        _COMMAND.sub(lambda found: commands[found[1]], line)
        for line in text.splitlines()
        if all(commands[name] for name in _COMMAND.findall(line))
    ]
    return "\n".join(lines) + "\n"


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
