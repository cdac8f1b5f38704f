"""What is known of a position without a search."""

import json
from dataclasses import replace
from random import Random

import pytest
from typer.testing import CliRunner

from mancala.engine.kernels.state import no_tables
from mancala.engine.knowledge import Bounds, Known, known
from mancala.engine.review import Reviewer
from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.engine.search.solver import Solution, Solver
from mancala.protocol.messages import MoveValue
from mancala.protocol.rules import PRESETS, Board, Rules
from mancala.scripts.mancala import build


@pytest.mark.parametrize(("seeds", "value"), [(4, 8), (6, 4)])
def test_the_value_of_a_start_is_known(seeds: int, value: int) -> None:
    """From the book or the certificate, with a best move, whose value it is."""
    found = known(Board.start(Rules(seeds=seeds)))
    assert found is not None
    assert found.value == Bounds(value, value)
    assert found.best is not None
    assert found.moves[found.best] == Bounds(value, value)
    assert all(bounds.high <= value for bounds in found.moves.values())


def test_stores_are_added() -> None:
    """A position three seeds ahead is worth three more to its mover."""
    board = Board.start(Rules(seeds=6))
    ahead = known(replace(board, stores=(5, 2)))
    assert ahead is not None
    assert ahead.value == Bounds(7, 7)


def test_of_other_rules_and_of_most_positions_nothing_is_known() -> None:
    """Nothing is claimed from nothing."""
    assert known(Board.start(PRESETS["article"])) is None
    assert known(Board.from_text("<6,3,9,0,3,1,2,2,9,1,4,4,4,3,3>")) is None


def test_the_engine_keeps_what_the_certificate_proves_without_thinking() -> None:
    """The first player of Kalah(6,6) never falls below +4 while the certificate goes on."""
    rng = Random(6)
    engine = Engine(options=EngineOptions(tables=10))
    followed = 0
    for _ in range(5):
        board = Board.start(Rules(seeds=6))
        engine.forget()
        while not board.is_over and (sure := known(board)) is not None:
            if board.player == 0:
                if max(bounds.low for bounds in sure.moves.values()) < 4:
                    break  # a leaf of the certificate, which names no move
                pit = engine.analyse(board, Limit(nodes=1)).pit
                assert sure.moves[pit].low >= 4
                followed += 1
            else:
                pit = rng.choice(board.legal())
            board = board.sow(pit).board
    assert followed >= 10


def test_reviews_and_solve_say_what_is_known() -> None:
    """Both answer for the start of Kalah(6,6) without a search of it."""
    result = CliRunner().invoke(build(), ["solve", "--pits", "6", "--seeds", "6", "--json"])
    said = json.loads(result.stdout)
    assert (said["value"], said["best"], said["nodes"]) == (4, 0, 0)
    start = Board.start(Rules(seeds=6))
    reviewer = Reviewer(Solver(start.rules, tables=no_tables(6), table_bits=16), clock=lambda: 0.0)
    (ply,) = reviewer.review((start, start.sow(0).board), (0,), time_s=0)
    assert next(move for move in ply.moves if move.pit == 0) == MoveValue(0, 4.0, None)


def solution(value: Bounds, best: int | None, moves: dict[int, Bounds]) -> Solution:
    """Return how far a search has come."""
    return Solution(value=value, best=best, moves=moves, nodes=9, seconds=1.0)


def test_what_a_search_finds_is_added() -> None:
    """Each bound is the better one of both."""
    sure = solution(Bounds(4, 4), 0, {0: Bounds(4, 4), 1: Bounds(-10, 4)})
    found = solution(Bounds(-10, 6), None, {0: Bounds(-10, 6), 1: Bounds(0, 2)})
    both = solution(Bounds(4, 4), 0, {0: Bounds(4, 4), 1: Bounds(0, 2)})
    assert found.with_known(Known(sure.value, sure.best, sure.moves)) == both
    assert found.with_known(None) == found
