"""A web process that the game server starts, and starts again when it ends.

The game server binds the port and keeps it open, so a port in use is an error of the game server,
and while a web process is replaced its visitors wait instead of being refused. The child inherits
the listening socket and its end of the feed, and reads its settings from stdin. It ends when the
feed closes: no web process survives a ``kill -9`` of its server.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket  # noqa: TID251  # the type, and the pair that the web process is handed one end of
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from protocol import codec
from server.health.log import Log
from server.net.listening import listening_socket
from server.net.urls import url_of
from server.publish.publisher import backoff
from server.web.feed import LONGEST_QUESTION, Handover
from server.web.feed_server import serve_feed
from server.web.read_model import ReadModel

MODULE: Final = "server.web"
REPLACE_S: Final = 3.0
"""Time for a web process that is replaced to complete its responses, a second, and to end."""
STOP_S: Final = 0.4
"""The same when the game server ends; what is cut off then can be asked again."""
LONG_LIFE_S: Final = 60.0
"""A web process that ran for this long is replaced immediately when it ends."""


class WebChild:
    """Keeps a web process running.

    Attributes:
        url: where it serves.
    """

    def __init__(
        self,
        read_model: ReadModel,
        listening: socket.socket,
        log: Log,
        uniform: Callable[[float, float], float],
    ) -> None:
        """Prepare the first process.

        Args:
            read_model: answers its questions; its config is handed over.
            listening: the socket of the HTTP port.
            log: receives when it ends unasked.
            uniform: returns a random number between two others.
        """
        scheme = "http" if read_model.config.tls.cert is None else "https"
        self.url = url_of(scheme, *listening.getsockname()[:2])
        self._read_model = read_model
        self._listening = listening
        self._log = log
        self._delays = partial(backoff, uniform, first_s=0.05, longest_s=5.0)
        self._feed: asyncio.StreamWriter | None = None
        self._is_replaced = False
        self._is_stopping = False

    async def run(self) -> None:
        """Run one web process after another until stopped or cancelled."""
        loop = asyncio.get_running_loop()
        delays = self._delays()
        while True:
            began = loop.time()
            code = await self._run_one()
            if self._is_stopping:
                return
            if self._is_replaced or loop.time() - began > LONG_LIFE_S:
                delays = self._delays()
            if self._is_replaced:
                self._is_replaced = False
                continue
            self._log.warning("web process ended", code=code)
            await asyncio.sleep(next(delays))

    def replace(self) -> None:
        """Let a new process take over, with the settings now in force."""
        if self._feed is not None:
            self._is_replaced = True
            self._feed.close()

    def stop(self) -> None:
        """Let the process end, without another one after it."""
        self._is_stopping = True
        if self._feed is not None:
            self._feed.close()

    async def _run_one(self) -> int:
        """Run one web process to its end; return its exit code."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = await self._start(theirs.fileno())
        reader, self._feed = await asyncio.open_connection(sock=ours, limit=LONGEST_QUESTION)  # noqa: TID251  # over that pair
        try:
            await serve_feed(self._read_model, reader, self._feed, self._log)
        finally:
            self._feed.close()
            self._feed = None
            patience_s = REPLACE_S if self._is_replaced else STOP_S
            code = await asyncio.shield(_ended(process, patience_s))
        return code

    async def _start(self, feed: int) -> Process:
        listening = self._listening.fileno()
        process = await asyncio.create_subprocess_exec(  # noqa: TID251  # the web process, which a simulated server doesn't have
            *(sys.executable, "-P", "-m", MODULE),
            stdin=PIPE,
            pass_fds=(listening, feed),
            # A group of its own: Ctrl-C goes to the game server, which ends it. Not a session:
            # where the kernel shares time by session, its niceness would count only within that.
            process_group=0,
        )
        if process.stdin is not None:
            with contextlib.suppress(ConnectionError):
                handover = Handover(self._read_model.config, listening, feed)
                process.stdin.write(codec.to_json(handover))
                await process.stdin.drain()
            process.stdin.close()
        return process


async def _ended(process: Process, patience_s: float) -> int:
    """Wait until a process has ended, for a moment; then kill it. Return its exit code."""
    try:
        async with asyncio.timeout(patience_s):
            return await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        return await process.wait()


@asynccontextmanager
async def web_child(
    read_model: ReadModel, log: Log, uniform: Callable[[float, float], float]
) -> AsyncIterator[WebChild]:
    """Serve the page and the API in a process of their own while the block runs.

    Args:
        read_model: state of the server; its config names the port.
        log: receives when the process ends unasked.
        uniform: returns a random number between two others.

    Raises:
        OSError: when the port can't be opened.
    """
    config = read_model.config
    with await listening_socket(config.http_host, config.http_port or 0) as listening:
        child = WebChild(read_model, listening, log, uniform)
        async with asyncio.TaskGroup() as tasks:
            keeping = tasks.create_task(child.run(), name="web process")
            try:
                yield child
            finally:
                keeping.cancel()
