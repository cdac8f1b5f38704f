"""Commands where the machine is not as on a developer's desk."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drills.surroundings import SURROUNDINGS, fault

DIAGONAL = (
    *("players", "serve --check-config", "spec asyncapi", "spec schemas", "players"),
    *("store digest --store none", "new mybot --lang python", "serve --check-config"),
    *("list ws://127.0.0.1:1", "--help"),
)


@pytest.mark.parametrize(("name", "words"), [*zip(SURROUNDINGS, DIAGONAL, strict=True)])
def test_a_command_answers_or_says_why_not(tmp_path: Path, name: str, words: str) -> None:
    """A traceback is a fault, whatever surrounds the command."""
    assert fault(words, SURROUNDINGS[name], tmp_path) == ""
