"""Options that several lessons share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from mancala.protocol.rules import Board, Rules

from ..console import output as console
from ..console.options import rules_of
from ..console.positions import board_of

SMALL_TREE: Final = "((3 12 8) (2 4 6) (14 5 2))"
MOST_QUIESCENCE: Final = 16


class Evaluated(StrEnum):
    """What values a position where a search stops."""

    STORES = "stores"
    SIDE = "side"
    WEIGHTED = "weighted"


TreeArgument = Annotated[
    str | None,
    typer.Argument(
        help=f"Numbers in parentheses, such as '{SMALL_TREE}'; kinds alternate below a max "
        "root, and max(…), min(…), chance(0.8:5 0.2:3) name one; ? is an unknown leaf. @4(3 9!) "
        "is a node worth 4 at first sight, ! what a capture leads to."
    ),
]
BoardOption = Annotated[
    str | None, typer.Option(help="Take the tree of this position instead; 'start' is one.")
]
QuiescenceOption = Annotated[
    int,
    typer.Option(
        min=0, max=MOST_QUIESCENCE, help="Captures and re-turns to follow beyond the depth."
    ),
]
EvaluationOption = Annotated[
    Evaluated, typer.Option(help="The value of a position where the search stops.")
]
StepsOption = Annotated[
    bool,
    typer.Option("--steps", help="Show the walk step by step: in sentences, and in the drawing."),
]
SvgOption = Annotated[
    Path | None,
    typer.Option(
        help="Also draw the tree into this file; with --steps one to click through in a browser.",
        dir_okay=False,
    ),
]


def searched_rules(text: str) -> Rules:
    """Return the rules that ``--rules`` names; exit unless the textbook players know them."""
    from mancala.engine.classics.game import ClassicGame

    rules = rules_of(text)
    with console.bad_input():
        ClassicGame(rules)
    return rules


def position(text: str, rules: Rules) -> Board:
    """Return the position that ``--board`` names; exit if it is none."""
    return board_of(None if text == "start" else text, rules)
