"""The way of results to their broker, which a reload may change while games go on.

The former publisher sends what it can in a moment and ends; the next one goes on with what is left
in the outbox. So no result is lost and their order stays, whichever broker gets them.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from ..config.annotations import PUBLISHER, values_of
from ..config.settings import Config, ConfigError, LiveConfig
from ..health.log import Log
from ..model.schemas.status import BrokerState, Delivery
from ..model.timers import Spawn
from ..net.tls import ages_of
from ..store import BrokenStoreError
from .publishing import Publishing, finish

SpawnTask = Callable[[Coroutine[None, None, None], str], asyncio.Task[None]]
"""Runs a coroutine as a task of the server, under a name, and returns the task."""


class Publication:
    """A broker, whose URL is None where there is none, and what publishes to it."""

    def __init__(
        self,
        config: LiveConfig,
        *,
        make: Callable[[Config, str], Publishing],
        private_broker: Callable[[Log, Spawn], AbstractAsyncContextManager[str | None]],
        spawn: SpawnTask,
        log: Log,
        finish_s: float,
    ) -> None:
        """Prepare it; :meth:`open` begins."""
        self.url: str | None = None
        self._config = config
        self._make = make
        self._private_broker = private_broker
        self._spawn = spawn
        self._log = log
        self._finish_s = finish_s
        self._publisher: Publishing | None = None
        self._broker = AsyncExitStack()
        self._publishing = AsyncExitStack()
        self._turn = asyncio.Lock()
        self._is_open = False
        self._in_use: tuple[object, object] = None, None

    @property
    def state(self) -> BrokerState:
        """How things stand with the broker."""
        if self._publisher is None:
            return BrokerState.NONE
        return BrokerState.CONNECTED if self._publisher.away is None else BrokerState.AWAY

    @property
    def away(self) -> str | None:
        """Why the broker is away, where it is and that is known."""
        return (self._publisher and self._publisher.away) or None

    @property
    def delivery(self) -> Delivery | None:
        """How far it is known that payloads arrive; None without a broker."""
        return None if self._publisher is None else self._publisher.delivery

    def wake(self) -> None:
        """Signal that the outbox has new rows."""
        if self._publisher is not None:
            self._publisher.wake()

    def publish_live(self, topic: str, payload: str) -> None:
        """Send a live payload at most once."""
        if self._publisher is not None:
            self._publisher.publish_live(topic, payload)

    async def open(self) -> None:
        """Find the broker or start one, and publish; raise `ConfigError` if it can't be used."""
        self._is_open = True
        async with self._turn:
            await self._begin()

    async def close(self) -> None:
        """Publish what is left, for a moment, and end."""
        self._is_open = False
        async with self._turn:
            await self._publishing.aclose()
            await self._broker.aclose()

    def reload(self) -> None:
        """Publish by the settings now in force, as soon as the former publisher has ended."""
        if self._is_open:
            self._spawn(self._change(), "changing the broker")

    async def _change(self) -> None:
        async with self._turn:
            if not self._is_open:
                return
            if self._in_use == _stamps(self._config.now):
                if self._publisher is not None:
                    self._publisher.retry()
                return
            await self._publishing.aclose()
            if self._in_use[0] != _stamps(self._config.now)[0]:
                await self._broker.aclose()
            try:
                await self._begin()
            except ConfigError as error:  # its authority was removed since it was checked
                self._log.warning("no broker: results wait in the outbox", error=str(error))

    async def _begin(self) -> None:
        config, former = self._config.now, self._in_use
        self._in_use = _stamps(config)
        if former[0] != self._in_use[0]:
            self.url = config.mqtt.url
            if self.url is None and config.mqtt.private_broker:
                broker = self._private_broker(self._log, self._spawn)
                self.url = await self._broker.enter_async_context(broker)
        if self.url is not None:
            publisher = self._make(config, self.url)
            publishing = self._spawn(_run(publisher), "publisher")
            self._publishing.push_async_callback(self._end, publisher, publishing)
            self._publisher = publisher

    async def _end(self, publisher: Publishing, publishing: asyncio.Task[None]) -> None:
        self._publisher = None
        await finish(publisher, publishing, within_s=self._finish_s)


def _stamps(config: Config) -> tuple[object, object]:
    """Return what calls for another broker when it changes, and what for another publisher."""
    mqtt = config.broker
    ages = ages_of(mqtt.ca, mqtt.cert, mqtt.key)
    return (mqtt.url, mqtt.private_broker), (*values_of(config, PUBLISHER), *ages)


async def _run(publisher: Publishing) -> None:
    try:
        await publisher.run()
    except* BrokenStoreError:  # the server stops, and says so
        pass
