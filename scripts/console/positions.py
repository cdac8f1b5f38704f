"""Positions as commands take them: the board argument and its checks."""

import re
from dataclasses import replace
from typing import Annotated, Final

import typer

from mancala.protocol.rules import Board, Rules

from . import output as console
from .options import rules_of

DEFAULT: Final = "kalah"
GAME: Final = re.compile(r"(?P<preset>[a-z-]+):(?P<pits>[0-9]+),(?P<seeds>[0-9]+)")
BOARD_FORM = "<pits per row,mover's store,other store,mover's pits…,other pits…>"

BoardArgument = Annotated[
    str | None, typer.Argument(help=f"Position, as {BOARD_FORM}; default: the start.")
]
StartArgument = Annotated[
    str | None,
    typer.Argument(
        help=f"A game, as kalah:6,6 (pits, seeds); or a position, as {BOARD_FORM}; default: the"
        " start."
    ),
]

PitsOption = Annotated[int | None, typer.Option("--pits", min=1, max=16, help="Pits per row.")]
SeedsOption = Annotated[
    int | None, typer.Option("--seeds", min=1, help="Seeds per pit at the start.")
]


def board_of(text: str | None, rules: Rules) -> Board:
    with console.bad_input():
        return Board.start(rules) if text is None else Board.from_text(text, rules)


def start_of(start: str | None, rules: str, pits: int | None, seeds: int | None) -> Board:
    """Return an unfinished position of a text, or the start of a game that it or the rest names."""
    game = GAME.fullmatch(start or "")
    if start is not None and start[:1].isalpha() and game is None:
        if rules != DEFAULT:
            console.fail(f"{start} states the rules; leave out --rules {rules}")
        rules, start = start, None
    elif start is not None and (pits or seeds):
        console.fail("give a position or --pits and --seeds, not both")
    elif game is not None:
        if rules not in {DEFAULT, game["preset"]}:
            console.fail(f"the game {start} states its rules; leave out --rules {rules}")
        rules, pits, seeds, start = game["preset"], int(game["pits"]), int(game["seeds"]), None
    chosen = rules_of(rules)
    with console.bad_input():
        chosen = replace(chosen, pits=pits or chosen.pits, seeds=seeds or chosen.seeds)
    return unfinished(board_of(start, chosen))


def unfinished(board: Board) -> Board:
    if board.is_over:
        console.fail(f"the game is over in this position: {board.text}")
    return board


def per_second(count: int, seconds: float) -> int:
    """Return a rate, rounded; 0 when no time was measured."""
    return round(count / seconds) if seconds > 0 else 0
