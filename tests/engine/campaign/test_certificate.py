"""Certificates follow from their leaves, and say where they do not."""

import gzip
import lzma
import random
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from msgspec import structs

from mancala.engine import knowledge
from mancala.engine.campaign import home
from mancala.engine.campaign.certificate import (
    Certificate,
    CertificateError,
    CertificateLine,
    faults,
    load,
    of,
)
from mancala.engine.campaign.costs import Costs
from mancala.engine.campaign.tree import ProofTree
from mancala.engine.kernels import state
from mancala.engine.knowledge import Bounds
from mancala.engine.search.solver import Solver
from mancala.protocol.rules import Board, Rules
from tests.engine.campaign.campaigns import finished


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
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


def test_positions_valued_from_both_sides_are_exact(proof: Certificate) -> None:
    """The start is one of them, and a solver finds the same values and keeps them by the moves."""
    solver = Solver(proof.rules, tables=state.no_tables(proof.rules.pits))

    def worth(board: Board) -> int:
        if board.is_over:
            return board.score(0)
        (*_, solution) = solver.solve(board)
        return solution.value.low if board.player == 0 else -solution.value.low

    found = list(proof.exact())
    assert proof.board in [board for board, _, _ in found]
    for board, value, best in found:
        assert worth(board) == value == worth(board.sow(best).board)


def test_a_bound_that_two_claims_need_has_one_line() -> None:
    """The stronger claim serves both; the weaker one once had a line and claims of its own."""
    board = Board.from_text("<3,0,0,0,1,1,0,6,4>")
    solver = Solver(board.rules, tables=state.no_tables(3), table_bits=14)

    def value(position: Board) -> Bounds:
        *_, solution = solver.solve(position)
        return solution.value

    tree, worth = ProofTree(Costs(0)), value(board).low
    waiting = [tree.node(board, worth), tree.node(board, worth + 2)]
    while waiting:
        node = waiting.pop()
        if node.ply == 6:
            tree.learn(node.board, value(node.board))
        elif node.moves is None:
            tree.split(node, {})
            waiting += [below for _, below in node.below]
    made = of(tree, board, nodes=0)
    assert list(faults(made)) == []
    bounds = [(line.board, line.bound) for line in made.lines]
    assert len(bounds) == len(set(bounds))


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("xz", lzma.compress)])
def test_a_compressed_certificate_is_read_like_a_plain_one(
    proof: Certificate, tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    """A file that is cut off is none."""
    plain, packed = tmp_path / "c.jsonl", tmp_path / f"c.jsonl.{suffix}"
    proof.save(plain)
    packed.write_bytes(pack(plain.read_bytes()))
    assert load(packed).lines == proof.lines
    packed.write_bytes(packed.read_bytes()[:-100])
    with pytest.raises(CertificateError, match="no certificate"):
        load(packed)


@pytest.mark.parametrize(
    ("rules", "value"), [("kalah:seeds=6", 4), ("kalah-empty-capture:seeds=6", 2)]
)
def test_kalah_6_6_has_its_value_if_the_leaves_of_its_certificate_are_right(
    rules: str, value: int
) -> None:
    """All claims of the shipped certificate follow, by the rules alone."""
    name = knowledge.CERTIFICATES[rules]
    shipped = load(Path(str(files("mancala.engine").joinpath("data", name))))
    assert shipped.board == Board.start(Rules.parse(rules))
    assert (shipped.header.low, shipped.header.high) == (value, value)
    assert list(faults(shipped)) == []


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
    [CertificateLine("<1,2>", "low", 3), CertificateLine("<2,0,0,1,1,1,1>", "middle", 3)],
    ids=["no board", "no bound"],
)
def test_a_line_that_states_nothing_is_a_fault(proof: Certificate, line: CertificateLine) -> None:
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
