"""The asyncio client for match bots; a player of your own takes fifteen lines.

import random
from mancala.bot import Turn, play


def choose(turn: Turn) -> int:
    return random.choice(turn.legal)


play("ws://127.0.0.1:8765", choose, name="fifteen", games=2)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mancala.lazy_names import homes_of, lazy_names

if TYPE_CHECKING:
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

_MODULES: Final = {
    "mancala.protocol.player": "Choice PlayerError",
    "mancala.bot.client.bot": "Bot Game GameResult Turn",
    "mancala.bot.client.errors": (
        "ClientError ConnectionFailedError PlayerFailedError RefusedError ServerFaultError "
        "ServerLeftError"
    ),
    "mancala.bot.client.requests": "list_bots list_games list_ladders next_matches",
    "mancala.bot.client.run": "ANYONE play run",
}


if not TYPE_CHECKING:  # or a checker would take every misspelt name for one of ours
    __getattr__, __dir__ = lazy_names(__name__, homes_of(_MODULES), __all__)
