"""Measure how far the engine's levels lie apart, and print one JSON object.

``python -m mancala.scripts.bench.levels`` lets each of the ten levels play 200 pairs of games
against the one below it, from random openings of Kalah(6,4) with the seats swapped, and then all of
them a short round robin. Everything is bounded by plies and nodes and drawn from a seed, so the
figures are the same on every machine, busy or idle. That holds for level 10 as well, which is the
engine: it gets a fixed number of nodes per move here, about ten milliseconds, less than in real
    games.
"""

from __future__ import annotations

import time
from math import comb
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from mancala.scripts.bench.averages import average
from mancala.scripts.console import output as console
from mancala.scripts.tournament.workers import contest
from mancala.server.events.plan import Format
from mancala.server.headless.event import Contender, Event, plan

if TYPE_CHECKING:
    from mancala.server.headless.event_standings import EventStandings
    from mancala.server.headless.game import Conditions
    from mancala.server.headless.played_game import PlayedGame
    from mancala.server.model.pair_counts import PairCounts

LEAST_SCORE: Final = 0.6
"""What each level is to score against the one below it."""


class LevelStep(NamedTuple):
    """A level against the one below it.

    Attributes:
        level: the higher one.
        score: its mean score a game, 0..1.
        error: half of the 95 % interval of the score, from the spread of pairs.
        games: won, drawn and lost.
    """

    level: int
    score: float
    error: float
    games: tuple[int, int, int]


def contender(level: int, nodes: int) -> Contender:
    """Name a level; the engine itself is bounded by nodes."""
    from mancala.engine.skill import FULL_LEVEL

    spec = f"engine:level={level}"
    return Contender(f"level {level}", f"{spec},nodes={nodes}" if level == FULL_LEVEL else spec)


def event_of(levels: list[int], pairs: int, conditions: Conditions, *, nodes: int) -> Event:
    """Return a round robin of levels, in pairs of games from random openings."""
    from mancala.engine import openings

    encounters = comb(len(levels), 2)
    chosen = openings.choose(None, conditions.rules, pairs * encounters, seed=conditions.seed)
    return Event(
        format=Format.ROUND_ROBIN,
        contenders=tuple(contender(level, nodes) for level in levels),
        games=2 * pairs,
        rounds=1,
        conditions=conditions,
        openings=tuple(opening.board for opening in chosen),
    )


def step(level: int, event: Event, workers: int) -> LevelStep:
    """Measure a level against the one below it."""
    from mancala.scripts.tournament.runs.match import score_match

    with contest.open_executor(
        event.contenders, event.conditions, contest.ExecutorOptions(workers)
    ) as executor:
        score = score_match(event, executor)
    games = score.wins, score.draws, score.losses
    return LevelStep(level, score.counts.score, score_error(score.counts), games)


def score_error(counts: PairCounts) -> float:
    """Return the standard error of the mean score per game."""
    return average([half / 4 for half, n in enumerate(counts.counts) for _ in range(n)]).error


def round_robin(event: Event, workers: int) -> EventStandings:
    """Play an event to its end."""
    from mancala.server.headless.event_standings import standings_of

    played: dict[int, PlayedGame] = {}
    with contest.open_executor(
        event.contenders, event.conditions, contest.ExecutorOptions(workers)
    ) as executor:
        for batch in executor.play(plan(event, {}).tasks):
            played |= {game.number: game for game in batch.games}
    return standings_of(event, played)


def summary(table: EventStandings) -> dict[str, Any]:
    """Return the points by level, the ratings, and whether both rise."""
    rising = sorted(table.standings, key=lambda line: int(line.name.split()[1]))
    return {
        "games": table.games,
        "scores": [round(line.points / line.games, 3) for line in rising],
        "elo": [round(line.elo) for line in rising if line.elo is not None],
        "monotone": rising == list(reversed(table.standings)),
    }


def main(
    *,
    pairs: Annotated[int, typer.Option(min=2, help="Pairs of games a step.")] = 200,
    robin: Annotated[int, typer.Option(min=0, help="Pairs each two of the round robin.")] = 6,
    nodes: Annotated[int, typer.Option(min=1, help="Level 10's positions a move.")] = 20_000,
    rules: Annotated[str, typer.Option(help="A preset, with changes.")] = "kalah",
    seed: Annotated[int, typer.Option(help="Seed of openings and players.")] = 1,
    workers: Annotated[int, typer.Option(min=1, help="Games at a time.")] = 1,
) -> None:
    """Measure the ten levels."""
    from mancala.engine.skill import FULL_LEVEL

    began = time.monotonic()
    levels = list(range(1, FULL_LEVEL + 1))
    conditions = contest.conditions_of(rules, contest.PlayerLimits(), seed=seed)
    steps = [
        step(upper, event_of([upper, upper - 1], pairs, conditions, nodes=nodes), workers)
        for upper in levels[1:]
    ]
    result: dict[str, Any] = {
        "rules": str(conditions.rules),
        "pairs": pairs,
        "seed": seed,
        "level_10_nodes": nodes,
        "steps": [
            {**each._asdict(), "score": round(each.score, 4), "error": round(each.error, 4)}
            for each in steps
        ],
        "least_score": round(min(each.score for each in steps), 4),
        "reached": all(each.score >= LEAST_SCORE for each in steps),
    }
    if robin:
        result["round_robin"] = summary(
            round_robin(event_of(levels, robin, conditions, nodes=nodes), workers)
        )
    console.emit({**result, "seconds": round(time.monotonic() - began, 1)})


if __name__ == "__main__":
    typer.run(main)
