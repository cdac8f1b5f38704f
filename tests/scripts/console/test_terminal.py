"""What is printed and was not written here: escaped, in tables as in lines."""

import io
import re

import pytest
from rich.table import Table

from mancala.scripts.console import output
from mancala.scripts.console.terminal import Terminal
from tests.sources import ROOT

ROOMS = [f"scripts/{room}" for room in ("commands", "console", "views", "demo")]
EVIL = "\x1b]0;owned\x07\u202e"
SHOWN = r"\x1b]0;owned\x07\u202e"


def test_a_table_escapes_its_cells_and_keeps_its_style() -> None:
    """The escapes that are left are the console's own."""
    file = io.StringIO()
    terminal = Terminal(file=file, force_terminal=True, width=100)
    table = Table("name", style="bold")
    table.add_row(EVIL)
    terminal.print(table)
    assert SHOWN[:8] in file.getvalue()  # a cell is cut to what fits
    assert "\x1b]0" not in file.getvalue()
    assert "\x1b[1m" in file.getvalue()


def test_lines_and_json_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    """The one function for lines, and the one for results."""
    output.say(EVIL)
    output.emit({"name": "\x9b"})
    assert capsys.readouterr().out == f"{SHOWN}\n" + '{"name":"\\u009b"}\n'


def test_no_command_prints_by_another_way() -> None:
    """Only the console's module calls what prints without escaping."""
    found = [
        str(file.relative_to(ROOT))
        for room in ROOMS
        for file in (ROOT / room).rglob("*.py")
        if re.search(r"typer\.echo\(|(?<![.\w])print\(|Console\(\)", file.read_text())
    ]
    assert found == ["scripts/console/output.py"]
