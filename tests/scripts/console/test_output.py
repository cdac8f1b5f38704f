"""One clear line on stderr for each error of a user."""

import threading
from pathlib import Path

import pytest
import typer

from mancala.scripts.console import output
from tests.patience import PATIENCE_S


def missing(path: Path) -> OSError:
    with pytest.raises(OSError) as caught:  # noqa: PT011  # its words are the subject
        path.read_bytes()
    return caught.value


def line_of(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


def test_an_error_of_the_system_is_a_path_and_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No error number, and no quotes around the path."""
    with pytest.raises(typer.Exit):
        output.fail(missing(tmp_path / "x"))
    assert line_of(capsys) == f"mancala: {tmp_path / 'x'}: no such file or directory\n"


def test_a_path_is_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also when both the command and the error name it."""
    with pytest.raises(typer.Exit):
        output.fail(missing(tmp_path / "x"), at=tmp_path / "x")
    with pytest.raises(typer.Exit):
        output.fail(ValueError("not a record"), at=tmp_path / "x")
    assert line_of(capsys).splitlines() == [
        f"mancala: {tmp_path / 'x'}: no such file or directory",
        f"mancala: {tmp_path / 'x'}: not a record",
    ]


def test_an_error_of_many_lines_is_printed_as_one() -> None:
    """Libraries append hints in further lines."""
    assert output.described(ValueError("bad\n  (see there)")) == "bad (see there)"
    with pytest.raises(UnicodeDecodeError) as caught:
        b"\xff".decode()
    assert output.described(caught.value) == "not text in UTF-8"


def test_a_file_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its folder must exist, and it must not be a folder."""
    output.expect_writable(tmp_path / "new.json")
    for path in (tmp_path, tmp_path / "none" / "new.json"):
        with pytest.raises(typer.Exit) as caught:
            output.expect_writable(path)
        assert caught.value.exit_code == output.USAGE
    assert line_of(capsys).splitlines() == [
        f"mancala: {tmp_path}: is a directory",
        f"mancala: {tmp_path / 'none'}: no such directory",
    ]


def test_where_no_bar_can_be_drawn_a_line_says_how_far_work_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log of minutes without a word looks like a program that hangs."""
    monkeypatch.setattr(output, "SAY_S", 0.01)
    told, printed = threading.Event(), output.say

    def say(text: str, *, err: bool = False) -> None:
        printed(text, err=err)
        told.set()

    monkeypatch.setattr(output, "say", say)
    with output.counted("positions", 7) as show:
        show(3)
        told.clear()
        assert told.wait(PATIENCE_S)
    assert "mancala: positions: 3 of 7, 0 s" in line_of(capsys)
    with output.counted("positions", 7, quiet=True) as show:
        show(3)
    assert not line_of(capsys)
