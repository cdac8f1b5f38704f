"""The web inside the game server's process: archive, read model, application and port.

For a server embedded in another program, and for a store in memory, which no other process can
read. ``mancala serve`` uses :mod:`mancala.server.web.child` otherwise.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path  # noqa: TID251  # the setting names the folder

from ..config.settings import IN_MEMORY
from ..health.log import Log
from ..net.hosts import Hosts
from ..store import Store
from ..store.database.reader import Reader
from ..store.reading.archive import Archive
from .api.analyst import analyst
from .application import Sources, application
from .feed.read_model import ReadModel
from .http.budgets import HttpBudgets
from .http.http_server import Ingress, serve_http


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
        sources = Sources(read_model, archive, log, offered, config.event)
        app = application(
            sources.api(),
            sources,
            budgets,
            Path(config.docs),
            lambda: Hosts.of(read_model.config),
        )
        host, port = config.http_host, config.http_port or 0
        yield await stack.enter_async_context(serve_http(app, host, port, ingress))
