"""The asyncio client for match bots; a player of your own takes fifteen lines.

import random
from mancala.bot import Turn, play


def choose(turn: Turn) -> int:
    return random.choice(turn.legal)


play("ws://127.0.0.1:8765", choose, name="fifteen", games=2)
"""

from mancala.bot.client.bot import Bot, Game, GameResult, Turn
from mancala.bot.client.errors import (
    ClientError,
    ConnectionFailedError,
    PlayerFailedError,
    RefusedError,
    ServerFaultError,
    ServerLeftError,
)
from mancala.bot.client.listing import list_bots, list_games, list_ladders, next_matches
from mancala.bot.client.playing import play
from mancala.bot.client.run import ANYONE, run
from mancala.protocol.player import Choice, PlayerError

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
    "next_matches",
    "play",
    "run",
]
