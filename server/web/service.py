"""The web inside the game server's process: archive, read model, application and port.

For a server embedded in another program, and for a store in memory, which no other process can
read. ``mancala serve`` uses :mod:`server.web.child` otherwise.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path  # noqa: TID251  # the setting names the folder

from server.config.settings import IN_MEMORY
from server.health.log import Log
from server.store import Store
from server.store.archive import Archive
from server.store.reader import Reader
from server.web.analyst import analyst
from server.web.application import Sources, application
from server.web.budgets import HttpBudgets
from server.web.http_server import Ingress, serve_http
from server.web.read_model import ReadModel


@asynccontextmanager
async def web_service(
    read_model: ReadModel, store: Store, log: Log, ingress: Ingress
) -> AsyncIterator[str]:
    """Serve the page, the API, health and metrics while the block runs; yield the URL.

    Args:
        read_model: state of the server; its config names the port.
        store: games and matches.
        log: logs internal errors.
        ingress: connection limits and TLS.

    Raises:
        OSError: when the port can't be opened.
    """
    config = read_model.config
    async with AsyncExitStack() as stack:
        on_disk = config.store_path != IN_MEMORY
        reader = await stack.enter_async_context(Reader(config.store_path)) if on_disk else store
        archive = Archive(reader, server=config.name)
        budgets = HttpBudgets(ingress.gate, now=asyncio.get_running_loop().time)
        offered = await stack.enter_async_context(analyst(log)) if config.play.analysis else None
        sources = Sources(read_model, archive, log, offered)
        app = application(sources, budgets, Path(config.docs))
        host, port = config.http_host, config.http_port or 0
        yield await stack.enter_async_context(serve_http(app, host, port, ingress))
