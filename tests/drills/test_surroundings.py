"""Commands where the machine is not as on a developer's desk."""

from pathlib import Path

import pytest

from tests.drills.surroundings import DONE, SURROUNDINGS, WORDS, commands, fault, words_of

DIAGONAL = (
    *("players", "serve --check-config", "spec asyncapi", "spec schemas", "players"),
    *("doctor", "store digest --store none", "new mybot --lang python", "token list"),
    *("serve --check-config", "perft 2", "list ws://127.0.0.1:1", "--help"),
)
REFUSED = {"store digest --store none": 2, "token list": 2, "list ws://127.0.0.1:1": 1}
"""The codes of those that find nothing on a plain machine."""


@pytest.mark.parametrize(("name", "words"), [*zip(SURROUNDINGS, DIAGONAL, strict=True)])
def test_a_command_answers_or_says_why_not(tmp_path: Path, name: str, words: str) -> None:
    """A traceback is a fault, whatever surrounds the command, or an end that is not usual."""
    assert fault(words.split(), SURROUNDINGS[name], tmp_path, REFUSED.get(words, DONE)) == ""


def test_each_command_that_there_is_can_be_walked() -> None:
    """A new one is in the table by itself: it is given what it needs, and reads it."""
    found = commands()
    assert set(WORDS) <= set(found)
    for name, command in found.items():
        command.make_context(name, words_of(name, command)[len(name.split()) :])
