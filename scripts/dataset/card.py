"""The card of a data set: how it was made, what it holds, and the hash of each file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from msgspec import Struct, structs

from mancala.engine.dataset import COLUMNS, best_pits, is_exact
from mancala.protocol.rules import Rules
from mancala.protocol.text import quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

HARD: Final = 0.9
"""The share of positions whose proofs take fewer nodes than the hard ones."""


class DatasetPlan(Struct, frozen=True):
    """What decides the positions of a data set.

    Attributes:
        rules: what is played.
        seed: seeds the games.
        positions: number of positions.
        shard: positions in a file; the last one may hold fewer.
        fewest: the fewest seeds in play.
        most: the most seeds in play.
        most_nodes: nodes after which a position's proof ends with bounds.
        tables: the most seeds in the endgame tables of the proofs.
    """

    rules: Rules
    seed: int
    positions: int
    shard: int
    fewest: int
    most: int
    most_nodes: int
    tables: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """Positions of each shard."""
        return tuple(
            min(self.shard, self.positions - first)
            for first in range(0, self.positions, self.shard)
        )


class DatasetFile(Struct, frozen=True):
    """A shard's file."""

    name: str
    positions: int
    sha256: str


class SeedsRow(Struct, frozen=True):
    """The positions with one number of seeds in play.

    Attributes:
        seeds: how many.
        positions: number of positions.
        exact: those whose moves are all proven.
        nodes_median: nodes that half of the proofs stay below.
        nodes_hard: nodes that nine of ten proofs stay below.
    """

    seeds: int
    positions: int
    exact: int
    nodes_median: int
    nodes_hard: int


class DatasetCard(Struct, frozen=True):
    """What a data set is.

    Attributes:
        plan: what decides the positions.
        version: of the program that made it.
        columns: the fields of a record, and what they mean.
        positions: number of positions so far.
        exact: those whose moves are all proven.
        distinct: positions that differ from one another.
        by_seeds: the positions by their seeds in play.
        baselines: how often choices without thought are best, in exact positions, 0..1.
        files: the shards.
    """

    plan: DatasetPlan
    version: str
    columns: dict[str, str]
    positions: int
    exact: int
    distinct: int
    by_seeds: tuple[SeedsRow, ...]
    baselines: dict[str, float]
    files: tuple[DatasetFile, ...]


def card_of(plan: DatasetPlan, shards: Sequence[Path]) -> DatasetCard:
    """Read the shards that there are; return their card."""
    files = tuple(_file(path) for path in shards)
    records = np.concatenate([np.load(path) for path in shards]) if shards else None
    return DatasetCard(
        plan=plan,
        version=version("mancala-arena"),
        columns=COLUMNS,
        positions=0 if records is None else len(records),
        exact=0 if records is None else int(is_exact(records).sum()),
        distinct=0 if records is None else _distinct(records),
        by_seeds=() if records is None else _by_seeds(records),
        baselines={} if records is None else _baselines(records[is_exact(records)]),
        files=files,
    )


def page(card: DatasetCard) -> str:
    """Return the card for people, as Markdown."""
    plan = card.plan
    columns = "\n".join(f"- `{name}`: {meaning}" for name, meaning in card.columns.items())
    seeds = "\n".join(_table_row(structs.astuple(row)) for row in card.by_seeds)
    files = "\n".join(_table_row(structs.astuple(file)) for file in card.files)
    shares = ", ".join(f"{name} {share:.1%}" for name, share in card.baselines.items())
    positions = quantity(card.positions, "position")
    pits = quantity(plan.rules.pits, "pit")
    return f"""# Positions with the values of all moves

{positions} of Kalah with {pits} a row ({plan.rules.key}),
{plan.fewest} to {plan.most} seeds in play. {card.exact} have a proven value for each move,
{card.distinct} differ from one another.

Made by mancala-arena {card.version} from games of mixed quality, seed {plan.seed}, with endgame
tables of {plan.tables} seeds. A proof of more than {plan.most_nodes} nodes ends with bounds.
The same seed and tables make the same files.

Each file is a NumPy array of records (`numpy.load`). Stores are empty. The fields:

{columns}

| seeds in play | positions | proven | nodes, median | nodes, 90 % |
| --- | --- | --- | --- | --- |
{seeds}

How often a choice without thought is best: {shares}.

| file | positions | SHA-256 |
| --- | --- | --- |
{files}
"""


def _table_row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _file(path: Path) -> DatasetFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return DatasetFile(path.name, len(np.load(path, mmap_mode="r")), digest)


def _distinct(records: NDArray[Any]) -> int:
    return len(np.unique(records["pits"].reshape(len(records), -1), axis=0))


def _by_seeds(records: NDArray[Any]) -> tuple[SeedsRow, ...]:
    seeds, exact = records["pits"].sum(axis=(1, 2), dtype=np.int64), is_exact(records)
    return tuple(
        SeedsRow(
            seeds=count,
            positions=int((seeds == count).sum()),
            exact=int(exact[seeds == count].sum()),
            nodes_median=int(np.median(records["nodes"][seeds == count])),
            nodes_hard=int(np.quantile(records["nodes"][seeds == count], HARD)),
        )
        for count in np.unique(seeds).tolist()
    )


def _baselines(exact: NDArray[Any]) -> dict[str, float]:
    """Return how often a legal pit at random, and the one nearest to the store, is best."""
    if not len(exact):
        return {}
    best, legal = best_pits(exact), exact["legal"]
    nearest = legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)
    return {
        "any legal pit": round(float((best.sum(axis=1) / legal.sum(axis=1)).mean()), 4),
        "the legal pit nearest to the store": round(
            float(best[np.arange(len(best)), nearest].mean()), 4
        ),
    }
