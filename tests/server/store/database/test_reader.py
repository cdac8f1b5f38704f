"""Readers that do not wait for each other, and end what takes too long."""

import asyncio
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from mancala.server.store import UnansweredError
from mancala.server.store.database.database import connect
from mancala.server.store.database.reader import READERS, Reader, read_once
from mancala.server.store.database.writer import Transaction
from tests.patience import PATIENCE_S
from tests.server.store.databases import execute, place_of

pytestmark = pytest.mark.usefixtures("database")

ENDLESS = text(
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers) "
    "SELECT count(*) FROM numbers"
)

COUNTED = text("SELECT value FROM counters WHERE name = 'seq'")


def endless(transaction: Transaction) -> object:
    return transaction.execute(ENDLESS).scalar_one()


def quick(transaction: Transaction) -> object:
    return transaction.execute(text("SELECT 7")).scalar_one()


async def test_a_slow_question_holds_up_no_other(tmp_path: Path) -> None:
    """The others are answered while it is still being answered."""
    place, gate = place_of(tmp_path), threading.Event()
    connect(place).close()
    async with asyncio.timeout(PATIENCE_S), Reader(place, most_s=PATIENCE_S) as reader:
        slow = asyncio.create_task(reader.run(lambda _found: gate.wait(PATIENCE_S)))
        answers = await asyncio.gather(*(reader.run(quick) for _ in range(READERS - 1)))
        gate.set()
        assert answers == [7] * (READERS - 1)
        assert await slow


async def test_a_question_without_end_is_ended(tmp_path: Path) -> None:
    """Its thread serves again after it."""
    place = place_of(tmp_path)
    connect(place).close()
    async with asyncio.timeout(PATIENCE_S), Reader(place, most_s=0.5) as reader:
        with pytest.raises(UnansweredError, match="took too long"):
            await reader.run(endless)
        answers = await asyncio.gather(*(reader.run(quick) for _ in range(4 * READERS)))
        assert answers == [7] * 4 * READERS


async def test_a_database_that_does_not_answer_is_away(postgresql: str, tmp_path: Path) -> None:
    """A page waited 13 s for one that is frozen."""
    place, gate = f"{postgresql}?schema=mancala_{tmp_path.name}", threading.Event()
    connect(place).close()
    async with asyncio.timeout(PATIENCE_S), Reader(place, most_s=0.01) as reader:
        with pytest.raises(UnansweredError, match="does not answer"):
            await reader.run(lambda _found: gate.wait(PATIENCE_S))
        gate.set()


def test_a_long_reading_sees_one_state(tmp_path: Path) -> None:
    """What is written meanwhile is not in it, and does not wait for its end."""
    place = place_of(tmp_path)
    connect(place).close()

    def twice(transaction: Transaction) -> list[object]:
        found = [transaction.execute(COUNTED).scalar_one()]
        execute(place, "UPDATE counters SET value = value + 1 WHERE name = 'seq'")
        return [*found, transaction.execute(COUNTED).scalar_one()]

    first, second = read_once(place, twice)
    assert first == second
    assert read_once(place, lambda transaction: transaction.execute(COUNTED).scalar_one()) != first
