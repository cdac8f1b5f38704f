"""Three checkers of certificates that share no code: this program's, and those of the docs.

Each is given a true certificate, and many that were tampered with.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from mancala.engine.campaign import home
from mancala.engine.campaign.certificate import CertificateError, faults, load
from mancala.protocol.rules import Board, Rules
from tests.engine.campaign.campaigns import finished

Lines = list[Any]
DOCS: Final = Path(__file__).parents[3] / "docs" / "certificates"
SHIPPED: Final = Path(__file__).parents[3] / "engine" / "data" / "kalah-6-6.jsonl.gz"
WIN: Final = "<6,0,0,0,0,0,0,0,0,0,1,0,0,0,0>"


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    """Return the lines of the certificate of a small game."""
    directory = tmp_path_factory.mktemp("campaign")
    finished(directory, Board.start(Rules.parse("kalah:seeds=2")))
    text = (directory / home.CERTIFICATE).read_text(encoding="ascii")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def checker_in_c(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program, built."""
    program = tmp_path_factory.mktemp("c") / "check"
    compiler = shutil.which("cc")
    assert compiler is not None
    subprocess.run([compiler, "-O2", "-o", str(program), str(DOCS / "check.c")], check=True)
    return program


def first(lines: Lines, **members: object) -> Any:  # noqa: ANN401  # a claim as JSON
    """Return the first claim with these members."""
    return next(
        line for line in lines[1:] if all(line.get(key) == is_ for key, is_ in members.items())
    )


def put(line: Any, **members: object) -> None:  # noqa: ANN401  # a line as JSON
    """Change members of a line; None removes one."""
    for key, value in members.items():
        line.pop(key, None) if value is None else line.update({key: value})


def best_of_nothing(lines: Lines) -> None:
    """Name an empty pit, or none at all, as the best move of a claim."""
    put(first(lines, leaf=None, bound="low"), best=6)


def seed_moved(lines: Lines) -> None:
    """Move a seed from one pit of an inner claim to another."""
    line = lines[len(lines) // 2]
    numbers = [int(part) for part in line["board"].strip("<>").split(",")]
    full = next(place for place in range(3, 15) if numbers[place])
    numbers[full] -= 1
    numbers[3 if full != 3 else 4] += 1
    line["board"] = f"<{','.join(map(str, numbers))}>"


TAMPERINGS: Final[dict[str, Callable[[Lines], object]]] = {
    "no header": lambda lines: lines.pop(0),
    "no first claim": lambda lines: lines.pop(1),
    "no inner claim": lambda lines: lines.pop(len(lines) // 2),
    "no last claim": lambda lines: lines.pop(),
    "a line twice": lambda lines: lines.append(lines[1]),
    "a line that is not used": lambda lines: lines.append(
        {"board": "<6,0,0,1,1,1,1,1,1,1,1,1,1,1,1>", "bound": "low", "value": 2, "leaf": True}
    ),
    "a claim that says nothing": lambda lines: lines.append(
        {"board": "<6,0,0,1,1,1,1,1,1,1,1,1,1,1,1>", "bound": "low", "value": -12, "leaf": True}
    ),
    "a greater lower bound": lambda lines: put(first(lines, bound="low"), value=20),
    "a smaller upper bound": lambda lines: put(first(lines, bound="high"), value=-20),
    "a weaker claim": lambda lines: put(first(lines[2:], bound="low"), value=-22),
    "a greater value in the header": lambda lines: put(lines[0], low=lines[0]["high"] + 2),
    "a smaller value in the header": lambda lines: put(lines[0], high=lines[0]["low"] - 2),
    "both values greater": lambda lines: put(
        lines[0], low=lines[0]["low"] + 2, high=lines[0]["high"] + 2
    ),
    "a header that claims nothing": lambda lines: put(lines[0], low=-24, high=24),
    "stores on a leaf": lambda lines: put(
        first(lines, leaf=True),
        board=first(lines, leaf=True)["board"].replace("<6,0,0", "<6,3,1"),
    ),
    "a best move that is none": best_of_nothing,
    "no best move": lambda lines: put(first(lines, leaf=None, bound="low"), best=None),
    "a leaf with a best move": lambda lines: put(first(lines, leaf=True), best=0),
    "a bound of another kind": lambda lines: put(lines[1], bound="middle"),
    "a value as text": lambda lines: put(lines[1], value=str(lines[1]["value"])),
    "another format": lambda lines: put(lines[0], format=2),
    "a board of other pits": lambda lines: put(lines[-1], board="<2,0,0,1,1,1,1>"),
    "a seed moved": seed_moved,
    "a claim with claims below as a leaf": lambda lines: put(
        first(lines, leaf=None), best=None, leaf=True
    ),
    "a leaf as a claim": lambda lines: put(first(lines, leaf=True), leaf=None, best=0),
    "a leaf whose game is over": lambda lines: put(first(lines, leaf=True), board=WIN),
    "a negative pit": lambda lines: put(
        first(lines, leaf=True), board="<6,0,0,-1,3,1,1,1,1,1,1,1,1,1,1>"
    ),
    "another start": lambda lines: put(lines[0], board="<6,0,0,2,2,2,2,2,2,2,2,2,2,3,1>"),
    "other rules": lambda lines: put(lines[0], rules="kalah-empty-capture:seeds=2"),
    "a line that is no claim": lambda lines: lines.insert(2, {"hello": 1}),
}


def written(lines: Lines, path: Path) -> Path:
    """Write lines as a certificate has them."""
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    path.write_text(text, encoding="ascii")
    return path


def accepted_by_ours(path: Path) -> bool:
    """Return whether this program finds that all follows."""
    try:
        return not any(faults(load(path)))
    except CertificateError:
        return False


def accepted_by(*program: str | Path) -> bool:
    """Return whether another program exits with 0."""
    return subprocess.run(list(map(str, program)), capture_output=True, check=False).returncode == 0


needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@needs_cc
def test_all_checkers_accept_a_true_certificate(
    proof: Lines, checker_in_c: Path, tmp_path: Path
) -> None:
    """That of a small game."""
    path = written(proof, tmp_path / "proof.jsonl")
    assert accepted_by_ours(path)
    assert accepted_by(sys.executable, DOCS / "check.py", path)
    assert accepted_by(checker_in_c, path)


@needs_cc
@pytest.mark.parametrize("name", TAMPERINGS)
def test_all_checkers_refuse_one_that_was_tampered_with(
    name: str, proof: Lines, checker_in_c: Path, tmp_path: Path
) -> None:
    """Whatever was changed, each of the three notices it."""
    lines = json.loads(json.dumps(proof))
    TAMPERINGS[name](lines)
    path = written(lines, tmp_path / "proof.jsonl")
    verdicts = {
        "ours": accepted_by_ours(path),
        "python": accepted_by(sys.executable, DOCS / "check.py", path),
        "c": accepted_by(checker_in_c, path),
    }
    assert not any(verdicts.values()), verdicts


def test_the_checkers_are_short_and_use_nothing_of_the_engine() -> None:
    """At most 200 lines each, so that a reader can check them."""
    for name in ("check.py", "check.c"):
        text = (DOCS / name).read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 200
        assert "mancala" not in text


def test_the_certificate_of_kalah_6_6_follows_from_its_leaves() -> None:
    """The checker in plain Python finds 3,562 leaves."""
    asked = [sys.executable, str(DOCS / "check.py"), str(SHIPPED)]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert "worth +4 to +4 if 3562 leaves hold" in told
