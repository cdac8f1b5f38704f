"""Positions as commands take them: the board argument and its checks."""

from typing import Annotated

import typer

from mancala.protocol.rules import Board, Rules

from . import output as console

BOARD_FORM = "<pits per row,mover's store,other store,mover's pits…,other pits…>"

BoardArgument = Annotated[
    str | None, typer.Argument(help=f"Position, as {BOARD_FORM}; default: the start.")
]


def board_of(text: str | None, rules: Rules) -> Board:
    with console.bad_input():
        return Board.start(rules) if text is None else Board.from_text(text, rules)


def unfinished(board: Board) -> Board:
    if board.is_over:
        console.fail(f"the game is over in this position: {board.text}")
    return board


def per_second(count: int, seconds: float) -> int:
    """Return a rate, rounded; 0 when no time was measured."""
    return round(count / seconds) if seconds > 0 else 0
