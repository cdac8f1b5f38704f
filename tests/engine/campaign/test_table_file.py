"""Proofs of a transposition table on disk."""

from pathlib import Path

from mancala.engine.campaign import table_file
from mancala.engine.campaign.prover import Prover
from mancala.engine.knowledge import Bounds
from mancala.protocol.rules import Board, Rules
from tests.engine.campaign.campaigns import ended, prover_for, tables

RULES = Rules.parse("kalah:seeds=3")
START = Board.start(RULES)


def answered(prover: Prover) -> Bounds | None:
    return ended(prover.ask(START, 4))


def test_saved_proofs_spare_the_work(tmp_path: Path) -> None:
    """A table of another size takes the proofs, and most of the proof is not repeated."""
    path = tmp_path / "table"
    first = prover_for(RULES)
    answer = answered(first)
    saved = table_file.save(path, RULES, first.entries, first.table_bits)
    assert saved > 0
    second = Prover(RULES, tables=tables(RULES), table_bits=18, threads=1)
    assert table_file.load(path, RULES, second.entries, second.table_bits) == saved
    assert answered(second) == answer
    assert second.nodes < first.nodes / 4


def test_a_file_that_cannot_be_believed_is_not_used(tmp_path: Path) -> None:
    """Damaged, shortened, or for other rules: the table stays empty."""
    path = tmp_path / "table"
    prover = prover_for(RULES)
    answered(prover)
    table_file.save(path, RULES, prover.entries, prover.table_bits)
    content = path.read_bytes()
    damaged = content[:-1] + bytes([content[-1] ^ 1])
    other = Rules.parse("kalah-empty-capture:seeds=3")
    for written, rules in ((damaged, RULES), (content[:-8], RULES), (b"", RULES), (content, other)):
        path.write_bytes(written)
        fresh = prover_for(RULES)
        assert table_file.load(path, rules, fresh.entries, fresh.table_bits) is None
        assert not fresh.entries.any()


def test_no_file_is_no_proof(tmp_path: Path) -> None:
    """A campaign that saved nothing yet begins with an empty table."""
    prover = prover_for(RULES)
    assert table_file.load(tmp_path / "none", RULES, prover.entries, prover.table_bits) == 0


def test_files_name_their_rules_as_earlier_versions_did(tmp_path: Path) -> None:
    """A campaign goes on with the proofs that an earlier version saved."""
    path = tmp_path / "table"
    for text, written in (
        ("kalah", b"6 opposite False False"),
        ("article:pits=5", b"5 opposite True True"),
        ("kalah-empty-capture:relap=true", b"6 always True False"),
    ):
        table_file.save(path, Rules.parse(text), prover_for(RULES).entries, 10)
        assert path.read_bytes()[12:60] == written.ljust(48, b"\0")
