"""A bot whose process is killed mid-game comes back to its seat."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import orjson

from protocol.messages import GameStart, Moved, Reason, Watch
from scripts.processes.supervisor import Child
from tests.end_to_end.arena import Hosted, Peer, hosted
from tests.patience import PATIENCE_S

BOTS = ("phoenix", "rival")
THINKING = "engine:movetime=0.05"
KILLED_AT_PLY = 5


async def first_game(bot: Child) -> str:
    """Wait until a bot says which game it plays."""
    line = await bot.line()
    assert line.startswith("game ")
    return line.split()[1].rstrip(":")


async def until_ply(host: Hosted, game: str, ply: int) -> None:
    """Watch a game until it has got so far."""
    async with Peer(host.url, "watcher") as watcher:
        await watcher.say(Watch(game=game))
        began = await watcher.hear(GameStart)
        if len(began.moves) < ply:
            while (await watcher.hear(Moved)).ply < ply:
                pass


async def report(bot: Child) -> dict[str, Any]:
    """Read what a bot tells with ``--json`` when it is done."""
    told = orjson.loads(await bot.line())
    await bot.succeed()
    assert isinstance(told, dict)
    return told


async def test_a_bot_killed_and_restarted_mid_game_takes_its_seat_back(tmp_path: Path) -> None:
    """SIGKILL, the same command again within the grace time, and the game ends by the rules."""
    phoenix, rival = (
        ("--player", THINKING, "--opponent", other, "--games", "1", "--movetime", "20")
        for other in reversed(BOTS)
    )
    async with (
        asyncio.timeout(PATIENCE_S),
        hosted(tmp_path, "grace_s = 60.0") as host,
        host.bot("rival", *rival, "--json") as opponent,
    ):
        async with host.bot("phoenix", *phoenix) as doomed:
            game = await first_game(doomed)
            await until_ply(host, game, KILLED_AT_PLY)
            doomed.process.kill()
            await doomed.process.wait()
        async with host.bot("phoenix", *phoenix, "--json") as reborn:
            told = await report(reborn)
        seen = await report(opponent)
    assert [result["game"] for result in told["results"]] == [game]
    assert [result["reason"] for result in told["results"]] == [Reason.NORMAL]
    assert told["games"] == seen["games"] == 1
    assert told["wins"] == seen["losses"]
