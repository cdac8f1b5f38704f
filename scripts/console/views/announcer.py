"""A bot that prints its games on stdout and leaves the moves to another bot."""

from mancala.bot.client.asking import ask
from mancala.bot.client.bot import Bot, Game, GameResult, Turn
from mancala.protocol.messages import Reason
from mancala.protocol.player import Choice

from .. import output as console
from .drawing import reason_text


class Announcer(Bot):
    """Wraps a bot and prints the start and the end of each game."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.swaps = bot.swaps

    async def choose(self, turn: Turn) -> int | Choice:
        return await ask(self._bot.choose, turn)

    async def warm_up(self) -> None:
        await self._bot.warm_up()

    def game_started(self, game: Game) -> None:
        console.say(f"game {game.id}: Player {game.seat + 1} against {game.opponent}")
        self._bot.game_started(game)

    def game_over(self, result: GameResult) -> None:
        console.say(f"game {result.game}: {_ending(result)}")
        self._bot.game_over(result)

    async def close(self) -> None:
        await self._bot.close()


def _ending(result: GameResult) -> str:
    mine, theirs = result.stores[result.seat], result.stores[1 - result.seat]
    word = "drawn" if result.winner is None else "won" if result.won else "lost"
    if result.reason is Reason.ABORTED:
        word = "aborted"
    return f"{word} {mine} to {theirs} ({reason_text(result.reason, result.evidence)})"
