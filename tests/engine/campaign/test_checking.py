"""A check proves leaves again, and refutes those that are wrong."""

from __future__ import annotations

import pytest
from msgspec import structs

from mancala.engine.campaign import home
from mancala.engine.campaign.certificate import Certificate, load
from mancala.engine.campaign.checking import CheckResult, check
from mancala.engine.campaign.positions import Claim
from mancala.engine.campaign.prover import Prover
from mancala.protocol.rules import Board, Rules
from tests.engine.campaign.campaigns import finished, prover_for

RULES = Rules.parse("kalah:seeds=2")
ALL = 10_000


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """Return the certificate of a small game."""
    directory = tmp_path_factory.mktemp("campaign")
    finished(directory, Board.start(RULES))
    return load(directory / home.CERTIFICATE)


def fresh(claim: Claim) -> Prover:
    """Return a prover with an empty table."""
    return prover_for(claim.board.rules)


def verdict_on(certificate: Certificate, samples: int = ALL, seed: int = 1) -> CheckResult:
    """Check to the end."""
    *_, verdict = check(certificate, fresh, samples=samples, seed=seed)
    return verdict


def test_a_campaigns_certificate_is_confirmed(proof: Certificate) -> None:
    """All leaves of a true certificate are proven again."""
    verdict = verdict_on(proof)
    assert verdict.is_good
    assert verdict.confirmed == verdict.leaves == len(proof.leaves)
    assert verdict.missed(0.1) == 0


def test_a_false_leaf_is_refuted(proof: Certificate) -> None:
    """A certificate of a higher value, its lines all made to fit, fails at its leaves."""
    lines = [
        structs.replace(line, value=line.value + (2 if line.bound == "low" else -2))
        if line.leaf
        else line
        for line in proof.lines
    ]
    verdict = verdict_on(Certificate(proof.header, lines))
    assert not verdict.is_good
    assert verdict.refuted


def test_a_sample_is_drawn_by_its_seed(proof: Certificate) -> None:
    """As many leaves as asked for are proven again, and the chance to miss faults is stated."""
    verdict = verdict_on(proof, samples=2)
    assert verdict.checked == 2
    assert 0 < verdict.missed(0.5) < 0.5


def test_a_leaf_that_is_over_is_refuted(proof: Certificate) -> None:
    """A leaf whose game is over stands for no subproof."""
    lines = [
        structs.replace(line, board="<6,0,0,0,0,0,0,0,0,0,1,0,0,0,0>") for line in proof.leaves
    ]
    assert len(verdict_on(Certificate(proof.header, lines)).refuted) == len(lines)
