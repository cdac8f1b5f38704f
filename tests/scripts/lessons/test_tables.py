"""Lessons in numbers: the figures of the texts."""

import json

import pytest

from mancala.engine.classics.alphabeta import AlphaBetaPlayer
from mancala.engine.classics.evaluation import side
from mancala.protocol.rules import Board
from tests.scripts.lessons.running import run


def test_the_order_of_moves_decides_what_is_pruned() -> None:
    """The counts at depth 4 from the start of Kalah(6,4), beside the root of the plain tree."""
    code, out, _ = run("nodes", "--depth", "4", "--json")
    last = json.loads(out)["rows"][-1]
    orders = ("perfect", "best", "none", "worst", "minimax")
    assert code == 0
    assert [last[order] for order in orders] == [371, 559, 1_966, 2_858, 12_215]
    assert last["root"] == 111
    assert 0.5 < last["perfect_exponent"] < last["exponent"] < 0.7
    assert last["seconds"]["best"] < last["seconds"]["minimax"]


def test_the_textbooks_search_visits_what_the_tree_shows() -> None:
    """Unsorted, and in perfect order; both once had other words for other counts."""
    _, out, _ = run("nodes", "--depth", "3", "--json")
    row = json.loads(out)["rows"][-1]
    for column, order in (("textbook", "none"), ("perfect", "best")):
        _, out, _ = run("tree", "--board", "start", "--depth", "3", "--order", order, "--json")
        assert json.loads(out)["visited"] == row[column]


def test_under_side_the_order_by_promise_prunes_less() -> None:
    """The order is made for captures and re-turns, which ``side`` values less."""
    nodes = {}
    for order in ("promise", "none"):
        player = AlphaBetaPlayer(seed=1, depth=5, order=order, evaluate=side)
        player.rate(Board.start())
        nodes[order] = player.nodes
    assert nodes == {"promise": 13_675, "none": 5_880}


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
