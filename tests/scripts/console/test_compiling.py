"""What is said of the engine before it plays."""

from __future__ import annotations

import os

import pytest

from mancala.protocol.rules import Rules
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
