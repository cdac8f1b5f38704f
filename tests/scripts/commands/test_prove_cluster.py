"""``mancala prove --check --cluster``: a cluster's workers prove the leaves of a certificate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mancala.engine.campaign import home
from mancala.protocol.rules import Board, Rules
from mancala.scripts.mancala import build
from tests.clusters import local_cluster
from tests.engine.campaign.campaigns import finished

RULES = Rules.parse("kalah:seeds=2")
EVERY_LEAF = ("--samples", "10000", "--tables", "8", "--memory", "4", "--json")


def mancala(*arguments: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(build(), arguments)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the certificate of a small game."""
    directory = tmp_path_factory.mktemp("campaign")
    finished(directory, Board.start(RULES))
    return directory / home.CERTIFICATE


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Return the address of a cluster of one worker with two threads."""
    with local_cluster(1, threads=2) as local:
        yield local.scheduler_address


def test_a_cluster_proves_every_leaf(certificate: Path, cluster: str, tmp_path: Path) -> None:
    """The verdict is as of one machine, and the log has a line a leaf."""
    log = tmp_path / "log"
    checked = ("prove", "--check", str(certificate), *EVERY_LEAF)
    there = mancala(*checked, "--cluster", cluster, "--log", str(log))
    here = mancala(*checked)
    assert there.exit_code == 0, there.stderr
    verdict, expected = json.loads(there.stdout), json.loads(here.stdout)
    assert verdict["proven"]
    assert verdict["confirmed"] == expected["confirmed"] == verdict["leaves"]
    assert log.read_bytes().count(b'"holds":true') == verdict["leaves"]


def test_a_cluster_refutes_a_false_leaf(certificate: Path, cluster: str, tmp_path: Path) -> None:
    """A leaf that claims more than is true is found by whichever worker gets it."""
    false = tmp_path / home.CERTIFICATE
    head, *lines = certificate.read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if '"leaf":true' in line and '"low"' in line)
    told = json.loads(lines[at])
    lines[at] = lines[at].replace(f'"value":{told["value"]}', '"value":22')
    false.write_text("\n".join([head, *lines, ""]))
    found = mancala("prove", "--check", str(false), *EVERY_LEAF, "--cluster", cluster)
    assert found.exit_code == 1
    assert [line["value"] for line in json.loads(found.stdout)["refuted"]] == [22]


def test_a_cluster_that_cannot_be_used_is_named(certificate: Path) -> None:
    """One sentence; options that would have no effect are refused."""
    checked = ("prove", "--check", str(certificate), *EVERY_LEAF)
    nowhere = mancala(*checked, "--cluster", "tcp://127.0.0.1:1")
    assert nowhere.exit_code == 1
    assert nowhere.stderr.startswith("mancala: no cluster at tcp://127.0.0.1:1")
    threads = mancala(*checked, "--cluster", "tcp://127.0.0.1:1", "--threads", "2")
    assert threads.exit_code == 2
    assert "--cluster goes with --check" in threads.stderr
