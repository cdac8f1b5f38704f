"""Measure headless matches and print one JSON object.

``python -m scripts.bench.headless`` plays a thousand games of two engines that look at one
position a move, so that what is measured is the harness: referee, records, worker processes and
statistics. ``plies_per_cpu_second`` counts the workers' start in, and tells more where others use
the machine too. For comparison: fastchess with two Stockfish at one node a move made 2,480 plies/s
on two cores of such a machine.
"""

from __future__ import annotations

import os
from typing import Annotated, Final

import typer

from scripts import console, contest
from scripts.match import play_match
from scripts.openings import openings_for
from server.headless.event import Event, Format

FASTCHESS_PLIES_S: Final = 2480.0
PLAYERS: Final = ("engine:nodes=1", "engine:nodes=1")


def main(
    games: Annotated[int, typer.Option(min=2, help="Games to play.")] = 1000,
    seed: Annotated[int, typer.Option(help="Which openings.")] = 1,
) -> None:
    """Play the games and say how fast."""
    limits = contest.Limits()
    conditions = contest.conditions_of("kalah", limits, seed=seed)
    count = contest.even(games)
    openings = openings_for(conditions.rules, count // 2, seed=seed)
    event = Event(
        format=Format.ROUND_ROBIN,
        contenders=contest.contenders_of(PLAYERS, limits),
        games=count,
        rounds=1,
        conditions=conditions,
        openings=tuple(opening.board for opening in openings),
    )
    before = _cpu_s()
    score, seconds = play_match(event, contest.Place())
    speed, cpu_s = score.plies / seconds, _cpu_s() - before
    console.emit(
        {
            "games": score.games,
            "plies": score.plies,
            "workers": os.cpu_count(),
            "seconds": round(seconds, 3),
            "games_per_second": round(score.games / seconds, 1),
            "plies_per_second": round(speed, 1),
            "plies_per_cpu_second": round(score.plies / cpu_s, 1),
            "times_fastchess": round(speed / FASTCHESS_PLIES_S, 2),
        }
    )


def _cpu_s() -> float:
    """Give the seconds of processor that this process and its workers have used."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    typer.run(main)
