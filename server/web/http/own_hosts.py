"""Refuses requests for other hosts; see :mod:`mancala.server.net.hosts`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ...net.hosts import Hosts
from .responses import UnknownHostError


class OwnHosts:
    """Lets only those requests in that are for this server."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: Callable[[], Hosts],
        refuse: Callable[[Request, Exception], Awaitable[Response]],
    ) -> None:
        """Wrap an application.

        Args:
            app: the application.
            hosts: returns the host names of requests that are answered; a reload changes them.
            refuse: returns the response to a request that is refused.
        """
        self._app = app
        self._hosts = hosts
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        host = Request(scope).headers.get("Host", "")
        if self._hosts().allow(host):
            await self._app(scope, receive, send)
            return
        error = UnknownHostError("the server's setting hosts does not name this host")
        await (await self._refuse(Request(scope), error))(scope, receive, send)
