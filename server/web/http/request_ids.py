"""A name for each request, so that a visitor's complaint can be found in the log.

It stands in the response's ``X-Request-Id`` and in each line of the log that is about the request.
"""

from __future__ import annotations

import os  # noqa: TID251  # ids of the processes that serve one address must differ
from itertools import count
from time import perf_counter  # noqa: TID251  # how long a response took, for the log
from typing import Any, Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...health.log import Log

KEY: Final = "mancala.request"
"""Where the scope of a request has its id."""
HEADER: Final = "X-Request-Id"


class RequestIds:
    """Gives each request an id, and logs each response at ``debug``."""

    def __init__(self, app: ASGIApp, log: Log) -> None:
        """Wrap an application.

        Args:
            app: the application.
            log: receives the responses.
        """
        self._app = app
        self._log = log
        self._process = f"{os.getpid():x}"
        self._numbers = count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        began = perf_counter()
        request = f"{self._process}-{next(self._numbers):x}"

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request
                self._log.debug(
                    "web request",
                    request=request,
                    path=scope["path"],
                    status=message["status"],
                    seconds=round(perf_counter() - began, 6),
                )
            await send(message)

        await self._app({**scope, KEY: request}, receive, named)


def request_id(scope: Scope) -> Any:  # noqa: ANN401  # a scope holds anything
    """Return the id of a request; None where it has none."""
    return scope.get(KEY)
