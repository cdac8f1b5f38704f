"""Measure what a ladder's fit costs the event loop and print one JSON object.

``python -m mancala.scripts.bench.serving.adoption`` makes ladders of 5,000 and 20,000 entrants,
restores them, plays games and fits; the fit itself runs beside the loop and is not counted.
``begin_ms`` is the copy that a fit begins with. ``slices_ms`` are the pieces of the loop's work
once the fit is there: its tables put in place with the first slice of ratings made ready for the
journal, then each further slice, and each piece of the former tables that is freed. Figures are
processor time of this thread, in milliseconds.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Annotated, Any, Final, TypeVar

import numpy as np
import typer

from mancala.server.ladders.fitting import fit_ladder
from mancala.server.ladders.ratings import FREED, SLICE
from mancala.server.ladders.state import CountedGame, LadderState
from mancala.server.model.entrant import Entrant
from mancala.server.model.game import Seats, Tally
from mancala.server.model.journal import EntrantRated

from ...console import output as console

T = TypeVar("T")

ENTRANTS: Final = (5_000, 20_000)
PAIRS_AN_ENTRANT: Final = 8
MEANWHILE: Final = 20
"""Games that end while a fit is running."""
MS: Final = 1000.0


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Fits of each ladder.")] = 3,
    seed: Annotated[int, typer.Option(help="Which games.")] = 1,
) -> None:
    """Fit ladders and print what that cost the loop."""
    console.emit({"ladders": [measured(entrants, rounds, seed) for entrants in ENTRANTS]})


def measured(entrants: int, rounds: int, seed: int) -> dict[str, Any]:
    """Return the figures of one ladder."""
    rng = Random(seed)  # noqa: S311  # no secret
    names = [f"bot{number}@1" for number in range(entrants)]
    seats = [_two(names, rng) for _ in range(PAIRS_AN_ENTRANT * entrants)]
    tallies = {each: Tally(rng.randrange(3), 1) for each in seats}
    state = LadderState({}, map(Entrant, names), tallies)
    begins: list[float] = []
    slices: list[float] = []
    for _ in range(rounds):
        begin, pieces = fitted(state, names, rng)
        begins.append(begin)
        slices += pieces
    return {
        "entrants": entrants,
        "begin_ms": quantiles(begins),
        "slices_ms": quantiles(slices),
        "slices": len(slices),
        "whole_ms": round(sum(slices) / rounds, 2),
    }


def fitted(state: LadderState, names: Sequence[str], rng: Random) -> tuple[float, list[float]]:
    """Fit once; return the time of its beginning and of each slice, in milliseconds."""
    count(state, names, rng)
    begun, begin_ms = timed(state.begin_fit)
    fit = fit_ladder(begun)
    count(state, names, rng)
    changed, first_ms = timed(lambda: state.adopt(fit))
    parts = [changed[begin : begin + SLICE] for begin in range(0, len(changed), SLICE)]
    pieces = [timed(lambda part=part: sliced(state, part))[1] for part in parts]  # type: ignore[misc]
    frees = [timed(lambda: state.free_replaced(FREED))[1] for _ in range(0, len(names), FREED)]
    pieces[0] += first_ms + frees[0]
    return begin_ms, pieces + frees[1:]


def sliced(state: LadderState, names: Sequence[str]) -> list[EntrantRated]:
    """Make a slice ready for the journal, as a ladder does."""
    return [EntrantRated("main", state.entrant(name)) for name in names]


def count(state: LadderState, names: Sequence[str], rng: Random) -> None:
    """Count some games."""
    for _ in range(MEANWHILE):
        state.count(CountedGame(_two(names, rng), rng.choice((0, 1, None))))


def timed(act: Callable[[], T]) -> tuple[T, float]:
    """Return what a call returns, and its processor time in milliseconds."""
    gc.disable()
    began = time.thread_time()
    found = act()
    took = time.thread_time() - began
    gc.enable()
    return found, took * MS


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """Return the median, the 99th percentile and the most."""
    found = np.quantile(values, (0.5, 0.99, 1.0)).tolist()
    return {
        name: round(value, 3) for name, value in zip(("p50", "p99", "most"), found, strict=True)
    }


def _two(names: Sequence[str], rng: Random) -> Seats:
    first, second = rng.sample(names, 2)
    return first, second


if __name__ == "__main__":
    typer.run(main)
