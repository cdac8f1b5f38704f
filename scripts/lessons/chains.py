"""A lesson on what depth counts: the sowings of a turn, by a search in turns or in sowings."""

from __future__ import annotations

from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..console import output as console
from ..console.options import JsonOption, RulesOption
from .options import searched_rules

if TYPE_CHECKING:
    from mancala.engine.classics.trees import TreePlayer
    from mancala.protocol.rules import Board, Rules

MOST_BEFORE: Final = 24
"""Random sowings before a position, at most."""


def register(group: typer.Typer) -> None:
    group.command("chains")(_chains)


def _chains(
    *,
    depth: Annotated[int, typer.Option(min=1, max=6, help="Last depth.")] = 4,
    positions: Annotated[int, typer.Option(min=1, max=1000, help="Random positions.")] = 100,
    seed: Annotated[int, typer.Option(help="Repeats positions and choices.")] = 1,
    rules: RulesOption = "kalah",
    json: JsonOption = False,
) -> None:
    """Count the sowings of a turn, by the depth of the search, in turns and in sowings.

    The article says that shallow agents do not chain re-turns. They do not where the depth counts
    sowings: the second one is then beyond their horizon.
    """
    from mancala.engine.classics.alphabeta import AlphaBetaPlayer

    asked = _positions(searched_rules(rules), positions, Random(seed))  # noqa: S311  # no secret
    rows = []
    for level in range(1, depth + 1):
        players = {
            name: AlphaBetaPlayer(seed=seed, depth=level, in_sowings=name == "sowings")
            for name in ("turns", "sowings")
        }
        found = {
            name: fmean(_sown(each, board) for board in asked) for name, each in players.items()
        }
        rows.append({"depth": level, **found})
    longest = fmean(map(_longest, asked))
    if json:
        console.emit({"positions": positions, "seed": seed, "longest": longest, "rows": rows})
        return
    console.say("sowings a turn, by what the depth counts")
    console.say("depth   turns  sowings")
    for row in rows:
        console.say(f"{row['depth']:<5}{row['turns']:>8.2f}{row['sowings']:>9.2f}")
    console.say(f"the longest turns have {longest:.2f}")


def _positions(rules: Rules, count: int, rng: Random) -> list[Board]:
    """Return positions in the middle of random games."""
    from mancala.protocol.rules import Board

    found: list[Board] = []
    while len(found) < count:
        board = Board.start(rules)
        for _ in range(rng.randrange(MOST_BEFORE)):
            board = board if board.is_over else board.sow(rng.choice(board.legal())).board
        found += [] if board.is_over else [board]
    return found


def _sown(player: TreePlayer, board: Board) -> int:
    """Return how many sowings a player makes in its turn."""
    mover, sowings = board.player, 0
    while board.player == mover and not board.is_over:
        board = board.sow(player.choose(board).pit).board
        sowings += 1
    return sowings


def _longest(board: Board) -> int:
    """Return how many sowings a turn can have."""
    after = [board.sow(pit).board for pit in board.legal()]
    again = [each for each in after if each.player == board.player and not each.is_over]
    return 1 + max(map(_longest, again), default=0)
