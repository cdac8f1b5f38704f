"""A lesson on what depth counts."""

import json

import pytest

from tests.scripts.lessons.running import run


def test_a_shallow_search_chains_re_turns_where_its_depth_counts_turns() -> None:
    """In sowings the second one is beyond its horizon, as the article found."""
    options = ("--depth", "2", "--positions", "40", "--json")
    _, out, _ = run("chains", *options)
    found = json.loads(out)
    first, second = found["rows"]
    assert first["sowings"] < second["sowings"] < first["turns"] <= found["longest"]
    assert run("chains", *options)[1] == out


@pytest.mark.parametrize(
    "lesson",
    [
        ("chains",),
        ("nodes",),
        ("evaluations",),
        ("horizon",),
        ("deepening",),
        ("tree", "--board", "start"),
        ("td",),
    ],
)
def test_rules_that_the_textbook_players_do_not_know_are_named(lesson: tuple[str, ...]) -> None:
    """In a sentence, as all that was asked for in vain."""
    code, _, said = run(*lesson, "--rules", "avalanche")
    assert (code, "cannot play the rules relay" in said) == (2, True)
    assert len(said.splitlines()) == 1


def test_a_person_reads_a_table() -> None:
    """Without --json there is a heading, a line a depth, and the longest turns."""
    _, out, _ = run("chains", "--depth", "1", "--positions", "2")
    assert len(out.splitlines()) == 4
