"""The asyncio client for match bots; a player of your own takes fifteen lines.

import random
from mancala.bot import Turn, play


def choose(turn: Turn) -> int:
    return random.choice(turn.legal)


play("ws://127.0.0.1:8765", choose, name="fifteen", games=2)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

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
_HOMES: Final = {name: module for module, names in _MODULES.items() for name in names.split()}


if not TYPE_CHECKING:  # or a checker would take every misspelt name for one of ours

    def __getattr__(name: str) -> object:
        """Return a public name from its module, so that players load without the client."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals().setdefault(name, getattr(import_module(_HOMES[name]), name))
