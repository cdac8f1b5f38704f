"""Small campaigns for the tests of this folder."""

from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from mancala.engine import tablebase
from mancala.engine.campaign import home
from mancala.engine.campaign.campaign import Campaign, Effort
from mancala.engine.campaign.prover import Prover
from mancala.engine.kernels import state
from mancala.protocol.rules import Board, Rules

T = TypeVar("T")
TABLE_SEEDS = 8
EFFORT = Effort(subproof_nodes=1 << 12)


@cache
def tables(rules: Rules) -> state.ExactTables:
    if rules.majority:
        return state.no_tables(rules.pits)
    return tablebase.build(state.variant(rules), TABLE_SEEDS)


def ended(search: Generator[bool | None, None, T]) -> T:
    while True:
        try:
            next(search)
        except StopIteration as end:
            return cast("T", end.value)


def prover_for(rules: Rules, *, threads: int = 1) -> Prover:
    return Prover(rules, tables=tables(rules), table_bits=16, threads=threads)


def begun(directory: Path, board: Board, effort: Effort = EFFORT) -> Campaign:
    home.create(directory, home.Definition.of(board))
    return resumed(directory, board.rules, effort)


def resumed(directory: Path, rules: Rules, effort: Effort = EFFORT) -> Campaign:
    return Campaign(directory, prover_for(rules), effort)


def finished(directory: Path, board: Board, effort: Effort = EFFORT) -> Campaign:
    campaign = begun(directory, board, effort)
    for _ in campaign.run():
        pass
    campaign.save()
    campaign.close()
    return campaign
