"""What a player may answer, and how much of a kind is made."""

import asyncio

import numpy as np
import pytest

from mancala.bot import Bot, Choice, Turn
from mancala.bot.client.bot import as_bot, as_choice
from mancala.bot.players.host import Pool
from mancala.protocol.messages import Info
from tests.bot.players.turns import question


async def test_a_function_is_a_bot() -> None:
    """An async function stands for a bot without hooks; a bot is taken as it is."""

    async def choose(turn: Turn) -> int:
        return turn.legal[-1]

    bot = as_bot(choose)
    assert isinstance(bot, Bot)
    assert await bot.choose(question()) == 5
    assert as_bot(bot) is bot


@pytest.mark.parametrize("answer", [3, np.int64(3), np.uint8(3), Choice(3)])
def test_every_kind_of_whole_number_is_a_pit(answer: object) -> None:
    """An author may return what numpy counted."""
    choice = as_choice(answer)
    assert choice == Choice(3)
    assert type(choice.pit) is int


def test_a_choice_keeps_what_it_says_of_itself() -> None:
    """Depth and value go along with the pit."""
    assert as_choice(Choice(2, Info(depth=7))).info == Info(depth=7)


@pytest.mark.parametrize("answer", [True, 2.0, None, "2", (2, None), Choice(True)])
def test_anything_else_is_refused(answer: object) -> None:
    """What is no pit is a mistake of the author's and says so."""
    with pytest.raises(TypeError, match="must return a pit"):
        as_choice(answer)


async def test_a_pool_makes_no_more_than_it_may() -> None:
    """Who finds nothing free gets what is given back."""
    numbers = iter(range(10))
    pool = Pool(lambda: next(numbers), 2)
    first, second = await pool.take(), await pool.take()
    third = asyncio.create_task(pool.take())
    await asyncio.sleep(0)
    assert not third.done()
    pool.give(second)
    assert await third == second
    assert pool.made == [first, second]
