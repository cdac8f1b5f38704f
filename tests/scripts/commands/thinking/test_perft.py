"""The counts of ``mancala perft``."""

import pytest

from tests.scripts.commands.results import result_of


def test_perft_counts_leaves() -> None:
    """Depth nine of Kalah(6,4) has the published count, with its time and rate."""
    answer = result_of("perft", "9")
    assert answer["nodes"] == 2763490
    assert answer["nps"] == pytest.approx(answer["nodes"] / answer["seconds"], rel=0.01)


def test_perft_counts_from_a_board_under_other_rules() -> None:
    """A board and rules may be given, with six seeds a pit by either."""
    for seeds, nodes in ((4, 23_169), (6, 32_243)):
        start, rules = f"<6,0,0{12 * f',{seeds}'}>", "kalah-empty-capture"
        assert result_of("perft", "6", start, "--rules", rules)["nodes"] == nodes
        assert result_of("perft", "6", "--rules", f"{rules}:seeds={seeds}")["nodes"] == nodes
