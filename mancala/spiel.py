"""Kalah as a game of OpenSpiel, and players of this program as its bots; it needs ``open_spiel``.

See `mancala.bot.players.spiel`, where they are. Importing this module registers the game.
"""

from mancala.bot.players.spiel import NAME, PARAMETERS, ArenaBot, board_of

__all__ = ["NAME", "PARAMETERS", "ArenaBot", "board_of"]
