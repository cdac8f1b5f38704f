"""Lessons on depth: deepening, and the horizon."""

import json

from tests.scripts.lessons.running import run


def test_each_depth_of_a_position_is_a_row() -> None:
    """The choice changes with the depth, and all depths together cost little more than the last."""
    _, out, _ = run("deepening", "--depth", "5", "--json")
    found = json.loads(out)
    assert [row["best"] for row in found["rows"]] == [["2"], ["2"], ["5"], ["5"], ["5"]]
    assert found["rows"][-1]["nodes"] == 2_652
    assert found["total"] < 1.5 * 2_652


def test_a_tree_of_numbers_is_deepened_to_its_end() -> None:
    """At first sight child 1 is best; what hangs below says child 2, and there the rows end."""
    _, out, _ = run("deepening", "(@4(3 9) @3(5 @7(6 8)))", "--json")
    rows = json.loads(out)["rows"]
    assert [(row["best"], row["value"]) for row in rows] == [(["1"], 4), (["2"], 5), (["2"], 5)]


def test_remedies_find_at_depth_1_what_depth_2_finds() -> None:
    """Quiescence and the secondary search drop the pit whose answer captures."""
    _, out, _ = run("horizon", "--json")
    best = {row["name"]: row["best"] for row in json.loads(out)["rows"]}
    assert best == {
        "depth 1": ["2"],
        "with quiescence": ["1"],
        "with secondary search": ["1"],
        "with singular extension": ["2"],
        "depth 2": ["1"],
        "depth 3": ["1"],
    }


def test_a_singular_reply_is_seen_a_turn_deeper() -> None:
    """Where the opponent has one reply only, depth 2 values what depth 3 does."""
    board = "<3,11,3,2,1,0,0,1,0>"
    _, out, _ = run("horizon", "--board", board, "--depth", "2", "--json")
    value = {row["name"]: row["value"] for row in json.loads(out)["rows"]}
    assert value["depth 2"] == 8
    assert value["with singular extension"] == value["depth 3"] == 10


def test_a_person_reads_a_line_a_search() -> None:
    """The closing line compares all depths with the last."""
    assert "all depths together visit" in run("deepening", "--depth", "2")[1]
    assert "with quiescence" in run("horizon")[1]
