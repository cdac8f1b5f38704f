"""A check proves leaves again, and refutes those that are wrong."""

import gzip
from collections.abc import Generator
from pathlib import Path

import pytest
from msgspec import structs

from mancala.engine.campaign import home
from mancala.engine.campaign.certificate import Certificate, load
from mancala.engine.campaign.checking import (
    Attempt,
    CheckResult,
    LeafLog,
    ProvenLeaf,
    attempted,
    check,
)
from mancala.engine.campaign.positions import Claim
from mancala.engine.campaign.prover import SLICE_NODES, Prover
from mancala.protocol import codec
from mancala.protocol.rules import Board, Rules
from tests.engine.campaign.campaigns import finished, prover_for
from tests.sources import ROOT

RULES = Rules.parse("kalah:seeds=2")
ALL = 10_000


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    directory = tmp_path_factory.mktemp("campaign")
    finished(directory, Board.start(RULES))
    return load(directory / home.CERTIFICATE)


def fresh(_in_play: int) -> Prover:
    return prover_for(RULES)


def verdict_on(certificate: Certificate, samples: int = ALL, seed: int = 1) -> CheckResult:
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


def test_a_check_goes_on_where_it_was_ended(
    proof: Certificate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leaves that the log has are not proven again; one whose line a kill cut off is."""
    path = tmp_path / "log"
    asked: list[Claim] = []

    def counted(claim: Claim, most_nodes: int, prover: Prover) -> Generator[None, None, Attempt]:
        asked.append(claim)
        return attempted(claim, most_nodes, prover)

    monkeypatch.setattr("mancala.engine.campaign.checking.attempted", counted)

    def run() -> CheckResult:
        log = LeafLog(path)
        *_, verdict = check(proof, fresh, samples=ALL, seed=1, log=log)
        log.close()
        return verdict

    assert run().is_proven
    leaves, text = len(proof.leaves), path.read_bytes()
    assert len(asked) == text.count(b"\n") == leaves
    path.write_bytes(text[:-9])
    assert run().is_proven
    assert len(asked) == leaves + 1
    first = [line[: line.index(b',"nodes"')] for line in text.splitlines()]
    assert [line[: line.index(b',"nodes"')] for line in path.read_bytes().splitlines()] == first
    again = run()
    assert again.is_proven
    assert again.nodes == 0


def test_a_heavy_leaf_is_put_off_and_proven_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is proven after lighter ones, and its line counts all that it took."""
    start = Rules.parse("kalah:seeds=3")
    finished(tmp_path, Board.start(start))
    proof = load(tmp_path / home.CERTIFICATE)
    monkeypatch.setattr("mancala.engine.campaign.checking.FIRST_ROUND", 1)
    log = LeafLog(tmp_path / "log")
    *_, verdict = check(proof, lambda _: prover_for(start), samples=ALL, seed=1, log=log)
    log.close()
    text = (tmp_path / "log").read_bytes()
    lines = [codec.from_json(line, ProvenLeaf) for line in text.splitlines()]
    assert verdict.is_proven
    heavy = next(at for at, line in enumerate(lines) if line.nodes > SLICE_NODES)
    assert any(line.nodes < SLICE_NODES for line in lines[:heavy])
    assert sum(line.nodes for line in lines) == verdict.nodes


def test_the_log_of_kalah_6_6_has_every_leaf() -> None:
    """Each line of the log that comes with the documents is of another leaf, which holds."""
    certificate = load(ROOT / "engine" / "data" / "kalah-6-6.jsonl.xz")
    log = ROOT / "docs" / "certificates" / "kalah-6-6-leaves.jsonl.gz"
    lines = gzip.decompress(log.read_bytes()).splitlines()
    proven = [codec.from_json(line, ProvenLeaf) for line in lines]
    assert all(each.holds and each.nodes for each in proven)
    named = sorted((each.board, each.bound, each.value) for each in proven)
    assert named == sorted((each.board, each.bound, each.value) for each in certificate.leaves)


def test_a_refuted_leaf_is_in_the_log_and_proven_anew(proof: Certificate, tmp_path: Path) -> None:
    """It stays refuted, run after run."""
    (leaf, *_) = [line for line in proof.leaves if line.bound == "low"]
    false = Certificate(proof.header, [structs.replace(leaf, value=22)])
    for _ in range(2):
        log = LeafLog(tmp_path / "log")
        *_, verdict = check(false, fresh, samples=ALL, seed=1, log=log)
        log.close()
        assert len(verdict.refuted) == 1
    assert (tmp_path / "log").read_bytes().count(b'"holds":false') == 2


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
