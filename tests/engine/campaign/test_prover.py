"""What proves a subproof, and gives it up."""

import pytest

from mancala.engine.campaign.prover import expected_collisions
from mancala.engine.knowledge import Bounds
from mancala.protocol.rules import Board, Rules
from tests.engine.campaign.campaigns import ended, prover_for

RULES = Rules.parse("kalah:seeds=3")
START = Board.start(RULES)


@pytest.mark.parametrize("threads", [1, 2])
def test_questions_bound_the_value(threads: int) -> None:
    """Kalah(6,3) is worth 2: at least 2 is proven, and at least 4 refuted."""
    prover = prover_for(RULES, threads=threads)
    yes, no = (ended(prover.ask(START, threshold)) for threshold in (2, 4))
    assert yes is not None
    assert no is not None
    assert yes.low >= 2
    assert no.high <= 2


def test_a_subproof_is_given_up_after_its_nodes() -> None:
    """A question that takes too long has no answer, and one asked later has."""
    prover = prover_for(Rules())
    assert ended(prover.ask(Board.start(Rules()), 8, 1000)) is None
    small = Board.from_text("<6,20,20,1,0,2,1,0,1,1,0,1,0,1,0>")
    assert isinstance(ended(prover.ask(small, 2)), Bounds)


def test_an_estimate_is_near_the_value() -> None:
    """Estimates come from a search, deeper the more nodes it may take."""
    estimate = ended(prover_for(RULES).estimate(START, 20_000))
    assert abs(estimate - 2) < 8


def test_the_bound_grows_with_the_nodes_and_stays_small() -> None:
    """Even a hundred thousand million nodes expect far less than one false hit."""
    assert expected_collisions(Rules(), 0) == 0
    few, many = (expected_collisions(Rules(), nodes) for nodes in (10**9, 10**11))
    assert 0 < few < many < 1e-4
