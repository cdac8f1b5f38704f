"""The counts of ``mancala perft``."""

from __future__ import annotations

import pytest

from tests.scripts.commands.results import assert_usage_error, result_of


def test_perft_counts_leaves() -> None:
    """Depth nine of Kalah(6,4) has the published count, with its time and rate."""
    answer = result_of("perft", "9")
    assert answer["nodes"] == 2763490
    assert answer["nps"] == pytest.approx(answer["nodes"] / answer["seconds"], rel=0.01)


def test_perft_counts_from_a_board_under_other_rules() -> None:
    """A board and rules may be given."""
    start = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"
    assert result_of("perft", "6", start, "--rules", "kalah-empty-capture")["nodes"] == 23169


@pytest.mark.parametrize(
    "arguments",
    [("3", "<6,2>")],
    ids=" ".join,
)
def test_bad_input_is_a_usage_error(arguments: tuple[str, ...]) -> None:
    """Input that cannot be used is reported on stderr, with exit code 2 and an empty stdout."""
    assert_usage_error("perft", *arguments)
