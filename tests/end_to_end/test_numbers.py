"""Published and proven numbers, asked for on the command line."""

from __future__ import annotations

import orjson
import pytest

from tests.scripts.commands.results import result_of
from tests.sources import ROOT

EXACT = ROOT / "tests" / "data" / "exact_kalah.jsonl"
KALAH_6_6 = "<6,0,0,6,6,6,6,6,6,6,6,6,6,6,6>"
POSITIONS = 10


@pytest.mark.parametrize(
    ("arguments", "leaves"),
    [
        (("9",), 2_763_490),
        (("6", "--rules", "kalah-empty-capture"), 23_169),
        (("6", KALAH_6_6, "--rules", "kalah-empty-capture"), 32_243),
        (("6", "--rules", "kalah-empty-capture:seeds=6"), 32_243),
    ],
)
def test_perft_counts_what_others_counted(arguments: tuple[str, ...], leaves: int) -> None:
    """Leaves at a depth, for the usual rules, empty captures, and six seeds a pit."""
    assert result_of("perft", *arguments)["nodes"] == leaves


@pytest.mark.parametrize("line", EXACT.read_text().splitlines()[:POSITIONS])
def test_analyze_agrees_with_proven_endgames(line: str) -> None:
    """A value marked exact is the one that an exact solver found."""
    known = orjson.loads(line)
    told = result_of("analyze", known["board"], "--time", "60")
    assert told["exact"], "these positions are small enough to be proven in two seconds"
    assert told["value"] == known["value"]
    assert told["best"] in known["best"]
    for move in told["moves"]:
        if move["exact"]:
            assert move["value"] == known["moves"][str(move["pit"])]
