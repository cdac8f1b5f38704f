"""The drawn board and a move's four outputs, against the article's own transcript."""

import pytest

from mancala.protocol.messages import Evidence, Info, Reason
from mancala.protocol.rules import Board, Rules
from mancala.scripts.console.views.drawing import draw, outputs, reason_text, thinking, verdict

START = """\
   0   1   2   3   4   5
   |---| 4 | 4 | 4 | 4 | 4 | 4 |---|
  13 | 0 |=======================| 0 | 6
   |---| 4 | 4 | 4 | 4 | 4 | 4 |---|
   12  11  10  9   8   7"""

AFTER_PIT_1 = """\
   0   1   2   3   4   5
   |---| 5 | 0 | 4 | 4 | 4 | 4 |---|
  13 | 1 |=======================| 0 | 6
   |---| 5 | 5 | 4 | 4 | 4 | 4 |---|
   12  11  10  9   8   7"""


def test_the_start_is_drawn_as_in_the_article() -> None:
    """The first board of the article, to the letter."""
    assert draw(Board.start()) == START


def test_the_articles_first_move_is_told_and_drawn_as_in_the_article() -> None:
    """Pit 1 of the article's numbering: four seeds, one ahead, no capture, no second move."""
    start = Board.start()
    sowing = start.sow(4)
    assert outputs(start, 4, sowing) == "Player 1 selected pit 1: 4 seeds (+1, 0, 0)"
    assert draw(sowing.board) == AFTER_PIT_1


def test_every_row_keeps_its_width_when_pits_hold_many_seeds() -> None:
    """Two digits take the room that one digit left."""
    many = Board.from_text("<6,10,12,10,10,0,11,4,0,3,1,0,0,12,0>")
    rows, usual = draw(many).splitlines()[1:4], START.splitlines()[1:4]
    assert [len(row) for row in rows[::2]] == [len(row) for row in usual[::2]]
    assert rows[0] == "   |---| 0 | 4 |11 | 0 |10 |10 |---|"
    assert rows[2] == "   |---| 3 | 1 | 0 | 0 |12 | 0 |---|"


def test_another_size_is_numbered_by_the_same_ring() -> None:
    """With three pits a row the stores are 7 and 3, and Player 2 has 6, 5 and 4."""
    lines = draw(Board.start(Rules(pits=3, seeds=2))).splitlines()
    assert lines[0].split() == ["0", "1", "2"]
    assert lines[2] == "   7 | 0 |===========| 0 | 3"
    assert lines[4].split() == ["6", "5", "4"]


def test_a_capture_and_a_second_move_are_told_as_ones() -> None:
    """The third and fourth output are the article's 0 and 1."""
    again = Board.start()
    assert outputs(again, 2, again.sow(2)).endswith("(+1, 0, 1)")
    capture = Board.from_text("<6,0,0,1,0,4,4,4,4,4,4,4,4,4,4>")
    assert outputs(capture, 0, capture.sow(0)) == "Player 1 selected pit 5: 1 seed (+5, 1, 0)"


def test_the_second_players_difference_is_counted_for_the_second_player() -> None:
    """A score difference is the mover's own."""
    board = Board.start().sow(4).board
    assert outputs(board, 2, board.sow(2)) == "Player 2 selected pit 10: 4 seeds (+0, 0, 1)"


def test_a_finished_game_names_its_winner_or_a_draw() -> None:
    """What is left goes to the row's owner before it is counted."""
    assert verdict(Board.from_text("<2,3,1,0,0,2,1>")) == "Game over: Player 2 wins 4 to 3"
    assert verdict(Board.from_text("<2,4,1,0,0,2,1>")) == "Game over: a draw, 4 to 4"


def test_a_proven_value_is_told_from_an_estimate() -> None:
    """An estimate has fractions of a seed; a proof is a whole number and says so."""
    assert thinking(Info(depth=9, value=1.234, nodes=5000)) == "depth 9, value +1.23, 5,000 nodes"
    assert thinking(Info(value=-4.0, exact=True)) == "value -4 exactly"


@pytest.mark.parametrize(
    ("reason", "detail", "text"),
    [
        (Reason.NORMAL, None, "normal"),
        (Reason.TIMEOUT, "", "timeout"),
        (Reason.TIMEOUT, "no answer in 500 ms", "timeout: no answer in 500 ms"),
        (Reason.ABORTED, "aborted by the organiser", "aborted by the organiser"),
    ],
)
def test_the_reason_of_an_end_is_said_once(reason: Reason, detail: str | None, text: str) -> None:
    """With the detail, where there is one."""
    evidence = None if detail is None else Evidence(detail=detail)
    assert reason_text(reason, evidence) == text
