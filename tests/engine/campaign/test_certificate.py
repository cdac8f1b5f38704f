"""Certificates follow from their leaves, and say where they do not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from msgspec import structs

from engine.campaign import home
from engine.campaign.certificate import Certificate, CertificateError, Line, faults, load
from protocol.rules import Board, Rules
from tests.engine.campaign.campaigns import finished


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """Return the certificate of a small game."""
    directory = tmp_path_factory.mktemp("campaign")
    finished(directory, Board.start(Rules.parse("kalah:seeds=2")))
    return load(directory / home.CERTIFICATE)


def test_a_campaigns_certificate_is_without_fault(proof: Certificate) -> None:
    """All claims follow, and both bounds of the value are among them."""
    assert list(faults(proof)) == []
    assert proof.header.low == proof.header.high == 6
    assert proof.leaves
    assert {line.bound for line in proof.lines if line.board == proof.header.board} == {
        "low",
        "high",
    }
    assert any(line.best is not None for line in proof.lines)


def test_a_missing_line_is_found(proof: Certificate, rng: random.Random) -> None:
    """Whichever claim is taken out, something no longer follows."""
    lines = list(proof.lines)
    del lines[rng.randrange(len(lines))]
    assert list(faults(Certificate(proof.header, lines)))


def test_a_stronger_claim_does_not_follow(proof: Certificate, rng: random.Random) -> None:
    """A claim that is no leaf, made stronger by a step, is refuted by the rules alone."""
    lines = list(proof.lines)
    at = rng.choice([number for number, line in enumerate(lines) if not line.leaf])
    step = 2 if lines[at].bound == "low" else -2
    lines[at] = structs.replace(lines[at], value=lines[at].value + step)
    assert list(faults(Certificate(proof.header, lines)))


def test_a_stronger_headline_does_not_follow(proof: Certificate) -> None:
    """The value of the header must be among the claims."""
    header = structs.replace(proof.header, low=8, high=8)
    assert list(faults(Certificate(header, proof.lines)))


def test_a_move_that_is_none_is_found(proof: Certificate) -> None:
    """The best move of a claim must be a move."""
    at = next(number for number, line in enumerate(proof.lines) if line.best is not None)
    lines = [*proof.lines]
    lines[at] = structs.replace(lines[at], best=9)
    assert any("is no move" in fault for fault in faults(Certificate(proof.header, lines)))


@pytest.mark.parametrize(
    "line",
    [Line("<1,2>", "low", 3), Line("<2,0,0,1,1,1,1>", "middle", 3)],
    ids=["no board", "no bound"],
)
def test_a_line_that_states_nothing_is_a_fault(proof: Certificate, line: Line) -> None:
    """Lines that name no position or no bound are reported with their number."""
    [fault] = faults(Certificate(proof.header, [*proof.lines, line]))
    assert fault.startswith(f"line {len(proof.lines) + 2}: ")


@pytest.mark.parametrize("content", [b"", b"{}\n", b"no JSON\n", b'{"type":"certificate"}\n'])
def test_other_files_are_no_certificates(content: bytes, tmp_path: Path) -> None:
    """A file of another kind is refused with its name."""
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(CertificateError, match="file"):
        load(path)
