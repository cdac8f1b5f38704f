"""Measure how far the engine's levels lie apart, and print one JSON object.

``python -m mancala.scripts.bench.search.levels`` lets each of the ten levels play 200 pairs of
games against the one below it, from the openings that `mancala match` takes, with the seats
swapped, and then all of them a short round robin. One joint fit to all these games is the scale of
`mancala.protocol.levels`. Games between neighbours from the start of the game are counted apart:
there the first player has an advantage, which makes every step look smaller.

Everything is bounded by plies and nodes and drawn from a seed, so the figures are the same on every
machine, busy or idle. That holds for level 10 as well, which is the engine: it gets a fixed number
of nodes per move here, about ten milliseconds, less than in real games.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, cycle, islice, pairwise
from math import comb
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import typer

from mancala import gauntlet, headless
from mancala.server.config.events import Format
from mancala.server.contest.headless.event import Contender, Event, plan
from mancala.server.contest.headless.executor import GameExecutor
from mancala.server.contest.headless.game import Conditions
from mancala.server.contest.headless.played_game import PlayedGame
from mancala.server.contest.headless.standings import EventStandings
from mancala.server.model.game import RatedGame, tally
from mancala.server.model.pair_counts import PairCounts, paired
from mancala.server.rating.fit import Model, fit
from mancala.server.rating.ratings import Rating

from ...console import output as console
from ...console.options import rules_of
from ..averages import average

Results: TypeAlias = "dict[int, RatedGame]"
"""Results of an event's games, by number and in order."""
LEAST_SCORE: Final = 0.6
"""What each level is to score against the one below it."""


class LevelStep(NamedTuple):
    """A level against the one below it: its mean score, with half of the 95 % interval over pairs.

    ``games`` are those won, drawn and lost.
    """

    level: int
    score: float
    error: float
    games: tuple[int, int, int]

    def rounded(self) -> dict[str, Any]:
        return {**self._asdict(), "score": round(self.score, 4), "error": round(self.error, 4)}


class LevelField:
    """The levels, on workers that have loaded them all; level 10 thinks for ``nodes`` positions."""

    def __init__(self, conditions: Conditions, nodes: int, executor: GameExecutor) -> None:
        self._conditions = conditions
        self._nodes = nodes
        self._executor = executor

    @classmethod
    @contextmanager
    def opened(cls, conditions: Conditions, nodes: int, workers: int) -> Iterator[LevelField]:
        contenders = contenders_of(all_levels(), nodes)
        with headless.open_executor(contenders, conditions, workers=workers) as executor:
            yield cls(conditions, nodes, executor)

    def robin(self, levels: list[int], pairs: int, *, from_start: bool = False) -> Event:
        """Return a round robin of levels, in pairs of games from `mancala match`'s openings."""
        from mancala.engine import openings

        rules = self._conditions.rules
        count = 0 if from_start else pairs * comb(len(levels), 2)
        book = openings.shipped(rules)
        different = min(count, len(book.openings)) if book is not None else count
        chosen = openings.choose(book, rules, different, seed=self._conditions.seed)
        return Event(
            format=Format.ROUND_ROBIN,
            contenders=contenders_of(levels, self._nodes),
            games=2 * pairs,
            rounds=1,
            conditions=self._conditions,
            openings=tuple(opening.board for opening in islice(cycle(chosen), count)),
        )

    def play(self, event: Event) -> dict[int, PlayedGame]:
        """Play an event to its end; return its games by number, in order."""
        batches = self._executor.play(plan(event, {}).tasks)
        played = {game.number: game for batch in batches for game in batch.games}
        return dict(sorted(played.items()))

    def neighbours(self, pairs: int, *, from_start: bool = False) -> dict[int, Results]:
        """Let each level play the one below it; return the results by the higher level."""
        return {
            upper: results(self.play(self.robin([upper, lower], pairs, from_start=from_start)))
            for lower, upper in pairwise(all_levels())
        }


def all_levels() -> list[int]:
    from mancala.engine.skill import FULL_LEVEL

    return list(range(1, FULL_LEVEL + 1))


def contenders_of(levels: list[int], nodes: int) -> tuple[Contender, ...]:
    """Name levels; the engine itself is bounded by nodes."""
    return tuple(gauntlet.level_contender(level, nodes) for level in levels)


def results(played: Mapping[int, PlayedGame]) -> Results:
    return {number: game.rated for number, game in played.items()}


def step(level: int, games: Results) -> LevelStep:
    name = f"level {level}"
    counts = sum(
        (
            pairs if seats[0] == name else pairs.seen_from_the_other()
            for seats, pairs in paired(games).items()
        ),
        PairCounts(),
    )
    points = [game.points(game.players.index(name)) for game in games.values()]
    won, drawn, lost = (points.count(worth) for worth in (1, 0.5, 0))
    return LevelStep(level, counts.score, score_error(counts), (won, drawn, lost))


def score_error(counts: PairCounts) -> float:
    """Return the standard error of the mean score per game."""
    return average([half / 4 for half, n in enumerate(counts.counts) for _ in range(n)]).error


def scale(events: list[Results]) -> list[Rating]:
    """Return the ratings of the levels above the lowest one, by one joint fit to all games."""
    games = dict(enumerate(chain.from_iterable(event.values() for event in events)))
    lowest = min({name for game in games.values() for name in game.players}, key=_level)
    rated = fit(
        tally(games.values()), pairs=paired(games), anchors={lowest: 0.0}, model=Model(widen=True)
    )
    return sorted(rated.players, key=lambda rating: _level(rating.name))


def _level(name: str) -> int:
    return int(name.split()[1])


def summary(table: EventStandings) -> dict[str, Any]:
    """Return the points by level, the ratings, and whether both rise."""
    rising = sorted(table.standings, key=lambda line: _level(line.name))
    return {
        "games": table.games,
        "scores": [round(line.points / line.games, 3) for line in rising],
        "elo": [round(line.elo) for line in rising if line.elo is not None],
        "monotone": rising == list(reversed(table.standings)),
    }


def main(
    *,
    pairs: Annotated[int, typer.Option(min=2, help="Pairs of games a step.")] = 200,
    robin: Annotated[int, typer.Option(min=0, help="Pairs each two of the round robin.")] = 24,
    start: Annotated[int, typer.Option(min=0, help="Pairs a step from the start.")] = 50,
    nodes: Annotated[int, typer.Option(min=1, help="Level 10's positions a move.")] = 20_000,
    rules: Annotated[str, typer.Option(help="A preset, with changes.")] = "kalah",
    seed: Annotated[int, typer.Option(help="Seed of openings and players.")] = 1,
    workers: Annotated[int, typer.Option(min=1, help="Games at a time.")] = 1,
) -> None:
    """Measure the ten levels."""
    from mancala.server.contest.headless.standings import standings_of

    began = time.monotonic()
    conditions = headless.conditions_of(rules_of(rules), seed=seed)
    result: dict[str, Any] = {
        "rules": str(conditions.rules),
        "pairs": pairs,
        "seed": seed,
        "level_10_nodes": nodes,
    }
    with LevelField.opened(conditions, nodes, workers) as field:
        games = field.neighbours(pairs)
        steps = [step(level, each) for level, each in games.items()]
        result |= {
            "steps": [each.rounded() for each in steps],
            "least_score": round(min(each.score for each in steps), 4),
            "reached": all(each.score >= LEAST_SCORE for each in steps),
        }
        events = list(games.values())
        if robin:
            event = field.robin(all_levels(), robin)
            played = field.play(event)
            events.append(results(played))
            result["round_robin"] = summary(standings_of(event, played))
        if start:
            apart = field.neighbours(start, from_start=True)
            result["from_start"] = [step(level, each).rounded() for level, each in apart.items()]
    rated = scale(events)
    result["scale"] = [round(rating.elo) for rating in rated]
    result["scale_errors"] = [round(rating.error) for rating in rated]
    console.emit({**result, "seconds": round(time.monotonic() - began, 1)})


if __name__ == "__main__":
    typer.run(main)
