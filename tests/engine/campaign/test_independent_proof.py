"""The solver in C that shares nothing with the engine proves the leaves of certificates again."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from mancala.engine.campaign import home
from mancala.protocol.rules import Board, Rules
from tests.engine.campaign.campaigns import finished
from tests.sources import ROOT

DOCS: Final = ROOT / "docs" / "certificates"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a small game's certificate, its leaves proven by the one command."""
    return proven_again("kalah:seeds=2", tmp_path_factory)


def proven_again(rules: str, folders: pytest.TempPathFactory) -> Path:
    campaign, proof = folders.mktemp("campaign"), folders.mktemp("proof")
    finished(campaign, Board.start(Rules.parse(rules)))
    bash = shutil.which("bash")
    assert bash is not None
    command: list[str | Path] = [
        bash,
        DOCS / "prove.sh",
        campaign / home.CERTIFICATE,
        proof,
        *("8", "2", "20000"),
    ]
    subprocess.run(command, check=True)
    return proof


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def prove(
    folder: Path, certificate: Path, log: Path, *part: str
) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [
        folder / "prove",
        "leaves",
        folder / "tables-8",
        log,
        "1",
        certificate,
        *part,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_each_leaf_is_proven_and_stands_in_the_log(folder: Path) -> None:
    """The log says of each leaf of the certificate that it holds, and with how many nodes."""
    leaves = [line for line in lines(folder / "certificate.jsonl") if line.get("leaf")]
    proven = lines(folder / "leaves.log")
    assert leaves
    assert all(line["holds"] and line["nodes"] for line in proven)
    assert sorted((line["board"], line["bound"], line["value"]) for line in proven) == sorted(
        (line["board"], line["bound"], line["value"]) for line in leaves
    )


def test_leaves_of_the_other_rule_hold_by_tables_of_that_rule_alone(
    folder: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Single seeds are captured where the certificate says so; other tables refuse it by name."""
    single = proven_again("kalah-empty-capture:pits=3,seeds=4", tmp_path_factory)
    assert all(line["holds"] for line in lines(single / "leaves.log"))
    wrong = prove(folder, single / "certificate.jsonl", tmp_path / "log")
    assert wrong.returncode == 1
    assert "other rules than the tables'" in wrong.stderr


def test_a_run_that_was_ended_goes_on(folder: Path, tmp_path: Path) -> None:
    """A leaf that the log has is not proven again; one whose line was cut off is."""
    log = tmp_path / "leaves.log"
    whole = (folder / "leaves.log").read_text(encoding="ascii").splitlines(keepends=True)
    log.write_text("".join(whole[:-1]) + whole[-1][:-8], encoding="ascii")
    assert prove(folder, folder / "certificate.jsonl", log).returncode == 0
    after = log.read_text(encoding="ascii").splitlines(keepends=True)
    assert after[: len(whole) - 1] == whole[:-1]
    assert len(after) == len(whole) + 1


def test_parts_prove_each_leaf_once(folder: Path, tmp_path: Path) -> None:
    """Three machines that take a part each prove all leaves, and none twice."""
    logs = [tmp_path / str(part) for part in range(3)]
    for part, log in enumerate(logs):
        assert prove(folder, folder / "certificate.jsonl", log, str(part), "3").returncode == 0
    boards = [line["board"] + line["bound"] for log in logs for line in lines(log)]
    assert sorted(boards) == sorted(
        line["board"] + line["bound"] for line in lines(folder / "leaves.log")
    )


def test_a_leaf_of_many_nodes_is_put_off_and_proven(folder: Path, tmp_path: Path) -> None:
    """With rounds of 1, 4, 16, … nodes every leaf holds too, and those of one node come first."""
    compiler = shutil.which("cc")
    assert compiler is not None
    source, program = DOCS / "prove.c", tmp_path / "prove"
    options = ("-O1", "-pthread", "-DFIRST_ROUND=(uint64_t)1")
    subprocess.run([compiler, *options, "-o", program, source], check=True)
    log, tables = tmp_path / "log", folder / "tables-8"
    certificate = folder / "certificate.jsonl"
    subprocess.run([program, "leaves", tables, log, "1", certificate], check=True)
    proven = lines(log)
    assert sorted(line["board"] + line["bound"] for line in proven) == sorted(
        line["board"] + line["bound"] for line in lines(folder / "leaves.log")
    )
    assert all(line["holds"] for line in proven)
    nodes = [line["nodes"] for line in proven]
    assert max(nodes) > 1
    assert nodes[: nodes.count(1)] == [1] * nodes.count(1)


@pytest.mark.parametrize("bound", ["low", "high"])
def test_a_leaf_that_claims_too_much_is_refuted(folder: Path, tmp_path: Path, bound: str) -> None:
    """A leaf that asserts all seeds but two for one player ends the run with 1 and its name."""
    head, *claims = lines(folder / "certificate.jsonl")
    leaf = next(line for line in claims if line.get("leaf") and line["bound"] == bound)
    seeds = sum(int(number) for number in leaf["board"].strip("<>").split(",")[3:])
    leaf["value"] = seeds - 2 if bound == "low" else 2 - seeds
    false = tmp_path / "certificate.jsonl"
    texts = (json.dumps(line, separators=(",", ":")) for line in (head, *claims))
    false.write_text("".join(f"{text}\n" for text in texts), encoding="ascii")
    ended = prove(folder, false, tmp_path / "log")
    assert ended.returncode == 1
    assert "refuted" in ended.stderr
    assert [line["board"] for line in lines(tmp_path / "log") if not line["holds"]] == [
        leaf["board"]
    ]
