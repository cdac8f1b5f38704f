"""The counts of ``mancala perft``."""

import pytest

from tests.scripts.commands.results import mancala, result_of


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


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("-3",), "Error: Invalid value for 'depth': Input should be greater than or equal to 0"),
        (("3", "--jsno"), "Error: No such option: --jsno Did you mean --json?"),
    ],
)
def test_a_negative_depth_is_a_number_and_no_option(arguments: tuple[str, ...], line: str) -> None:
    """``-3`` is refused as the depth that it is; a mistyped option still is an option."""
    result = mancala("perft", *arguments)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith(line[:30])
