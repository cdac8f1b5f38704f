"""Measure the joint fit of a large ladder and print one JSON object.

``python -m mancala.scripts.bench.serving.fit`` fits 10,000 entrants and 1,000,000 games, once from
nothing and once from the ratings found, after some more games. Opponents are drawn from all
entrants, which makes as many pairs as there can be, or from those close in strength, as a ladder
pairs them. Memory is the most that the fit itself allocates. ``loop_lag_ms`` is the longest delay
of an event loop of the same process while the fit runs on a thread, as it does in the server.
``error_ratio`` compares estimated half-widths with exact ones, for as many entrants as can still be
computed exactly: the root of the mean square of the relative difference.
"""

import asyncio
import time
import tracemalloc
from functools import partial
from typing import Annotated, Any, Final

import numpy as np
import typer

from mancala.server.rating.fit import FROM_NOTHING, Start, fit_columns
from mancala.server.rating.pair_table import PairColumns, PairTable
from mancala.server.rating.ratings import Ratings

from ...console import output as console
from .. import simulated_games
from ..simulated_games import GameConditions

GAMES_AN_ENTRANT: Final = 200
CLOSE: Final = 0.05
"""Standard deviation of the distance of close opponents, in places, as a share of the ladder."""
EXACT: Final = 2000
CONDITIONS: Final = GameConditions(unequal=0.0, draw_weight=0.2)


def main(
    entrants: Annotated[int, typer.Option(min=10, help="Entrants.")] = 10_000,
    games: Annotated[int, typer.Option(min=2, help="Games.")] = 1_000_000,
    seed: Annotated[int, typer.Option(help="Which games.")] = 1,
) -> None:
    """Fit the games and print how long it took."""
    console.emit(
        {
            "entrants": entrants,
            "games": games,
            "any_opponent": measured(entrants, games, None, seed),
            "close_opponents": measured(entrants, games, CLOSE, seed),
        }
    )


def measured(entrants: int, games: int, closeness: float | None, seed: int) -> dict[str, Any]:
    columns = played(entrants, games, closeness, seed).columns()
    tracemalloc.start()
    fit_columns(columns)
    memory = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    cold, last = timed(columns, FROM_NOTHING)
    warm, _ = timed(columns, start_of(last, noise=5.0, seed=seed))
    return {
        "pairs": columns.low.size,
        "cold_seconds": round(cold, 3),
        "warm_seconds": round(warm, 3),
        "memory_mb": round(memory, 1),
        "loop_lag_ms": round(1000 * asyncio.run(loop_lag_s(columns)), 1),
        "error_ratio": round(error_ratio(min(entrants, EXACT), closeness, seed), 4),
    }


def played(entrants: int, games: int, closeness: float | None, seed: int) -> PairTable:
    """Return side-swapped pairs of games of opponents close in strength or of any."""
    rng = np.random.default_rng(seed)
    elo = np.sort(rng.normal(1500, 300, entrants))
    first = rng.integers(0, entrants, games // 2)
    if closeness is None:
        second = rng.integers(0, entrants, first.size)
    else:
        distance = np.rint(rng.normal(0, closeness * entrants, first.size))
        second = (first + distance).astype(np.int64).clip(0, entrants - 1)
    second = np.where(second == first, (first + 1) % entrants, second)
    found = simulated_games.play(elo, first, second, CONDITIONS, rng)
    return simulated_games.table_of(found, [f"bot-{number}" for number in range(entrants)])


def start_of(ratings: Ratings, noise: float, seed: int) -> Start:
    """Return ratings to start from, each off by some Elo."""
    rng = np.random.default_rng(seed)
    shifts = rng.normal(0, noise, len(ratings.players)).tolist()
    elo = {
        player.name: player.elo + shift
        for player, shift in zip(ratings.players, shifts, strict=True)
    }
    return Start(elo, ratings.advantage)


def timed(columns: PairColumns, start: Start) -> tuple[float, Ratings]:
    began = time.perf_counter()
    ratings = fit_columns(columns, start=start)
    return time.perf_counter() - began, ratings


async def loop_lag_s(columns: PairColumns) -> float:
    """Return the longest delay of the event loop while a fit runs on a thread, in seconds."""
    work = asyncio.ensure_future(asyncio.to_thread(partial(fit_columns, columns)))
    longest, tick_s = 0.0, 0.001
    while not work.done():
        began = time.perf_counter()
        await asyncio.sleep(tick_s)
        longest = max(longest, time.perf_counter() - began - tick_s)
    return longest


def error_ratio(entrants: int, closeness: float | None, seed: int) -> float:
    """Return by how much the estimated half-widths miss the exact ones, relatively."""
    columns = played(entrants, GAMES_AN_ENTRANT * entrants // 2, closeness, seed).columns()
    exact, estimated = (fit_columns(columns, exact_players=most) for most in (entrants, 0))
    errors = [
        np.array([player.error for player in sorted(ratings.players)])
        for ratings in (exact, estimated)
    ]
    return float(np.sqrt(np.mean((errors[1] / errors[0] - 1) ** 2)))


if __name__ == "__main__":
    typer.run(main)
