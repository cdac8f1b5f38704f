"""Whether the interval beside a ladder's rating is that of the rating.

Ladders whose scale is the mean of their house bots, or whose anchors hold it, with few players:
there the zero is as uncertain as the ratings. A ladder counts simulated games of players of known
strength, is fitted, and states its standings; the share of guests' intervals that hold the truth is
counted. The truth of a guest is its lead over the mean of the house bots, or over the anchors.
"""

from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import typer

from mancala.server.ladders.fitting import fit_ladder
from mancala.server.ladders.state import CountedGame, LadderState
from mancala.server.model.entrant import CENTRE

from ...console import output as console
from .. import simulated_games
from ..simulated_games import GameConditions

CONDITIONS: Final = GameConditions(unequal=150, draw_weight=1.15)


class LadderField(NamedTuple):
    """A ladder: its house bots, its guests, and whether the former are anchors."""

    house: int
    guests: int
    anchored: bool = False


FIELDS: Final = (
    LadderField(1, 1),
    LadderField(2, 1),
    LadderField(2, 4),
    LadderField(4, 8),
    LadderField(2, 4, anchored=True),
)


def ladder_intervals(
    ladders: Annotated[int, typer.Option(min=1, help="Ladders of each kind.")] = 300,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games of each two players.")] = 10,
    seed: Annotated[int, typer.Option(help="Which games.")] = 1,
) -> None:
    """Count how often guests' intervals hold the truth."""
    rng = np.random.default_rng(seed)
    found = [guests_covered(field, ladders, pairs, rng) for field in FIELDS]
    console.emit({"ladders": found, "pairs": pairs, "seed": seed})


def guests_covered(
    field: LadderField, ladders: int, pairs: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Return how often the intervals of guests hold the truth."""
    held: list[bool] = []
    widths: list[float] = []
    for _ in range(ladders):
        elo = simulated_games.strengths(field.house + field.guests, CONDITIONS, rng)
        elo += CENTRE - elo[: field.house].mean()
        for guest, (rating, error) in _standings(field, elo, pairs, rng).items():
            held.append(abs(rating - elo[guest]) <= error)
            widths.append(error)
    return {
        **field._asdict(),
        "covered": round(float(np.mean(held)), 3),
        "mean_error": round(float(np.mean(widths)), 1),
        "intervals": len(held),
    }


def _standings(
    field: LadderField, elo: simulated_games.Floats, pairs: int, rng: np.random.Generator
) -> dict[int, tuple[float, float]]:
    """Return what a ladder's standings say of each guest after a round robin."""
    players = field.house + field.guests
    anchors = {str(bot): float(elo[bot]) for bot in range(field.house) if field.anchored}
    state = LadderState(anchors, house={str(bot) for bot in range(field.house)})
    seats = simulated_games.all_against_all(players, pairs)
    played = simulated_games.play(elo, *seats, CONDITIONS, rng)
    for one, two, there, back in zip(*(column.tolist() for column in played), strict=True):
        names = str(one), str(two)
        state.count(CountedGame(names, _winner(there)))
        state.count(CountedGame(names[::-1], _winner(2 - back)))
        state.count_pair(names, (there / 2, back / 2))
    state.adopt(fit_ladder(state.begin_fit()))
    return {
        int(row.name): (row.elo, row.elo_error)
        for row in state.standings()
        if int(row.name) >= field.house and row.elo is not None and row.elo_error is not None
    }


def _winner(half_points: int) -> int | None:
    return {0: 1, 1: None, 2: 0}[half_points]
