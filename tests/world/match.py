"""A rated match of two of our bots, in the middle of which something is done to what it needs."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from mancala.bot import Bot, GameResult, Turn, run
from mancala.protocol.messages import Reason
from tests.drills.databases import Database
from tests.drills.event import kept_games
from tests.drills.hosting import ServerHost, host
from tests.world.programs import ProgramError, output

LADDER: Final = "main"
SETTINGS: Final = f"""\
{{settings}}
[mqtt]
private_broker = false
{{mqtt}}
[limits]
proxies = ["127.0.0.1/32"]
[[ladder]]
name = "{LADDER}"
rules = "kalah:pits=3,seeds=3"
clock = {{{{ move_ms = 60000 }}}}
patience_s = 0.0
guest_pool = false
"""
GAMES: Final = 12
DISTURBED: Final = 5
"""The game in the middle of which it is done."""
THINK_S: Final = 0.02
ATTEMPT_S: Final = 180.0


def ladder_host(
    folder: Path, settings: str = "", mqtt: str = "", where: Database | None = None
) -> ServerHost:
    """Return a host with a ladder; its server is not running yet."""
    filled = SETTINGS.format(settings=settings, mqtt=mqtt)
    return host(folder, filled, where or Database())


class _Disturber(Bot):
    """Plays, and does something once in the middle of a game."""

    def __init__(self, disturb: Callable[[], Awaitable[None]], tasks: asyncio.TaskGroup) -> None:
        self.done: asyncio.Task[None] | None = None
        self._disturb = disturb
        self._tasks = tasks
        self._ended = 0

    async def choose(self, turn: Turn) -> int:
        await asyncio.sleep(THINK_S)
        if self._ended >= DISTURBED and turn.ply >= 1 and self.done is None:
            self.done = self._tasks.create_task(self._do(), name="disturb")
        return turn.legal[0]

    async def _do(self) -> None:
        await self._disturb()

    def game_over(self, result: GameResult) -> None:
        self._ended += result.reason is Reason.NORMAL


async def first_pit(turn: Turn) -> int:
    """Sow the first pit that may be sown, after a moment."""
    await asyncio.sleep(THINK_S)
    return turn.legal[0]


async def rated_games(url: str, disturb: Callable[[], Awaitable[None]]) -> dict[str, bool]:
    """Play rated games, disturbed in the middle of one; return whether both saw all ends."""
    options: Any = {"ladder": LADDER, "games": GAMES, "session_file": None}
    async with asyncio.timeout(ATTEMPT_S), asyncio.TaskGroup() as tasks:
        disturber = _Disturber(disturb, tasks)
        both = [
            tasks.create_task(run(url, player, name=name, **options), name=name)
            for name, player in (("left", disturber), ("right", first_pit))
        ]
    ends = [{end.game: end.reason for end in playing.result()} for playing in both]
    return {
        "it went away in the middle of a game": disturber.done is not None,
        "every game ended by the rules": (
            ends[0] == ends[1] and {*ends[0].values()} == {Reason.NORMAL}
        ),
    }


async def recounted(place: ServerHost) -> dict[str, bool]:
    """Count a running server's games from nothing; return whether its tables say the same."""
    command = str(Path(sys.executable).with_name("mancala"))
    try:
        await output(command, "admin", "check", "--config", str(place.folder / "drill.toml"))
    except ProgramError:
        return {"a recount finds what the tables say": False}
    return {"a recount finds what the tables say": len(kept_games(place.store)) >= GAMES}
