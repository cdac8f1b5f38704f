"""A gateway that tells everyone who connects how many clients it had before."""

import asyncio
from typing import Self

from mancala.server.config.settings import Section
from mancala.server.net.gateways import GatewayKind, GatewayParts


class ClockSettings(Section, frozen=True):
    """The table ``[gateways.clock]``.

    Attributes:
        port: where it listens; 0 for any free port.
        greeting: what it says first.
    """

    port: int = 0
    greeting: str = "welcome"


class ClockGateway:
    """Says one line to each client, and hangs up."""

    def __init__(self, parts: GatewayParts) -> None:
        self.urls: tuple[str, ...] = ()
        self._settings: ClockSettings = parts.settings
        self._host = parts.config.now.host
        self._clients = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, self._host, self._settings.port)
        host, port = self._server.sockets[0].getsockname()[:2]
        self.urls = (f"tcp://{host}:{port}",)
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        self._server.close()

    async def _serve(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(f"{self._settings.greeting}, {self._clients} before you\n".encode())
        self._clients += 1
        writer.close()


CLOCK = GatewayKind("Clock", ClockSettings, ClockGateway)
