"""``python -m tests.drills.trespass``: folders of others, a store that is touched, bots that ask.

A folder that someone else began, or changed, names programs to run: none runs without ``--trust``.
A store that another program has locked is waited for, and one whose file is gone is not begun anew.
A bot asks the server for the value of a position of its own rated game, and gets none.
"""

import asyncio
import os
import shutil
import sqlite3
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from websockets.asyncio.client import ClientConnection

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import VERSION, GameStart, Hello, Move, Seek, Turn, Welcome
from mancala.protocol.rules import KALAH, Board
from mancala.scripts.console.processes.supervisor import ChildError
from mancala.server.contest.headless.journal import EVENT, GAMES
from tests.drills.attacks import hear, say
from tests.drills.doors import status
from tests.drills.hosting import HostedServer, ServerHost, temporary_host
from tests.drills.ports import free_port
from tests.drills.report import DrillReport, command_line
from tests.patience import PATIENCE_S, connect

LOCKED_S: Final = 8.0
"""Longer than SQLite waits for a lock by itself."""
PLIES: Final = 6
"""Moves of a game before a bot asks; the first four are exempt."""
REFUSED: Final = 2
BUSY: Final = 503
SLOW: Final = TimeControl(move_ms=600_000)


async def drill() -> DrillReport:
    """Try folders of others, a store that is touched, and a bot that asks for its moves."""
    http = free_port()
    with temporary_host(f"http_port = {http}\n") as ground:
        promises = await _folders(ground.folder) | await _touched(ground, http)
    return DrillReport("trespass", 1, {"locked_s": LOCKED_S}, promises)


# Folders


async def _folders(folder: Path) -> dict[str, bool]:
    own, mark = folder / "own", folder / "mark"
    await _match(folder, "random", "greedy", "--games", "2", "--dir", str(own))
    programs = (f"cmd:touch {mark}", f"net:touch {mark}", _module(folder, mark))
    refusals = [
        await _match(folder, "--resume", str(_changed(own, folder / f"theirs-{number}", spec)))
        for number, spec in enumerate(programs)
    ]
    has_run = mark.exists()
    await _match(folder, "--resume", str(folder / "theirs-0"), "--trust")
    return {
        "no program of a changed folder runs": {*refusals} == {REFUSED} and not has_run,
        "it runs with --trust": mark.exists(),
        "one's own folder is resumed": await _match(folder, "--resume", str(own)) == 0,
    }


def _changed(own: Path, copy: Path, spec: str) -> Path:
    """Copy the folder of a match, its seal included, without its games, and change who plays."""
    shutil.copytree(own, copy)
    (copy / GAMES).unlink()
    event: dict[str, Any] = codec.from_json((copy / EVENT).read_bytes(), dict[str, Any])
    event["contenders"][0]["spec"] = spec
    (copy / EVENT).write_bytes(codec.to_json(event))
    return copy


def _module(folder: Path, mark: Path) -> str:
    path = folder / "player.py"
    path.write_text(f"open({str(mark)!r}, 'w').close()\ndef choose(*_): return 0\n")
    return f"python:{path}:choose"


async def _match(folder: Path, *words: str) -> int:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mancala", "match", *words),
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    async with asyncio.timeout(PATIENCE_S):
        return await process.wait()


# The server


async def _touched(ground: ServerHost, http: int) -> dict[str, bool]:
    async with ground.running() as life, _rated_game(life) as board:
        path = f"/api/v1/analysis?board={quote(board.text)}"
        answers = {"no one is told what to play in a rated game": await status(http, path) == BUSY}
        await asyncio.to_thread(_lock, ground.store)
        is_alive = life.child.process.returncode is None
        answers["a store that is locked is waited for"] = is_alive and await _welcomed(life)
        await life.kill()
    store, away = Path(ground.store), Path(f"{ground.store}.away")
    await asyncio.to_thread(store.rename, away)
    answers["a store whose file is gone is not begun anew"] = not await _starts(ground)
    await asyncio.to_thread(away.rename, store)
    answers["and goes on once it is back"] = await _starts(ground)
    return answers


def _lock(store: str) -> None:
    with closing(sqlite3.connect(store, isolation_level=None, timeout=PATIENCE_S)) as shell:
        shell.execute("BEGIN IMMEDIATE")
        time.sleep(LOCKED_S)
        shell.execute("ROLLBACK")


async def _starts(ground: ServerHost) -> bool:
    try:
        async with ground.running() as life:
            return await _welcomed(life)
    except ChildError:
        return False


async def _welcomed(life: HostedServer) -> bool:
    async with asyncio.timeout(PATIENCE_S), connect(life.url) as socket:
        await _greet(socket, "newcomer")
    return True


@asynccontextmanager
async def _rated_game(life: HostedServer) -> AsyncIterator[Board]:
    """Begin a rated game, and yield its position after some moves, when both bots are silent."""
    async with connect(life.url) as ann, connect(life.url) as bob:
        async with asyncio.timeout(PATIENCE_S):
            for name, bot in (("ann", ann), ("bob", bob)):
                await _greet(bot, name)
                await say(bot, Seek(clock=SLOW, games=1))
            seats = {(await hear(bot, GameStart)).seat: bot for bot in (ann, bob)}
            player = 0
            for _ in range(PLIES):
                turn = await hear(seats[player], Turn)
                board = Board.from_state(turn.state, KALAH).sow(turn.legal[0]).board
                await say(seats[player], Move(turn.game, turn.ply, turn.legal[0]))
                player = board.player
        yield board


async def _greet(socket: ClientConnection, name: str) -> None:
    await say(socket, Hello(VERSION, name))
    await hear(socket, Welcome)


if __name__ == "__main__":
    command_line(drill)
