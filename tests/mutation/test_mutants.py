"""A change has a name that lasts while lines move, and the lines of its statement."""

import ast
from typing import Final

import pytest

from tests.mutation.mutants import SourceChange, StatementLines, mutant_of, uncounted

TEXT: Final = """\
LIMIT = 3

class Box:
    def fits(
        self, size: int
    ) -> bool:
        if (
            size > LIMIT
            or size < 0
        ):
            raise ValueError(size + 1)
        return True
"""


def changed(line: int, old: str, new: str) -> SourceChange:
    lines = TEXT.splitlines(keepends=True)
    lines[line - 1] = lines[line - 1].replace(old, new)
    return mutant_of(ast.parse(TEXT), TEXT, line, "".join(lines))


@pytest.mark.parametrize(
    ("line", "old", "new", "name", "statement"),
    [
        (1, "3", "4", "<module>: LIMIT = 3 => LIMIT = 4", (1, 1)),
        (9, "<", "<=", "Box.fits: or size < 0 => or size <= 0", (7, 10)),
        (12, "True", "False", "Box.fits: return True => return False", (12, 12)),
    ],
)
def test_a_change_is_named_by_its_function_and_its_lines(
    line: int, old: str, new: str, name: str, statement: tuple[int, int]
) -> None:
    """The statement of a condition is its head, since the body may not be executed."""
    found = changed(line, old, new)
    assert (found.change, found.statement) == (name, statement)


def test_a_line_that_is_removed_is_replaced_by_nothing() -> None:
    """The change of a decorator that is left out still names it."""
    text = "@cache\ndef one() -> int:\n    return 1\n"
    removed = mutant_of(ast.parse(text), text, 1, text.removeprefix("@cache\n"))
    assert (removed.before, removed.after) == ("@cache", "")
    assert removed.statement == (1, 2)


def test_texts_of_errors_do_not_count() -> None:
    """No test should pin the words of an error, so they are not changed."""
    assert list(uncounted(ast.parse(TEXT))) == [StatementLines(11, 11)]
