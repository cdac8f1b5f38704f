"""One server for all tests of a module that only look: starting it is what takes time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.server.web.browser import browsing
from tests.server.web.seen import Seen, seen


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played(
    tmp_path_factory: pytest.TempPathFactory,
    database: None,  # noqa: ARG001  # on which it runs
) -> AsyncIterator[Seen]:
    """A server on which ann and bob have played three games, and bob and cid one."""
    folder: Path = tmp_path_factory.mktemp("web")
    async with seen(folder) as looking:
        await looking.play("ann", "bob", games=3)
        await looking.play("bob", "cid")
        yield looking


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """A browser."""
    async with browsing() as running:
        yield running
