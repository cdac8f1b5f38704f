"""``mancala analyst``: values of positions, asked on stdin and answered on stdout, a line each.

A server's web process starts it for hints and for the analysis board. It runs at a low priority,
ends with that process, and answers one question after the other.
"""

import os
import sys
from typing import Final

import typer

NICENESS: Final = 15
"""Below the web process, which is below the games."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("analyst", hidden=True)(_command)


def _command() -> None:
    """Answer questions about positions."""
    from mancala.engine.game_reviews import ReviewerPool
    from mancala.protocol import codec
    from mancala.protocol.analysis import PositionQuestion
    from mancala.protocol.rules import Board, Rules

    from ...console.compiling import compile_engine_for

    compile_engine_for("engine")
    os.nice(NICENESS)  # house bots may wait for what is compiled
    reviewers = ReviewerPool()
    for line in sys.stdin.buffer:
        question = codec.from_json(line, PositionQuestion)
        board = Board.from_text(question.board, Rules.parse(question.rules))
        pit = board.legal()[0]
        work = reviewers.work((board, board.sow(pit).board), (pit,), time_s=question.seconds)
        sys.stdout.buffer.write(codec.to_json(work.assessments[0]) + b"\n")
        sys.stdout.buffer.flush()
