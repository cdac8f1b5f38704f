"""Count what a server runs for one move of a game, and print one JSON object.

``python -m mancala.scripts.bench.serving.ply`` lets two bots play on loopback, without spectators,
on a store in a SQLite file, and counts the Python calls on the threads of the event loop and of the
store's writer, in the middle of games. ``calls``, ``functions`` and ``files`` are those of Mancala
Arena, ``packages`` the calls in those of others. What runs less than once in two moves, such as a
ping, is left out. The bots have a thread of their own, which is not counted.
"""

import asyncio
import re
import sys
import threading
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Annotated, Any, Final

import typer

from mancala.bot import Turn, run
from mancala.server.app.server import Server
from mancala.server.config.settings import Config, Mqtt
from mancala.server.net.event_loop import run as run_loop

from ...console import output as console

PLIES: Final = range(6, 26)
"""The plies of each game that are counted: neither its beginning nor its end."""
SELDOM: Final = 0.5
OURS: Final = "mancala."


class CallCount:
    """Counts the Python calls of this thread, and of those that are started until `is_complete`."""

    def __init__(self) -> None:
        self._calls: Counter[tuple[str, str]] = Counter()
        self._is_on = False
        self.plies = 0
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def is_complete(self) -> None:
        threading.setprofile(None)

    def turn(self, turn: Turn) -> None:
        self._is_on = turn.ply in PLIES
        self.plies += self._is_on

    def _note(self, frame: FrameType, event: str, _argument: object) -> None:
        if self._is_on and event == "call":
            module = str(frame.f_globals.get("__name__"))
            self._calls[module, frame.f_code.co_qualname] += 1

    def figures(self) -> dict[str, Any]:
        often = {
            place: count / self.plies
            for place, count in self._calls.most_common()
            if count >= SELDOM * self.plies
        }
        own = {place: count for place, count in often.items() if place[0].startswith(OURS)}
        packages: defaultdict[str, float] = defaultdict(float)
        for (module, _), count in often.items() - own.items():
            packages[re.split("[._]", module)[0]] += count  # ``namedtuple_Clock`` is a module
        return {
            "plies": self.plies,
            "calls": round(sum(own.values()), 1),
            "functions": len(own),
            "files": len({module for module, _ in own}),
            "packages": {name: round(count, 1) for name, count in packages.items()},
            "by_function": {":".join(place): round(count, 2) for place, count in often.items()},
        }


def counted(games: int) -> dict[str, Any]:
    calls = CallCount()
    try:
        with TemporaryDirectory() as folder:
            run_loop(_serve(str(Path(folder, "ply.db")), games, calls))
    finally:
        calls.is_complete()
        sys.setprofile(None)
    return calls.figures()


async def _serve(store: str, games: int, calls: CallCount) -> None:
    quiet = Mqtt(private_broker=False)
    config = Config(name="ply", port=0, health_port=0, store=store, mqtt=quiet, drain_s=0.0)
    async with Server(config) as server:
        calls.is_complete()
        await asyncio.to_thread(asyncio.run, _play(server.url, games, calls))


async def _play(url: str, games: int, calls: CallCount) -> None:
    async def choose(turn: Turn) -> int:
        calls.turn(turn)
        return turn.legal[turn.ply % len(turn.legal)]

    stop = asyncio.Event()
    options: dict[str, Any] = {"games": games, "session_file": None, "agent": "ply/1", "stop": stop}
    await asyncio.gather(*(run(url, choose, name=name, **options) for name in ("one", "two")))


def main(
    games: Annotated[int, typer.Option(min=1, help="Games between the two bots.")] = 20,
) -> None:
    """Count the calls of a move."""
    console.emit(counted(games))


if __name__ == "__main__":
    typer.run(main)
