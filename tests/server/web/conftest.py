"""One server for all tests of a module that only look: starting it is what takes time."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.server.web.browser import browsing
from tests.server.web.seen import Seen, seen_games


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Seen]:
    """A server with games, on SQLite: pages and documents have no statements of their own."""
    async with seen_games(tmp_path_factory.mktemp("web")) as looking:
        yield looking


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with browsing() as running:
        yield running
