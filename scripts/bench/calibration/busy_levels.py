"""Whether the levels of ``mancala rate`` are equally strong on a machine that is too slow for them.

The effort of a level is counted in nodes. A limit that its moves exceed stands for a busy machine:
the place of a player that answers within it must be the same as without hurry, game by game.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from ...console import output as console
from .public import mancala

HURRY: Final = ("--movetime", "0.01", "--margin", "0.005")
"""Level 10 takes longer for nearly every move, and ``greedy`` a hundredth of that."""
LEISURE: Final = ("--movetime", "60")


def busy_levels(
    games: Annotated[int, typer.Option(min=10, help="Games of each rating.")] = 200,
    seed: Annotated[int, typer.Option(help="Which games.")] = 1,
) -> None:
    """Rate ``greedy`` with a limit that the levels exceed, and without."""
    console.emit(found_busy("greedy", games, seed))


def found_busy(player: str, games: int, seed: int) -> dict[str, Any]:
    """Return the place of a player in a hurry and at leisure; they must be equal."""
    options = ("--positions", "0", "--games", str(games), "--concurrency", "1", "--seed", str(seed))
    figures = ("elo", "elo_error", "games", "void_games", "faults", "levels")
    found = {
        name: {key: rating[key] for key in figures}
        for name, limits in (("hurry", HURRY), ("leisure", LEISURE))
        for rating in (mancala("rate", player, *options, *limits),)
    }
    return {"player": player, **found, "equal": found["hurry"] == found["leisure"]}
