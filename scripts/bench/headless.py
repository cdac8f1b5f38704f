"""Measure headless matches and print one JSON object.

``python -m scripts.bench.headless`` plays a thousand games of two engines that look at one
position a move, so that what is measured is the harness: referee, records, worker processes and
statistics. Other games come first, until every worker has started. For comparison: fastchess with
two Stockfish at one node a move made 2,480 plies/s on two cores of such a machine.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated, Final

import typer

from scripts.console import output as console
from scripts.events.openings import openings_for
from scripts.processes import contest
from server.headless.event import Event, Format, plan
from server.headless.score import MatchScore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from server.headless.executor import GameExecutor
    from server.headless.game import Task

FASTCHESS_PLIES_S: Final = 2480.0
PLAYERS: Final = ("engine:nodes=1", "engine:nodes=1")
FIRST_GAMES: Final = 3000


def main(
    games: Annotated[int, typer.Option(min=2, help="Games to measure.")] = 1000,
    seed: Annotated[int, typer.Option(help="Which openings.")] = 1,
) -> None:
    """Play the games and say how fast."""
    event = match_of(FIRST_GAMES + contest.even(games), seed)
    tasks = plan(event, {}).tasks
    with contest.hired(event.contenders, event.conditions, contest.Place()) as team:
        first = timed(team, tasks[:FIRST_GAMES], MatchScore(event.names[0]))[1]
        score = MatchScore(event.names[0])
        renumbered = [renumber(task, FIRST_GAMES) for task in tasks[FIRST_GAMES:]]
        plies, seconds = timed(team, renumbered, score)
    speed = plies / seconds
    console.emit(
        {
            "games": score.games,
            "plies": plies,
            "workers": os.cpu_count(),
            "seconds": round(seconds, 3),
            "games_per_second": round(score.games / seconds, 1),
            "plies_per_second": round(speed, 1),
            "times_fastchess": round(speed / FASTCHESS_PLIES_S, 2),
            "first_games": FIRST_GAMES,
            "first_seconds": round(first, 3),
        }
    )


def match_of(games: int, seed: int) -> Event:
    """Return a match of ``games`` games, each pair from its own opening."""
    limits = contest.Limits()
    conditions = contest.conditions_of("kalah", limits, seed=seed)
    openings = openings_for(conditions.rules, games // 2, seed=seed)
    return Event(
        format=Format.ROUND_ROBIN,
        contenders=contest.contenders_of(PLAYERS, limits),
        games=games,
        rounds=1,
        conditions=conditions,
        openings=tuple(opening.board for opening in openings),
    )


def renumber(task: Task, less: int) -> Task:
    """Count a match's games from 0 again."""
    return type(task)(task.number - less, task.players, task.opening)


def timed(team: GameExecutor, tasks: Iterable[Task], score: MatchScore) -> tuple[int, float]:
    """Play games and count them in; gives their plies, and the seconds they took."""
    began = time.perf_counter()
    for batch in team.play(tasks):
        for game in batch.games:
            score.add(game)
    return score.plies, time.perf_counter() - began


if __name__ == "__main__":
    typer.run(main)
