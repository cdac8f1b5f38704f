"""``--cluster``: workers elsewhere do the work of a command, and its result is the same.

The drill ``cluster`` also kills one of them in the middle.
"""

import json
import logging
import os
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from mancala.engine.campaign import home
from mancala.engine.evaluation.weights import Weights
from mancala.engine.yardstick import DEMANDS, make_position
from mancala.gauntlet import prove_positions
from mancala.protocol.codec import to_json
from mancala.protocol.rules import Board, Rules
from mancala.server.contest.headless.journal import GAMES
from mancala.server.contest.headless.standings import STANDINGS_FILE
from mancala.server.contest.workers import cluster as clusters
from mancala.server.contest.workers.cluster import ClusterError, expect_our_version, open_pool
from tests.clusters import lasting, local_cluster
from tests.engine.campaign.campaigns import finished
from tests.patience import PATIENCE_S
from tests.scripts.commands.results import mancala
from tests.scripts.commands.thinking.test_review import record
from tests.server.contest.workers import faulty

RULES = Rules.parse("kalah:seeds=2")
SMALL = ("--tables", "8", "--memory", "4", "--json")
EVERY_LEAF = ("--samples", "10000", *SMALL)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("campaign")
    finished(directory, Board.start(RULES))
    return directory / home.CERTIFICATE


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with local_cluster(1, threads=2) as local:
        yield local.scheduler_address


TINY = ("--rules", "kalah:pits=3,seeds=3")
COMMANDS = {
    "rate": ("rate", "engine:nodes=20", "--movetime", "60", "--positions", "1", "--games", "2"),
    "dataset": (
        *("dataset", "made", "--positions", "25", *TINY, "--seeds", "4-9", "--shard", "10"),
        *("--tables", "6"),
    ),
    "tune --play": (
        *("tune", "--play", "--weights", "given.json", *TINY, "--nodes", "20", "--games", "4"),
        *("--population", "4", "--generations", "2", "--sprt", "-800", "-700"),
        *("--test-games", "40", "--resume", "made"),
    ),
    "review": ("review", "games.jsonl", "--time", "60"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_cluster_does_is_what_this_machine_does(
    name: str, cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The printed result and each file are the same to the byte, apart from the time taken.

    The workers have none of the files: they run in another folder.
    """
    found = []
    for options in ((), ("--cluster", cluster)):
        place = tmp_path / f"with {len(options)}"
        place.mkdir()
        monkeypatch.chdir(place)
        Weights(provenance="by hand").save(place / "given.json")
        games = [to_json(record(str(number))) for number in range(3)]
        (place / "games.jsonl").write_bytes(b"\n".join(games))
        result = mancala(*COMMANDS[name], *options, "--json")
        assert result.exit_code == 0, result.stderr
        told = json.loads(result.stdout, object_pairs_hook=lasting)
        files = {path.name: path.read_bytes() for path in place.rglob("*") if path.is_file()}
        found.append((told, files))
    assert found[0] == found[1]


def test_a_seasons_positions_are_those_of_this_machine(cluster: str) -> None:
    """A course has them proven elsewhere, and measures its programs here."""
    (found,) = prove_positions(7, 1, {}, DEMANDS, cluster=cluster)
    assert found == make_position(7, 0, DEMANDS)


def test_an_event_on_a_cluster_ends_as_one_played_here(cluster: str, tmp_path: Path) -> None:
    """The table is the same bytes, and each game is kept once."""
    event = ("tournament", "random", "captures", "greedy", "--games", "2", "--json", "--dir")
    there, here = tmp_path / "there", tmp_path / "here"
    for folder, options in ((there, ("--cluster", cluster)), (here, ())):
        played = mancala(*event, str(folder), *options)
        assert played.exit_code == 0, played.stderr
        assert (folder / GAMES).read_bytes().count(b"\n") == 6
    assert (there / STANDINGS_FILE).read_bytes() == (here / STANDINGS_FILE).read_bytes()


def test_processes_of_this_machine_are_not_counted_for_a_cluster(cluster: str) -> None:
    """``--workers`` would have no effect."""
    result = mancala("dataset", "made", "--cluster", cluster, "--workers", "2")
    assert result.exit_code == 2
    assert "leave it out with --cluster" in result.stderr


@pytest.mark.parametrize(
    ("theirs", "has"),
    [
        ("0.0.1", " has mancala-arena 0.0.1, not"),
        (PackageNotFoundError(), " has no mancala-arena, not"),
        (OSError("too many files"), ": too many files"),
    ],
)
def test_a_worker_of_another_version_is_refused(theirs: str | Exception, has: str) -> None:
    """Its results might be others; the worker is named, and what else went wrong there."""
    with pytest.raises(ClusterError, match=f"at tcp://here: tcp://there{has}"):
        expect_our_version("tcp://here", {"tcp://there": theirs})


def test_a_worker_of_another_version_that_comes_later_is_refused(
    cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Versions were compared once, at the beginning, so that it took part in the work."""
    monkeypatch.setattr(clusters, "version", lambda _: "0.0.1")
    with open_pool(cluster=cluster) as team, pytest.raises(ClusterError, match=r"not 0\.0\.1"):
        team.executor.submit(os.getpid).result(PATIENCE_S)


def test_arguments_by_name_are_refused_on_a_cluster(cluster: str) -> None:
    """They were dropped."""
    with open_pool(cluster=cluster) as team, pytest.raises(TypeError, match="by position only"):
        team.executor.submit(int, "3", base=4)


def test_what_a_call_raises_is_raised_once(cluster: str, tmp_path: Path) -> None:
    """Dask repeated each call that raised three times, as if its worker had died."""
    with open_pool(cluster=cluster) as team, pytest.raises(LookupError):
        team.executor.submit(faulty.fail_noting, tmp_path / "noted").result(PATIENCE_S)
    assert (tmp_path / "noted").read_text() == "1"


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


def test_a_cluster_that_cannot_be_used_is_named(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence; options that would have no effect are refused.

    What Dask logs for its other users in this process is as before.
    """
    import_module("distributed")  # it sets its logging up
    handler = logging.NullHandler(logging.INFO)
    monkeypatch.setattr(logging.getLogger("distributed"), "handlers", [handler])
    checked = ("prove", "--check", str(certificate), *EVERY_LEAF)
    nowhere = mancala(*checked, "--cluster", "tcp://127.0.0.1:1")
    assert nowhere.exit_code == 1
    assert nowhere.stderr.startswith("mancala: no cluster at tcp://127.0.0.1:1")
    assert handler.level == logging.INFO
    threads = mancala(*checked, "--cluster", "tcp://127.0.0.1:1", "--threads", "2")
    assert threads.exit_code == 2
    assert "leave out --threads" in threads.stderr


def test_a_campaign_on_a_cluster_proves_what_this_machine_does(
    cluster: str, tmp_path: Path
) -> None:
    """Every move's value is the same, the certificate is good, and the campaign is resumed here."""
    there = tmp_path / "there"
    proven = ("prove", "kalah:6,2", "--dir", str(there), "--cluster", cluster, *SMALL)
    stopped = mancala(*proven, "--seconds", "0")
    assert stopped.exit_code == 0, stopped.stderr
    ended = mancala(*proven, "--resume", "--all-moves")
    assert ended.exit_code == 0, ended.stderr
    here = tmp_path / "here"
    found = [
        json.loads(ended.stdout),
        json.loads(mancala("prove", "--dir", str(there), "--resume", *SMALL).stdout),
        json.loads(mancala("prove", "kalah:6,2", "--dir", str(here), "--all-moves", *SMALL).stdout),
    ]
    assert len({str((each["value"], each["moves"])) for each in found}) == 1
    assert all(move["exact"] for move in found[0]["moves"])
    assert found[0]["proven"] == found[1]["proven"]
    checked = mancala("prove", "--check", str(there), *EVERY_LEAF)
    assert json.loads(checked.stdout)["proven"]
