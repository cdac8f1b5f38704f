"""Why a move loses, from play to the end after the best move and after it."""

import pytest

from mancala.protocol.reasons import LossReason, PlayedLine, Way, reason_of, reason_sentence
from mancala.protocol.rules import Board, Rules

TWO = Rules(pits=2)


def end_of(board: Board, pits: tuple[int, ...]) -> int:
    for pit in pits:
        board = board.sow(pit).board
    return board.score()


@pytest.mark.parametrize(
    ("board", "best", "played", "reason"),
    [
        ("<2,0,0,2,3,1,1>", (0, 1), (1, 1, 0, 0, 0, 1), LossReason(Way.CAPTURED, 0, 3, 1, 11, 3)),
        ("<2,0,0,3,2,1,3>", (1, 0, 1), (0, 0, 1), LossReason(Way.CAPTURED, 1, 3, 1, 12, 5)),
        ("<2,0,0,2,1,0,2>", (1, 0, 1), (0, 1), LossReason(Way.SOWN, 0, 1)),
        ("<2,0,0,3,3,0,3>", (0, 1, 1, 1), (1, 0, 0, 0, 1), LossReason(Way.LEFT, 1, 6)),
    ],
)
def test_the_greatest_part_of_the_difference_is_the_reason(
    board: str, best: tuple[int, ...], played: tuple[int, ...], reason: LossReason
) -> None:
    """Of both lines of best play, worked out by trying everything."""
    start = Board.from_text(board, TWO)
    lines = [PlayedLine(start, 10, pits, end_of(start, pits)) for pits in (best, played)]
    assert lines[0].value > lines[1].value
    assert reason_of(lines[0], lines[1], 0) == reason


def test_a_line_that_does_not_end_with_its_value_gives_no_reason() -> None:
    """What is not proven is not said."""
    start = Board.from_text("<2,0,0,2,1,0,2>", TWO)
    best, played = (1, 0, 1), (0, 1)
    value = end_of(start, played)
    right = PlayedLine(start, 0, best, end_of(start, best))
    for wrong in ((played, value + 2), (played[:1], value), ((0, 0), value)):
        assert reason_of(right, PlayedLine(start, 0, *wrong), 0) is None


def test_a_reason_is_one_sentence() -> None:
    """It names whose store, how many seeds, and the capture; plies count from 1."""
    captured = LossReason(Way.CAPTURED, 0, 6, 2, 18, 7)
    assert reason_sentence(captured, 0) == (
        "player 0 captures 6 fewer seeds: best play captures 7 by pit 2 at ply 19"
    )
    assert reason_sentence(captured, 1) == (
        "player 0 captures 6 more seeds: it captures 7 by pit 2 at ply 19"
    )
    assert reason_sentence(LossReason(Way.SOWN, 1, 1), 1) == "player 1 sows 1 fewer seed home"
    assert reason_sentence(LossReason(Way.LEFT, 1, 3), 0) == (
        "3 more seeds are left to player 1 at the end"
    )
