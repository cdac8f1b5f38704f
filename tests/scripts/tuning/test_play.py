"""``mancala tune --play`` as a user types it: repeatable, taken up again, and hard to please."""

import fcntl
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner, Result

from mancala.engine.evaluation.weights import Weights
from mancala.scripts.mancala import build
from tests.patience import PATIENCE_S
from tests.scripts.console.views.pages import data_of

PROMISED = {"weights", "llr", "verdict"}
SMALL = ("--rules", "kalah:pits=4,seeds=3", "--rules", "kalah:pits=4,seeds=4", "--nodes", "20")
FEW = (*SMALL, "--population", "4", "--games", "4", "--generations", "2")
EASY = ("--sprt", "-800", "-700", "--test-games", "40")
HARD = ("--sprt", "700", "800", "--test-games", "40")
ENDED = """
import os, signal, sys
from mancala.scripts.tuning.play import Checkpoints
number, keep = int(sys.argv.pop(1)), Checkpoints.keep
def keep_and_end(self, generation):
    keep(self, generation)
    os.kill(os.getpid(), number)
Checkpoints.keep = keep_and_end
signal.signal(signal.SIGINT, signal.default_int_handler)
from mancala.scripts.mancala import main
main()
"""
"""The command as at a terminal, which gets a signal as soon as it has kept a generation.

A job in the background is born deaf to Ctrl-C.
"""


class TuningRun(NamedTuple):
    """A run that passed its test."""

    out: Path
    home: Path
    told: dict[str, Any]


def tune(folder: Path, *arguments: str) -> Result:
    given = ("--out", str(folder / "w.json"), "--resume", str(folder / "run"), "--workers", "1")
    return CliRunner().invoke(build(), ["tune", "--play", *given, *FEW, *arguments, "--json"])


def tuned(folder: Path, *arguments: str) -> TuningRun:
    result = tune(folder, *EASY, *arguments)
    assert result.exit_code == 0, result.stderr
    return TuningRun(folder / "w.json", folder / "run", json.loads(result.stdout))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> TuningRun:
    return tuned(tmp_path_factory.mktemp("undisturbed"))


@pytest.fixture
def copied(undisturbed: TuningRun, tmp_path: Path) -> Path:
    shutil.copytree(undisturbed.home, tmp_path / "run")
    return tmp_path / "run"


def kept(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(home.glob("generation-*.json"))}


def test_weights_that_pass_are_installed_with_their_origin(undisturbed: TuningRun) -> None:
    """The file loads, holds what was found, and names the command and what it began from."""
    out, _, told = undisturbed
    assert told.keys() >= PROMISED
    assert (told["weights"], told["verdict"], told["installed"]) == (str(out), "H1", True)
    weights = Weights.load(out)
    assert weights["tempo"] == told["parameters"]["tempo"]["found"]
    assert weights.search is not None
    assert weights.search.quiescence == told["parameters"]["quiescence"]["found"]
    assert weights.provenance.startswith("mancala tune --play --seed 1 --generations 2")
    assert weights.provenance.endswith(f"(from: {Weights().provenance})")


def test_weights_that_do_not_pass_are_not_installed(copied: Path) -> None:
    """An older file stays as it is; what was found lies beside it, and the command fails."""
    out = copied.parent / "w.json"
    out.write_text("mine")
    result = tune(copied.parent, *HARD)
    assert result.exit_code == 1
    assert "did not pass: H0" in result.stderr
    told = json.loads(result.stdout)
    assert (told["verdict"], told["installed"]) == ("H0", False)
    assert told["llr"] < 0
    assert out.read_text() == "mine"
    rejected = copied.parent / "w.rejected.json"
    assert told["weights"] == str(rejected)
    assert Weights.load(rejected).provenance.startswith("mancala tune --play")


def test_no_verdict_is_no_pass(copied: Path) -> None:
    """When the games are over before the test is, nothing is installed either."""
    result = tune(copied.parent, "--sprt", "-1", "1", "--test-games", "4")
    assert result.exit_code == 1
    assert "did not pass: no verdict after 4 games" in result.stderr
    assert not (copied.parent / "w.json").exists()


def test_the_same_seed_finds_the_same_on_one_worker_or_two(
    undisturbed: TuningRun, tmp_path: Path
) -> None:
    """Every game and the weights are the same to the byte."""
    other = tuned(tmp_path, "--workers", "2")
    assert kept(other.home) == kept(undisturbed.home)
    assert other.out.read_bytes() == undisturbed.out.read_bytes()


def test_another_seed_plays_other_games(undisturbed: TuningRun, tmp_path: Path) -> None:
    """Candidates and openings come from the seed."""
    other = tuned(tmp_path, "--seed", "2")
    assert not kept(other.home).items() & kept(undisturbed.home).items()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_ended_goes_on_and_ends_as_undisturbed(
    end: signal.Signals, undisturbed: TuningRun, tmp_path: Path
) -> None:
    """Killed or interrupted after a generation, the same command keeps it and finds the same."""
    home = tmp_path / "run"
    code, told = ended_after_a_generation(home, end)
    begun = kept(home)
    assert len(begun) >= 1
    run = tuned(tmp_path)
    assert begun.items() <= kept(home).items()
    assert run.out.read_bytes() == undisturbed.out.read_bytes()
    if end is signal.SIGINT:
        assert code == 130
        assert "interrupted; continue with: mancala tune --play --seed 1" in told
        assert f"--resume {home}" in told
        assert all(word in told for word in FEW)


def ended_after_a_generation(home: Path, end: signal.Signals) -> tuple[int, str]:
    """Run until a generation is kept, end with a signal, and give code and stderr."""
    given = ("--resume", str(home), "--out", str(home.parent / "w.json"), "--workers", "1")
    command = [sys.executable, "-c", ENDED, str(int(end)), "tune", "--play", *FEW, *EASY, *given]
    done = subprocess.run(
        command,
        check=False,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        timeout=PATIENCE_S,
    )
    return done.returncode, done.stderr


def test_more_generations_go_on_from_fewer(copied: Path) -> None:
    """A run that ended may be prolonged: what was played before is not played again."""
    before = kept(copied)
    tuned(copied.parent, "--generations", "3")
    assert before.items() < kept(copied).items()
    assert len(kept(copied)) == 3


def test_a_run_of_another_plan_is_not_gone_on_with(copied: Path) -> None:
    """What differs is named, and nothing is touched."""
    before = (copied / "plan.json").read_bytes()
    result = tune(copied.parent, "--seed", "2", "--games", "6")
    assert result.exit_code == 1
    assert "differs in seed, games" in result.stderr
    assert (copied / "plan.json").read_bytes() == before


@pytest.mark.parametrize("name", ["plan.json", "generation-00001.json"])
def test_a_checkpoint_that_cannot_be_read_is_named(name: str, copied: Path) -> None:
    """A damaged file is not overwritten in silence."""
    (copied / name).write_text("{")
    result = tune(copied.parent)
    assert result.exit_code == 1
    assert f"{copied / name} cannot be read" in result.stderr


def test_two_do_not_work_on_one_run(copied: Path) -> None:
    """A run belongs to one process at a time."""
    with (copied / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = tune(copied.parent)
    assert result.exit_code == 1
    assert f"another process is using the run in {copied}" in result.stderr


def test_the_page_shows_every_parameter_and_the_test(undisturbed: TuningRun) -> None:
    """Fitness, each parameter's course, and at the end what the test came to."""
    page = Path(undisturbed.told["progress"]).read_text(encoding="utf-8")
    shown = data_of(page, "tuning")
    assert [each["name"] for each in shown["parameters"]] == list(undisturbed.told["parameters"])
    assert "verdict H1" in shown["test"]
    assert 'http-equiv="refresh"' not in page
