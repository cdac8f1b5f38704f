"""The files of a data set: shards, each a NumPy file, and a card that says how they were made.

A shard that is there is not made again, so the same call goes on after an interruption. The plan
stands in the card from the beginning; a folder that holds another plan's shards is refused.
"""

import hashlib
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, as_completed
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from mancala.files import write_whole
from mancala.protocol import codec
from mancala.protocol.rules import Rules
from mancala.protocol.text import quantity

from . import dataset
from .dataset import DatasetPlan
from .kernels.state import ExactTables
from .search.engine import tables_for

CARD: Final = "card.json"
PAGE: Final = "README.md"
HARD: Final = 0.9
"""The share of positions whose proofs take fewer nodes than the hard ones."""


class DatasetFile(Struct, frozen=True):
    name: str
    positions: int
    sha256: str


class SeedsRow(Struct, frozen=True):
    """The positions with one number of seeds in play.

    Attributes:
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
    positions: int = 0
    exact: int = 0
    distinct: int = 0
    by_seeds: tuple[SeedsRow, ...] = ()
    baselines: dict[str, float] = {}
    files: tuple[DatasetFile, ...] = ()

    def to_dict(self, home: Path) -> dict[str, Any]:
        """Return the result as JSON values, as ``mancala dataset --json`` prints it."""
        return {
            "positions": self.positions,
            "files": [str(home / file.name) for file in self.files],
            "exact": self.exact,
            "distinct": self.distinct,
            "card": str(home / CARD),
        }


def begin(home: Path, plan: DatasetPlan) -> None:
    """Write the plan's card into a folder, unless an earlier run of the same plan did.

    Raises:
        ValueError: when there are no such positions, or the folder holds those of another plan.
        OSError: when a file cannot be read or written.
    """
    dataset.check(plan)
    home.mkdir(parents=True, exist_ok=True)
    path = home / CARD
    if not path.exists():
        check_unused(home, PAGE, shard_path(home, 0).name)
        write_card(home, plan)
    elif _card_in(path).plan != plan:
        raise ValueError(f"{path} is of a data set made otherwise; choose another folder")


def _card_in(path: Path) -> DatasetCard:
    try:
        return codec.from_json(path.read_bytes(), DatasetCard)
    except codec.DecodeError as error:
        raise ValueError(f"{path} is no card of a data set: {error}") from None


def check_unused(home: Path, *names: str) -> None:
    """Refuse a folder without a card that holds such files, by a ValueError: they are another's."""
    for name in names:
        if (home / name).exists() and (home / name).stat().st_size:
            raise ValueError(f"{home / name} is there without {CARD}; choose another folder")


def make_shards(home: Path, plan: DatasetPlan, executor: Executor) -> Iterator[int]:
    """Make the shards that are missing; yield the number of positions after each."""
    missing = [n for n in range(len(plan.sizes)) if not shard_path(home, n).exists()]
    done = plan.positions - sum(plan.sizes[number] for number in missing)
    yield done
    asked = {executor.submit(_make_shard, plan, number): number for number in missing}
    for made in as_completed(asked):
        shard = made.result()
        content = BytesIO()  # of a full disk numpy says only how many numbers it wrote
        np.save(content, shard)
        write_whole(shard_path(home, asked[made]), content.getvalue())
        done += len(shard)
        yield done


def _make_shard(plan: DatasetPlan, number: int) -> NDArray[Any]:
    """Make one shard; runs in a worker, which may be on another machine."""
    return dataset.make_shard(plan, number, _tables(plan.rules, plan.tables))


def write_card(home: Path, plan: DatasetPlan) -> DatasetCard:
    """Write what the shards that there are hold, for programs and for people; return the card."""
    paths = {shard_path(home, number): size for number, size in enumerate(plan.sizes)}
    card = _card_of(plan, {path: size for path, size in paths.items() if path.exists()})
    write_whole(home / CARD, codec.to_json(card) + b"\n")
    write_whole(home / PAGE, _page(card).encode())
    return card


def shard_path(home: Path, number: int) -> Path:
    return home / f"positions-{number:05}.npy"


@cache
def _tables(rules: Rules, seeds: int) -> ExactTables:
    """Return the tables of a worker, which were built before it began."""
    return tables_for(rules, seeds=seeds)


def _card_of(plan: DatasetPlan, shards: dict[Path, int]) -> DatasetCard:
    """Return the card, given the files of shards and the positions that each is to hold."""
    card = DatasetCard(plan, version("mancala-arena"), dataset.COLUMNS)
    if not shards:
        return card
    parts = [_records(path, plan, size) for path, size in shards.items()]
    records = np.concatenate(parts)
    exact = dataset.is_exact(records)
    return structs.replace(
        card,
        positions=len(records),
        exact=int(exact.sum()),
        distinct=len(np.unique(records["pits"].reshape(len(records), -1), axis=0)),
        by_seeds=_by_seeds(records, exact),
        baselines=_baselines(records[exact]),
        files=tuple(_file(path, len(part)) for path, part in zip(shards, parts, strict=True)),
    )


def _records(path: Path, plan: DatasetPlan, size: int) -> NDArray[Any]:
    """Return a shard; ValueError where the file is not the one that was written."""
    with suppress(ValueError, EOFError), path.open("rb") as file:
        records: NDArray[Any] = np.lib.format.read_array(file)
        if records.dtype == dataset.record(plan.rules.pits) and records.shape == (size,):
            return records
    raise ValueError(f"{path} is damaged; delete it, and the same command makes it again")


def _file(path: Path, positions: int) -> DatasetFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return DatasetFile(path.name, positions, digest)


def _by_seeds(records: NDArray[Any], exact: NDArray[np.bool_]) -> tuple[SeedsRow, ...]:
    seeds = records["pits"].sum(axis=(1, 2), dtype=np.int64)
    rows = []
    for count in np.unique(seeds).tolist():
        chosen = seeds == count
        median, hard = np.quantile(records["nodes"][chosen], (0.5, HARD)).astype(int).tolist()
        rows.append(SeedsRow(count, int(chosen.sum()), int(exact[chosen].sum()), median, hard))
    return tuple(rows)


def _baselines(exact: NDArray[Any]) -> dict[str, float]:
    """Return how often a legal pit at random, and the one nearest to the store, is best."""
    if not len(exact):
        return {}
    best, legal = dataset.best_pits(exact), exact["legal"]
    nearest = legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)
    return {
        "any legal pit": round(float((best.sum(axis=1) / legal.sum(axis=1)).mean()), 4),
        "the legal pit nearest to the store": round(
            float(best[np.arange(len(best)), nearest].mean()), 4
        ),
    }


def _page(card: DatasetCard) -> str:
    plan = card.plan
    columns = "\n".join(f"- `{name}`: {meaning}" for name, meaning in card.columns.items())
    seeds, files = _table_rows(card.by_seeds), _table_rows(card.files)
    shares = ", ".join(f"{name} {share:.1%}" for name, share in card.baselines.items())
    positions = quantity(card.positions, "position")
    pits = quantity(plan.rules.pits, "pit")
    return f"""# Positions with the values of all moves

{positions} by the rules `{plan.rules}`, with {pits} a row and
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


def _table_rows(rows: Iterable[Struct]) -> str:
    cells = (map(str, structs.astuple(row)) for row in rows)
    return "\n".join(f"| {' | '.join(each)} |" for each in cells)
