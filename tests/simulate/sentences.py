"""The sentences that a server can say to a peer, read from its sources.

Each is a template, such as ``{} is not here``, and stands for the branch that says it. Codes alone
would not do: one code such as ``limit`` has a dozen branches. What a module logs or documents is
said to no peer and left out, and so is what is too short to be a sentence.
"""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from tests.sources import ROOT

ROOMS: Final = (
    *("server/ladders", "server/lobby", "server/match", "server/net", "server/reviews"),
    *("protocol/codec.py", "protocol/referee.py", "protocol/review.py", "protocol/session.py"),
    *("server/contest/live", "server/contest/events/entry.py", "server/store/rows/tokens.py"),
)
"""Where the words of refusals, goodbyes, warnings and evidence are written."""
HOLE: Final = "{}"
LONGEST: Final = 84
"""A key with more characters is cut."""
LEAST_LETTERS: Final = 8
LOGGED: Final = frozenset(("debug", "info", "warning", "error"))


class Sentence(NamedTuple):
    """A sentence that a server can say.

    Attributes:
        pattern: what finds it in a text; it may be a part of a longer one.
    """

    key: str
    pattern: re.Pattern[str]


@lru_cache
def sentences() -> tuple[Sentence, ...]:
    found = dict.fromkeys(each for room in ROOMS for each in _of_room(ROOT / room))
    return tuple(Sentence(_key(path, template), _pattern(template)) for path, template in found)


@lru_cache(maxsize=10_000)
def said_in(text: str) -> tuple[str, ...]:
    return tuple(each.key for each in sentences() if each.pattern.search(text))


def templates(source: str) -> Iterator[str]:
    module = ast.parse(source)
    silent = {id(each) for node in ast.walk(module) for each in _silent(node)}
    for node in ast.walk(module):
        template = _template(node) if id(node) not in silent else None
        if template is not None and _is_sentence(template):
            yield template


def _key(path: str, template: str) -> str:
    key = f"{path}: {template.strip()}"
    return key if len(key) <= LONGEST else f"{key[:LONGEST].rpartition(' ')[0]} …"


def _of_room(room: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(room.rglob("*.py")) if room.is_dir() else (room,):
        for template in templates(path.read_text()):
            yield path.relative_to(ROOT).as_posix(), template


def _silent(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a node and is said to no peer by itself."""
    match node:
        case ast.Expr(value=ast.Constant() as documented):
            yield documented
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in LOGGED:
            yield first
        case ast.JoinedStr():
            yield from (part for part in ast.walk(node) if part is not node)


def _template(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_template(part) or HOLE for part in parts)
    return None


def _is_sentence(template: str) -> bool:
    letters = sum(letter.isalpha() for letter in template)
    return " " in template.strip() and letters >= LEAST_LETTERS


def _pattern(template: str) -> re.Pattern[str]:
    parts = template.strip().split(HOLE)
    return re.compile(".*".join(map(re.escape, parts)), re.DOTALL)
