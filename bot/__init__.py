"""The asyncio client for match bots; a player of your own takes fifteen lines.

import asyncio, random
from bot import Turn, run


async def choose(turn: Turn) -> int:
    return random.choice(turn.legal)


asyncio.run(run("ws://127.0.0.1:8765", choose, name="fifteen", games=2))
"""

from bot.client.bot import Bot, Game, GameResult, Turn
from bot.client.errors import (
    ClientError,
    ConnectionFailedError,
    PlayerFailedError,
    RefusedError,
    ServerFaultError,
    ServerLeftError,
)
from bot.client.listing import list_bots, list_games, list_ladders
from bot.client.run import ANYONE, run
from protocol.player import Choice, PlayerError

__all__ = [
    "ANYONE",
    "Bot",
    "Choice",
    "ClientError",
    "ConnectionFailedError",
    "Game",
    "GameResult",
    "PlayerError",
    "PlayerFailedError",
    "RefusedError",
    "ServerFaultError",
    "ServerLeftError",
    "Turn",
    "list_bots",
    "list_games",
    "list_ladders",
    "run",
]
