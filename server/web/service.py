"""The web on a listening socket: archive, application and port.

:func:`web_service` runs it inside the game server's process, for a server embedded in another
program, and for a store in memory, which no other process can read. ``mancala serve`` uses
:mod:`mancala.server.web.child` otherwise.
"""

from __future__ import annotations

import asyncio
import socket  # noqa: TID251  # the type
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, date, datetime
from pathlib import Path  # noqa: TID251  # the setting names the folder
from typing import TYPE_CHECKING

from ..config.settings import IN_MEMORY, LiveConfig
from ..health.log import Log
from ..net.hosts import Hosts
from ..net.listening import listening_socket
from ..store import Store
from ..store.database.reader import Reader
from ..store.reading.archive import Archive, ReadConnection
from .api.analyst import analyst
from .api.api import Api
from .application import application
from .feed.topics import LiveState
from .http.budgets import HttpBudgets
from .http.http_server import Ingress, Serving, serve_on

if TYPE_CHECKING:  # the web's own process has none, nor numpy
    from .feed.read_model import ReadModel


@asynccontextmanager
async def web_service(
    read_model: ReadModel, store: Store, log: Log, ingress: Ingress
) -> AsyncIterator[str]:
    """Serve the web inside the game server's process while the block runs; yield the URL."""
    config = read_model.config
    async with AsyncExitStack() as stack:
        on_disk = config.store_path != IN_MEMORY
        reader = await stack.enter_async_context(Reader(config.store_path)) if on_disk else store
        listening = await listening_socket(config.http_host, config.http_port or 0)
        web = serve_web(read_model.live, read_model, reader, listening, ingress, log)
        serving, _ = await stack.enter_async_context(web)
        yield serving.url


@asynccontextmanager
async def serve_web(
    live: LiveConfig,
    live_state: LiveState,
    reader: ReadConnection,
    listening: socket.socket,
    ingress: Ingress,
    log: Log,
) -> AsyncIterator[tuple[Serving, Api]]:
    config = live.now
    archive = Archive(reader, server=config.name)
    budgets = HttpBudgets(ingress.gate, now=asyncio.get_running_loop().time)
    async with analyst(log) as offered:
        values = offered if config.play.analysis else None
        api = Api(
            *(live_state, archive, values, config.event, _today),
            stage_words=lambda: live.now.stage_words,
        )
        app = application(api, log, budgets, Path(config.docs), lambda: Hosts.of(live.now))
        async with serve_on(listening, app, ingress) as serving:
            yield serving, api


def _today() -> date:
    return datetime.now(UTC).date()  # noqa: TID251  # the roots of the web hand it in from here
