"""Whether players that do not lie on one line are found, and their intervals hold the truth.

Round robins of simulated players. In some, each two players have a surplus of their own, in Elo,
that no rating explains; in some, one pair deals: its second player always wins. Counted are the
round robins that are said not to lie on one line, those in which that pair or another one is called
unusual, and the share of intervals that hold the strength: as stated, without the widening, and
where the games of unusual pairs are left out.
"""

from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import typer

from mancala.server.model.entrant import CENTRE
from mancala.server.rating.fit import Model
from mancala.server.rating.ratings import Ratings

from ...console import output as console
from .. import simulated_games
from ..simulated_games import GameConditions, PlayedPairs

CONDITIONS: Final = GameConditions(unequal=150, draw_weight=1.15)
DEALERS: Final = ("0", "1")


class MisfitField(NamedTuple):
    """Round robins, by players, and pairs of games of each two.

    ``apart`` is the deviation of what each two have of their own, in Elo; in a ``deal`` the second
    player always beats the first.
    """

    players: int
    pairs: int
    apart: float = 0.0
    deal: bool = False


FIELDS: Final = (
    MisfitField(8, 2),
    MisfitField(8, 10),
    MisfitField(16, 5),
    MisfitField(8, 10, apart=100),
    MisfitField(8, 10, apart=200),
    MisfitField(8, 40, apart=200),
    MisfitField(8, 10, deal=True),
    MisfitField(16, 5, deal=True),
)


def misfit(
    events: Annotated[int, typer.Option(min=1, help="Round robins of each kind.")] = 300,
    seed: Annotated[int, typer.Option(help="Which games.")] = 1,
) -> None:
    """Count what is found of players that do not lie on one line."""
    rng = np.random.default_rng(seed)
    console.emit({"events": [found_in(field, events, rng) for field in FIELDS], "seed": seed})


def found_in(field: MisfitField, events: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return what is said of round robins, as shares of them, and of intervals."""
    said = [_said(field, rng) for _ in range(events)]
    held = ("covered", "covered_unwidened", "covered_left_out")
    names = ("off_the_line", "dealers", "other_pairs", *held)
    means = (round(float(np.mean(column)), 3) for column in zip(*said, strict=True))
    return {**field._asdict(), **dict(zip(names, means, strict=True))}


def _said(field: MisfitField, rng: np.random.Generator) -> tuple[float, ...]:
    elo = simulated_games.strengths(field.players, CONDITIONS, rng)
    played = _played(field, elo, rng)
    ratings = simulated_games.fitted(played, field.players, model=Model(widen=True))
    rest = simulated_games.fitted(played, field.players, model=Model(widen=True, leave_out=True))
    found = ratings.misfit
    if found is None:
        raise RuntimeError("a round robin has nothing to compare")
    unusual = {frozenset(each.players) for each in found.residuals if each.unusual}
    dealers = frozenset(DEALERS)
    held = (_held(ratings, elo), _held(ratings, elo, found.widening), _held(rest, elo))
    return not found.on_one_line, dealers in unusual, bool(unusual - {dealers}), *held


def _played(
    field: MisfitField, elo: simulated_games.Floats, rng: np.random.Generator
) -> PlayedPairs:
    one, two = simulated_games.all_against_all(field.players, field.pairs)
    own = np.repeat(rng.normal(0, field.apart, one.size // field.pairs), field.pairs)
    pairs = np.arange(one.size)
    strength = np.concatenate([elo[one] + own, elo[two]])
    played = simulated_games.play(strength, pairs, pairs + one.size, CONDITIONS, rng)
    dealt = field.deal & (one == int(DEALERS[0])) & (two == int(DEALERS[1]))
    there, back = (np.where(dealt, 0, points) for points in (played.there, played.back))
    return PlayedPairs(one, two, there, back)


def _held(ratings: Ratings, elo: simulated_games.Floats, narrower: float = 1.0) -> float:
    """Return the share of intervals that hold the strength, were they narrower by a factor."""
    return float(
        np.mean(
            [
                abs(each.elo - CENTRE - elo[int(each.name)]) <= each.error / narrower
                for each in ratings.players
            ]
        )
    )
