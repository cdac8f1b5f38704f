"""The solver proves values, says what is proven so far, and learns from board to board."""

import json

import pytest

from mancala.engine import tablebase
from mancala.engine.kernels import state
from mancala.engine.knowledge import Bounds, Known
from mancala.engine.search.solver import Solution, Solver
from mancala.engine.search.worker import ParallelWorker
from mancala.protocol.rules import Board, Rules
from tests.sources import ROOT

DATA = ROOT / "tests" / "data"
EXACT = [json.loads(line) for line in (DATA / "exact_kalah.jsonl").read_text().splitlines()]


def solver_for(rules: Rules) -> Solver:
    tables = tablebase.build(state.variant(rules), 8)
    return Solver(rules, tables=tables, table_bits=16)


def last(solver: Solver, board: Board, **options: object) -> Solution:
    *_, solution = solver.solve(board, **options)  # type: ignore[arg-type]  # passed through
    return solution


def test_every_move_gets_its_value() -> None:
    """Positions solved elsewhere have the same values here, move by move."""
    solver = solver_for(Rules())
    for entry in EXACT[:12]:
        solution = last(solver, Board.from_text(entry["board"]), every_move=True)
        assert solution.value.low == solution.value.high == entry["value"]
        assert {str(pit): b.low for pit, b in solution.moves.items()} == entry["moves"]
        assert all(bounds.exact for bounds in solution.moves.values())
        assert solution.best in entry["best"]


@pytest.mark.parametrize("guess", [-24.0, 0.0, 23.0])
def test_the_first_guess_changes_the_work_and_not_the_value(guess: float) -> None:
    """Started from any guess, the proof ends at the same value."""
    rules = Rules.parse("kalah:pits=4,seeds=3")
    assert last(solver_for(rules), Board.start(rules), guess=guess).value.low == 6


def test_what_is_known_is_not_proven_once_more() -> None:
    """Of the start of Kalah(6,6) the value was known, and its 3 billion nodes were begun anew."""
    rules = Rules.parse("kalah:pits=5,seeds=3")
    whole = last(solver_for(rules), Board.start(rules), every_move=True)
    bounds = {**whole.moves, 4: Bounds(-20, whole.value.high)}
    sure = Known(whole.value, whole.best, bounds)
    first, *_, rest = solver_for(rules).solve(Board.start(rules), every_move=True, sure=sure)
    assert (whole.best, first.value, first.moves[4]) == (2, whole.value, bounds[4])
    assert rest.moves == whole.moves
    assert rest.nodes < whole.nodes / 4


def test_bounds_only_ever_narrow() -> None:
    """Whenever a proof is broken off, what it says is true of the value and of every move."""
    rules = Rules.parse("kalah:pits=5,seeds=3")
    snapshots = list(solver_for(rules).solve(Board.start(rules), every_move=True))
    final = snapshots[-1]
    assert final.value.exact
    for snapshot in snapshots:
        assert snapshot.value.low <= final.value.low <= snapshot.value.high
        for pit, bounds in snapshot.moves.items():
            assert bounds.low <= final.moves[pit].low <= bounds.high


def test_a_second_proof_knows_what_the_first_learnt() -> None:
    """The same board again takes a fraction of the nodes."""
    rules = Rules.parse("kalah:pits=5,seeds=3")
    solver = solver_for(rules)
    first, second = (last(solver, Board.start(rules)) for _ in range(2))
    assert first.value == second.value
    assert second.nodes < first.nodes / 2


def test_a_finished_game_is_refused() -> None:
    """There is nothing to prove when the game is over."""
    rules = Rules(pits=2)
    with pytest.raises(ValueError, match="over"):
        next(solver_for(rules).solve(Board.from_text("<2,5,5,0,0,1,1>")))


def test_two_threads_prove_what_one_proves() -> None:
    """A team shares a table and comes to the same values, with the work of both counted."""
    rules = Rules.parse("kalah:pits=5,seeds=3")
    tables = tablebase.build(state.variant(rules), 8)
    pair = Solver(rules, tables=tables, table_bits=16, threads=2)
    alone = last(solver_for(rules), Board.start(rules), every_move=True)
    together = last(pair, Board.start(rules), every_move=True)
    assert together.moves == alone.moves
    assert pair.worker.nodes > super(ParallelWorker, pair.worker).nodes
