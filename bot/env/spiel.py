"""The former name of `mancala.spiel`."""

from ..players.spiel import NAME, PARAMETERS, ArenaBot, SpielGame, SpielState, board_of

__all__ = ["NAME", "PARAMETERS", "ArenaBot", "SpielGame", "SpielState", "board_of"]
