"""``mancala play-bots`` as an author runs it: two bots of any kind, and a page to watch them."""

import asyncio
import os
import shlex
import signal
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

from mancala.extras import install_words
from mancala.protocol import codec
from mancala.scripts.mancala import build
from tests.patience import PATIENCE_S

LAST_PIT = "def choose(turn):\n    return turn.legal[-1]\n"
CONNECTS = """\
import sys
import mancala
mancala.play(sys.argv[1], lambda turn: turn.legal[0], name="first", games=99)
"""
UNHURRIED = ("--movetime", "60")


async def play_bots(*options: str, folder: Path, **env: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mancala.scripts.mancala", "play-bots", *options, *UNHURRIED),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
        env={**os.environ, **env},
    )


async def test_a_function_meets_a_bot_that_connects_to_a_server(tmp_path: Path) -> None:
    """Both seats are played, and the report has each game."""
    (tmp_path / "mine.py").write_text(LAST_PIT)
    (tmp_path / "bot.py").write_text(CONNECTS)
    command = f"{shlex.quote(sys.executable)} bot.py {{url}}"
    async with asyncio.timeout(PATIENCE_S):
        process = await play_bots(
            "mine=python:mine.py:choose", "--run", command, "--json", folder=tmp_path
        )
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    told = codec.from_json(out.decode(), dict[str, object])
    games = told["games"]
    assert isinstance(games, list)
    assert [game["reason"] for game in games] == ["normal", "normal"], games
    assert games[0]["players"] == games[1]["players"][::-1]
    assert "mine" in games[0]["players"]


async def test_the_page_opens_and_stays_until_ctrl_c(tmp_path: Path) -> None:
    """--watch opens the browser, serves the finished games, and ends well at Ctrl-C."""
    async with asyncio.timeout(PATIENCE_S):
        browser = tmp_path / "browser"
        browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
        browser.chmod(0o755)
        process = await play_bots(
            "greedy", "random", "--watch", folder=tmp_path, BROWSER=str(browser)
        )
        assert process.stdout is not None
        lines = []
        while "Ctrl-C" not in (line := (await process.stdout.readline()).decode()):
            assert line, "it ended by itself"
            lines.append(line.rstrip())
        page = next(line for line in lines if line.startswith("page: ")).removeprefix("page: ")
        assert (tmp_path / "opened").read_text().strip() == page
        answer = await asyncio.to_thread(_read, f"{page}/api/v1/games")
        assert '"greedy"' in answer
        process.send_signal(signal.SIGINT)
        _, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    assert any(line.startswith("The match") for line in lines)


def test_without_the_server_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare installation lacks the server."""
    monkeypatch.setattr(
        "mancala.scripts.commands.playing.play_bots.NEEDED", "a_package_that_is_missing"
    )
    result = CliRunner().invoke(build(), ["play-bots", "greedy", "random"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"mancala: play-bots needs more: {install_words('server')}\n"


def _read(address: str) -> str:
    with urlopen(address) as response:  # noqa: S310  # an address that the command printed
        text: str = response.read().decode()
        return text
