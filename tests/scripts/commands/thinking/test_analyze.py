"""Answers of ``mancala analyze``."""

import json

from mancala.protocol.rules import Board
from tests.scripts.commands.results import result_of
from tests.sources import ROOT

DATA = ROOT / "tests" / "data"
EXACT = [json.loads(line) for line in (DATA / "exact_kalah.jsonl").read_text().splitlines()]


def test_analysis_of_an_ending_is_exact() -> None:
    """A position within reach of the tables is answered exactly, move by move."""
    for entry in EXACT[:10]:
        answer = result_of("analyze", entry["board"], "--time", "60")
        assert (answer["exact"], answer["value"]) == (True, entry["value"])
        assert answer["best"] in entry["best"]
        assert {str(move["pit"]): move["value"] for move in answer["moves"]} == entry["moves"]


def test_analysis_to_a_depth_says_all_it_promises() -> None:
    """Best move, value, line and work are there, and a depth is no proof."""
    answer = result_of("analyze", "--depth", "6")
    assert answer["depth"] == 6
    assert answer["exact"] is False
    assert answer["pv"][0] == answer["best"]
    assert {"nodes", "seconds", "nps"} <= answer.keys()
    assert sorted(move["pit"] for move in answer["moves"]) == [0, 1, 2, 3, 4, 5]


def test_the_first_lines_of_an_analysis_can_be_played() -> None:
    """Moves come best first; as many as are asked for have their expected line, which is legal."""
    answer = result_of("analyze", "--depth", "8", "--lines", "3", "--threads", "2")
    values = [move["value"] for move in answer["moves"]]
    assert values == sorted(values, reverse=True)
    assert [len(move.get("pv", ())) > 1 for move in answer["moves"]] == [True] * 3 + [False] * 3
    assert answer["moves"][0]["pv"] == answer["pv"]
    for move in answer["moves"][:3]:
        board = Board.start()
        assert move["pv"][0] == move["pit"]
        for pit in move["pv"]:
            board = board.sow(pit).board


def test_an_analysis_may_follow_extra_turns_for_nothing() -> None:
    """Where an extra turn costs no depth, the same depth sees more."""
    charged, free = (
        result_of("analyze", "--depth", "6", "--again-cost", cost)["nodes"] for cost in ("1", "0")
    )
    assert free > charged
