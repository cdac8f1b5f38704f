"""``mancala tune --fit``: positions with their exact values, and weights fitted to them."""

from __future__ import annotations

import os
import time
from concurrent.futures import as_completed
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from protocol import codec
from protocol.rules import KALAH
from scripts import console, processes
from server.headless.journal import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.features import Weights
    from engine.solver import Solver
    from engine.tuning import Example, Rows

BATCH: Final = 500
"""Positions a batch: a few seconds' work, and what a crash costs."""


class Batch(Struct, frozen=True):
    """Labelled positions as they are kept between runs.

    Attributes:
        seed: where their chance came from, with the number.
        number: which batch it is.
        examples: board with empty stores, and its proven value-to-go in seeds.
    """

    seed: int
    number: int
    examples: tuple[tuple[str, int], ...]


class Plan(Struct, frozen=True):
    """What is to be labelled.

    Attributes:
        seed: where the chance comes from.
        positions: how many.
        tables: seeds that the prover's endgame tables reach.
        keep: directory of finished batches; None keeps them in memory alone.
    """

    seed: int
    positions: int
    tables: int
    keep: str | None = None

    @property
    def batches(self) -> int:
        """How many batches that makes; the last one is made in full, and cut."""
        return -(-self.positions // BATCH)


def run(plan: Plan, out: Path, *, workers: int | None, quiet: bool) -> dict[str, Any]:
    """Label positions, fit weights, write them, and say how near they come.

    Args:
        plan: what is labelled.
        out: the weights file.
        workers: processes that label; None for as many as there are cores.
        quiet: draw no bar.

    Raises:
        ValueError: when labels that were kept are of another plan.
        OSError: when a file cannot be read or written.
    """
    began = time.monotonic()
    if plan.keep is not None:
        Path(plan.keep).mkdir(parents=True, exist_ok=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    examples = _labelled(plan, workers or os.cpu_count() or 1, quiet=quiet)
    return {**_fitted(examples, plan, out), "seconds": round(time.monotonic() - began, 3)}


def text(result: dict[str, Any]) -> str:
    """Say the result for people."""
    held, before = result["heldout"], result["unfitted"]
    lines = [
        f"{result['positions']} positions, seed {result['seed']}: {result['weights']}",
        "held out, by seeds in play: root mean square error in seeds, and what is explained",
        f"{'seeds':>8} {'positions':>9} {'fitted':>15} {'hand-set':>15}",
    ]
    for band, error in [*held["by_seeds"].items(), ("all", held)]:
        other = before["by_seeds"].get(band, before)
        lines.append(
            f"{band:>8} {error['positions']:>9} {_brief(error)} {_brief(other)}",
        )
    return "\n".join(lines)


def _labelled(plan: Plan, workers: int, *, quiet: bool) -> list[Example]:
    """Give the examples in the order of their batches, whoever made them."""
    from engine import endgame
    from engine.tuning import Example

    batches = dict(_kept(plan))
    missing = [number for number in range(plan.batches) if number not in batches]
    if missing:
        endgame.obtain(KALAH, plan.tables, endgame.default_cache())  # once, not by every worker
    bar = console.counted("labelling", plan.batches, quiet=quiet)
    with processes.hired(min(workers, len(missing) or 1)) as pool, bar as tell:
        tell(len(batches))
        for future in as_completed([pool.submit(make_batch, plan, n) for n in missing]):
            made = future.result()
            batches[made.number] = made
            tell(len(batches))
    ordered = (example for number in sorted(batches) for example in batches[number].examples)
    return [Example(*example) for example in ordered][: plan.positions]


def make_batch(plan: Plan, number: int) -> Batch:
    """Label one batch, and keep it where that is asked for; what a worker does."""
    from engine.tuning import batch

    examples = batch(plan.seed, number, BATCH, _solver(plan.tables))
    made = Batch(plan.seed, number, tuple((e.board, e.value) for e in examples))
    if plan.keep is not None:
        write_whole(_path(plan, number), codec.to_json(made))
    return made


@cache
def _solver(tables: int) -> Solver:
    from engine import endgame
    from engine.solver import Solver

    found = endgame.obtain(KALAH, tables, endgame.default_cache())
    return Solver(KALAH, tables=found, table_bits=18)


def _kept(plan: Plan) -> Iterator[tuple[int, Batch]]:
    """Read the batches that an earlier run has finished.

    Raises:
        ValueError: when a file there is no batch of this seed.
    """
    for number in range(plan.batches if plan.keep is not None else 0):
        path = _path(plan, number)
        if path.exists():
            try:
                batch = codec.from_json(path.read_bytes(), Batch)
            except ValueError as error:
                raise ValueError(f"{path} cannot be read: {error}") from None
            if (batch.seed, batch.number) != (plan.seed, number):
                raise ValueError(f"{path} holds another batch")
            yield number, batch


def _path(plan: Plan, number: int) -> Path:
    return Path(plan.keep or ".") / f"labels-{plan.seed}-{number:05}.json"


def _fitted(examples: list[Example], plan: Plan, out: Path) -> dict[str, Any]:
    from engine import tuning
    from engine.features import Weights

    rows = tuning.rows_of(examples)
    weights = tuning.fit(rows, provenance=_provenance(plan))
    weights.save(out)
    held = rows.part(rows.held)
    return {
        "weights": str(out),
        "positions": len(examples),
        "heldout": _errors(held, weights),
        "unfitted": _errors(held, Weights()),
        "fitted": tuning.error(rows.part(~rows.held), weights)._asdict(),
        "seed": plan.seed,
    }


def _provenance(plan: Plan) -> str:
    return f"mancala tune --fit --positions {plan.positions} --seed {plan.seed}"


def _errors(rows: Rows, weights: Weights) -> dict[str, Any]:
    from engine import tuning

    bands = tuning.errors_by_seeds(rows, weights)
    return {
        **tuning.error(rows, weights)._asdict(),
        "by_seeds": {band: error._asdict() for band, error in bands.items()},
    }


def _brief(error: dict[str, Any]) -> str:
    return f"{error['rms']:>8.2f} {error['explained']:>6.0%}"
