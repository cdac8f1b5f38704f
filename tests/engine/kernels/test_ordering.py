"""The order in which a proof takes the moves."""

from pathlib import Path

from mancala import engine
from mancala.engine import tablebase
from mancala.engine.evaluation.weights import Weights, shipped
from mancala.engine.kernels import PROOF, UNIT, state
from mancala.engine.search.worker import Steps, Worker
from mancala.protocol.rules import Board, Rules

STORES = Path(engine.__file__).parent / "data" / "weights_stores.json"
RULES = Rules(seeds=6)
POSITIONS = (
    "<6,0,0,0,2,6,1,1,9,1,4,2,4,0,0>",
    "<6,0,0,3,3,4,0,2,5,0,4,0,2,4,3>",
    "<6,0,0,2,5,1,6,0,3,4,0,2,5,1,0>",
    "<6,0,0,6,3,2,5,1,3,2,1,2,1,3,0>",
)
"""Positions of 28 to 31 seeds, with both sides about equal."""


def _proofs(weights: Weights) -> tuple[list[bool], int]:
    """Return which positions are worth a seed or two, and the nodes of the proofs by one thread."""
    search = state.new_search(
        RULES, weights.compiled(RULES), tables=tablebase.build(state.variant(RULES), 10), bits=16
    )
    worker, wins = Worker(search, slice_nodes=1 << 30), []
    for text in POSITIONS:
        proof = worker.value(Board.from_text(text, RULES), PROOF, (0, UNIT))
        wins.append(_result(proof) > 0)
    return wins, worker.nodes


def _result(steps: Steps) -> int:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return int(end.value)


def test_evaluating_the_moves_spares_most_nodes_of_a_proof() -> None:
    """The shipped evaluation orders a proof's moves better than gains and replies alone."""
    wins, nodes = _proofs(shipped())
    same, blind = _proofs(Weights.load(STORES))
    assert wins == same
    assert nodes < 0.9 * blind


def test_a_proof_by_one_thread_repeats_itself() -> None:
    """The same questions in the same order take the same nodes."""
    assert _proofs(shipped()) == _proofs(shipped())
