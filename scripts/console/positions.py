"""Positions as commands take them: the board argument and its checks."""

from dataclasses import replace
from typing import Annotated

import typer

from mancala.protocol.rules import Board, Rules

from . import output as console

BOARD_FORM = "<pits per row,mover's store,other store,mover's pits…,other pits…>"

BoardArgument = Annotated[
    str | None, typer.Argument(help=f"Position, as {BOARD_FORM}; default: the start.")
]

PitsOption = Annotated[int | None, typer.Option("--pits", min=1, max=16, help="Pits per row.")]
SeedsOption = Annotated[
    int | None, typer.Option("--seeds", min=1, help="Seeds per pit at the start.")
]


def board_of(text: str | None, rules: Rules) -> Board:
    with console.bad_input():
        return Board.start(rules) if text is None else Board.from_text(text, rules)


def start_of(text: str | None, rules: Rules, pits: int | None, seeds: int | None) -> Board:
    """Return an unfinished position of a text, or the start of a game of this size."""
    with console.bad_input():
        rules = replace(rules, pits=pits or rules.pits, seeds=seeds or rules.seeds)
    return unfinished(board_of(text, rules))


def unfinished(board: Board) -> Board:
    if board.is_over:
        console.fail(f"the game is over in this position: {board.text}")
    return board


def per_second(count: int, seconds: float) -> int:
    """Return a rate, rounded; 0 when no time was measured."""
    return round(count / seconds) if seconds > 0 else 0
