"""A bot that takes its time against certain opponents, so that people can follow the game."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from mancala.protocol.player import Choice

from ..client.bot import Bot, Game, GameResult, Turn


class PacedBot(Bot):
    """Plays as another bot does, but in unrated games against some opponents not as fast.

    Args:
        bot: the bot that plays.
        opponents: names of the opponents.
        pace_s: seconds that a move against them takes at least.
    """

    def __init__(self, bot: Bot, opponents: Collection[str], pace_s: float) -> None:
        self._bot = bot
        self.swaps = bot.swaps
        self._opponents = opponents
        self._pace_s = pace_s

    async def choose(self, turn: Turn) -> int | Choice:
        """Return the bot's answer, after the time that a move takes at least."""
        if turn.game.rated or turn.game.opponent not in self._opponents:
            return await self._bot.choose(turn)
        answer, _ = await asyncio.gather(self._bot.choose(turn), asyncio.sleep(self._pace_s))
        return answer

    async def warm_up(self) -> None:
        """Prepare the bot."""
        await self._bot.warm_up()

    def game_started(self, game: Game) -> None:
        """Pass on that a game begins."""
        self._bot.game_started(game)

    def game_over(self, result: GameResult) -> None:
        """Pass on the result of a game."""
        self._bot.game_over(result)

    async def close(self) -> None:
        """Release the bot's resources."""
        await self._bot.close()
