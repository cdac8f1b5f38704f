"""Measure how well a candidate's margins predict its results, to choose a fitness.

``python -m mancala.scripts.bench.search.fitness DIR`` takes the games of a run of ``mancala tune
--play``. It splits each generation's openings in two at random, judges the candidates by one half
in several ways, and prints how that goes together with their share of the points in the other half:
the correlation over the candidates of a generation, whose square says how many games are worth as
much. Game results are mostly random, so all of them are far below 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np
import typer

from mancala.engine.tuning.cmaes_tuner import Generation
from mancala.protocol import codec

from ...console import output as console

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]

SPLITS: Final = 400


def squashed(margin: Reals, *, seeds: float) -> Reals:
    """Return a margin compressed so that seeds count less in a clear game."""
    return np.asarray(np.tanh(margin / seeds), dtype=np.float64)


WAYS: Final[dict[str, Callable[[Reals], Reals]]] = {
    "result": np.sign,
    **{f"tanh_{seeds}": partial(squashed, seeds=seeds) for seeds in (8, 12, 24)},
    "margin": np.asarray,
}


def margins_in(directory: Path) -> Reals:
    """Read the games of a run, f64[generations, candidates, openings, 2], in seeds."""
    paths = sorted(directory.glob("generation-*.json"))
    generations = [codec.from_json(path.read_bytes(), Generation) for path in paths]
    return np.array([[trial.margins for trial in each.trials] for each in generations], float)


def agreement(margins: Reals, way: Callable[[Reals], Reals], *, seed: int) -> float:
    """Correlate a way of judging by half of the openings with the points in the other half."""
    rng = np.random.default_rng(seed)
    judged, points = way(margins).mean(axis=3), np.sign(margins).mean(axis=3)
    half = judged.shape[2] // 2
    found = []
    for _ in range(SPLITS):
        order = rng.permutation(judged.shape[2])
        one = _centred(judged[:, :, order[:half]].mean(axis=2))
        other = _centred(points[:, :, order[half:]].mean(axis=2))
        found.append(float((one * other).sum() / np.sqrt((one**2).sum() * (other**2).sum())))
    return float(np.mean(found))


def _centred(values: Reals) -> Reals:
    return np.asarray(values - values.mean(axis=1, keepdims=True), dtype=np.float64)


def main(
    directory: Annotated[Path, typer.Argument(help="What mancala tune --play --resume kept.")],
    *,
    seed: Annotated[int, typer.Option(help="How openings are split.")] = 1,
) -> None:
    """Print one JSON object: the correlation of each way with the results of other games."""
    margins = margins_in(directory)
    if not margins.size:
        console.fail(f"{directory} holds no generation")
    told = {name: round(agreement(margins, way, seed=seed), 4) for name, way in WAYS.items()}
    console.emit({"games": int(margins.size), "agreement": told})


if __name__ == "__main__":
    typer.run(main)
