"""Counts of a strong solution: against a recursion over every position, by the rules alone."""

from collections import Counter
from functools import cache
from itertools import product

import pytest

from mancala.engine import tablebase
from mancala.engine.kernels import state
from mancala.engine.tablebase.counts import PositionCounts, counts
from mancala.protocol.rules import Board, Rules


@cache
def worth(board: Board) -> int:
    if board.is_over:
        return board.score(0)
    values = [worth(board.sow(pit).board) for pit in board.legal()]
    return max(values) if board.player == 0 else min(values)


def counted(rules: Rules) -> list[PositionCounts]:
    """Count every position of a game, with all ways to divide the seeds outside of the pits."""
    total, pits = 2 * rules.pits * rules.seeds, rules.pits
    found: dict[int, Counter[int]] = {seeds: Counter() for seeds in range(2, total + 1)}
    for row in product(range(total + 1), repeat=2 * pits):
        seeds = sum(row)
        if seeds > total or not (any(row[:pits]) and any(row[pits:])):
            continue
        for mine in range(total - seeds + 1):
            board = Board(rules, (row[:pits], row[pits:]), (mine, total - seeds - mine))
            value = worth(board)
            found[seeds][(value > 0) - (value < 0)] += 1
    return [
        PositionCounts(seeds, each.total() // (total - seeds + 1), each[1], each[0], each[-1])
        for seeds, each in found.items()
    ]


@pytest.mark.parametrize("text", ["kalah:pits=2,seeds=2", "kalah-empty-capture:pits=2,seeds=2"])
def test_a_small_game_is_counted_as_by_trying_everything(text: str) -> None:
    """Every position of a game of eight seeds, however its other seeds lie in the stores."""
    rules = Rules.parse(text)
    tables = tablebase.build(state.variant(rules), 8)
    assert list(counts(rules, tables)) == counted(rules)


def test_tables_that_do_not_reach_all_seeds_count_what_they_hold() -> None:
    """The lines that are there do not change."""
    rules = Rules.parse("kalah:pits=2,seeds=2")
    variant = state.variant(rules)
    whole = list(counts(rules, tablebase.build(variant, 8)))
    assert list(counts(rules, tablebase.build(variant, 5))) == whole[:4]
