"""The files of a data set: shards made by workers, each a NumPy file, and a card that says how.

A shard that is there is not made again, so the same command goes on after an interruption. The plan
stands in the card from the beginning; a folder that holds another plan's shards is refused.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from concurrent.futures import as_completed
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from mancala.engine import dataset
from mancala.engine.search.engine import tables_for
from mancala.engine.tuning.fit import Reach
from mancala.protocol import codec
from mancala.protocol.rules import Rules
from mancala.server.contest.headless.journal import write_whole

from ..tournament.workers.pool import worker_pool
from .card import DatasetCard, DatasetPlan, card_of, page

if TYPE_CHECKING:
    from mancala.engine.kernels.state import ExactTables

CARD: Final = "card.json"
PAGE: Final = "README.md"


def begin(home: Path, plan: DatasetPlan) -> None:
    """Write the plan's card into a folder, unless an earlier run of the same plan did.

    Raises:
        ValueError: when there are no such positions, or the folder holds those of another plan.
        OSError: when a file cannot be read or written.
    """
    dataset.check(_request(plan, 0))
    home.mkdir(parents=True, exist_ok=True)
    path = home / CARD
    if not path.exists():
        write_card(home, plan)
    elif codec.from_json(path.read_bytes(), DatasetCard).plan != plan:
        raise ValueError(f"{path} is of a data set made otherwise; choose another folder")


def make_shards(home: Path, plan: DatasetPlan, workers: int, made: Callable[[int], None]) -> None:
    """Make the shards that are missing.

    Args:
        home: the folder.
        plan: what they hold.
        workers: processes that make them.
        made: called with the number of positions that there are, whenever a shard is done.
    """
    missing = [n for n in range(len(plan.sizes)) if not shard_path(home, n).exists()]
    done = plan.positions - sum(plan.sizes[number] for number in missing)
    made(done)
    with worker_pool(min(workers, len(missing) or 1)) as pool:
        for future in as_completed([pool.submit(make_shard, home, plan, n) for n in missing]):
            done += future.result()
            made(done)


def make_shard(home: Path, plan: DatasetPlan, number: int) -> int:
    """Write one shard; return the number of its positions. Runs in a worker."""
    tables = _tables(plan.rules, plan.tables)
    shard = dataset.make_shard(_request(plan, number), number, tables)
    content = io.BytesIO()
    np.save(content, shard)
    write_whole(shard_path(home, number), content.getvalue())
    return len(shard)


def write_card(home: Path, plan: DatasetPlan) -> DatasetCard:
    """Write what the shards that there are hold, for programs and for people; return the card."""
    paths = [shard_path(home, number) for number in range(len(plan.sizes))]
    card = card_of(plan, [path for path in paths if path.exists()])
    write_whole(home / CARD, codec.to_json(card) + b"\n")
    write_whole(home / PAGE, page(card).encode())
    return card


def shard_path(home: Path, number: int) -> Path:
    """Return the path of a shard's file."""
    return home / f"positions-{number:05}.npy"


def _request(plan: DatasetPlan, number: int) -> dataset.ShardRequest:
    reach = Reach(plan.fewest, plan.most)
    return dataset.ShardRequest(plan.rules, plan.seed, plan.sizes[number], reach, plan.most_nodes)


@cache
def _tables(rules: Rules, seeds: int) -> ExactTables:
    """Return the tables of a worker, which were built before it began."""
    return tables_for(rules, seeds=seeds)
