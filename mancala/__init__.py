"""Mancala Arena's public names, each loaded when it is first used.

A bot needs ``from mancala import Turn, run`` and loads neither numba nor numpy nor SQLAlchemy; the
engine's names load them, and need the extra ``engine``. Nothing is defined here: `HOMES` says in
which module a name is defined, and the imports for type checkers below say it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mancala.extras import MissingExtraError
from mancala.lazy_names import homes_of, lazy_names

if TYPE_CHECKING:
    from mancala.bot import (
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
        next_matches,
        play,
        run,
    )
    from mancala.bot.players.registry import make_bot, make_player
    from mancala.engine.search.engine import (
        Engine,
        EngineOptions,
        Limit,
        MoveValue,
        Report,
        analyse,
        analyze,
    )
    from mancala.engine.search.solver import Solution, Solver
    from mancala.headless import dataset
    from mancala.library import (
        MatchResult,
        TournamentResult,
        match,
        rate,
        read_games,
        review,
        solve,
        tournament,
        write_games,
    )
    from mancala.protocol.clock import TimeControl, TimeoutPolicy
    from mancala.protocol.game_board import GameBoard
    from mancala.protocol.messages import Info, Reason, Seek
    from mancala.protocol.rules import (
        KALAH,
        PRESETS,
        Board,
        Capture,
        Ending,
        IllegalMoveError,
        InvalidPositionError,
        PlayerScore,
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
    "GameBoard",
    "GameResult",
    "IllegalMoveError",
    "Info",
    "InvalidPositionError",
    "Limit",
    "MatchResult",
    "MissingExtraError",
    "MoveValue",
    "PlayerError",
    "PlayerFailedError",
    "PlayerScore",
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
    "TournamentResult",
    "Turn",
    "analyse",
    "analyze",
    "dataset",
    "list_bots",
    "list_games",
    "list_ladders",
    "make_bot",
    "make_player",
    "match",
    "next_matches",
    "play",
    "rate",
    "read_games",
    "review",
    "run",
    "solve",
    "tournament",
    "write_games",
]

_MODULES: Final = {
    "mancala.bot": (
        "ANYONE Bot Choice ClientError ConnectionFailedError Game GameResult PlayerError "
        "PlayerFailedError RefusedError ServerFaultError ServerLeftError Turn "
        "list_bots list_games list_ladders next_matches play run"
    ),
    "mancala.bot.players.registry": "make_bot make_player",
    "mancala.engine.search.engine": "Engine EngineOptions Limit MoveValue Report analyse analyze",
    "mancala.engine.search.solver": "Solution Solver",
    "mancala.headless": "dataset",
    "mancala.library": (
        "MatchResult TournamentResult match rate read_games review solve tournament write_games"
    ),
    "mancala.protocol.clock": "TimeControl TimeoutPolicy",
    "mancala.protocol.game_board": "GameBoard",
    "mancala.protocol.messages": "Info Reason Seek",
    "mancala.protocol.rules": (
        "KALAH PRESETS Board Capture Ending IllegalMoveError InvalidPositionError Rules "
        "PlayerScore Sowing"
    ),
}
HOMES: Final = homes_of(_MODULES)
"""The module that defines each public name."""


if not TYPE_CHECKING:  # or a checker would take every misspelt name for one of ours
    __getattr__, __dir__ = lazy_names(__name__, HOMES, __all__)
