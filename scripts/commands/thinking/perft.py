"""``mancala perft``: count the leaves of the game tree."""

import time
from typing import Annotated

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.options import JsonOption, NumberCommand, RulesOption, rules_of
from ...console.positions import BoardArgument, board_of, per_second


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("perft", cls=NumberCommand)(_perft)


def _perft(
    depth: Annotated[int, typer.Argument(min=0, help="Plies; each sowing is one ply.")],
    board: BoardArgument = None,
    rules: RulesOption = "kalah",
    *,
    json: JsonOption = False,
) -> None:
    """Count the leaves of the game tree at a depth.

    A game that ends earlier counts as one leaf.
    """
    from mancala.engine.perft import perft

    position = board_of(board, rules_of(rules))
    perft(position, 1)  # compiles, outside the measured time
    began = time.perf_counter()
    leaves = perft(position, depth)
    seconds = time.perf_counter() - began
    result = {"nodes": leaves, "seconds": seconds, "nps": per_second(leaves, seconds)}
    console.show(result, f"{quantity(leaves, 'leaf', 'leaves')} in {seconds:.3f} s", json=json)
