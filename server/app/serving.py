"""A match server as a process: it runs until a signal, with its operator and house beside it."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Final

from ..config.reload import Reload
from ..config.settings import Config, ConfigError
from ..health.log import Log
from ..model.timers import Timer
from ..net.arrivals.segment_watch import watching_segments
from .operating import operated
from .server import Server
from .system import System

GC_EVERY_S: Final = 15.0
GC_OVERDUE: Final = 1000
"""Middle-generation collections that force a full one: minutes at thousands of plies/s."""
GC_YOUNG: Final = 700
"""New objects before the youngest are visited: Python's default, since the command line, which ends
soon, has ten thousand."""
GC_MIDDLING: Final = 10
GC_NEVER: Final = 2**31 - 1
GC_OLDEST: Final = 2


@contextmanager
def gc_between_games(
    is_calm: Callable[[], bool], call_later: Callable[[float, Callable[[], None]], Timer]
) -> Iterator[None]:
    """Freeze existing objects, and schedule full collections while the block runs.

    Reference counting frees nearly everything immediately. Reference cycles are found only by
    visiting all live objects, while every thread waits: 130 ms with a thousand connections
    (measured), at a moment that the interpreter chooses, in the middle of some hundred moves. So
    objects that exist before the first connection are frozen, the young generations are collected
    as Python does by default, and the full collection waits until no game runs. On a server that
    always has games it runs anyway, rarely.

    ``is_calm`` returns whether no game runs, ``call_later`` calls back after N seconds.
    """
    thresholds = gc.get_threshold()
    timer: Timer

    def collect_if_due() -> None:
        nonlocal timer
        if is_calm() or gc.get_count()[GC_OLDEST] >= GC_OVERDUE:
            gc.collect()
        timer = call_later(GC_EVERY_S, collect_if_due)

    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_YOUNG, GC_MIDDLING, GC_NEVER)
    timer = call_later(GC_EVERY_S, collect_if_due)
    try:
        yield
    finally:
        timer.cancel()
        gc.set_threshold(*thresholds)
        gc.unfreeze()


async def serve(
    config: Config,
    *,
    log: Log,
    ready: Callable[[Server], None],
    again: Callable[[], Config] | None = None,
    beside: Callable[[Server], AbstractAsyncContextManager[object]] = nullcontext,
    on_reload: Callable[[Config], object] | None = None,
) -> None:
    """Run a server until SIGTERM or SIGINT; SIGHUP makes it reload its settings.

    It calls ``ready`` once it listens, and ``on_reload`` after each reload. Without ``again``,
    which reads the settings again, only certificates are renewed. The context ``beside`` is open
    while the server runs.

    StoreError, ConfigError or OSError says why it does not start.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with (
        watching_segments(lambda code: log.warning("segment watch ended", code=code)) as segments,
        Server(config, log=log, processes=True, system=System(segments=segments)) as server,
        operated(replace(server.target, reload=partial(_reload, server, again)), log) as operator,
        beside(server),
        server.drained(),
    ):
        server.operator = operator
        if on_reload is not None:
            server.on_reload = on_reload
        loop.add_signal_handler(signal.SIGHUP, _try_to_reload, server, again, log)
        with gc_between_games(lambda: not server.games, loop.call_later):
            server.note_start()
            ready(server)
            await stop.wait()


def _reload(
    server: Server,
    again: Callable[[], Config] | None,
    same_season: bool = False,  # noqa: FBT001, FBT002  # as `Reloading` has it
    is_dry: bool = False,  # noqa: FBT001, FBT002  # as `Reloading` has it
) -> Reload:
    act = server.plan if is_dry else server.reload
    return act(server.config if again is None else again(), same_season=same_season)


def _try_to_reload(server: Server, again: Callable[[], Config] | None, log: Log) -> None:
    try:
        _reload(server, again)
    except ConfigError as error:
        log.warning("not reloaded", error=str(error))
