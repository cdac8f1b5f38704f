"""The process that serves the page and the API: started by the game server, or on its own.

It reads the store, over a connection of its own, and asks the game server over the feed for what
only that knows. It runs at a lower priority: on a machine with few cores the games come first.
"""

import asyncio
import gc
import os  # noqa: TID251  # the root of the web process
import signal
import socket  # noqa: TID251  # the root of the web process
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Final

from ..config.settings import Config, ConfigError, LiveConfig
from ..health.child_process import parent_of
from ..health.link import LocalLink
from ..health.log import Log
from ..net import tls
from ..net.event_loop import run
from ..net.hosts import url_of
from ..net.limits.gate import HttpGate
from ..net.listening import listening_socket
from ..store import StoreError
from ..store.database.reader import Reader
from .feed.feed_client import FeedClient
from .feed.topics import LONGEST_ANSWER, TOLD, WebHandover
from .http.http_server import Ingress, Serving
from .service import serve_web

NICENESS: Final = 3
"""Half a core's share against a game server that wants all of it. The pace of requests spares the
games; by 10, the first page took 72 s on a machine with 25 other programs at work."""
SWITCH_S: Final = 0.001
"""How long the thread that reads the store may hold the interpreter while health waits."""
RETRY_S: Final = 0.5
"""Interval of attempts to reach the game server's feed; a unix socket costs next to nothing."""
COMPLETE_S: Final = 0.5
"""Time for requests on connections that were accepted, before the feed and they are closed."""


def run_as_child() -> None:
    """Serve for the game server that started this process, until it closes the feed."""
    run(_serve_as_child())


async def _serve_as_child() -> None:
    async with parent_of(WebHandover, TOLD, LONGEST_ANSWER) as (handover, parent):
        link, log, (descriptor,) = parent
        listening = socket.socket(fileno=descriptor)
        try:
            await _serve(handover.config, listening, lambda client: client.run(link), log)
        except (StoreError, ConfigError) as error:
            log.warning("web process failed", error=str(error))
            sys.exit(1)


async def serve_alone(config: Config, log: Log, ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT, beside a game server that runs on its own."""
    path, port = config.web_feed, config.http_port
    if path is None or port is None:
        missing = "web_feed" if path is None else "http_port"
        raise ConfigError(f"{missing}: must be set for a web process of its own")

    async def follow(client: FeedClient) -> None:
        while True:
            with suppress(OSError):
                connection = await asyncio.open_unix_connection(path, limit=LONGEST_ANSWER)  # noqa: TID251  # the root of the web process
                await client.run(LocalLink(*connection, log, "game server", TOLD))
            await asyncio.sleep(RETRY_S)

    with await listening_socket(config.http_host, port) as listening:
        scheme = "http" if config.tls.cert is None else "https"
        ready(url_of(scheme, *listening.getsockname()[:2]))
        await _serve(config, listening, follow, log)


async def _serve(
    config: Config,
    listening: socket.socket,
    follow: Callable[[FeedClient], Coroutine[None, None, None]],
    log: Log,
) -> None:
    """Serve until a signal, or until ``follow`` returns."""
    os.nice(NICENESS)
    sys.setswitchinterval(SWITCH_S)
    client, live, terminated = FeedClient(), LiveConfig(config), asyncio.Event()
    ingress = Ingress(HttpGate(live), tls.context_of(config.tls), config.limits.handshake_s)
    async with (
        Reader(config.store_path) as reader,
        serve_web(live, client, reader, listening, ingress, log) as (serving, api),
        asyncio.TaskGroup() as tasks,
    ):
        following = tasks.create_task(follow(client), name="feed")
        leaving = tasks.create_task(_leave(serving, terminated, following), name="leave")
        following.add_done_callback(lambda _: leaving.cancel())
        api.prepare()
        gc.collect()
        gc.freeze()  # what was loaded is not searched again; a search of it took 100 ms
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, terminated.set)
        loop.add_signal_handler(signal.SIGINT, following.cancel)


async def _leave(
    serving: Serving, terminated: asyncio.Event, following: asyncio.Task[None]
) -> None:
    """Leave new connections to the next process once terminated; complete what was accepted."""
    await terminated.wait()
    serving.stop_accepting()
    await asyncio.sleep(COMPLETE_S)
    following.cancel()


if __name__ == "__main__":
    run_as_child()
