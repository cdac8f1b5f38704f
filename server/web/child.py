"""The web process that a game server runs beside it.

The game server binds the port and keeps it open, so a port in use is an error of the game server,
and while a web process that failed is replaced its visitors wait instead of being refused. The
child inherits the listening socket. New settings need a new process: it accepts connections beside
the former one before that is asked to end, and the former one completes what it has accepted.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from functools import partial
from typing import Final

from msgspec.structs import replace

from ..config.settings import Config, Mqtt
from ..health.child_process import ChildProgram, Start, Supervisor
from ..health.log import Log
from ..net.hosts import url_of
from ..net.listening import ListenOnce
from .feed.feed_server import serve_feed
from .feed.read_model import ReadModel
from .feed.topics import ASKED, LONGEST_QUESTION, WebHandover

NAME: Final = "web process"
MODULE: Final = "mancala.server.web.standalone"


class WebChild:
    """The web process, and for a moment the one that follows it."""

    def __init__(
        self, url: str, make: Callable[[Callable[[], None]], Supervisor], tasks: asyncio.TaskGroup
    ) -> None:
        """Start it; ``make`` returns what keeps a process running, and calls once that serves."""
        self.url = url
        self._make = make
        self._tasks = tasks
        self._keepers: dict[Supervisor, asyncio.Task[None]] = {}
        self._add()

    def replace(self) -> None:
        """Start a process with the settings now in force; end the former one once it serves."""
        self._supersede([keeper for keeper in self._keepers if not keeper.is_ready])
        self._add()

    def stop(self) -> None:
        """End the process, without another one after it."""
        for keeper in self._keepers:
            keeper.stop()

    def cancel(self) -> None:
        for keeping in self._keepers.values():
            keeping.cancel()

    def _add(self) -> None:
        former = list(self._keepers)
        keeper = self._make(lambda: self._supersede(former))
        keeping = self._keepers[keeper] = self._tasks.create_task(keeper.run(), name=NAME)
        keeping.add_done_callback(lambda _: self._keepers.pop(keeper))

    def _supersede(self, keepers: list[Supervisor]) -> None:
        for keeper in keepers:
            if keeper in self._keepers:
                keeper.supersede()


def web_settings(config: Config) -> Config:
    """Return the settings without the tokens and passwords that the page has no use for."""
    return replace(config, front_tokens={}, status_token=None, mqtt=Mqtt(), gateways={})


@asynccontextmanager
async def web_child(
    read_model: ReadModel,
    log: Log,
    uniform: Callable[[float, float], float],
    start: Start,
    listen: ListenOnce,
    used: Callable[[], float],
) -> AsyncIterator[WebChild]:
    """Serve the page and the API in a process of their own while the block runs."""
    config = read_model.config
    with closing(await listen(config.http_host, config.http_port or 0)) as listening:
        program = ChildProgram(
            name=NAME,
            module=MODULE,
            handover=lambda: WebHandover(
                config=web_settings(read_model.config),
                log_level=read_model.config.log_level,
            ),
            converse=lambda link: serve_feed(read_model, link, log, used),
            hears=ASKED,
            inherits=(listening,),
            longest_line=LONGEST_QUESTION,
        )
        scheme = "http" if config.tls.cert is None else "https"
        url = url_of(scheme, *listening.getsockname()[:2])
        async with asyncio.TaskGroup() as tasks:
            keeper = partial(Supervisor, program, log, uniform, start=start)
            child = WebChild(url, lambda on_ready: keeper(on_ready=on_ready), tasks)
            try:
                yield child
            finally:
                child.cancel()
