"""The demo as a user runs it: a whole match, its results over MQTT, and nothing left behind."""

import asyncio
import os
import signal
import sys
import uuid
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from mancala.extras import install_words
from mancala.scripts.demo import match
from mancala.scripts.mancala import build
from tests.patience import PATIENCE_S, WALK_S

GAMES = 12
OPENINGS = 6
UNHURRIED = ("--movetime", "60")  # on a busy machine a bot of ours may lose on time


async def run_demo(*options: str, env: dict[str, str] | None = None) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mancala.scripts.mancala", "demo", *options),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **(env or {})},
        start_new_session=True,
    )


def descendants(mark: str) -> list[str]:
    """List the command lines of all processes that inherited a mark in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


@pytest.mark.usefixtures("mosquitto")
async def test_every_game_is_played_and_each_result_comes_over_mqtt() -> None:
    """``mancala demo --json`` tells one object, with a received result for every game."""
    async with asyncio.timeout(WALK_S):
        process = await run_demo("--first", "minimax", "--second", "greedy", *UNHURRIED, "--json")
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    told: dict[str, Any] = orjson.loads(out)
    assert told["games"] == GAMES
    assert len(told["results"]) == GAMES
    assert len({result["event_id"] for result in told["results"]}) == GAMES
    assert {result["schema"] for result in told["results"]} == {"mancala.game_result.v1"}
    assert {result["reason"] for result in told["results"]} == {"normal"}
    assert all(result["rated"] for result in told["results"])
    firsts = [result["players"][0]["name"] for result in told["results"]]
    assert firsts == [firsts[0], firsts[1]] * (GAMES // 2), "seats are swapped after every game"
    assert told["match"]["games"] == [result["game"] for result in told["results"]]


@pytest.mark.usefixtures("mosquitto")
async def test_into_a_pipe_go_lines_and_a_table() -> None:
    """Without a terminal there is no live view; the results are lines as they arrive."""
    options = ("--games", "2", "--first", "random", "--second", "greedy", *UNHURRIED)
    async with asyncio.timeout(PATIENCE_S):
        process = await run_demo(*options)
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    lines = out.decode().splitlines()
    assert lines[0] == "random and greedy play 2 games, 60 s per move"
    assert sum(line.startswith("MQTT: game ") for line in lines) == 2
    assert any(line.startswith("The match") for line in lines)
    assert b"\x1b" not in out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_an_interrupted_demo_leaves_no_process_behind(number: signal.Signals) -> None:
    """Ctrl-C, or a polite kill, ends bots, server and broker too."""
    mark = f"MANCALA_TEST={uuid.uuid4()}"
    name, _, value = mark.partition("=")
    async with asyncio.timeout(PATIENCE_S):
        process = await run_demo("--movetime", "5", env={name: value})
        assert process.stdout is not None
        while not (await process.stdout.readline()).startswith(b"match server"):
            pass
        assert descendants(mark)
        process.send_signal(number)
        await process.communicate()
    assert process.returncode == 130
    assert descendants(mark) == []


def test_without_the_server_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare installation lacks two extras; the line names the one that brings both."""
    monkeypatch.setattr(
        "mancala.scripts.commands.playing.demo.NEEDED", ("a_package_that_is_missing",)
    )
    result = CliRunner().invoke(build(), ["demo"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"mancala: the demo needs more: {install_words('all')}\n"


def test_without_a_broker_the_match_is_played_and_the_line_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No mosquitto is no reason not to play."""
    no_broker = match.CONFIG.replace("{broker}", "false")
    monkeypatch.setattr("mancala.scripts.demo.match.CONFIG", no_broker)
    options = ["--games", "2", "--first", "greedy", "--second", "minimax", "--json"]
    result = CliRunner().invoke(build(), ["demo", *options])
    assert result.exit_code == 0
    told = orjson.loads(result.stdout)
    assert (told["games"], told["results"], told["mqtt"]) == (2, [], None)
    assert "apt-get install mosquitto" in result.stderr
