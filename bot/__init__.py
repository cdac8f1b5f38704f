"""The asyncio client for match bots; a player of your own takes fifteen lines.

import random
from mancala.bot import Turn, play


def choose(turn: Turn) -> int:
    return random.choice(turn.legal)


play("ws://127.0.0.1:8765", choose, name="fifteen", games=2)
"""

from mancala.protocol.player import Choice, PlayerError

from .client.bot import Bot, Game, GameResult, Turn
from .client.errors import (
    ClientError,
    ConnectionFailedError,
    PlayerFailedError,
    RefusedError,
    ServerFaultError,
    ServerLeftError,
)
from .client.requests import list_bots, list_games, list_ladders, next_matches
from .client.run import ANYONE, play, run

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
