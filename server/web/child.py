"""The web process that a game server runs beside it.

The game server binds the port and keeps it open, so a port in use is an error of the game server,
and while a web process is replaced its visitors wait instead of being refused. The child inherits
the listening socket.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from mancala.protocol import codec
from mancala.server.health.log import Log
from mancala.server.health.supervisor import ChildProgram, Supervisor
from mancala.server.net.listening import listening_socket
from mancala.server.net.urls import url_of
from mancala.server.web.feed import LONGEST_QUESTION, Handover
from mancala.server.web.feed_server import serve_feed
from mancala.server.web.read_model import ReadModel

MODULE: Final = "mancala.server.web"


class WebChild(NamedTuple):
    """The web process.

    Attributes:
        url: where it serves.
        supervisor: keeps it running.
    """

    url: str
    supervisor: Supervisor


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
        program = ChildProgram(
            name="web process",
            module=MODULE,
            handover=lambda feed: codec.to_json(
                Handover(read_model.config, listening.fileno(), feed)
            ),
            converse=lambda reader, writer: serve_feed(read_model, reader, writer, log),
            inherits=(listening.fileno(),),
            longest_line=LONGEST_QUESTION,
        )
        scheme = "http" if config.tls.cert is None else "https"
        child = WebChild(
            url_of(scheme, *listening.getsockname()[:2]), Supervisor(program, log, uniform)
        )
        async with asyncio.TaskGroup() as tasks:
            keeping = tasks.create_task(child.supervisor.run(), name=program.name)
            try:
                yield child
            finally:
                keeping.cancel()
