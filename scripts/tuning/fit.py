"""``mancala tune --fit``: positions labelled with their values, and weights fitted to them.

There are two rounds. First, positions that the solver can prove are labelled, and weights fitted to
their values. Then positions with too many seeds for a proof are searched with these weights, and
the weights are fitted to both.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from protocol import codec
from protocol.rules import KALAH
from scripts.console import output as console
from scripts.processes.pool import worker_pool
from server.headless.journal import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.evaluation import Weights
    from engine.search import Engine
    from engine.solver import Solver
    from engine.tuning.fit import Example, Rows

BATCH: Final = 500
"""Positions per batch: a few seconds of work, which is what a crash loses."""
SEARCHED_NODES: Final = 20_000
"""Nodes per searched position: about the time that a proof of the others takes."""
TABLE_BITS: Final = 16


class Batch(Struct, frozen=True):
    """Labelled positions as they are kept between runs.

    Attributes:
        seed: seeds the positions, together with the number.
        number: the batch's place, from 0.
        examples: boards with empty stores, and their values-to-go in seeds.
    """

    seed: int
    number: int
    examples: tuple[tuple[str, float], ...]


class Plan(Struct, frozen=True):
    """The positions to label.

    Attributes:
        seed: seeds the random positions.
        positions: the number to prove.
        searched: the number with more seeds, to search.
        tables: the most seeds in the solver's endgame tables.
    """

    seed: int
    positions: int
    searched: int
    tables: int

    @property
    def command(self) -> str:
        """The command line that makes the weights."""
        size = f"--positions {self.positions} --searched {self.searched} --tables {self.tables}"
        return f"mancala tune --fit {size} --seed {self.seed}"


def run(
    plan: Plan, out: Path, *, keep: Path | None, workers: int | None, quiet: bool
) -> dict[str, Any]:
    """Label positions, fit weights to them and write them; return the errors.

    Args:
        plan: the positions to label.
        out: the weights file.
        keep: directory of finished batches; None keeps them only during this run.
        workers: processes that label; None for one per core.
        quiet: draw no progress bar.

    Raises:
        ValueError: when ``keep`` holds labels of another plan.
        OSError: when a file cannot be read or written.
    """
    from engine.tuning import fit as tuning

    began = time.monotonic()
    workers = workers or os.cpu_count() or 1
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as passing:
        home = keep or Path(passing)
        home.mkdir(parents=True, exist_ok=True)
        rows = _rows(proofs(plan, home), plan.tables, workers, quiet=quiet)
        weights = tuning.fit(rows, provenance=plan.command)
        if plan.searched:
            pile = searches(plan, home, weights)
            rows = rows.and_rows(_rows(pile, plan.tables, workers, quiet=quiet))
            weights = tuning.fit(rows, provenance=plan.command)
    weights.save(out)
    seconds = round(time.monotonic() - began, 3)
    return {"weights": str(out), "seed": plan.seed, **_fitted(rows, weights), "seconds": seconds}


def text(result: dict[str, Any]) -> str:
    """Return the result as text."""
    held, before = result["heldout"], result["unfitted"]
    lines = [
        f"{result['positions']} positions, seed {result['seed']}: {result['weights']}",
        "held-out positions, by seeds in play: root mean square error in seeds, variance explained",
        f"{'seeds':>8} {'positions':>9} {'fitted':>15} {'hand-set':>15}",
    ]
    for band, error in [*held["by_seeds"].items(), ("all", held)]:
        other = before["by_seeds"].get(band, before)
        lines.append(
            f"{band:>8} {error['positions']:>9} {_brief(error)} {_brief(other)}",
        )
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Pile:
    """Batches of one kind.

    Attributes:
        what: name of the progress bar.
        seed: seeds the positions, together with each batch's number.
        wanted: positions in total; the last batch is made in full, then cut.
        prefix: path of the batches' files, without the number.
        make: labels the positions of a batch, given its number.
    """

    what: str
    seed: int
    wanted: int
    prefix: Path
    make: Callable[[int], list[Example]]

    @property
    def numbers(self) -> range:
        """The numbers of the batches."""
        return range(-(-self.wanted // BATCH))

    def path(self, number: int) -> Path:
        """Return the path of a batch's file."""
        return self.prefix.with_name(f"{self.prefix.name}-{number:05}.json")

    def kept(self) -> Iterator[Batch]:
        """Yield the batches that an earlier run has finished.

        Raises:
            ValueError: when a file does not hold the batch that its name says.
        """
        for number in self.numbers:
            path = self.path(number)
            if path.exists():
                try:
                    batch = codec.from_json(path.read_bytes(), Batch)
                except ValueError as error:
                    raise ValueError(f"{path} cannot be read: {error}") from None
                if (batch.seed, batch.number) != (self.seed, number):
                    raise ValueError(f"{path} holds another batch")
                yield batch


def make_batch(pile: Pile, number: int) -> Batch:
    """Label one batch and write it to its file; runs in a worker."""
    examples = tuple((example.board, example.value) for example in pile.make(number))
    made = Batch(pile.seed, number, examples)
    write_whole(pile.path(number), codec.to_json(made))
    return made


def proofs(plan: Plan, home: Path) -> Pile:
    """Return the batches of positions to prove."""
    prefix = home / f"labels-{plan.seed}"
    return Pile("proving", plan.seed, plan.positions, prefix, partial(_prove, plan))


def searches(plan: Plan, home: Path, guide: Weights) -> Pile:
    """Return the batches of positions to search with these weights."""
    name = guide.fingerprint[:8]
    path = home / f"guide-{name}.json"
    if not path.exists():
        guide.save(path)
    prefix = home / f"searched-{plan.seed}-{name}"
    return Pile("searching", plan.seed, plan.searched, prefix, partial(_search, plan, path))


def _prove(plan: Plan, number: int) -> list[Example]:
    from engine.tuning.fit import batch

    return batch(plan.seed, number, BATCH, _solver(plan.tables))


def _search(plan: Plan, guide: Path, number: int) -> list[Example]:
    from engine.tuning.fit import searched_batch

    return searched_batch(plan.seed, number, BATCH, _engine(plan.tables, guide), SEARCHED_NODES)


@cache
def _solver(tables: int) -> Solver:
    from engine import tablebase
    from engine.solver import Solver

    found = tablebase.obtain(KALAH, tables, tablebase.default_cache())
    return Solver(KALAH, tables=found, table_bits=18)


@cache
def _engine(tables: int, guide: Path) -> Engine:
    from engine.evaluation import Weights
    from engine.search import Engine, EngineOptions

    options = EngineOptions(book=False, tables=tables, table_bits=TABLE_BITS)
    engine = Engine(options=options.with_weights(Weights.load(guide)))
    engine.warm_up(KALAH)
    return engine


def _rows(pile: Pile, tables: int, workers: int, *, quiet: bool) -> Rows:
    """Return the rows of all batches, in their order; batches not yet kept are labelled now."""
    from engine import tablebase
    from engine.tuning.fit import Example, rows_of

    batches = {batch.number: batch for batch in pile.kept()}
    missing = [number for number in pile.numbers if number not in batches]
    if missing:
        tablebase.obtain(
            KALAH, tables, tablebase.default_cache()
        )  # built once, before the workers need them
    bar = console.counted(pile.what, len(pile.numbers), quiet=quiet)
    with worker_pool(min(workers, len(missing) or 1)) as pool, bar as update:
        update(len(batches))
        for future in as_completed([pool.submit(make_batch, pile, n) for n in missing]):
            made = future.result()
            batches[made.number] = made
            update(len(batches))
    ordered = (example for number in sorted(batches) for example in batches[number].examples)
    return rows_of([Example(*example) for example in islice(ordered, pile.wanted)])


def _fitted(rows: Rows, weights: Weights) -> dict[str, Any]:
    from engine.evaluation import Weights
    from engine.tuning import fit as tuning

    held = rows.part(rows.held)
    return {
        "positions": len(rows.values),
        "heldout": _errors(held, weights),
        "unfitted": _errors(held, Weights()),
        "fitted": tuning.error(rows.part(~rows.held), weights)._asdict(),
    }


def _errors(rows: Rows, weights: Weights) -> dict[str, Any]:
    from engine.tuning import fit as tuning

    bands = tuning.errors_by_seeds(rows, weights)
    return {
        **tuning.error(rows, weights)._asdict(),
        "by_seeds": {band: error._asdict() for band, error in bands.items()},
    }


def _brief(error: dict[str, Any]) -> str:
    return f"{error['rms']:>8.2f} {error['explained']:>6.0%}"
