"""Whether the interval beside a mean loss holds the truth: in ``rate``, and on ladders.

``mancala rate`` asks players in many positions; what they lose there is taken for the truth, and
samples as large as a usual run are drawn from it. A ladder's accuracy is simulated: games of
players whose errors come in good and bad games, counted game by game as the store does.
"""

import json
import subprocess
import sys
from math import sqrt
from statistics import stdev
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import typer

from mancala.protocol.accuracy import Phase, Sums, figures
from mancala.protocol.loss import NORMAL_95, ProvenPosition
from mancala.server.contest.rate.answers import PositionAnswer, loss_of

from ...console import output as console

PLAYERS: Final = ("engine:nodes=200", "alphabeta:depth=4", "greedy", "random")
USUAL: Final = 120
"""Positions of a usual run."""


class Errors(NamedTuple):
    """How a player of a ladder errs: the mean share of its moves that lose, and what they lose.

    ``uneven`` is the variance of that share from game to game, in squares of the mean.
    """

    share: float
    seeds: float
    uneven: float


LADDERS: Final = (Errors(0.03, 3, 1), Errors(0.1, 4, 0.5), Errors(0.1, 4, 1), Errors(0.25, 6, 0.5))
GAMES: Final = (2, 5, 20, 100)


def loss_intervals(
    positions: Annotated[int, typer.Option(min=10, help="Positions of each player.")] = 360,
    samples: Annotated[int, typer.Option(min=1, help="Samples of each kind.")] = 1000,
    seed: Annotated[int, typer.Option(help="Which positions and samples.")] = 1,
) -> None:
    """Count how often the intervals of losses hold the truth."""
    rng = np.random.default_rng(seed)
    options = ("--games", "0", "--positions", str(positions), "--seed", str(seed))
    rated = {player: losses_of(player, *options) for player in PLAYERS}
    console.emit(
        {
            "rate": {name: sampled(losses, samples, rng) for name, losses in rated.items()},
            "ladders": [
                accuracy_covered(errors, games, samples, rng)
                for errors in LADDERS
                for games in GAMES
            ],
            "seed": seed,
        }
    )


def losses_of(*options: str) -> dict[str, int]:
    """Return the losses that ``mancala rate`` prints, counted by their size."""
    command = [sys.executable, "-m", "mancala", "rate", *options, "--json"]
    done = subprocess.run(command, capture_output=True, check=True)  # noqa: S603  # our own
    losses: dict[str, int] = json.loads(done.stdout)["losses"]
    return losses


def sampled(losses: dict[str, int], samples: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return how often intervals of samples hold the mean of losses, counted by their size."""
    population = np.repeat([int(loss) for loss in losses], list(losses.values()))
    truth, held, normal, widths = float(population.mean()), 0, 0, 0.0
    for _ in range(samples):
        drawn = rng.choice(population, USUAL).tolist()
        found = loss_of(PositionAnswer(_losing(loss), 1) for loss in drawn)
        if found is None:
            raise ValueError("a sample is not empty")
        held += found.interval.low <= truth <= found.interval.high
        normal += abs(found.loss - truth) <= NORMAL_95 * stdev(drawn) / sqrt(USUAL)
        widths += found.interval.error
    return {
        "loss": round(truth, 3),
        "covered": round(held / samples, 3),
        "covered_by_the_normal_interval": round(normal / samples, 3),
        "mean_error": round(widths / samples, 3),
    }


def _losing(loss: int) -> ProvenPosition:
    """Return a position in which pit 1 loses so much."""
    return ProvenPosition(0, "late", "", {0: loss, 1: 0}, {})


def accuracy_covered(
    errors: Errors, games: int, samples: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Return how often the interval of a ladder's accuracy holds the truth."""
    shares = np.minimum(errors.share * _uneven(errors, 200_000, rng), 0.9)
    truth, held = float(shares.mean()) * errors.seeds, 0
    for _ in range(samples):
        total = Sums()
        for share in np.minimum(errors.share * _uneven(errors, games, rng), 0.9):
            moves = int(rng.integers(8, 25))
            wrong = int(rng.binomial(moves, share))
            lost = int(rng.geometric(1 / errors.seeds, wrong).sum())
            total = total.plus(Sums(1, moves, moves - wrong, lost, moves**2, moves * lost, lost**2))
        found = figures(Phase.ALL, total)
        if found is not None and found.loss_interval is not None:
            held += found.loss_interval[0] <= truth <= found.loss_interval[1]
    return {**errors._asdict(), "games": games, "covered": round(held / samples, 3)}


def _uneven(errors: Errors, games: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    return rng.gamma(1 / errors.uneven, errors.uneven, games)
