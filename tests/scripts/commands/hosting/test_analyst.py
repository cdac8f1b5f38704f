"""The process that values positions for a server's page."""

import subprocess
import sys

from mancala.protocol import codec
from mancala.protocol.analysis import PositionQuestion
from mancala.protocol.messages import Assessment
from mancala.protocol.rules import Board, Rules
from tests.patience import PATIENCE_S

RULES = "kalah:pits=3,seeds=2"
BOARDS = ("<3,0,0,2,2,2,2,2,2>", "<3,1,0,0,3,2,3,2,1>")


def test_every_move_has_its_exact_value() -> None:
    """On a small board all is proven, and equals a plain search of the rules."""
    questions = b"".join(
        codec.to_json(PositionQuestion(board, RULES, PATIENCE_S)) + b"\n" for board in BOARDS
    )
    command = (sys.executable, "-m", "mancala.scripts.mancala", "analyst")
    done = subprocess.run(command, input=questions, capture_output=True, check=True)
    answers = [codec.from_json(line, Assessment) for line in done.stdout.splitlines()]
    for text, answer in zip(BOARDS, answers, strict=True):
        board = Board.from_text(text, Rules.parse(RULES))
        found = {move.pit: move.value for move in answer.moves}
        assert found == {pit: value(board.sow(pit).board) for pit in board.legal()}
        assert all(move.depth is None for move in answer.moves)
        assert found[answer.line[0]] == max(found.values())


def value(board: Board) -> int:
    if board.is_over:
        return board.score()
    values = [value(board.sow(pit).board) for pit in board.legal()]
    return max(values) if board.player == 0 else min(values)
