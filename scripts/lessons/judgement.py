"""Lessons on what a search makes of its evaluation: starving beside food, and errors by depth."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol.text import quantity

from ..console import output as console
from ..console.options import JsonOption

if TYPE_CHECKING:
    from mancala.engine.classics.evaluation import Evaluation
    from mancala.engine.classics.game import Position
    from mancala.protocol.loss import ProvenPosition

CORRIDOR: Final = "_.P__"
ERRORS: Final = (0.0, 2.0, 4.0, 8.0)
"""Standard deviations of the errors, in seeds."""
LATE: Final = 2
"""The last of the phases, which take turns: 20 to 26 seeds."""


class Favourite(StrEnum):
    """The step made where both are worth the same."""

    EAST = "east"
    WEST = "west"


@dataclass(frozen=True, slots=True)
class DepthLoss:
    """What a search of some turns loses: seeds a move, by the error of the evaluation."""

    depth: int
    losses: dict[str, float]


def register(group: typer.Typer) -> None:
    group.command("starving")(_starving)
    group.command("errors")(_errors)


def _starving(
    corridor: Annotated[
        str, typer.Argument(help="P for Pacman, a dot for food, _ for a free cell.")
    ] = CORRIDOR,
    *,
    horizon: Annotated[int, typer.Option(min=1, max=200, help="Steps to look ahead.")] = 3,
    discount: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="What a dot is worth one step later.")
    ] = 1.0,
    favourite: Annotated[
        Favourite, typer.Option(help="The step made where both are worth the same.")
    ] = Favourite.EAST,
    steps: Annotated[int, typer.Option(min=1, max=1000, help="Most steps to show.")] = 6,
    json: JsonOption = False,
) -> None:
    """Let an agent plan a few steps, make one and plan again, and see it starve beside its food."""
    from mancala.engine.classics.starving import Corridor, walk

    with console.bad_input():
        begin = Corridor.parse(corridor)
    made = list(islice(walk(begin, horizon, discount, favourite=favourite.value), steps))
    eaten = sum(each.ate for each in made)
    if json:
        rows = [{**each._asdict(), "corridor": str(each.corridor)} for each in made]
        console.emit({"eaten": eaten, "left": len(begin.food) - eaten, "rows": rows})
        return
    width = max(len("corridor"), begin.cells)
    console.say(f"{'corridor':{width}}   west   east  step")
    for each in made:
        west, east = (each.worth.get(step) for step in ("west", "east"))
        end = ", eats" if each.ate else ""
        console.say(f"{each.corridor!s:{width}} {_dots(west)} {_dots(east)}  {each.step}{end}")
    console.say(f"eaten {eaten} of {len(begin.food)} in {quantity(len(made), 'step')}")


def _dots(worth: float | None) -> str:
    return f"{'-':>6}" if worth is None else f"{worth:6.3g}"


def _errors(
    *,
    depth: Annotated[int, typer.Option(min=1, max=6, help="Last depth, in turns.")] = 4,
    positions: Annotated[int, typer.Option(min=1, max=1000, help="Proven positions.")] = 40,
    seed: Annotated[int, typer.Option(help="Repeats positions and errors.")] = 1,
    json: JsonOption = False,
) -> None:
    """Add errors to an evaluation, and measure by proven values what they cost at each depth.

    The evaluation is the difference of the stores. Its errors are normal, and the same whenever a
    position is seen again.
    """
    asked = _positions(seed, positions)
    rows = []
    for turns in range(1, depth + 1):
        losses = {f"{error:g}": _loss(asked, turns, error, seed) for error in ERRORS}
        rows.append(DepthLoss(turns, losses))
    if json:
        console.emit({"positions": positions, "seed": seed, "rows": rows})
        return
    console.say("seeds lost a move, by the error of the evaluation (standard deviation, in seeds)")
    console.say("depth" + "".join(f"{error:>8g}" for error in ERRORS))
    for row in rows:
        console.say(f"{row.depth:<5}" + "".join(f"{loss:>8.2f}" for loss in row.losses.values()))


def _positions(seed: int, count: int) -> list[ProvenPosition]:
    from mancala.engine.yardstick import AS_GAMES_HAVE_THEM, make_position
    from mancala.protocol.loss import PHASES

    numbers = (len(PHASES) * number + LATE for number in range(count))
    return [make_position(seed, number, AS_GAMES_HAVE_THEM) for number in numbers]


def _loss(asked: list[ProvenPosition], depth: int, error: float, seed: int) -> float:
    """Return the seeds that a search loses a move, where equal moves are equally likely."""
    from mancala.engine.classics.alphabeta import AlphaBetaPlayer
    from mancala.protocol.rules import KALAH, Board

    player = AlphaBetaPlayer(seed=seed, depth=depth, evaluate=_mistaken(error, seed))
    losses = []
    for position in asked:
        ratings = player.rate(Board.from_text(position.board, KALAH))
        best = [pit for pit, rating in ratings.items() if rating == max(ratings.values())]
        losses.append(fmean(position.loss(pit) for pit in best))
    return fmean(losses)


def _mistaken(error: float, seed: int) -> Evaluation:
    """Return the difference of the stores with an error of its own for each position."""
    from mancala.engine.classics.evaluation import stores

    def evaluate(position: Position) -> float:
        wrong = Random(f"{seed} {position}").gauss(0.0, error) if error else 0.0  # noqa: S311  # no secret
        return stores(position) + wrong

    return evaluate
