"""Mancala Arena's public names, each loaded when it is first used.

A bot needs ``from mancala import Turn, run`` and loads neither numba nor numpy nor SQLAlchemy; the
engine's names load them, and need the extra ``engine``. Nothing is defined here: `HOMES` says in
which module a name is defined, and the imports for type checkers below say it again.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from mancala.extras import MissingExtraError, extra_for, missing
from mancala.rooms import check

if TYPE_CHECKING:
    from bot import (
        ANYONE,
        Bot,
        Choice,
        ClientError,
        ConnectionFailedError,
        Game,
        GameResult,
        PlayerError,
        PlayerFailedError,
        RefusedError,
        ServerFaultError,
        ServerLeftError,
        Turn,
        list_bots,
        list_games,
        list_ladders,
        run,
    )
    from bot.players.registry import make_bot, make_player
    from engine.analysis import analyse
    from engine.search import Engine, EngineOptions, Limit, MoveValue, Report
    from engine.solver import Solution, Solver
    from protocol.clock import TimeControl, TimeoutPolicy
    from protocol.messages import Info, Reason, Seek
    from protocol.rules import (
        KALAH,
        PRESETS,
        Board,
        Capture,
        Ending,
        IllegalMoveError,
        InvalidPositionError,
        Rules,
        Sowing,
    )

__all__ = [
    "ANYONE",
    "KALAH",
    "PRESETS",
    "Board",
    "Bot",
    "Capture",
    "Choice",
    "ClientError",
    "ConnectionFailedError",
    "Ending",
    "Engine",
    "EngineOptions",
    "Game",
    "GameResult",
    "IllegalMoveError",
    "Info",
    "InvalidPositionError",
    "Limit",
    "MissingExtraError",
    "MoveValue",
    "PlayerError",
    "PlayerFailedError",
    "Reason",
    "RefusedError",
    "Report",
    "Rules",
    "Seek",
    "ServerFaultError",
    "ServerLeftError",
    "Solution",
    "Solver",
    "Sowing",
    "TimeControl",
    "TimeoutPolicy",
    "Turn",
    "analyse",
    "list_bots",
    "list_games",
    "list_ladders",
    "make_bot",
    "make_player",
    "run",
]

_MODULES: Final = {
    "bot": (
        "ANYONE Bot Choice ClientError ConnectionFailedError Game GameResult PlayerError "
        "PlayerFailedError RefusedError ServerFaultError ServerLeftError Turn "
        "list_bots list_games list_ladders run"
    ),
    "bot.players.registry": "make_bot make_player",
    "engine.analysis": "analyse",
    "engine.search": "Engine EngineOptions Limit MoveValue Report",
    "engine.solver": "Solution Solver",
    "protocol.clock": "TimeControl TimeoutPolicy",
    "protocol.messages": "Info Reason Seek",
    "protocol.rules": (
        "KALAH PRESETS Board Capture Ending IllegalMoveError InvalidPositionError Rules Sowing"
    ),
}
HOMES: Final = {name: module for module, names in _MODULES.items() for name in names.split()}
"""The module that defines each public name."""

_NEEDS: Final = {
    "protocol": ("protocol",),
    "engine": ("engine", "protocol"),
    "bot": ("bot", "engine", "protocol"),
}


if not TYPE_CHECKING:  # or a checker would take every misspelt name for one of ours

    def __getattr__(name: str) -> object:
        """Return a public name from the module that defines it.

        Raises:
            AttributeError: when there is no such name.
            ShadowedError: when a file of the user's hides a package that the name needs.
            MissingExtraError: when the name needs an extra that is not installed.
        """
        module = HOMES.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        check(_NEEDS[module.partition(".")[0]])
        try:
            value: object = getattr(import_module(module), name)
        except ModuleNotFoundError as error:
            if extra_for(error) is None:
                raise
            raise missing(error) from error
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the public names, also those that are not loaded yet."""
    return __all__
