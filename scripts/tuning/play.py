"""``mancala tune --play``: generations of candidates play against the start, then a final test.

A run is kept in a directory: ``plan.json``, a file for each generation with every candidate and its
games, and ``progress.html``, which reloads itself in a browser. Each generation follows from the
plan and the games before it, so a run that was killed continues where it was, with the same
result. At the end the weights found play a sequential test against the start. They are installed
only if they pass.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, structs

from mancala.engine.evaluation.weights import Weights
from mancala.engine.openings import choose
from mancala.engine.tuning.cmaes_tuner import (
    CmaEsTuner,
    Generation,
    Parameter,
    Trial,
    Values,
    installed,
    options_text,
)
from mancala.files import open_locked, write_whole
from mancala.headless import UNTIMED_BUDGET_S, job_of, open_executor
from mancala.protocol import codec
from mancala.protocol.clock import LONGEST_MS, TimeControl
from mancala.protocol.rules import Rules
from mancala.protocol.text import quantity
from mancala.server.contest.headless.event import Contender
from mancala.server.contest.headless.executor import GameExecutor
from mancala.server.contest.headless.game import Conditions, Task, seed_of
from mancala.server.contest.headless.played_game import PlayedGame
from mancala.server.contest.headless.runs import MatchRun, match_event
from mancala.server.contest.headless.score import MatchScore
from mancala.server.contest.workers.players import Job, play_chunk
from mancala.server.rating.sprt import Sprt

from ..console.playing import ProcessOptions, drawn
from ..console.views.match import view
from . import page as tuning_page

PLAN: Final = "plan.json"
LOCK: Final = "lock"
PROGRESS: Final = "progress.html"
FOUND: Final = "found.json"
START: Final = "start"
CLOCK: Final = TimeControl(move_ms=LONGEST_MS)
"""Moves are limited by nodes; a time limit would make results depend on the machine's load."""


class CheckpointError(ValueError):
    """A directory from which the run cannot continue; the message says why."""


class SelfPlayPlan(Struct, frozen=True):
    """The settings of a run, which determine all its games.

    Games of a candidate come in pairs with the seats swapped; the rules differ only in the seeds
    per pit; ``start`` is the fingerprint of the weights that the run begins from.
    """

    seed: int
    generations: int
    population: int
    games: int
    nodes: int
    rules: tuple[Rules, ...]
    start: str
    parameters: tuple[Parameter, ...]

    def differences(self, other: SelfPlayPlan) -> list[str]:
        """Return the settings in which two plans differ, without the number of generations."""
        mine, theirs = structs.asdict(self), structs.asdict(other)
        return [key for key in mine if key != "generations" and mine[key] != theirs[key]]


@dataclass(frozen=True, slots=True)
class PlayOrder:
    """A run, its files and its final test.

    ``weights`` is the file of ``start``, None for the shipped ones; ``out`` is written when the
    test is passed; the command line is recorded as provenance.
    """

    plan: SelfPlayPlan
    start: Weights
    weights: Path | None
    home: Path
    out: Path
    sprt: Sprt
    test_games: int
    place: ProcessOptions
    command: str

    @property
    def rejected(self) -> Path:
        """The file for weights that did not pass."""
        return self.out.with_suffix(".rejected.json")


def run(order: PlayOrder, *, quiet: bool) -> dict[str, Any]:
    """Evolve weights, test them, and install them if they pass; return the result."""
    began = time.monotonic()
    order.out.parent.mkdir(parents=True, exist_ok=True)
    with checkpoints(order.home, order.plan) as kept, _open_executor(order) as executor:
        found, generations = _evolved(order, kept, executor, quiet=quiet)
        weights = installed(order.start, order.plan.parameters, found, provenance=order.command)
        weights.save(order.home / FOUND)
        score = _tested(order, executor, quiet=quiet)
        passed = score.verdict == "H1"
        written = order.out if passed else order.rejected
        weights.save(written)
        result = _result(order, found, score, written)
        _draw(order, generations, result)
    return {**result, "seconds": round(time.monotonic() - began, 3)}


# --- Checkpoints --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The generations of a run, one file each, written atomically."""

    home: Path

    def load(self, number: int) -> Generation | None:
        path = self._path(number)
        try:
            generation = codec.from_json(path.read_bytes(), Generation)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{path} cannot be read: {error}") from None
        if generation.number != number:
            raise CheckpointError(f"{path} holds generation {generation.number}")
        return generation

    def keep(self, generation: Generation) -> None:
        """Write a generation durably."""
        write_whole(self._path(generation.number), codec.to_json(generation) + b"\n")

    def _path(self, number: int) -> Path:
        return self.home / f"generation-{number:05}.json"


def generations_in(home: Path) -> int:
    return len(list(home.glob("generation-*.json")))


@contextmanager
def checkpoints(home: Path, plan: SelfPlayPlan) -> Iterator[Checkpoints]:
    """Begin or continue a run in a directory, locked against other processes during the block."""
    home.mkdir(parents=True, exist_ok=True)
    busy = CheckpointError(f"another process is using the run in {home}")
    with open_locked(home / LOCK, busy):
        _agree(home / PLAN, plan)
        yield Checkpoints(home)


def _agree(path: Path, plan: SelfPlayPlan) -> None:
    if path.exists():
        try:
            begun = codec.from_json(path.read_bytes(), SelfPlayPlan)
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{path} cannot be read: {error}") from None
        if others := plan.differences(begun):
            raise CheckpointError(
                f"{path.parent} holds a run that differs in {', '.join(others)}; "
                "name another directory with --resume"
            )
    write_whole(path, codec.to_json(plan, indent=True) + b"\n")


# --- Generations --------------------------------------------------------------------------------


def _evolved(
    order: PlayOrder, kept: Checkpoints, executor: GameExecutor, *, quiet: bool
) -> tuple[Values, list[Generation]]:
    plan = order.plan
    evolution = CmaEsTuner(plan.parameters, population=plan.population, seed=plan.seed)
    generations: list[Generation] = []
    with _bar(plan, quiet=quiet) as update:
        for number in range(plan.generations):
            asked = evolution.ask()
            generation = kept.load(number)
            if generation is None:
                generation = _tried(order, number, asked, executor)
                kept.keep(generation)
                _draw(order, [*generations, generation])
            elif [trial.values for trial in generation.trials] != asked:
                raise CheckpointError(f"generation {number} in {kept.home} had other candidates")
            evolution.tell([trial.fitness for trial in generation.trials])
            generations.append(generation)
            update(generation)
    return evolution.found, generations


def _open_executor(order: PlayOrder) -> AbstractContextManager[GameExecutor]:
    place = order.place
    return open_executor(
        *(_contenders(order, []), _conditions(order.plan)),
        workers=place.workers,
        cluster=place.cluster,
    )


def _job_of(order: PlayOrder, contenders: tuple[Contender, ...]) -> Job:
    return job_of(contenders, _conditions(order.plan), cluster=order.place.cluster)


def _tried(
    order: PlayOrder, number: int, asked: list[Values], executor: GameExecutor
) -> Generation:
    """Return a generation whose candidates all played the start from the same openings."""
    job = _job_of(order, _contenders(order, asked))
    openings = _openings(order.plan, order.plan.games // 2, "generation", number)
    tasks = [
        Task(2 * (candidate * len(openings) + at) + leg, seats, opening)
        for candidate in range(len(asked))
        for at, opening in enumerate(openings)
        for leg, seats in enumerate(((str(candidate), START), (START, str(candidate))))
    ]
    margins = [0] * len(tasks)
    for batch in executor.play(tasks, partial(play_chunk, job)):
        for game in batch.games:
            margins[game.number] = _margin(game)
    each = 2 * len(openings)
    return Generation(
        number,
        tuple(
            Trial(values, tuple(zip(played[::2], played[1::2], strict=True)))
            for at, values in enumerate(asked)
            for played in [margins[at * each : (at + 1) * each]]
        ),
    )


def _margin(game: PlayedGame) -> int:
    """Return the candidate's margin in seeds; it moves first in games of even number."""
    if game.facts.reason is None:
        raise ValueError(f"game {game.number} has no result")
    return -game.facts.margin if game.number % 2 else game.facts.margin


def _contenders(order: PlayOrder, asked: list[Values]) -> tuple[Contender, ...]:
    start = _player(order, order.weights)
    texts = (options_text(order.plan.parameters, values) for values in asked)
    return (
        Contender(START, start),
        *(Contender(str(n), f"{start},{text}" if text else start) for n, text in enumerate(texts)),
    )


def _player(order: PlayOrder, weights: Path | None) -> str:
    file = f",weights={weights}" if weights is not None else ""
    return f"engine:nodes={order.plan.nodes}{file}"


def _conditions(plan: SelfPlayPlan) -> Conditions:
    return Conditions(plan.rules[0], CLOCK, UNTIMED_BUDGET_S, plan.seed)


def _openings(plan: SelfPlayPlan, pairs: int, *purpose: object) -> list[str]:
    """Return random openings, taking the rules in turn; ``purpose`` determines the seed."""
    kinds = len(plan.rules)
    drawn = [
        choose(None, rules, len(range(kind, pairs, kinds)), seed=seed_of(plan.seed, *purpose, kind))
        for kind, rules in enumerate(plan.rules)
    ]
    return [drawn[pair % kinds][pair // kinds].board for pair in range(pairs)]


# --- The test -----------------------------------------------------------------------------------


def _tested(order: PlayOrder, executor: GameExecutor, *, quiet: bool) -> MatchScore:
    """Return the score of the weights found against the start, from new openings."""
    contenders = (
        Contender("found", _player(order, order.home / FOUND)),
        Contender(START, _player(order, order.weights)),
    )
    conditions = _conditions(order.plan)
    openings = _openings(order.plan, order.test_games // 2, "test")
    match = MatchRun(
        match_event(contenders, conditions, games=order.test_games, openings=openings), order.sprt
    )
    pairs = match.play(executor, partial(play_chunk, _job_of(order, contenders)))
    with drawn(pairs, partial(view, match), quiet=quiet) as counting:
        deque(counting, maxlen=0)
    return match.score


def _result(order: PlayOrder, found: Values, score: MatchScore, written: Path) -> dict[str, Any]:
    plan, summary = order.plan, score.summary()
    return {
        "weights": str(written),
        "llr": summary["llr"],
        "verdict": summary["verdict"],
        "installed": written == order.out,
        "test": {"bounds": [order.sprt.elo0, order.sprt.elo1], **summary},
        "parameters": {
            each.name: {"start": each.start, "found": value}
            for each, value in zip(plan.parameters, found, strict=True)
        },
        "generations": plan.generations,
        "games": plan.generations * plan.population * plan.games,
        "seed": plan.seed,
        "progress": str(order.home / PROGRESS),
    }


# --- Output -------------------------------------------------------------------------------------


def text(result: dict[str, Any]) -> str:
    """Return the report for people: each parameter before and after, and the final test."""
    test = result["test"]
    games = quantity(result["games"], "game")
    lines = [f"{quantity(result['generations'], 'generation')}, {games}: {result['progress']}"]
    lines += [
        f"{name:>18} {values['start']:>8g} -> {values['found']:g}"
        for name, values in result["parameters"].items()
    ]
    verdict = test["verdict"] or "none"
    score = f"Elo {test['elo']:+.1f} ± {test['elo_error']:.1f}, LLR {test['llr']:+.2f}"
    lines.append(
        f"against the start, {quantity(test['games'], 'game')}: {score}, verdict: {verdict}"
    )
    return "\n".join([*lines, result["weights"]])


def _draw(
    order: PlayOrder, generations: list[Generation], result: dict[str, Any] | None = None
) -> None:
    page = tuning_page.page(order.command, order.plan.parameters, generations, result)
    write_whole(order.home / PROGRESS, page.encode())


@contextmanager
def _bar(plan: SelfPlayPlan, *, quiet: bool) -> Iterator[Callable[[Generation], None]]:
    if quiet:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("generations", total=plan.generations)

        def update(generation: Generation) -> None:
            value, error = generation.fitness
            label = f"fitness {value:+.3f} ± {error:.3f}"
            progress.update(task, completed=generation.number + 1, description=label)

        yield update
