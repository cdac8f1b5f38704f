"""Lessons in numbers: the figures of the texts."""

from __future__ import annotations

import json

import pytest

from tests.scripts.lessons.running import run


def test_the_order_of_moves_decides_what_is_pruned() -> None:
    """The counts at depth 5 from the start of Kalah(6,4), beside the root of the plain tree."""
    code, out, _ = run("nodes", "--depth", "5", "--json")
    last = json.loads(out)["rows"][-1]
    assert code == 0
    assert (last["best"], last["none"], last["worst"], last["minimax"]) == (
        2_652,
        8_433,
        31_401,
        160_971,
    )
    assert last["root"] == 401
    assert 0.5 < last["exponent"] < 0.7
    assert last["seconds"]["best"] < last["seconds"]["minimax"]


def test_under_side_the_order_by_promise_prunes_less() -> None:
    """The order is made for captures and re-turns, which ``side`` values less."""
    _, out, _ = run("nodes", "--depth", "5", "--evaluation", "side", "--json")
    last = json.loads(out)["rows"][-1]
    assert (last["best"], last["none"]) == (13_675, 5_880)


def test_a_stronger_evaluation_prunes_more_where_it_sorts_the_moves() -> None:
    """More values, fewer ties: unsorted it visits more, sorted by itself the least."""
    _, out, _ = run("evaluations", "--depth", "3", "--json")
    rows = {row["evaluation"]: row for row in json.loads(out)["rows"]}
    assert rows["weighted"]["values"] > 10 * rows["stores"]["values"]
    assert rows["weighted"]["nodes"]["none"] > rows["stores"]["nodes"]["none"]
    assert rows["weighted"]["nodes"]["evaluation"] < rows["stores"]["nodes"]["best"]


def test_the_figures_of_the_texts_are_computed_and_counted() -> None:
    """Each number that the documents print, and what the real game has."""
    _, out, _ = run("growth", "--json")
    rows = json.loads(out)["rows"]
    assert [row["leaves"] for row in rows] == [
        *(8, 42_875, 216, 46_656, 1_679_616, 10_077_696, 60_466_176, 986_410, 1_481_760_000),
    ]
    assert [row["counted"] for row in rows if row["counted"]] == [185, 23_233]


@pytest.mark.parametrize("lesson", ["nodes", "evaluations", "growth"])
def test_a_person_reads_a_table(lesson: str) -> None:
    """Without --json there is a heading and a line a row."""
    depth = () if lesson == "growth" else ("--depth", "2")
    code, out, _ = run(lesson, *depth)
    assert code == 0
    assert len(out.splitlines()) >= 3


def test_unknown_rules_are_a_usage_error() -> None:
    """The exit code is 2, stdout stays empty, and stderr says what is known."""
    code, out, error = run("nodes", "--rules", "chess", "--json")
    assert (code, out) == (2, "")
    assert "known: kalah" in error
