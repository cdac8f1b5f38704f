"""A bot that takes its time against certain opponents."""

from __future__ import annotations

import asyncio

from mancala.bot.client.bot import Bot, Game, Turn
from mancala.bot.players.host import PacedBot
from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.rules import KALAH, Board

FOREVER_S = 3600.0


class Quick(Bot):
    """Sows the last legal pit immediately."""

    def __init__(self) -> None:
        self.is_closed = False

    async def choose(self, turn: Turn) -> int:
        """Return the last legal pit."""
        return turn.legal[-1]

    async def close(self) -> None:
        """Note it."""
        self.is_closed = True


def turn_against(opponent: str, *, rated: bool = False) -> Turn:
    """Return the first turn of a game."""
    game = Game("g", "m", 0, KALAH, TimeControl(move_ms=1000), opponent, rated)
    board = Board.start(KALAH)
    return Turn(board, board.legal(), game, 0, ClockState(None, (0, 0)), 1.0, 1.0)


async def test_only_the_named_opponents_wait() -> None:
    """People and rated games get the answer as soon as it is there."""
    quick = Quick()
    bot = PacedBot(quick, ("level-1",), FOREVER_S)
    assert await bot.choose(turn_against("eve")) == 5
    assert await bot.choose(turn_against("level-1", rated=True)) == 5
    waiting = asyncio.create_task(bot.choose(turn_against("level-1")))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    assert await PacedBot(quick, ("level-1",), 0.0).choose(turn_against("level-1")) == 5
    await bot.close()
    assert quick.is_closed
