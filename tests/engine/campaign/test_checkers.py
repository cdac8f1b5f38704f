"""Three checkers of certificates that share no code: this program's, and those of the docs.

Each is given a true certificate, and many that were tampered with.
"""

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import structs

from mancala.engine.campaign import home, positions
from mancala.engine.campaign.certificate import (
    Certificate,
    CertificateError,
    CertificateLine,
    faults,
    load,
)
from mancala.engine.kernels.state import no_tables
from mancala.engine.search.solver import Solver
from mancala.protocol.rules import Board, Rules
from mancala.protocol.variants import FAMILY
from tests.engine.campaign.campaigns import finished
from tests.sources import ROOT

Lines = list[Any]
DOCS: Final = ROOT / "docs" / "certificates"
SHIPPED: Final = ROOT / "engine" / "data" / "kalah-6-6.jsonl.xz"
WIN: Final = "<6,0,0,0,0,0,0,0,0,0,1,0,0,0,0>"


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    directory = tmp_path_factory.mktemp("campaign")
    finished(directory, Board.start(Rules.parse("kalah:seeds=2")))
    text = (directory / home.CERTIFICATE).read_text(encoding="ascii")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def checker_in_c(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("c") / "check"
    compiler = shutil.which("cc")
    assert compiler is not None
    subprocess.run([compiler, "-O2", "-o", str(program), str(DOCS / "check.c")], check=True)
    return program


def first(lines: Lines, **members: object) -> Any:  # noqa: ANN401  # a claim as JSON
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


def worth_too_much(lines: Lines) -> None:
    put(lines[0], low=26, high=26)
    lines[1:] = [{"board": lines[0]["board"], "bound": "low", "value": 26, "leaf": True}]


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
        first(lines, leaf=True), board=first(lines, leaf=True)["board"].replace("<6,0,0", "<6,3,1")
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
    "the pie rule": lambda lines: put(lines[0], rules="kalah:seeds=2,pie=true"),
    "rules with an unknown option": lambda lines: put(lines[0], rules="kalah:seeds=2,hello=1"),
    "rules of other pits": lambda lines: put(lines[0], rules="kalah:pits=7,seeds=2"),
    "a header with more": lambda lines: put(lines[0], proven=True),
    "a header without nodes": lambda lines: put(lines[0], nodes=None),
    "fewer than no nodes": lambda lines: put(lines[0], nodes=-1),
    "a fraction in the header": lambda lines: put(lines[0], low=float(lines[0]["low"])),
    "a value as text in the header": lambda lines: put(lines[0], low=str(lines[0]["low"])),
    "a value that wraps around": lambda lines: put(lines[0], low=lines[0]["low"] + 2**32),
    "an endless value": lambda lines: put(lines[0], low=-float("inf")),
    "stores in the header": lambda lines: put(
        lines[0], board=lines[0]["board"].replace("<6,0,0", "<6,2,0")
    ),
    "a leaf of more than all seeds": lambda lines: put(first(lines, leaf=True), value=26),
    "a start that is worth more than all seeds": worth_too_much,
    "a claim with more": lambda lines: put(lines[-1], proven=True),
}


def changed(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(text: bytes) -> bytes:
        assert old in text
        return text.replace(old, new, 1)

    return change


BYTES: Final[dict[str, Callable[[bytes], bytes]]] = {
    "a space in the header": changed(b'"low":', b'"low": '),
    "a space in a claim": changed(b'"bound":', b'"bound": '),
    "a header that is not closed": changed(b'"format":1}', b'"format":1'),
    "zero bytes after the header": changed(b'"format":1}', b'"format":1}\0hello'),
    "a member of the header twice": changed(b'"format":1', b'"low":20,"format":1'),
    "a leading zero in the header": changed(b"<6,0,0,2", b"<6,0,0,02"),
    "a plus sign in the header": changed(b"<6,0,0,2", b"<6,0,0,+2"),
    "a number of pits that wraps around": changed(b"<6,0,0,2", b"<4294967302,0,0,2"),
    "a letter by its number": changed(b'"bound"', b'"b\\u006fund"'),
    "lines that end as on Windows": lambda text: text.replace(b"\n", b"\r\n"),
    "a form feed between lines": changed(b"}\n{", b"}\x0c{"),
    "no end of the last line": lambda text: text[:-1],
    "an empty line at the end": lambda text: text + b"\n",
    "an empty line between": changed(b"}\n{", b"}\n\n{"),
    "a zero byte at the end": lambda text: text + b"\0",
    "a zero byte after a claim": lambda text: text[:-1] + b"\0\n",
    "a mark of the byte order": lambda text: b"\xef\xbb\xbf" + text,
    "a space after a claim": lambda text: text[:-1] + b" \n",
    "nothing at all": lambda _text: b"",
    "a compressed file by another name": gzip.compress,
}
"""Changes of the file itself."""


def written(lines: Lines, path: Path) -> Path:
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    path.write_text(text, encoding="ascii")
    return path


def accepted_by_ours(path: Path) -> bool:
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
    assert not any(verdicts(written(lines, tmp_path / "proof.jsonl"), checker_in_c).values())


@needs_cc
@pytest.mark.parametrize("name", BYTES)
def test_all_checkers_refuse_a_file_in_another_form(
    name: str, proof: Lines, checker_in_c: Path, tmp_path: Path
) -> None:
    """A certificate has one form, byte by byte, so that no two readers can read it differently."""
    path = written(proof, tmp_path / "proof.jsonl")
    path.write_bytes(BYTES[name](path.read_bytes()))
    assert not any(verdicts(path, checker_in_c).values())


@needs_cc
def test_all_checkers_notice_claims_that_contradict_each_other(
    proof: Lines, checker_in_c: Path, tmp_path: Path
) -> None:
    """At least one of two such claims is false, whatever follows from them."""
    lines = json.loads(json.dumps(proof))
    low = first(lines[2:], bound="low")
    lines.append({"board": low["board"], "bound": "high", "value": low["value"] - 1, "leaf": True})
    path = written(lines, tmp_path / "proof.jsonl")
    assert any("contradict" in fault for fault in faults(load(path)))
    for program in ([sys.executable, DOCS / "check.py"], [checker_in_c]):
        asked = [*map(str, program), str(path)]
        ended = subprocess.run(asked, capture_output=True, text=True, check=False)
        assert ended.returncode == 1
        assert "contra" in ended.stdout + ended.stderr


@needs_cc
def test_all_checkers_refuse_a_weaker_line_and_what_it_alone_needs(
    checker_in_c: Path, tmp_path: Path
) -> None:
    """One position of Kalah(6,6) was worth at most 5 and at most 7, each with lines of its own."""
    certificate = load(SHIPPED)
    board = "<6,0,0,9,1,2,10,9,0,0,10,3,9,0,10>"
    [line] = [line for line in certificate.lines if line.board == board]
    claim = certificate.claim(structs.replace(line, value=7))
    needed = [claim, *filter(None, map(claim.after, positions.moves(claim.board)))]
    extra = [
        CertificateLine(
            each.board.text, "low" if each.at_least else "high", each.value, leaf=each != claim
        )
        for each in needed
        if not each.follows_from(positions.widest(each.board))
    ]
    path = tmp_path / "proof.jsonl"
    Certificate(certificate.header, [*certificate.lines, *extra]).save(path)
    assert (line.value, len(extra)) == (5, 6)
    assert not any(verdicts(path, checker_in_c).values())


def verdicts(path: Path, checker_in_c: Path) -> dict[str, bool]:
    """Return which of the three checkers accept a file."""
    return {
        "ours": accepted_by_ours(path),
        "python": accepted_by(sys.executable, DOCS / "check.py", path),
        "c": accepted_by(checker_in_c, path),
    }


def test_the_checkers_are_short_and_use_nothing_of_the_engine() -> None:
    """At most 200 lines each, so that a reader can check them."""
    for name in ("check.py", "check.c"):
        text = (DOCS / name).read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 200
        assert "mancala" not in text


def test_the_certificate_of_kalah_6_6_follows_from_its_leaves() -> None:
    """The checker in plain Python finds 3,557 leaves."""
    asked = [sys.executable, str(DOCS / "check.py"), str(SHIPPED)]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert "worth +4 to +4 if 3557 leaves hold" in told


@pytest.mark.parametrize("name", FAMILY)
def test_the_family_is_counted_and_solved_alike_by_a_program_of_its_own(
    name: str, tmp_path: Path
) -> None:
    """Counts of lines of play, and the exact value of a small board, agree with family.c."""
    program = tmp_path / "family"
    compiler = shutil.which("cc")
    assert compiler is not None
    subprocess.run([compiler, "-O1", "-o", str(program), str(DOCS / "family.c")], check=True)

    def says(*words: object) -> int:
        return int(subprocess.check_output([program, name, *map(str, words)]))

    rules = FAMILY[name]
    counts = [says(rules.pits, rules.seeds, "perft", depth) for depth in range(1, 6)]
    assert counts == json.loads((ROOT / "tests" / "data" / "perft.json").read_text())[name][:5]
    small = Board.start(replace(rules, pits=3, seeds=2))
    *_, proof = Solver(small.rules, tables=no_tables(3), table_bits=16).solve(small)
    assert (proof.value.low, proof.value.high) == (says(3, 2, "value"),) * 2
