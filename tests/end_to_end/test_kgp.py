"""The Kalah Game Protocol from end to end: the drill in short, and the command on a real server."""

import asyncio
import json
import os
import sys
from typing import Any

from mancala.server.app.server import Server
from tests.drills.kgp import drill, settings
from tests.patience import PATIENCE_S
from tests.server.peers import kgp_of

MANCALA = (sys.executable, "-c", "from mancala.scripts.mancala import main; main()")


async def _mancala(*arguments: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(*MANCALA, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "COLUMNS": "200"},
    )
    async with asyncio.timeout(PATIENCE_S):
        out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


async def test_clients_with_the_stock_ones_habits_finish_their_games() -> None:
    """In a short drill no client hangs, dies or lacks a stop, nor do ours."""
    report = await drill(games=6, player="greedy", seed=7)
    assert report.ok, report
    played = [report.figures[each]["games"] for each in ("tcp", "ws", "ours")]
    assert played[0] >= 6 <= played[1]
    assert played[2] == 2


async def test_the_command_plays_and_reports_its_games_as_json() -> None:
    """Two commands on one server; each tells its side of the same games."""
    async with Server(settings()) as server:
        tcp, ws = kgp_of(server).urls
        options = ("--games", "2", "--json", "--seed", "3")
        sides = await asyncio.gather(
            _mancala("kgp", tcp, "--player", "greedy", "--name", "ann", *options),
            _mancala("kgp", ws, "--player", "random", "--name", "bob", *options),
        )
    reports: list[dict[str, Any]] = []
    for code, out, err in sides:
        assert code == 0, err
        reports.append(json.loads(out))
    ann, bob = reports
    assert ann["games"] == bob["games"] == 2
    assert (ann["wins"], ann["draws"], ann["losses"]) == (bob["losses"], bob["draws"], bob["wins"])
    assert [game["opponent"] for game in ann["results"]] == ["bob", "bob"]


async def test_the_command_says_what_was_wrong() -> None:
    """A bad player is usage (2); a server that isn't there is failure (1)."""
    (bad, no_out, bad_err), (lost, _, lost_err) = await asyncio.gather(
        _mancala("kgp", "tcp://127.0.0.1:1", "--player", "nobody", "--json"),
        _mancala("kgp", "tcp://127.0.0.1:1", "--player", "random", "--json"),
    )
    assert (bad, no_out, lost) == (2, "", 1)
    assert "nobody" in bad_err
    assert "tcp://127.0.0.1:1" in lost_err
