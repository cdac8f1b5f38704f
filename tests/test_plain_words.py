"""Plain words: docstrings and documents name the actor, and leave out what makes a reader stop."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.sources import PRODUCT, ROOT, statements

PLACES: Final = (*(place for place in PRODUCT if place != "mancala"), "tests")
"""The folders with sources; the one left out has links to them."""
WORDS: Final = re.compile(
    r"\b(at once|nobody|somebody|everybody|whoever|likewise(?! bool)"
    r"|so many(?! viewers)|(is|are) told(?! apart))\b",
    re.IGNORECASE,
)
"""Words with a plainer one: immediately, the name of the actor, the reason, N, and who hears it.

The phrases that are let through are plain: each says what it means.
"""
CODE: Final = re.compile(r"```.*?```|``.+?``|`[^`\n]+`|\]\([^)]*\)", re.DOTALL)
"""Blocks and spans of code, and the addresses of links."""


def _docstrings(path: Path) -> Iterator[tuple[int, str]]:
    source = path.read_text()
    for node in statements(ast.parse(source)) if WORDS.search(source) else ():
        match node:
            case ast.Expr(value=ast.Constant(value=str() as text)):
                yield node.lineno, text


def _texts() -> Iterator[tuple[str, str]]:
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*.py")):
            for line, text in _docstrings(path):
                yield f"{path.relative_to(ROOT)}:{line}", text
    for place in (*PLACES, "docs"):
        for path in sorted((ROOT / place).rglob("*.md")):
            yield str(path.relative_to(ROOT)), path.read_text()
    for path in sorted(ROOT.glob("*.md")):
        yield path.name, path.read_text()


def test_docstrings_and_documents_use_plain_words() -> None:
    """A word of the list has a plainer one."""
    found = [
        (place, match.group())
        for place, text in _texts()
        for match in WORDS.finditer(CODE.sub("", text))
    ]
    assert found == []


def test_each_test_has_its_sentence() -> None:
    """Helpers need none where their names say it, so the linter asks for no docstrings in tests."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    found = (node for path in files for node in statements(ast.parse(path.read_text())))
    tests = [
        node
        for node in found
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    ]
    assert tests
    assert [node.name for node in tests if not ast.get_docstring(node)] == []
