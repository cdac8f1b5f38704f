"""What the comparison of two checkouts calls a breach of a promise."""

from typing import Any

import pytest

from tests.contracts import breaches

OLD: dict[str, Any] = {
    "type": "object",
    "description": "Words.",
    "required": ["ply", "pit"],
    "parameters": [{"name": "limit", "maximum": 100}],
    "anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}],
}


def test_what_is_new_or_said_in_other_words_is_no_breach() -> None:
    """A program that relies on the old document still works."""
    parameters = [{"name": "after"}, {"name": "limit", "maximum": 100}]
    new = {**OLD, "description": "Better.", "parameters": parameters, "more": 1}
    assert list(breaches(OLD, new)) == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"type": "array"}, "/type: 'object' became 'array'"),
        ({"required": ["pit"]}, "/required/ply: 'ply' became None"),
        (
            {"parameters": [{"name": "limit", "maximum": 50}]},
            "/parameters/limit/maximum: 100 became 50",
        ),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "/anyOf/integer/minimum: is gone"),
    ],
)
def test_what_is_gone_or_has_another_value_is_named_with_its_place(
    change: dict[str, Any], found: str
) -> None:
    """A list's items are found by their names, wherever they stand."""
    assert list(breaches(OLD, OLD | change)) == [found]
