"""Stores that are there before a test begins."""

from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mancala.server.store import Store
from mancala.server.store.database.database import connect
from mancala.server.store.database.writer import Transaction
from tests.server.store.databases import fail, place_of


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with Store(place_of(tmp_path), failed=fail) as opened:
        yield opened


@pytest.fixture
def transaction(tmp_path: Path) -> Iterator[Transaction]:
    with closing(connect(place_of(tmp_path))) as connection, connection.begin():
        yield Transaction(connection)
