"""What the evaluation looks at, what each feature weighs, and the file that carries the weights.

The evaluation estimates the value-to-go: what the mover will still gain over the other, in seeds.
It is a sum of weighted features and of what a small net adds. The features are counted once for the
mover and once for the other side, and each weight can be read and turned by itself; the net
(:mod:`mancala.engine.kernels.net`) was trained on what the features leave unexplained.
The difference of stores is no feature: the search adds it exactly, with weight one. Features that
are sums over single pits are folded into tables by pit and count before the kernel sees them, so
they cost two loads a pit together; a ``Weights`` file may also give such tables outright, and
tables for each two pits and their counts, which are added up into tables by two couples of
neighbours, one load for four pits. The net takes the place of these pairs where a file has both;
without it (``net_scale=0``) the evaluation is linear.
"""

from __future__ import annotations

import bz2
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from hashlib import blake2b
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mancala.files import write_whole
from mancala.protocol.rules import Rules
from mancala.protocol.text import written_text

from ..kernels.layout import Numbers, Shorts
from ..kernels.state import (
    NET_COUNTS,
    NET_HIDDEN,
    NET_PITS,
    NET_PLACES,
    SHARED_LANES,
    SHARED_NET,
    SHARED_PLACES,
    SHARED_WEIGHTS,
    SIX_NET,
    W_BOARD,
    W_BOARD_OTHER,
    W_COUNTS,
    W_GROUPS,
    W_NET,
    W_OTHER,
    W_TEMPO,
    WEIGHTS,
    groups,
    pairs,
)
from .features import (
    BOARD_FEATURES,
    DEFAULTS,
    FACTORS,
    FILE_VERSION,
    NAMES,
    NET_SCALE,
    PIT_FEATURES,
    RANGES,
    SCALE,
    SIDES,
    STORES,
    check,
)
from .search_options import SearchOptions

UNITS_A_SEED: Final = 64


class WeightsError(ValueError):
    """A file or mapping that holds no weights for this version."""


class Net(NamedTuple):
    """The weights of the net, whole numbers as the kernels add them up.

    The first layer has a row for each case of `mancala.engine.kernels.state.NET_PLACES`, or of its
    ``SHARED_PLACES``, a number a hidden unit; ``out`` is what each hidden unit weighs.
    """

    rows: tuple[tuple[int, ...], ...]
    out: tuple[int, ...]

    def check(self) -> None:
        """Raise `WeightsError` for a wrong shape, or numbers whose sums the kernels cannot hold."""
        widths = {len(self.out), *map(len, self.rows)}
        if len(self.rows) != sum(self.places) or widths != {NET_HIDDEN}:
            counts = f"{sum(NET_PLACES)} or {sum(SHARED_PLACES)}"
            raise WeightsError(f"a net has {counts} rows of {NET_HIDDEN} numbers")
        firsts = np.cumsum((0, *self.places[:-1]))
        most = np.maximum.reduceat(np.abs(np.array(self.rows, dtype=np.int64)), firsts).sum(axis=0)
        out = np.abs(np.array(self.out, dtype=np.int64))
        if max(most.max(), out.max()) >= 1 << 15 or int(most @ out) >= 1 << 31:
            raise WeightsError("the numbers of the net are too large for the sums of the kernels")

    @property
    def places(self) -> tuple[int, ...]:
        """The number of rows of each place: of rows of six pits, or of any width."""
        return SHARED_PLACES if self.is_shared else NET_PLACES

    @property
    def is_shared(self) -> bool:
        """Whether the net is for rows of any length."""
        return len(self.rows) == sum(SHARED_PLACES)

    def compiled(self, pits: int) -> Numbers:
        """Return the net as the kernels have it, from ``W_NET`` on, for rows of this length."""
        head = np.zeros(NET_HIDDEN, dtype=np.int64)
        head[0] = SHARED_NET if self.is_shared else SIX_NET
        rows = np.array(self.rows, dtype=np.int64)
        blocks = _laid_out(rows, pits) if self.is_shared else rows
        return np.concatenate([head, blocks.ravel(), self.out])

    def scaled(self, factor: float) -> Self:
        """Return a net that adds ``factor`` times as much."""
        return self._replace(out=tuple(round(weight * factor) for weight in self.out))


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """A set of weights with its origin.

    ``values`` are in seeds by name; names left out weigh their default. ``pits`` are seeds by
    ``[side][pit][count]``, side 0 the mover's, added to what the features of single pits give;
    empty for none. ``pairs`` are seeds by ``[pair][8 * count + count]``, counts cut to 7, pairs in
    the order of :func:`mancala.engine.kernels.state.pairs`; empty for none. The net is added to the
    features in the place of the pairs. ``search`` has the parameters that they were tuned with;
    None for the usual. ``stores`` is what a seed of the store difference weighs, usually 1:
    values stay in seeds, which proofs and tables know, so the rest is divided by it.

    Raises:
        WeightsError: when a name is unknown or a value is no number within its range.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    pits: tuple[tuple[tuple[float, ...], ...], ...] = ()
    pairs: tuple[tuple[float, ...], ...] = ()
    net: Net | None = None
    provenance: str = "hand-set defaults"
    search: SearchOptions | None = None
    stores: float = 1.0

    def __post_init__(self) -> None:
        _check(self.values, RANGES)
        _check({STORES: self.stores}, FACTORS)
        if self.net is not None:
            self.net.scaled(1 / self.stores).check()

    def __getitem__(self, name: str) -> float:
        return self.values.get(name, DEFAULTS[name])

    @property
    def fingerprint(self) -> str:
        """What tells weights apart by what they weigh, wherever they come from; 32 hex digits."""
        net = () if self.net is None else (self.net,)
        stores = () if self.stores == 1.0 else (self.stores,)
        content = (sorted(self.values.items()), self.pits, self.pairs, self.search, *net, *stores)
        return blake2b(repr(content).encode(), digest_size=16).hexdigest()

    def varied(self, changes: Mapping[str, float]) -> Weights:
        """Return some names another weight; ``table_scale`` multiplies all tables.

        ``net_scale`` multiplies what the net adds; 0 leaves the net out. ``stores`` is the weight
        of the store difference. WeightsError for an unknown name or a value out of its range.
        """
        if not changes:
            return self
        _check(changes, {**RANGES, **FACTORS})
        scale, net_scale = changes.get(SCALE, 1.0), changes.get(NET_SCALE, 1.0)
        values = {name: value for name, value in changes.items() if name not in FACTORS}
        return replace(
            self,
            stores=changes.get(STORES, self.stores),
            values={**self.values, **values},
            pits=tuple(tuple(_scaled(pit, scale) for pit in side) for side in self.pits),
            pairs=tuple(_scaled(pair, scale) for pair in self.pairs),
            net=self.net.scaled(net_scale) if self.net and net_scale else None,
        )

    @property
    def linear(self) -> Weights:
        return replace(self, net=None)

    def compiled(self, rules: Rules) -> Shorts:
        """Fill the kernels' i16[WEIGHTS] or i16[SHARED_WEIGHTS] for these rules, in units.

        Tables are for rows of their own length; on a board of another the shared weights count,
        without their net where these have none. What ships was fitted to Kalah: for another game of
        the family it weighs the stores alone (STRENGTH.md), and so does what was made of it.
        """
        fitted = {shipped().provenance, shared().provenance}
        if rules.is_family and (self.provenance in fitted or not self.fits(rules)):
            return replace(NOTHING, stores=self.stores).compiled(rules)
        if not self.fits(rules):
            others = shared() if self.net is not None else shared().linear
            return replace(others, stores=self.stores).compiled(rules)
        is_shared = self.net is not None and self.net.is_shared
        table = np.zeros(SHARED_WEIGHTS if is_shared else WEIGHTS)
        table[W_TEMPO] = self["tempo"]
        for side, prefix in enumerate(SIDES):
            for pit in range(rules.pits):
                first = side * W_OTHER + pit * W_COUNTS
                table[first : first + W_COUNTS] = self._pit(side, pit, rules.pits)
            first = (W_BOARD, W_BOARD_OTHER)[side]
            for at, feature in enumerate(BOARD_FEATURES, start=first):
                table[at] = self[f"{prefix}_{feature.name}"]
        whole = np.rint(table * UNITS_A_SEED / self.stores).astype(np.int64)
        if self.pairs:
            grouped = self._grouped(rules.pits)
            whole[W_GROUPS : W_GROUPS + grouped.size] = grouped
        if self.net is not None:
            whole[W_NET:] = self.net.scaled(1 / self.stores).compiled(rules.pits)
        limits = np.iinfo(np.int16)
        return np.clip(whole, limits.min, limits.max).astype(np.int16)

    def _grouped(self, pits: int) -> Numbers:
        """Add the tables of pairs up by groups; pairs within a group count where it comes first."""
        seeds = np.array(self.pairs) / self.stores
        units = np.rint(seeds * UNITS_A_SEED).astype(np.int64).reshape(-1, 8, 8)
        table_of = dict(zip(pairs(pits), units, strict=True))
        within: set[tuple[int, ...]] = set()
        tables = []
        for one, two in groups(pits):
            axes = (*one, None)[:2] + (*two, None)[:2]
            table = np.zeros((8, 8, 8, 8), dtype=np.int64)
            fresh = set(combinations((*one, *two), 2)) - within
            for couple in fresh:
                table += table_of[couple].reshape([8 if pit in couple else 1 for pit in axes])
            within |= fresh & {one, two}
            tables.append(table.transpose(1, 0, 3, 2).ravel())
        return np.concatenate(tables)

    def fits(self, rules: Rules) -> bool:
        """Return whether the tables and the net, where there are any, are for such rows."""
        if self.net is not None and not self.net.is_shared and rules.pits != NET_PITS:
            return False
        singles = not self.pits or len(self.pits[0]) == rules.pits
        return singles and (not self.pairs or len(self.pairs) == len(pairs(rules.pits)))

    def _pit(self, side: int, pit: int, pits: int) -> NDArray[np.float64]:
        """Return what the seeds of a pit weigh: f64[W_COUNTS]."""
        counts = np.arange(W_COUNTS)
        worth = np.zeros(W_COUNTS)
        rows = [(0,) * pit + (seeds,) + (0,) * (2 * pits + 1 - pit) for seeds in counts.tolist()]
        for feature in PIT_FEATURES:
            weight = self[f"{SIDES[side]}_{feature.name}"]
            worth += weight * np.array([feature.tally(row) for row in rows])
        if self.pits:
            given = np.array(self.pits[side][pit])
            worth += given[np.minimum(counts, len(given) - 1)]
        return worth

    def save(self, path: Path) -> None:
        """Write the weights as JSON, whole or not at all: names in seeds, tables in units."""
        head = {
            "version": FILE_VERSION,
            "provenance": self.provenance,
            "values": {name: self[name] for name in NAMES}
            | ({} if self.stores == 1.0 else {STORES: self.stores}),
            **({} if self.search is None else {"search": asdict(self.search)}),
        }
        sides = [_lines([_units(pit) for pit in side]) for side in self.pits]
        tables = f'"pits": [{", ".join(sides)}],\n"pairs": {_lines(map(_units, self.pairs))}'
        if self.net is not None:
            tables += f',\n"net": {{"rows": {_lines(map(list, self.net.rows))},\n'
            tables += f'"out": {json.dumps(self.net.out)}}}'
        text = json.dumps(head, indent=1).removesuffix("\n}")
        write_whole(path, f"{text},\n{tables}\n}}\n".encode())

    @classmethod
    def load(cls, path: Path) -> Weights:
        """Read a file that :meth:`save` wrote; a name that it leaves out weighs nothing.

        Raises:
            WeightsError: when the file holds no weights of this version.
        """
        return cls.read(path.read_bytes(), path)

    @classmethod
    def read(cls, content: bytes, path: Path) -> Weights:
        """Read the content of a file; its path is named where it holds no weights."""
        try:
            body = json.loads(written_text(content))
            version = body["version"]
            given = {str(name): float(value) for name, value in body["values"].items()}
            read: dict[str, Any] = {
                STORES: given.pop(STORES, 1.0),
                "values": dict.fromkeys(NAMES, 0.0) | given,
                "pits": tuple(tuple(_seeds(pit) for pit in side) for side in body["pits"]),
                "pairs": tuple(_seeds(pair) for pair in body["pairs"]),
                "provenance": str(body["provenance"]),
                "search": SearchOptions(**body["search"]) if "search" in body else None,
                "net": _net(body["net"]) if "net" in body else None,
            }
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise WeightsError(f"{path} is no weights file: {error}") from error
        if version != FILE_VERSION:
            raise WeightsError(f"{path} has version {version}; this engine reads {FILE_VERSION}")
        return cls(**read)


def _check(weights: Mapping[str, float], ranges: Mapping[str, tuple[float, float]]) -> None:
    try:
        check(weights, ranges)
    except ValueError as error:
        raise WeightsError(str(error)) from None


NOTHING: Final = Weights(values=dict.fromkeys(DEFAULTS, 0.0))
"""Weighs nothing beside the difference of the stores."""


def _laid_out(rows: Numbers, pits: int) -> Numbers:
    """Return a shared net's rows by lane for one width: pits, threats, and the bias.

    The bias has what the width adds, and the empty pits of places that the width does not have.
    """
    places = rows[: 2 * SHARED_LANES * NET_COUNTS].reshape(2, SHARED_LANES, NET_COUNTS, -1)
    lanes = np.zeros_like(places)
    lanes[:, :pits] = places[:, :pits][:, ::-1]
    widths = rows[-SHARED_LANES - 1 :]
    bias = widths[pits] + places[:, pits:, 0].sum(axis=(0, 1))
    threats = rows[2 * SHARED_LANES * NET_COUNTS : -SHARED_LANES - 1]
    return np.vstack([lanes.reshape(-1, NET_HIDDEN), threats, bias])


def _scaled(table: tuple[float, ...], scale: float) -> tuple[float, ...]:
    return tuple(round(weight * scale * UNITS_A_SEED) / UNITS_A_SEED for weight in table)


def _units(weights: Iterable[float]) -> list[int]:
    return [round(weight * UNITS_A_SEED) for weight in weights]


def _seeds(units: Iterable[int]) -> tuple[float, ...]:
    return tuple(weight / UNITS_A_SEED for weight in units)


def _net(body: Mapping[str, Any]) -> Net:
    rows = tuple(tuple(map(int, row)) for row in body["rows"])
    return Net(rows, tuple(map(int, body["out"])))


def _lines(tables: Iterable[list[int]]) -> str:
    return "[\n" + ",\n".join(json.dumps(each, separators=(",", ":")) for each in tables) + "\n]"


@cache
def shared() -> Weights:
    """Return the weights that boards of other widths than the shipped ones' share."""
    return _of_engine("weights_shared")


@cache
def shipped() -> Weights:
    """Return the shipped weights; their provenance is the command that made them."""
    return _of_engine("weights_kalah")


def _of_engine(name: str) -> Weights:
    path = Path(str(resources.files("mancala.engine") / "data" / f"{name}.json.bz2"))
    return Weights.read(bz2.decompress(path.read_bytes()), path)
