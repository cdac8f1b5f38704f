"""The starters as texts: short, complete, and with their author's name in them."""

import py_compile
from pathlib import Path
from typing import Final

import pytest

from mancala.bot import starters
from mancala.bot.starters import LANGUAGES, positions, starter

FOLDER: Final = Path(starters.__file__).parent
SOURCES: Final = {
    "c": "bot.c",
    "csharp": "Bot.cs",
    "go": "bot.go",
    "java": "Bot.java",
    "javascript": "bot.js",
    "python": "play.py",
    "ruby": "bot.rb",
    "rust": "src/main.rs",
}


def test_every_folder_is_a_language() -> None:
    """What `mancala new` offers is what there is."""
    found = {path.name for path in FOLDER.iterdir() if (path / "README.md").exists()}
    assert found == set(LANGUAGES) == set(SOURCES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_is_one_short_file_with_a_short_readme(language: str) -> None:
    """At most 95 lines of code and a README of one screen."""
    files = starter(language, name="ada")
    assert len(files[SOURCES[language]].splitlines()) <= 95
    assert len(files["README.md"].splitlines()) <= 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_name_server_and_ladder_are_filled_in(language: str) -> None:
    """The commands of the README can be copied as they are."""
    files = starter(
        language, name="ada", version="0.7", url="wss://club.example:1", ladder="novices"
    )
    text = "".join(files.values())
    assert "my-bot" not in text
    assert "my-version" not in text
    assert "0.7" in text
    assert "wss://club.example:1 " in files["README.md"]
    assert "127.0.0.1:8765" not in files["README.md"]
    assert " novices " in files["README.md"]
    assert " main " not in files["README.md"]


def test_positions_try_each_rule() -> None:
    """There are laps, captures, moves again and ends; the file is the same each time."""
    assert positions() == positions()
    lines = [[int(word) for word in line.split()] for line in positions().splitlines()]
    boards = [(line[0], line[2 : len(line) // 2 + 1]) for line in lines]
    stores = [len(board) // 2 - 1 for _, board in boards]
    gains = [
        line[len(line) // 2 + 1 + store] - line[2 + store]
        for line, store in zip(lines, stores, strict=True)
    ]
    assert any(board[pit] >= len(board) - 1 for pit, board in boards)
    assert any(line[1] for line in lines)
    assert max(gains) > 2
    assert any(not any(line[len(line) // 2 + 1 :][:4]) for line in lines)


def test_what_an_installer_compiled_is_no_part_of_a_starter() -> None:
    """Pip leaves bytecode beside the programs in Python of a wheel."""
    py_compile.compile(str(FOLDER / "python" / "play.py"))
    assert set(starter("python", name="ada")) == {"README.md", "play.py", "test_play.py"}


def test_only_commands_of_the_readme_are_changed() -> None:
    """A ladder's name does not touch the program."""
    assert "package main\n" in starter("go", name="main", ladder="novices")["bot.go"]
