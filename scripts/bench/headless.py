"""Measure headless games with and without batches, and print one JSON object.

``python -m mancala.scripts.bench.headless`` plays the same games twice, in one process: under the
referee, one move at a time, and by the batch (`mancala.server.contest.headless.batches`), with all
that collecting them costs. Then it plays longer matches on one and on two workers. Speeds are plies
a second of CPU, as the machine may be busy; only what workers gain is measured by the clock on the
wall.

Where OpenSpiel is installed (``pip install open_spiel``; it is no dependency), its Python loop of
random games is measured too.
"""

from __future__ import annotations

import os
import pickle
import time
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mancala import headless
from mancala.server.contest.headless.event import Event, plan
from mancala.server.contest.headless.game import play
from mancala.server.contest.headless.runs import match_event
from mancala.server.contest.headless.score import MatchScore
from mancala.server.contest.workers.players import Job, play_chunk, prepare

from ..console import output as console
from ..console.playing import even

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mancala.server.contest.headless.executor import Batch
    from mancala.server.contest.headless.game import Task

PAIRS: Final = (
    ("random", "random", 1),
    ("greedy", "defend", 5),
    ("alphabeta:depth=3", "minimax:depth=2", 200),
    ("engine:nodes=1", "engine:nodes=1", 2),
    ("engine:nodes=100", "engine:nodes=100", 4),
    ("engine:nodes=300", "engine:nodes=300", 8),
)
"""Players, and the share of the games that they play under the referee: one in N."""
ON_WORKERS: Final = {"random": 20, "engine:nodes=100": 4}
"""Players of the matches on workers, with times the games."""
OPEN_SPIEL_S: Final = 2.0
MOST_START_S: Final = 60.0
LOOK_S: Final = 0.05


def main(
    games: Annotated[int, typer.Option(min=400, help="Games of each two players.")] = 2000,
    seed: Annotated[int, typer.Option(help="Which openings.")] = 1,
) -> None:
    """Play the games and say how fast."""
    result: dict[str, Any] = {"games": games}
    result["players"] = [
        compared(match_of((first, second), even(games), seed), share)
        for first, second, share in PAIRS
    ]
    result["workers"] = {
        player: on_workers(match_of((player, player), even(times * games), seed))
        for player, times in ON_WORKERS.items()
    }
    if find_spec("pyspiel") is not None:
        speed = open_spiel(seed)
        ours = result["players"][0]["batch"]
        result["open_spiel"] = {"plies_per_cpu_s": round(speed), "ours": round(ours / speed, 2)}
    console.emit(result)


def match_of(players: tuple[str, str], games: int, seed: int) -> Event:
    """Return a match of ``games`` games, each pair from its own opening."""
    conditions = headless.conditions_of(seed=seed)
    openings = headless.opening_boards(conditions.rules, games // 2, seed=seed)
    contenders = headless.contenders_of(players)
    return match_event(contenders, conditions, games=games, openings=openings)


def compared(event: Event, share: int) -> dict[str, Any]:
    """Return the speeds of a match by the batch and, one game in ``share``, under the referee."""
    setting = headless.job_of(event.contenders, event.conditions)
    tasks = plan(event, {}).tasks
    prepare(setting)
    score = MatchScore(event.names[0])
    count(score, play_chunk(setting, tasks[:2]))
    began, before = time.process_time(), score.plies
    count(score, pickle.loads(pickle.dumps(play_chunk(setting, tasks[2:]))))  # noqa: S301  # our own
    batch = (score.plies - before) / (time.process_time() - began)
    referee = refereed(event, tasks[: 2 * max(1, len(tasks) // share // 2)])
    return {
        "names": list(event.names),
        "referee": round(referee),
        "batch": round(batch),
        "times": round(batch / referee, 1),
    }


def refereed(event: Event, tasks: Iterable[Task]) -> float:
    """Return the plies a second of CPU of games that are played one move at a time."""
    from mancala.bot.players.registry import make_player

    players = {contender.name: make_player(contender.spec) for contender in event.contenders}
    for player in players.values():
        player.warm_up(event.conditions.rules)
    began, plies = time.process_time(), 0
    for task in tasks:
        pair = players[task.players[0]], players[task.players[1]]
        plies += play(task, pair, event.conditions, time.monotonic).facts.plies
    return plies / (time.process_time() - began)


def count(score: MatchScore, batch: Batch) -> None:
    """Add the games of a chunk to a score."""
    for game in batch.games:
        score.add(game)


def on_workers(event: Event) -> dict[str, Any]:
    """Return the plies a second of a match on one and on two workers, by the clock on the wall."""
    one, two = (timed(event, workers) for workers in (1, 2))
    return {"one": round(one), "two": round(two), "times": round(two / one, 2)}


def timed(event: Event, workers: int) -> float:
    """Return the plies a second of a match, from when all its workers have played."""
    tasks, score = plan(event, {}).tasks, MatchScore(event.names[0])
    setting = headless.job_of(event.contenders, event.conditions)
    with (
        TemporaryDirectory() as folder,
        headless.open_executor(event.contenders, event.conditions, workers=workers) as executor,
    ):
        first = len(tasks) // 10
        for batch in executor.play(tasks[:first], partial(meet, Path(folder), workers, setting)):
            count(score, batch)
        began, before = time.perf_counter(), score.plies
        for batch in executor.play(tasks[first:]):
            count(score, batch)
        return (score.plies - before) / (time.perf_counter() - began)


def meet(folder: Path, workers: int, setting: Job, tasks: tuple[Task, ...]) -> Batch:
    """Play a chunk once every worker has begun one; otherwise one is still starting when timed."""
    (folder / str(os.getpid())).touch()
    until = time.monotonic() + MOST_START_S
    while len(list(folder.iterdir())) < workers and time.monotonic() < until:
        time.sleep(LOOK_S)
    return play_chunk(setting, tasks)


def open_spiel(seed: int) -> float:
    """Return the plies a second of CPU of OpenSpiel's random games in a Python loop."""
    game, rng = import_module("pyspiel").load_game("mancala"), Random(seed)  # noqa: S311  # no secrets
    began, plies = time.process_time(), 0
    while time.process_time() - began < OPEN_SPIEL_S:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            plies += 1
    return plies / (time.process_time() - began)


if __name__ == "__main__":
    typer.run(main)
