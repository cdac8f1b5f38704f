"""What is said of the engine before it plays."""

import os
import re
from pathlib import Path

import pytest
import typer

from mancala.engine import kernel_cache
from mancala.engine.search import warmup
from mancala.engine.tablebase import NoTablesError
from mancala.protocol.rules import OWARE, Board, Rules, UnknownRuleError
from mancala.scripts.console import compiling, output
from mancala.scripts.console.compiling import (
    compile_engine_for,
    compile_engine_for_games,
    say_first_answer,
    tables_progress,
)
from tests.scripts.commands.results import assert_usage_error
from tests.sources import run_python


def test_where_nothing_can_be_kept_one_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once a process, and only where the engine plays; the rest of the command is as ever."""
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    compile_engine_for_games(Rules(), ["random"])
    assert capsys.readouterr().err == ""
    for _ in range(2):
        compile_engine_for_games(Rules(), ["engine:level=1"])
    said = capsys.readouterr().err
    assert said.count("endgame tables are not kept, so that each process builds its own: ") == 1
    assert f"{os.devnull}/mancala-arena" in said


def test_tables_that_cannot_be_had_are_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    """``--tables 40`` ended with a traceback."""
    with pytest.raises(typer.Exit) as ended, tables_progress(Rules()):
        raise NoTablesError("tables of 40 seeds take 112.3 GB of memory")
    assert ended.value.exit_code == 2
    assert "tables of 40 seeds take 112.3 GB of memory" in capsys.readouterr().err


AT_FIRST = """
import sys
from mancala.protocol.rules import Board, Rules
from mancala.scripts.console.compiling import compile_engine_for_person, say_first_answer
say_first_answer(Board.start(Rules(seeds=6)))
compile_engine_for_person("engine", Rules())
compile_engine_for_person("engine", Rules())
assert not {"numba", "numpy"} & set(sys.modules)
"""


def test_where_nothing_is_compiled_a_move_is_named_before_the_compiler_is_loaded(
    tmp_path: Path,
) -> None:
    """``analyze`` said nothing for as long as it compiled, and ``play`` showed no board."""
    ran = run_python("-P", "-c", AT_FIRST, NUMBA_CACHE_DIR=str(tmp_path))
    first, second = ran.stderr.splitlines()
    assert re.fullmatch(r"at first, by a plain search to depth \d+: pit \d, [+-]\d+", first)
    assert second == "compiling the engine, once; a plain search answers until then"


def test_a_game_that_the_engine_does_not_know_is_refused_before_it_compiles(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``analyze --rules oware`` named a move, compiled, and then refused."""
    monkeypatch.setattr(kernel_cache, "is_compiled", bool)
    with pytest.raises(UnknownRuleError, match="the compiled engine cannot play the rules oware"):
        say_first_answer(Board.start(OWARE))
    assert capsys.readouterr().err == ""


def test_a_bot_compiles_before_it_connects(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A house bot played rated games by a plain search after each installation."""
    compiled: list[bool] = []
    monkeypatch.setattr(kernel_cache, "is_compiled", bool)
    monkeypatch.setattr(compiling, "_compile", lambda: compiled.append(True))
    compile_engine_for("random", "engine:movetime=0.1")
    assert compiled
    assert "compiling the engine, " in capsys.readouterr().err


def test_without_a_terminal_one_line_says_that_it_compiles(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No line of progress is added to a log every half a minute."""
    shown: list[str] = []
    monkeypatch.setattr(kernel_cache, "is_compiled", bool)
    monkeypatch.setattr(warmup, "compile_ahead", lambda progress=None: shown.append(str(progress)))
    monkeypatch.setattr(output, "progress", pytest.fail)
    compile_engine_for("engine")
    assert shown == ["None"]
    assert capsys.readouterr().err.count("compiling") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("tournament", "random", "engine", "--format", "nonsense"),
        ("match", "random", "engine", "--openings", "missing.txt"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_an_event_that_cannot_be_played_compiles_nothing(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """A wrong option was found after 20 seconds."""
    monkeypatch.setattr(kernel_cache, "is_compiled", bool)
    monkeypatch.setattr(compiling, "_compile", lambda: pytest.fail("it compiled"))
    assert_usage_error(*arguments)
