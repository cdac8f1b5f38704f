"""A match server as a process: it runs until a signal, with its operator and house beside it.

One that stands by waits for the store first. It has loaded all that it runs by then, and so have
its child processes; it reads its settings again, as a restart would.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import Any

from ..config.checks import opened_ports
from ..config.settings import Config, ConfigError
from ..control.operator import Reloading
from ..fronts import fronts
from ..health.child_process import IdleChildren
from ..health.garbage import gc_between_games
from ..health.log import Log
from ..net.arrivals.segment_watch import watching_segments
from ..net.listening import expect_free
from ..publish import child as publisher
from ..store.database.faults import StoreInUseError, StoreUnreachedError
from ..store.database.writer import Writer
from ..web import child as web
from .operating import operated
from .server import Server
from .standby import Standby, patience_s
from .system import System


async def serve(  # noqa: PLR0913  # what it calls, each by name
    config: Config,
    *,
    log: Log,
    ready: Callable[[Server], None],
    again: Callable[[], Config],
    beside: Callable[[Server], AbstractAsyncContextManager[object]] = nullcontext,
    on_reload: Callable[[Config], object] | None = None,
    standing_by: Callable[[], object] | None = None,
) -> None:
    """Run a server until SIGTERM or SIGINT; SIGHUP makes it reload its settings.

    It calls ``ready`` once it listens, and ``on_reload`` after each reload, for which ``again``
    reads the settings. The context ``beside`` is open while the server runs. With ``standing_by``
    it waits for a store that is in use, and calls that once it does.

    StoreError, ConfigError or OSError says why it does not start.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    async def run(config: Config, **parts: Any) -> None:  # noqa: ANN401  # of a system
        system = System(segments=segments, **parts)
        async with (
            Server(config, log=log, processes=True, system=system) as server,
            operated(
                replace(server.target, reload=Reloading(again, server.plan, server.reload)), log
            ) as operator,
            beside(server),
            server.drained(),
        ):
            server.operator = operator
            if on_reload is not None:
                server.on_reload = on_reload
            hung_up = asyncio.Event()
            loop.add_signal_handler(signal.SIGHUP, hung_up.set)
            with gc_between_games(lambda: not server.games, loop.call_later):
                server.note_start()
                ready(server)
                async with asyncio.TaskGroup() as tasks:
                    reloads = _reloads(hung_up, server, again, log)
                    reloading = tasks.create_task(reloads, name="reloads")
                    await stop.wait()
                    reloading.cancel()

    watching = watching_segments(lambda code: log.warning("segment watch ended", code=code))
    async with watching as segments:
        if standing_by is None:
            await run(config)
            return
        loop.add_signal_handler(signal.SIGHUP, lambda: None)  # the settings are read in any case
        await _take_over(config, run, again, log, Standby(stop, log, standing_by))


async def _take_over(
    config: Config,
    run: Callable[..., Awaitable[None]],
    again: Callable[[], Config],
    log: Log,
    standby: Standby,
) -> None:
    Server(config, processes=True)  # imports what the next one needs

    async def look_around() -> None:
        nonlocal config
        config = _read_again(config, again, log)
        for key, host, port in opened_ports(config):
            await expect_free(key, host, port, once=key in {"http_port", "health_port"})

    async with aclosing(IdleChildren()) as children:
        while await standby.wait(
            config.store_path, look_around, partial(children.prepare, _modules(config))
        ):
            writer = partial(Writer, patience_s=patience_s(config.grace_s))
            try:
                await run(config, writer=writer, start=children.start)
            except StoreInUseError:  # another one that stood by was there first
                continue
            except StoreUnreachedError as error:
                await standby.lose(error)
            else:
                return


def _modules(config: Config) -> Iterator[str]:
    """Yield the modules of the child processes that a server with these settings runs."""
    yield from repeat(fronts.MODULE, config.fronts)
    if config.http_port is not None and config.web_feed is None:
        yield web.MODULE
    if config.mqtt.url is not None or config.mqtt.private_broker:
        yield publisher.MODULE


def _read_again(config: Config, again: Callable[[], Config], log: Log) -> Config:
    try:
        return again()
    except (ConfigError, OSError) as error:
        log.warning("not reloaded", error=str(error))
        return config


async def _reloads(
    hung_up: asyncio.Event, server: Server, again: Callable[[], Config], log: Log
) -> None:
    """Take the settings up after each signal; another, or an order, has them read again."""
    while await hung_up.wait():
        hung_up.clear()
        before = server.config
        try:
            settings = await asyncio.to_thread(again)
            if server.config is before:
                server.reload(settings)
            else:
                hung_up.set()
        except ConfigError as error:
            log.warning("not reloaded", error=str(error))
        except Exception as error:  # noqa: BLE001  # any fault; the server plays on
            fault = {"message": "fault in a reload", "exception": error}
            asyncio.get_running_loop().call_exception_handler(fault)
