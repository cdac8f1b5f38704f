"""What stands around the application: who is let in, what a request pays, what a response carries.

Each request gets an id, so that a visitor's complaint can be found in the log: it stands in the
response's ``X-Request-Id`` and in each line of the log that is about the request.
"""

import asyncio
import os  # noqa: TID251  # ids of the processes that serve one address must differ
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter  # noqa: TID251  # how long a response took
from typing import Any, Final

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...health.log import Log
from ...net.hosts import Hosts
from ...net.limits.costs import HTTP_REQUEST
from .budgets import HttpBudgets
from .responses import BusyError, TooManyRequestsError, UnknownHostError, policy

ANSWER_S: Final = 13.0
"""Time until a response begins: less than a connection has for it (``REQUEST_S``)."""
TOO_BUSY: Final = "the server is too busy to answer that now; try again in a moment"
KEY: Final = "mancala.request"
"""Where the scope of a request has its id."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """Lets in only requests for hosts of this server, each of which pays for itself."""

    app: ASGIApp
    budgets: HttpBudgets
    hosts: Callable[[], Hosts]
    refuse: Callable[[Request, Exception], Awaitable[Response]]
    answer_s: float = ANSWER_S

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, waiting = Request(scope), asyncio.timeout(self.answer_s)

        async def begun(message: Message) -> None:
            if waiting.expired():
                return
            if message["type"] == "http.response.start":
                waiting.reschedule(None)
            await send(message)

        error: Exception | None
        try:
            async with waiting:
                if (error := await self._error_of(request)) is None:
                    await self.app(scope, receive, begun)
                    return
        except TimeoutError:
            if not waiting.expired():
                raise
            error = BusyError(TOO_BUSY)
        refusal = await self.refuse(request, error)
        await refusal(scope, receive, send)

    async def _error_of(self, request: Request) -> Exception | None:
        try:
            await self.budgets.pay(request.scope, HTTP_REQUEST)
        except TooManyRequestsError as error:
            return error
        if self.hosts().allow(request.headers.get("Host", "")):
            return None
        return UnknownHostError("the server's setting hosts does not name this host")


@dataclass(frozen=True, slots=True)
class Responses:
    """Gives each response its id and security headers; counts it, and logs it at ``debug``."""

    app: ASGIApp
    log: Log
    connect: Callable[[], str]
    responded: Callable[[int, float], object]
    _numbers: Iterator[int] = field(default_factory=count)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = perf_counter()
        request = f"{os.getpid():x}-{next(self._numbers):x}"

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                status, seconds = message["status"], perf_counter() - began
                self.responded(status, seconds)
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request
                headers.setdefault("Content-Security-Policy", policy(self.connect()))
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "no-referrer")
                facts = {"path": scope["path"], "status": status, "seconds": round(seconds, 6)}
                self.log.debug("web request", request=request, **facts)
            await send(message)

        await self.app({**scope, KEY: request}, receive, guarded)


def request_id(scope: Scope) -> Any:  # noqa: ANN401  # a scope holds anything
    """Return the id of a request; None where it has none."""
    return scope.get(KEY)
