"""``mancala tune --fit``: positions labelled with their values, and weights fitted to them.

There are three rounds. First, positions that the solver can prove are labelled, and weights fitted
to their values. Then positions with too many seeds for a proof are searched with these weights, and
the weights are fitted to both. Last, many more positions get a short search each, and a net learns
what the weights leave unexplained of their values: once with what the weights make of them, then
with what deeper searches with that net make of them. Given weights replace the first two rounds,
and with a net of their own the first searches for the net, too.

The net that boards of all other widths share is trained alone, on searches of positions of many
widths, also twice, and first with the hand-set weights. Given weights replace the first time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from mancala.files import write_whole
from mancala.protocol import codec
from mancala.protocol.rules import KALAH, Rules
from mancala.protocol.text import quantity
from mancala.server.contest.workers.cluster import open_pool

from ..console import output as console

if TYPE_CHECKING:
    from mancala.engine.evaluation.weights import Net, Weights
    from mancala.engine.search.engine import Engine
    from mancala.engine.search.fixed_nodes import FixedNodeSearch
    from mancala.engine.search.solver import Solver
    from mancala.engine.tuning.fit import EvaluationError, FeatureRows, LabelledPosition
    from mancala.engine.tuning.net import Inputs

    from ..console.playing import ProcessOptions

BATCH: Final = 500
"""Positions per batch: a few seconds of work, which is what a crash loses."""
NET_BATCH: Final = 5000
"""The same for positions that get a short search."""
GUIDE: Final = Path("the guide's weights")
"""Names weights that a worker cannot read."""
SEARCHED_NODES: Final = 20_000
"""Nodes per searched position: about the time that a proof of the others takes."""
TABLE_BITS: Final = 16


class LabelledBatch(Struct, frozen=True):
    """Labelled positions as they are kept between runs: boards with empty stores, and values-to-go.

    The seed and the batch's number together seed the positions.
    """

    seed: int
    number: int
    examples: tuple[tuple[str, float], ...]


class LabelPlan(Struct, frozen=True):
    """The positions to label: how many to prove, to search, and to search briefly for a net.

    ``tables`` are the most seeds of the solver's endgame tables; ``wide``, if not 0, is the number
    of positions of many widths for the net that they share.
    """

    seed: int
    positions: int
    searched: int
    tables: int
    net: int = 0
    wide: int = 0

    def command(self, given: Path | None) -> str:
        if self.wide:
            guide = "" if given is None else f" --weights {given.name}"
            return f"mancala tune --fit{guide} --wide {self.wide} --seed {self.seed}"
        size = f"--positions {self.positions} --searched {self.searched}"
        if given is not None:
            size = f"--weights {given.name}"
        net = f" --net {self.net}" if self.net else ""
        return f"mancala tune --fit {size}{net} --tables {self.tables} --seed {self.seed}"


@dataclass(frozen=True, slots=True)
class FitOrder:
    """A fit and its files.

    The features of ``given`` weights are kept, so that only the net is trained. ``keep`` is a
    directory of finished batches; None keeps them only during this run.
    """

    plan: LabelPlan
    out: Path
    given: Path | None
    keep: Path | None
    place: ProcessOptions
    quiet: bool


def run(order: FitOrder) -> dict[str, Any]:
    """Label positions, fit weights to them and write them; return the errors."""
    from mancala.engine.evaluation.weights import Weights

    began = time.monotonic()
    order.out.parent.mkdir(parents=True, exist_ok=True)
    errors: dict[str, Any] = {}
    with TemporaryDirectory() as passing:
        home = order.keep or Path(passing)
        home.mkdir(parents=True, exist_ok=True)
        if order.plan.wide:
            weights, errors = _shared(order, home)
        elif order.given is None:
            rows, weights = _features(order, home)
            errors = _fitted(rows, weights)
        else:
            weights = Weights.load(order.given)
            weights = weights if order.plan.net else weights.linear
        if order.plan.net:
            weights, found = _with_net(order, home, weights)
            errors = found | errors
    replace(weights, provenance=_provenance(order)).save(order.out)
    seconds = round(time.monotonic() - began, 3)
    return {"weights": str(order.out), "seed": order.plan.seed, **errors, "seconds": seconds}


def _provenance(order: FitOrder) -> str:
    from mancala.engine.evaluation.weights import Weights

    command = order.plan.command(order.given)
    if order.given is None:
        return command
    return f"{command} (from: {Weights.load(order.given).provenance})"


def _features(order: FitOrder, home: Path) -> tuple[FeatureRows, Weights]:
    from mancala.engine.tuning import fit as tuning

    plan = order.plan
    rows = _rows(proofs(plan, home), order)
    weights = tuning.fit(rows, provenance="proofs alone")
    if plan.searched:
        rows = rows.and_rows(_rows(searches(plan, home, weights), order))
        weights = tuning.fit(rows, provenance="proofs and searches")
    return rows, weights


def _with_net(order: FitOrder, home: Path, guide: Weights) -> tuple[Weights, dict[str, Any]]:
    from mancala.engine.tuning.net import inputs_of

    _expect_fit(guide, KALAH, order)
    train = partial(_trained_on, order, home, short_searches, inputs_of)
    if guide.net is None:
        guide, _ = train(guide)
    return train(guide)


def _shared(order: FitOrder, home: Path) -> tuple[Weights, dict[str, Any]]:
    """Train the net for any width, guided by the hand-set weights, then by itself."""
    from mancala.engine.evaluation.weights import Weights
    from mancala.engine.tuning.net import wide_inputs_of

    train = partial(_trained_on, order, home, wide_searches, wide_inputs_of)
    if order.given is None:
        guide, _ = train(Weights())
    else:
        guide = Weights.load(order.given)
        _expect_fit(guide, Rules(pits=KALAH.pits + 1), order)
    return train(guide)


def _expect_fit(guide: Weights, rules: Rules, order: FitOrder) -> None:
    if not guide.fits(rules):
        raise ValueError(f"{order.given} has no weights for rows of {quantity(rules.pits, 'pit')}")


def _trained_on(
    order: FitOrder,
    home: Path,
    searches_of: Callable[[LabelPlan, Path, Weights], Pile],
    look: Callable[[Sequence[LabelledPosition], Weights], Inputs],
    guide: Weights,
) -> tuple[Weights, dict[str, Any]]:
    """Train a net on what searches with a guide find; return it beside the guide's features."""
    features = guide.linear
    examples = _examples(searches_of(order.plan, home, guide), order)
    inputs = look(examples, features)
    net = _trained(inputs, order)
    return replace(features, net=net), _net_errors(inputs, net)


def _trained(inputs: Inputs, order: FitOrder) -> Net:
    from mancala.engine.tuning import net as training

    with console.counted("training", training.EPOCHS, quiet=order.quiet) as update:
        return training.train(inputs, seed=order.plan.seed, epoch_done=update)


def _net_errors(inputs: Inputs, net: Net) -> dict[str, Any]:
    from mancala.engine.tuning import net as training

    heldout = _told(training.errors_by_seeds(inputs, net))
    before = _told(training.errors_by_seeds(inputs, None))
    sizes = {"positions": len(inputs.values), "heldout": heldout}
    return {**sizes, "net": {**sizes, "features": before}}


def _told(errors: dict[str, EvaluationError]) -> dict[str, Any]:
    bands = {band: error._asdict() for band, error in errors.items() if band != "all"}
    return {**errors["all"]._asdict(), "by_seeds": bands}


def text(result: dict[str, Any]) -> str:
    """Return the report for people: the sizes, and errors before and after the fit."""
    lines = [
        f"{quantity(result['positions'], 'position')}, seed {result['seed']}: {result['weights']}"
    ]
    if "unfitted" in result:
        lines += _compared("fitted", result["heldout"], "hand-set", result["unfitted"])
    if "net" in result:
        net = result["net"]
        lines += [f"{quantity(net['positions'], 'position')} for the net"]
        lines += _compared("with net", net["heldout"], "features", net["features"])
    return "\n".join(lines)


def _compared(what: str, held: dict[str, Any], other: str, before: dict[str, Any]) -> list[str]:
    lines = [
        "held-out positions, by seeds in play: root mean square error in seeds, variance explained",
        f"{'seeds':>8} {'positions':>9} {what:>15} {other:>15}",
    ]
    for band, error in [*held["by_seeds"].items(), ("all", held)]:
        beside = before["by_seeds"].get(band, before)
        lines.append(f"{band:>8} {error['positions']:>9} {_brief(error)} {_brief(beside)}")
    return lines


@dataclass(frozen=True, slots=True)
class Pile:
    """Batches of one kind, of which the last is made in full, then cut to what is wanted."""

    what: str
    seed: int
    wanted: int
    prefix: Path
    make: Callable[[int], list[LabelledPosition]]
    batch: int = BATCH

    @property
    def numbers(self) -> range:
        return range(-(-self.wanted // self.batch))

    def path(self, number: int) -> Path:
        return self.prefix.with_name(f"{self.prefix.name}-{number:05}.json")

    def kept(self) -> Iterator[LabelledBatch]:
        """Yield the batches that an earlier run has finished."""
        for number in self.numbers:
            path = self.path(number)
            if path.exists():
                try:
                    batch = codec.from_json(path.read_bytes(), LabelledBatch)
                except ValueError as error:
                    raise ValueError(f"{path} cannot be read: {error}") from None
                if (batch.seed, batch.number) != (self.seed, number):
                    raise ValueError(f"{path} holds another batch")
                yield batch


def _make_batch(pile: Pile, number: int) -> LabelledBatch:
    """Label one batch; runs in a worker, which may be on another machine."""
    examples = tuple((example.board, example.value) for example in pile.make(number))
    return LabelledBatch(pile.seed, number, examples)


def proofs(plan: LabelPlan, home: Path) -> Pile:
    prefix = home / f"labels-{plan.seed}"
    return Pile("proving", plan.seed, plan.positions, prefix, partial(_prove, plan))


def searches(plan: LabelPlan, home: Path, guide: Weights) -> Pile:
    prefix = home / f"searched-{plan.seed}-{guide.fingerprint[:8]}"
    make = partial(_search, plan, _kept(guide, home))
    return Pile("searching", plan.seed, plan.searched, prefix, make)


def short_searches(plan: LabelPlan, home: Path, guide: Weights) -> Pile:
    prefix = home / f"net-{plan.seed}-{guide.fingerprint[:8]}"
    make = partial(_search_briefly, plan, _kept(guide, home))
    return Pile("searching briefly", plan.seed, plan.net, prefix, make, NET_BATCH)


def wide_searches(plan: LabelPlan, home: Path, guide: Weights) -> Pile:
    """Return the batches of positions of many widths to search with these weights."""
    prefix = home / f"wide-{plan.seed}-{guide.fingerprint[:8]}"
    make = partial(_search_wide, plan, _kept(guide, home))
    return Pile("searching", plan.seed, plan.wide, prefix, make, NET_BATCH)


def _kept(guide: Weights, home: Path) -> bytes:
    """Return weights that searches are guided by as their file has them, which is kept."""
    path = home / f"guide-{guide.fingerprint[:8]}.json"
    if not path.exists():
        guide.save(path)
    return path.read_bytes()


def _prove(plan: LabelPlan, number: int) -> list[LabelledPosition]:
    from mancala.engine.tuning.fit import batch

    return batch(plan.seed, number, BATCH, _solver(plan.tables))


def _search(plan: LabelPlan, guide: bytes, number: int) -> list[LabelledPosition]:
    from mancala.engine.tuning.fit import searched_batch

    return searched_batch(plan.seed, number, BATCH, _engine(plan.tables, guide), SEARCHED_NODES)


def _search_briefly(plan: LabelPlan, guide: bytes, number: int) -> list[LabelledPosition]:
    from mancala.engine.tuning.net import batch

    return batch(plan.seed, number, NET_BATCH, _short_search(plan.tables, guide))


def _search_wide(plan: LabelPlan, guide: bytes, number: int) -> list[LabelledPosition]:
    from mancala.engine.tuning.net import wide_batch

    return wide_batch(plan.seed, number, NET_BATCH, partial(_wide_search, guide))


@cache
def _wide_search(guide: bytes, rules: Rules) -> FixedNodeSearch:
    from mancala.engine.evaluation.weights import Weights
    from mancala.engine.search.engine import EngineOptions
    from mancala.engine.search.fixed_nodes import FixedNodeSearch
    from mancala.engine.tuning.net import WIDE_NODES

    options = EngineOptions(book=False).with_weights(Weights.read(guide, GUIDE))
    return FixedNodeSearch(rules, options, nodes=WIDE_NODES)


@cache
def _solver(tables: int) -> Solver:
    from mancala.engine import tablebase
    from mancala.engine.search.solver import Solver

    found = tablebase.obtain(KALAH, tables, tablebase.default_cache())
    return Solver(KALAH, tables=found, table_bits=18)


@cache
def _engine(tables: int, guide: bytes) -> Engine:
    from mancala.engine.evaluation.weights import Weights
    from mancala.engine.search.engine import Engine, EngineOptions

    options = EngineOptions(book=False, tables=tables, table_bits=TABLE_BITS)
    engine = Engine(options=options.with_weights(Weights.read(guide, GUIDE)))
    engine.warm_up(KALAH)
    return engine


@cache
def _short_search(tables: int, guide: bytes) -> FixedNodeSearch:
    from mancala.engine.evaluation.weights import Weights
    from mancala.engine.search.engine import EngineOptions
    from mancala.engine.search.fixed_nodes import FixedNodeSearch
    from mancala.engine.tuning.net import label_nodes

    weights = Weights.read(guide, GUIDE)
    options = EngineOptions(book=False, tables=tables).with_weights(weights)
    return FixedNodeSearch(KALAH, options, nodes=label_nodes(weights))


def _rows(pile: Pile, order: FitOrder) -> FeatureRows:
    from mancala.engine.tuning.fit import rows_of

    return rows_of(_examples(pile, order))


def _examples(pile: Pile, order: FitOrder) -> list[LabelledPosition]:
    """Return the examples of all batches, in their order; what is not kept is labelled now."""
    from mancala.engine import tablebase
    from mancala.engine.tuning.fit import LabelledPosition

    batches = {batch.number: batch for batch in pile.kept()}
    missing = [number for number in pile.numbers if number not in batches]
    if missing and not order.plan.wide:
        tablebase.obtain(
            KALAH, order.plan.tables, tablebase.default_cache()
        )  # built once, before the workers need them
    bar = console.counted(pile.what, len(pile.numbers), quiet=order.quiet)
    with open_pool(order.place.workers, order.place.cluster) as team, bar as update:
        update(len(batches))
        for future in as_completed([team.executor.submit(_make_batch, pile, n) for n in missing]):
            made = future.result()
            write_whole(pile.path(made.number), codec.to_json(made))
            batches[made.number] = made
            update(len(batches))
    ordered = (example for number in sorted(batches) for example in batches[number].examples)
    return [LabelledPosition(*example) for example in islice(ordered, pile.wanted)]


def _fitted(rows: FeatureRows, weights: Weights) -> dict[str, Any]:
    from mancala.engine.evaluation.weights import Weights
    from mancala.engine.tuning import fit as tuning

    held = rows.part(rows.held)
    return {
        "positions": len(rows.values),
        "heldout": _errors(held, weights),
        "unfitted": _errors(held, Weights()),
        "fitted": tuning.error(rows.part(~rows.held), weights)._asdict(),
    }


def _errors(rows: FeatureRows, weights: Weights) -> dict[str, Any]:
    from mancala.engine.tuning import fit as tuning

    bands = tuning.errors_by_seeds(rows, weights)
    return {
        **tuning.error(rows, weights)._asdict(),
        "by_seeds": {band: error._asdict() for band, error in bands.items()},
    }


def _brief(error: dict[str, Any]) -> str:
    return f"{error['rms']:>8.2f} {error['explained']:>6.0%}"
