"""The compiled kernels equal the rules, wherever both can say something."""

import json
import os
import random
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from mancala.engine import kernels
from mancala.engine.kernels import layout, state
from mancala.engine.perft import perft
from mancala.protocol.rules import Board, Rules
from mancala.protocol.variants import PLUGGED
from tests.protocol.strategies import FAMILY_RULES
from tests.sources import ROOT, run_python

DATA = ROOT / "tests" / "data"
PERFT = json.loads((DATA / "perft.json").read_text())
POSITIONS = int(os.environ.get("MANCALA_RANDOM_POSITIONS", "6000"))
LEAVES = 6_000_000
LEAVES_IN_PYTHON = 30_000
"""Where the referee sows."""


def boards_of(board: Board) -> tuple[layout.Words, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    me = board.player
    stores = np.array([board.stores[me], board.stores[1 - me]])
    return layout.position(board.pits[me], board.pits[1 - me]), stores


def agrees(variant: state.Variant, board: Board, pit: int) -> Board:
    words, stores = boards_of(board)
    code = kernels.play(variant, words, stores, pit)
    sowing = board.sow(pit)
    after, me = sowing.board, board.player
    assert code == (2 if after.is_over else int(sowing.again))
    assert (words == layout.position(after.pits[me], after.pits[1 - me])).all()
    assert tuple(map(int, stores)) == (after.stores[me], after.stores[1 - me])
    return after


def random_rules(rng: random.Random, pits: int) -> Rules:
    """Draw a preset for a row of ``pits`` pits, with a start that is now and then crowded."""
    most = 255 // (2 * pits)
    seeds = min(rng.choice((1, 2, 3, 4, 6, most)), most)
    preset = rng.choice(sorted({*PLUGGED} - {"oware"}))
    rules = Rules.parse(f"{preset}:pits={pits},seeds={seeds}").without_pie
    more = {rng.choice(FAMILY_RULES): True} if rng.random() < 0.5 else {}
    return replace(rules, **more)  # type: ignore[arg-type]  # a rule's name and value


@pytest.mark.parametrize("pits", [*range(1, 8), 8, 9, 16])
def test_random_games_go_as_the_rules_say(pits: int, rng: random.Random) -> None:
    """Every sowing of random games gives the same board, captures, turns and ends."""
    variants: dict[Rules, state.Variant] = {}
    played = 0
    while played < POSITIONS // 10:
        rules = random_rules(rng, pits)
        variant = variants.setdefault(rules, state.variant(rules))
        board = Board.start(rules)
        while not board.is_over:
            board = agrees(variant, board, rng.choice(board.legal()))
            played += 1


def counts() -> list[tuple[str, int, int]]:
    return [
        (name, depth, count)
        for name, leaves in PERFT.items()
        for depth, count in enumerate(leaves, start=1)
        if count <= (LEAVES_IN_PYTHON if name == "oware" else LEAVES)
    ]


@pytest.mark.parametrize(("name", "depth", "count"), counts())
def test_perft_gives_the_published_counts(name: str, depth: int, count: int) -> None:
    """The game trees of the start positions have as many leaves as published."""
    assert perft(Board.start(Rules.parse(name)), depth) == count


@pytest.mark.parametrize("name", ["article", "kalah:pits=8", "article:pits=7,seeds=3"])
def test_perft_counts_what_the_rules_allow(name: str) -> None:
    """Where no counts are published, they are those of the rules played out."""

    def count(board: Board, depth: int) -> int:
        if depth == 0 or board.is_over:
            return 1
        return sum(count(board.sow(pit).board, depth - 1) for pit in board.legal())

    board = Board.start(Rules.parse(name))
    assert [perft(board, depth) for depth in range(5)] == [
        count(board, depth) for depth in range(5)
    ]


def test_a_finished_game_is_one_leaf() -> None:
    """Perft of a game that is over is one at any depth."""
    board = Board.from_text("<6,20,20,0,0,0,0,0,0,1,2,1,2,1,1>")
    assert [perft(board, depth) for depth in (0, 1, 5)] == [1, 1, 1]


def test_sowing_stays_in_unsigned_words() -> None:
    """Nothing in the inner loop has been turned into floating point or signed words."""
    perft(Board.start(), 3)
    dispatcher = cast("Any", kernels.perft)  # numba ships no types for its dispatchers
    signatures = dispatcher.nopython_signatures
    assert [str(s.return_type) for s in signatures] == ["int64"]
    assert [str(a) for s in signatures for a in s.args[1:]] == ["uint64"] * 3 + ["int64"]


PLAIN = """
import numpy as np
from mancala.engine import kernels
from mancala.engine.kernels import layout, state
from mancala.engine.perft import perft
from mancala.protocol.rules import Board, Rules
with np.errstate(over="ignore"):
    print([perft(Board.start(Rules.parse(r)), 4) for r in ("kalah", "article", "kalah:pits=9")])
"""


def test_kernels_mean_the_same_in_plain_python() -> None:
    """Without compilation the same code counts the same leaves."""
    outcomes = {run_python("-c", PLAIN, NUMBA_DISABLE_JIT=jit).stdout for jit in ("0", "1")}
    assert len(outcomes) == 1
