"""The evaluation of rows of any length: its threats are those of the rules, at every width."""

import random

import numpy as np
import pytest

from mancala.engine import kernels
from mancala.engine.evaluation.features import BOARD_FEATURES
from mancala.engine.kernels import state
from mancala.engine.search.worker import position_of
from mancala.protocol.rules import Board, Capture, Rules

WIDTHS = (3, 7, 8, 9, 13, 16)


def drawn(rng: random.Random, pits: int) -> Board:
    counts = [rng.choice((0, 0, 1, 2, 3, rng.randint(0, 2 * pits + 3))) for _ in range(2 * pits)]
    counts = [min(count, 255 // (2 * pits)) for count in counts]
    counts[0] = counts[pits] = 1  # so that the game is not over
    return Board.from_text(f"<{pits},0,0,{','.join(map(str, counts))}>", Rules(pits=pits))


def chained(board: Board) -> tuple[int, Board]:
    """Play the rightmost re-turn of the first lap until there is none."""
    pits, length = board.rules.pits, 0
    while not board.is_over:
        row = board.pits[board.player]
        again = [pit for pit in range(pits) if row[pit] == pits - pit]
        if not again:
            break
        length, board = length + 1, board.sow(again[-1]).board
    return length, board


def captured(board: Board) -> int:
    lap = 2 * board.rules.pits + 1
    mine = board.pits[board.player]
    most = [board.sow(pit).captured - 1 for pit in board.legal() if mine[pit] <= lap]
    return max(0, 0, *most)


@pytest.mark.parametrize("pits", WIDTHS)
def test_threats_are_what_the_rules_make_of_them(rng: random.Random, pits: int) -> None:
    """Chains, captures now and captures after the chain equal those of moves that are played."""
    seen = np.zeros(3, dtype=bool)
    for _ in range(300):
        board = drawn(rng, pits)
        length, after = chained(board)
        if after.is_over:
            continue
        counts = np.zeros(6, dtype=np.int64)
        kernels.count_threats(state.variant(Rules(pits=pits)), True, position_of(board), counts)
        expected = [length, captured(board), captured(after) if length else captured(board)]
        assert counts[:3].tolist() == expected, board.text
        seen |= counts[:3] > 0
    assert seen.all()


@pytest.mark.parametrize(
    "rules",
    [
        *(f"kalah:pits={pits}" for pits in (1, 2, 3, 6, 7)),
        *("article", "article:seeds=6", "mangala", "avalanche", "kalah-empty-capture"),
    ],
)
def test_a_row_of_one_word_has_the_threats_of_its_features(rng: random.Random, rules: str) -> None:
    """Whatever the rules and the laps of a hand; only where nothing captures, no seed counts."""
    variant = Rules.parse(rules)
    pits, captures = variant.pits, variant.capture is not Capture.NONE
    seen = np.zeros(3, dtype=bool)
    for most in (pits + 1, 2 * pits + 2, 4 * pits + 4, 255 // (2 * pits)) * 50:
        row = [min(rng.randint(0, most), 255 // (2 * pits)) for _ in range(2 * pits)]
        board = Board.from_text(f"<{pits},0,0,{','.join(map(str, row))}>", variant)
        counts = np.zeros(6, dtype=np.int64)
        kernels.count_threats(state.variant(variant), False, position_of(board), counts)
        chain, *captured = (each.tally((*row[:pits], 0, *row[pits:], 0)) for each in BOARD_FEATURES)
        assert counts[:3].tolist() == [chain, *(captures * most for most in captured)], board.text
        seen |= counts[:3] > 0
    assert seen.tolist() == [True, captures, captures]


@pytest.mark.parametrize("pits", WIDTHS)
def test_both_sides_threats_are_counted_alike(rng: random.Random, pits: int) -> None:
    """Turning the board swaps the two halves of the counts."""
    board = drawn(rng, pits)
    turned = Board(board.rules, board.pits[::-1], board.stores[::-1], board.player)
    one, two = np.zeros(6, dtype=np.int64), np.zeros(6, dtype=np.int64)
    kernels.count_threats(state.variant(Rules(pits=pits)), True, position_of(board), one)
    kernels.count_threats(state.variant(Rules(pits=pits)), True, position_of(turned), two)
    assert one.tolist() == [*two[3:].tolist(), *two[:3].tolist()]
