"""Gateways: servers of other protocols on ports of their own, each with a table of the settings."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
)
from random import Random  # noqa: TID251  # the type; the generator is handed in
from ssl import SSLContext
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from mancala.plugins import Plugged, PluginGroup, tell

from ..config.keys import located
from ..config.settings import Config, ConfigError, LiveConfig, Section
from .accepting import OpenPorts
from .arrivals.segments import SegmentLog
from .handshake import Refusal
from .limits.gate import Gate
from .seat import SeatRegistry


class GatewayParts(NamedTuple):
    """What a server hands to a gateway.

    Attributes:
        tls: encrypts the ports; None for plain ones.
        refusal: returns the response to a websocket request that is refused, such as that of a page
            from elsewhere.
        rng: draws what is left to chance.
    """

    settings: Any
    config: LiveConfig
    registry: SeatRegistry
    gate: Gate
    tls: SSLContext | None
    open_ports: OpenPorts
    refusal: Refusal
    segments: SegmentLog
    rng: Random


class Gateway(AbstractAsyncContextManager["Gateway"], Protocol):
    """A gateway; its ports are open while its ``async with`` block runs."""

    @property
    def urls(self) -> tuple[str, ...]:
        """The URLs of its ports."""

    async def close(self) -> None:
        """Close the ports and end the connections."""


class GatewayKind(NamedTuple):
    """What a plug-in declares.

    Attributes:
        settings: the type of its table, ``[gateways.NAME]``.
    """

    title: str
    settings: type[Section]
    make: Callable[[GatewayParts], Gateway]


GATEWAYS: Final = Plugged(PluginGroup.GATEWAYS, GatewayKind)
"""Every kind of gateway by name."""


@asynccontextmanager
async def entered(name: str, gateway: Gateway) -> AsyncIterator[Gateway]:
    """Run a gateway's block; name one on stderr whose plug-in fails once it has begun.

    The block has a task of its own: a task group of the plug-in cancels the task that entered it.
    """
    begun: asyncio.Future[Gateway] = asyncio.get_running_loop().create_future()
    ending = asyncio.Event()

    async def run() -> None:
        block = AsyncExitStack()
        try:
            begun.set_result(await block.enter_async_context(gateway))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # raised again below
            begun.set_exception(error)
            return
        with _told(name):
            async with block:
                await ending.wait()

    task = asyncio.create_task(run(), name=f"gateway {name}")
    await _first_of(task, begun)
    if not begun.done():
        raise RuntimeError("its start was cancelled")
    opened = begun.result()
    try:
        yield opened
    finally:
        ending.set()
        await _first_of(task)


async def _first_of(task: asyncio.Task[None], *others: asyncio.Future[Any]) -> None:
    """Wait until one is done, whatever comes of it; cancel the task if this is cancelled."""
    try:
        await asyncio.wait([task, *others], return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait([task])
        raise


async def close(name: str, gateway: Gateway) -> None:
    """Close a gateway; name one on stderr whose plug-in fails, whose block ends all the same."""
    with _told(name):
        await gateway.close()


@contextmanager
def _told(name: str) -> Iterator[None]:
    try:
        with GATEWAYS.guarded(name):
            yield
    except ImportError as error:
        tell(str(error))


def wanted(config: Config) -> Iterator[tuple[str, GatewayKind, Section]]:
    """Yield the gateways whose tables are set; name those on stderr whose plug-ins fail."""
    for name, table in config.gateway_tables.items():
        if name not in GATEWAYS:
            known = ", ".join(GATEWAYS)
            raise ConfigError(f"gateways.{name}: no package adds it; there are: {known}")
        try:
            kind = GATEWAYS[name]
        except ImportError as error:
            tell(str(error))
            continue
        try:
            with GATEWAYS.guarded(name, msgspec.ValidationError, ConfigError):
                settings = msgspec.convert(table, kind.settings, from_attributes=True)
        except msgspec.ValidationError as error:
            raise ConfigError(f"gateways.{name}.{located(error)}") from None
        yield name, kind, settings
