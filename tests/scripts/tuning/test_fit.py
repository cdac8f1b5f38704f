"""``mancala tune --fit`` as a user types it: labels are kept, weights come out the same."""

import json
from pathlib import Path
from typing import Any

from mancala.engine.evaluation.weights import Weights
from tests.scripts.commands.results import mancala


def tuned(*arguments: str) -> dict[str, Any]:
    size = ("--positions", "500", "--searched", "500", "--net", "0", "--tables", "16")
    given = ("tune", "--fit", *size, *arguments, "--json")
    result = mancala(*given)
    assert result.exit_code == 0, result.stderr
    told: dict[str, Any] = json.loads(result.stdout)
    return told


def test_what_was_labelled_is_not_labelled_again(tmp_path: Path) -> None:
    """A second run with the same directory only fits, and writes the same weights to the byte.

    Both kinds of labels are kept: what was proven, and what was searched.
    """
    labels, first, second = tmp_path / "labels", tmp_path / "1.json", tmp_path / "2.json"
    told = tuned("--resume", str(labels), "--out", str(first), "--workers", "1")
    kept = {path: path.stat().st_mtime_ns for path in labels.iterdir()}
    again = tuned("--resume", str(labels), "--out", str(second), "--workers", "2")
    assert told["positions"] == 1000
    assert {path.name.split("-")[0] for path in kept} == {"labels", "guide", "searched"}
    assert told["heldout"]["rms"] == again["heldout"]["rms"]
    assert first.read_bytes() == second.read_bytes()
    assert {path: path.stat().st_mtime_ns for path in labels.iterdir()} == kept
    command = "mancala tune --fit --positions 500 --searched 500 --tables 16 --seed 1"
    assert Weights.load(first).provenance == command


def test_a_net_is_trained_on_given_weights(tmp_path: Path) -> None:
    """Their features stay as they are, and the file names both commands.

    Positions are labelled with the features, then with the net that comes of it; given that net,
    a further run labels once.
    """
    given, out = tmp_path / "given.json", tmp_path / "w.json"
    Weights(provenance="by hand").save(given)
    size = ("--net", "1000", "--tables", "10", "--workers", "1", "--resume", str(tmp_path / "kept"))
    result = mancala("tune", "--fit", "--weights", str(given), *size, "--out", str(out), "--json")
    assert len(list((tmp_path / "kept").glob("guide-*"))) == 2
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["heldout"] == told["net"]["heldout"]
    made = Weights.load(out)
    assert made.net is not None
    assert dict(made.values) == dict(Weights.load(given).values)
    command = "mancala tune --fit --weights given.json --net 1000 --tables 10 --seed 1"
    assert made.provenance == f"{command} (from: by hand)"
    further = ("--weights", str(out), *size, "--out", str(tmp_path / "further.json"))
    assert mancala("tune", "--fit", *further).exit_code == 0
    assert len(list((tmp_path / "kept").glob("guide-*"))) == 3


def test_labels_of_another_seed_are_not_mistaken(tmp_path: Path) -> None:
    """A file that holds another batch than its name says ends the command, and is named."""
    labels = tmp_path / "labels"
    labels.mkdir()
    (labels / "labels-1-00000.json").write_text('{"seed":2,"number":0,"examples":[]}')
    out = str(tmp_path / "w.json")
    result = mancala("tune", "--fit", "--resume", str(labels), "--out", out, "--positions", "500")
    assert result.exit_code == 1
    assert "holds another batch" in result.stderr


def test_labels_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """A damaged file is named."""
    path = tmp_path / "labels-1-00000.json"
    path.write_text("{")
    given = ("--resume", str(tmp_path), "--out", str(tmp_path / "w.json"), "--positions", "500")
    result = mancala("tune", "--fit", *given)
    assert result.exit_code == 1
    assert f"{path} cannot be read" in result.stderr
