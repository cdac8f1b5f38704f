"""A match server as a process: it runs until a signal, with its operator and house beside it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial

from ..config.reload import Reload
from ..config.settings import Config, ConfigError
from ..control.operator import Reloading
from ..health.gc_scheduler import GcScheduler
from ..health.log import Log
from ..net.arrivals.segment_watch import watching_segments
from .operating import operated
from .server import Server
from .system import System


def alone(_server: Server) -> AbstractAsyncContextManager[None]:
    """Run nothing beside the server."""
    return contextlib.nullcontext()


async def serve(
    config: Config,
    *,
    log: Log,
    ready: Callable[[Server], None],
    again: Callable[[], Config] | None = None,
    beside: Callable[[Server], AbstractAsyncContextManager[None]] = alone,
    on_reload: Callable[[Config], object] | None = None,
) -> None:
    """Run a server until SIGTERM or SIGINT; SIGHUP makes it reload its settings.

    Args:
        config: its settings.
        log: receives what happens.
        ready: called once it listens.
        again: reads the settings again; without it only certificates are renewed.
        beside: a context that is open while the server runs.
        on_reload: called with the settings in force after each reload.

    Raises:
        StoreError: when the store can't be opened.
        ConfigError: when the settings are not valid.
        OSError: when the port is taken.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with (
        watching_segments(lambda code: log.warning("segment watch ended", code=code)) as segments,
        Server(config, log=log, processes=True, system=System(segments=segments)) as server,
        operated(replace(server.target, reload=_reloading(server, again)), log) as operator,
        beside(server),
        server.drained(),
    ):
        server.operator = operator
        if on_reload is not None:
            server.on_reload = on_reload
        reload = partial(_reload, server, again or (lambda: server.config), log)
        loop.add_signal_handler(signal.SIGHUP, reload)
        with GcScheduler(lambda: not server.games, loop.call_later):
            server.note_start()
            ready(server)
            await stop.wait()


def _reloading(server: Server, again: Callable[[], Config] | None) -> Reloading:
    """Return what the operator's ``reload`` calls."""

    def take(same_season: bool, is_dry: bool) -> Reload:  # noqa: FBT001  # as its type has it
        wanted = again() if again is not None else server.config
        if is_dry:
            return server.plan(wanted, same_season=same_season)
        return server.reload(wanted, same_season=same_season)

    return take


def _reload(server: Server, again: Callable[[], Config], log: Log) -> None:
    try:
        server.reload(again())
    except ConfigError as error:
        log.warning("not reloaded", error=str(error))
