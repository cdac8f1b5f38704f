"""Reports on bots: the paragraphs of SPEC.md that they quote are there."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from mancala.scripts import conformance
from mancala.scripts.conformance.verdicts import ConformanceReport, FailureError, Verdict, paragraph

ROOM: Final = Path(conformance.__file__).parent


def quoted() -> Iterator[str]:
    for path in ROOM.glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "FailureError":
                last = call.args[-1]
                if isinstance(last, ast.Constant):
                    yield str(last.value)


def test_every_rule_that_a_failure_names_is_in_the_document() -> None:
    """Each is found in one of its sections."""
    words = list(quoted())
    assert len(words) > 10
    for each in words:
        assert paragraph(each).startswith("section ")


def test_words_that_are_not_there_are_an_error() -> None:
    """A mistake of the robot's author, found by the test above."""
    with pytest.raises(ValueError, match=r"SPEC\.md has no"):
        paragraph("play the Sicilian")


def test_a_report_says_what_to_do_about_a_failure() -> None:
    """The text has the situation, both sides, the rule and the frames."""
    failure = FailureError("a pit", "a cow", "An answer with a pit that may not be sown")
    report = ConformanceReport("trial", [Verdict("one"), Verdict("two", failure, ("C: moo",))])
    text = report.as_text()
    assert "passed  one\nFAILED  two\n" in text
    assert "expected: a pit\n   got:      a cow\n   rule:     SPEC.md, section 6: An answer" in text
    assert "C: moo" in text
    assert text.endswith("1 passed, 1 failed")
