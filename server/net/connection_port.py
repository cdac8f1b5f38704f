"""A port of metered connections: guarded as it accepts, and closed in a bounded time.

A port ends when the last of its connections has, and each may take long about it: a peer that is
silent in its opening handshake has ``handshake_s``, one that does not answer a close two seconds.
So those that take longer than ``FAREWELL_S`` are aborted.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from ssl import SSLContext
from typing import Any, Final, Generic, TypeVar

from websockets import CloseCode

from .accepting import OpenPorts, Port
from .handshake import ConnectionOptions
from .limits import costs as prices
from .limits.gate import Door, Gate
from .metered import MeteredConnection

C = TypeVar("C", bound=MeteredConnection[Any])

FAREWELL_S: Final = 0.3
"""Time for the closing handshakes; an honest peer needs one round trip."""
ABORT_S: Final = 0.1
"""Time for what is left after an abort, which needs a few turns of the event loop."""


class ConnectionPort(Generic[C]):
    """The open ports, one for each address of the host, and their connections."""

    def __init__(
        self,
        serve_one: Callable[[C], Awaitable[None]],
        gate: Gate,
        tls: SSLContext | None,
        open_ports: OpenPorts,
        kind: type[C],
        options: ConnectionOptions,
    ) -> None:
        """Prepare the port; :meth:`open` opens it."""
        self._serve_one = serve_one
        self._gate = gate
        self._tls = tls
        self._open_ports = open_ports
        self._kind = kind
        self._options = options
        self._ports: Sequence[Port] = ()
        self._accepted: dict[C, None] = {}
        self._served: set[asyncio.Task[None]] = set()

    async def open(self, setting: str, host: str, port: int) -> int:
        """Open the port, a key of the configuration; return its number, or raise `PortError`."""
        price = self._kind.PRICE + (prices.TLS if self._tls is not None else 0.0)
        door = Door(self._gate, price, asyncio.get_running_loop().time)
        self._ports = await self._open_ports(setting, host, port, door)
        made = partial(self._kind, self._gate, self._accepted, self._begin)
        for each in self._ports:
            each.serve(partial(made, options=self._options), self._tls, self._options.handshake_s)
            self._options.segments.watch(each.number)
        return self._ports[0].number

    def stop_accepting(self) -> None:
        """Accept no more, and drop those that have no protocol yet."""
        for port in self._ports:
            port.close()

    async def close(self, code: CloseCode, reason: str = "") -> None:
        """Close the port and its connections; abort those that take longer than ``FAREWELL_S``."""
        self.stop_accepting()
        for connection in tuple(self._accepted):
            connection.close(code, reason)
        await self._wait(FAREWELL_S)
        for connection in tuple(self._accepted):
            connection.abort()
        await self._wait(ABORT_S)

    async def _wait(self, longest_s: float) -> None:
        """Wait until all that are served have ended, for a bounded time."""
        if self._served:
            await asyncio.wait(self._served, timeout=longest_s)

    def _begin(self, connection: C) -> None:
        serving = asyncio.create_task(self._serve(connection), name="connection")
        self._served.add(serving)
        serving.add_done_callback(self._served.discard)

    async def _serve(self, connection: C) -> None:
        try:
            await self._serve_one(connection)
        except Exception as error:  # noqa: BLE001  # any fault; it ends this connection alone
            connection.fail(error)
        else:
            connection.close()
        await connection.wait_closed()
