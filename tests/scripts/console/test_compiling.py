"""What is said of the engine before it plays."""

from __future__ import annotations

import os

import pytest
import typer

from mancala.engine.tablebase import NoTablesError
from mancala.protocol.rules import Rules
from mancala.scripts.console.compiling import tables_progress
from mancala.scripts.console.processes.table_advice import advise_tables


def test_where_nothing_can_be_kept_one_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once a process, and only where the engine plays; the rest of the command is as ever."""
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    advise_tables(Rules(), ["random"])
    assert capsys.readouterr().err == ""
    for _ in range(2):
        advise_tables(Rules(), ["engine:level=1"])
    said = capsys.readouterr().err
    assert said.count("endgame tables are not kept, so that each process builds its own: ") == 1
    assert f"{os.devnull}/mancala-arena" in said


def test_tables_that_cannot_be_had_are_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    """``--tables 40`` ended with a traceback."""
    with pytest.raises(typer.Exit) as ended, tables_progress(Rules()):
        raise NoTablesError("tables of 40 seeds take 112.3 GB of memory")
    assert ended.value.exit_code == 2
    assert "tables of 40 seeds take 112.3 GB of memory" in capsys.readouterr().err
