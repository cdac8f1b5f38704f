"""The commands that ask the engine keep to their contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from protocol.rules import Board
from scripts.mancala import build

DATA = Path(__file__).parents[2] / "data"
EXACT = [json.loads(line) for line in (DATA / "exact_kalah.jsonl").read_text().splitlines()]
ENDING = "<6,25,37,2,2,0,0,0,0,1,2,1,1,1,0>"


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: ANN401  # a generator fixture
    """Keep what the commands build in a directory of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def asked(*arguments: str) -> dict[str, Any]:
    """Run a command with --json and read the one object it prints."""
    result = CliRunner().invoke(build(), [*arguments, "--json"])
    assert result.exit_code == 0, result.stderr
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def test_perft_counts_leaves() -> None:
    """Depth nine of Kalah(6,4) has the published count, with its time and rate."""
    answer = asked("perft", "9")
    assert answer["nodes"] == 2763490
    assert answer["nps"] == pytest.approx(answer["nodes"] / answer["seconds"], rel=0.01)


def test_perft_counts_from_a_board_under_other_rules() -> None:
    """A board and rules may be given."""
    start = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"
    assert asked("perft", "6", start, "--rules", "kalah-empty-capture")["nodes"] == 23169


def test_the_search_signature_is_the_pinned_one() -> None:
    """A change of the search shows as a change of this number, on purpose or not."""
    answer = asked("bench")
    assert answer["signature"] == int((DATA / "signature.txt").read_text())
    assert answer["nodes"] == answer["signature"]


def test_analysis_of_an_ending_is_exact() -> None:
    """A position within reach of the tables is answered exactly, move by move."""
    for entry in EXACT[:10]:
        answer = asked("analyze", entry["board"], "--time", "5")
        assert (answer["exact"], answer["value"]) == (True, entry["value"])
        assert answer["best"] in entry["best"]
        assert {str(move["pit"]): move["value"] for move in answer["moves"]} == entry["moves"]


def test_analysis_to_a_depth_says_all_it_promises() -> None:
    """Best move, value, line and work are there, and a depth is no proof."""
    answer = asked("analyze", "--depth", "6")
    assert answer["depth"] == 6
    assert answer["exact"] is False
    assert answer["pv"][0] == answer["best"]
    assert {"nodes", "seconds", "nps"} <= answer.keys()
    assert sorted(move["pit"] for move in answer["moves"]) == [0, 1, 2, 3, 4, 5]


def test_the_first_lines_of_an_analysis_can_be_played() -> None:
    """Moves come best first; as many as are asked for have their expected line, which is legal."""
    answer = asked("analyze", "--depth", "8", "--lines", "3", "--threads", "2")
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
        asked("analyze", "--depth", "6", "--again-cost", cost)["nodes"] for cost in ("1", "0")
    )
    assert free > charged


def test_solve_proves_a_small_game() -> None:
    """The value of Kalah(4,3) and of each first move is proven."""
    answer = asked("solve", "--pits", "4", "--seeds", "3")
    assert answer["value"] == 6
    assert answer["best"] in {move["pit"] for move in answer["moves"] if move["value"] == 6}
    assert {"nodes", "seconds"} <= answer.keys()


def test_solve_comes_to_the_same_with_any_number_of_threads() -> None:
    """One thread proves what all cores prove, move by move."""
    game = ("solve", "--pits", "5", "--seeds", "2")
    alone, together = (asked(*game, "--threads", number) for number in ("1", "2"))
    assert alone["value"] == together["value"] == 2
    assert alone["moves"] == together["moves"]


def test_solve_out_of_time_gives_bounds() -> None:
    """Where there was no time for a proof, true bounds are given and no value."""
    answer = asked("solve", "--seeds", "6", "--time", "0.05")
    assert answer["value"] is None
    assert -72 <= answer["low"] <= 4 <= answer["high"] <= 72


def test_tables_are_built_and_probed() -> None:
    """A build reports positions, seconds and bytes; a probe the value and the moves."""
    built = asked("endgame", "build", "--seeds", "6")
    assert built["positions"] == 16717
    assert built["bytes"] > built["positions"]
    probed = asked("endgame", "probe", ENDING)
    assert probed["value"] == max(move["value"] for move in probed["moves"])
    assert probed["value"] == asked("solve", ENDING)["value"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("perft", "3", "<6,2>"),
        ("analyze", "<6,0,0,0,0,0,0,0,0,4,4,4,4,4,4>"),
        ("analyze", "--rules", "chess"),
        ("solve", ENDING, "--pits", "6"),
        ("solve", "--pits", "16", "--seeds", "16"),
        ("endgame", "build", "--seeds", "99"),
        ("endgame", "build", "--rules", "article"),
        ("endgame", "probe", "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"),
    ],
    ids=" ".join,
)
def test_bad_input_is_a_usage_error(arguments: tuple[str, ...]) -> None:
    """What cannot be asked is said on stderr, with exit code 2 and nothing on stdout."""
    result = CliRunner().invoke(build(), [*arguments, "--json"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("mancala: ")
