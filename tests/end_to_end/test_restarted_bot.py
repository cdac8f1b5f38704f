"""A bot whose process is killed mid-game comes back to its seat."""

import asyncio
from pathlib import Path

import orjson

from mancala.bot import Turn, run
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Reason, Seek
from mancala.scripts.console.processes.supervisor import Child
from tests.end_to_end.arena import hosted
from tests.patience import PATIENCE_S

MOVE_S = 100
PHOENIX = (
    *("--player", "engine:movetime=0.05", "--opponent", "rival"),
    *("--games", "1", "--movetime", str(MOVE_S)),
)
SEEK = Seek(clock=TimeControl(move_ms=1000 * MOVE_S), opponent="phoenix", games=1)
KILLED_AT_PLY = 5


class WaitingOpponent:
    """Waits in the middle of the game until the other was killed."""

    def __init__(self) -> None:
        self.waits = asyncio.Event()
        self.goes_on = asyncio.Event()

    async def choose(self, turn: Turn) -> int:
        if turn.ply >= KILLED_AT_PLY:
            self.waits.set()
            await self.goes_on.wait()
        return turn.legal[0]


async def first_game(bot: Child) -> str:
    line = await bot.line()
    assert line.startswith("game ")
    return line.split()[1].rstrip(":")


async def test_a_bot_killed_and_restarted_mid_game_takes_its_seat_back(tmp_path: Path) -> None:
    """SIGKILL, the same command again within the grace time, and the game ends by the rules."""
    rival = WaitingOpponent()
    async with asyncio.timeout(PATIENCE_S), hosted(tmp_path, f"grace_s = {MOVE_S}") as host:
        playing = asyncio.create_task(
            run(
                host.url,
                rival.choose,
                name="rival",
                games=1,
                seek=SEEK,
                session_file=None,
                stop=asyncio.Event(),
            )
        )
        async with host.bot("phoenix", *PHOENIX) as doomed:
            game = await first_game(doomed)
            await rival.waits.wait()
            doomed.process.kill()
            await doomed.process.wait()
        rival.goes_on.set()
        async with host.bot("phoenix", *PHOENIX, "--json") as reborn:
            told = orjson.loads(await reborn.line())
            await reborn.succeed()
        (seen,) = await playing
    assert [result["game"] for result in told["results"]] == [game]
    assert [result["reason"] for result in told["results"]] == [Reason.NORMAL]
    assert seen.game == game
    assert told["games"] == 1
    assert told["losses"] == seen.won
