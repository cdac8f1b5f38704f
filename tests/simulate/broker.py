"""A broker that is away, freezes, and loses acknowledgements; and the publisher's end of it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Self

import aiomqtt

from mancala.server.publish.client import PublishingClient
from tests.simulate.trace import RareEvent, Trace


@dataclass(slots=True)
class SimulatedBroker:
    """What has reached a broker.

    Attributes:
        received: payloads of results in the order of their arrival: topic and text.
    """

    trace: Trace
    is_away: bool = False
    is_frozen: bool = False
    faults: float = 0.0
    received: list[tuple[str, str]] = field(default_factory=list)
    retained: dict[str, str] = field(default_factory=dict)
    _broken: asyncio.Event = field(default_factory=asyncio.Event)

    def break_connections(self) -> None:
        self._broken.set()
        self._broken = asyncio.Event()

    def recover(self) -> None:
        self.is_away = self.is_frozen = False
        self.faults = 0.0

    def change(self) -> None:
        self.recover()
        match self.trace.rng.choice(("well", "away", "frozen", "lossy", "broken")):
            case "away":
                self.is_away = True
                self.break_connections()
            case "frozen":
                self.is_frozen = True
            case "lossy":
                self.faults = 0.3
            case "broken":
                self.break_connections()

    def client(self, *_: object, timeout: float, **_options: object) -> PublishingClient:
        """Return a client, as the constructor of the publisher's is called."""
        client: Any = BrokerClient(self, timeout, self._broken)
        return client  # type: ignore[no-any-return]  # it has the methods that are used

    def take(self, topic: str, payload: str, *, retain: bool) -> None:
        if (topic, payload) in self.received:
            self.trace.count(RareEvent.REPEATED, "broker")
        self.received.append((topic, payload))
        if retain:
            self.retained[topic] = payload


class BrokerClient:
    """The publisher's end of one connection; has what it uses of its client."""

    has_reasons = True
    is_refused = False
    is_overwhelmed = False
    window = 100
    cause = staticmethod(str)

    def __init__(self, broker: SimulatedBroker, timeout: float, broken: asyncio.Event) -> None:
        self._broker = broker
        self._timeout_s = timeout
        self._broken = broken
        self._lost = asyncio.Event()
        self._under_way: asyncio.Queue[tuple[str, str, bool, asyncio.Future[None]]]
        self._under_way = asyncio.Queue()

    async def __aenter__(self) -> Self:
        await asyncio.sleep(0.01)
        if self._broker.is_away:
            self._broker.trace.count(RareEvent.BROKER_AWAY, "broker")
            raise aiomqtt.MqttError("connection refused")
        self._taking = asyncio.create_task(self._take_all())
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._taking.cancel()

    async def publish(self, topic: str, payload: str, *, qos: int) -> None:
        """Publish at most once; it gets lost."""

    def deliver(self, topic: str, payload: str, *, retain: bool) -> asyncio.Future[None]:
        """Publish; the future is done with the acknowledgement."""
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._under_way.put_nowait((topic, payload, retain, answer))
        return answer

    async def _take_all(self) -> None:
        while not self._lost.is_set():
            topic, payload, retain, answer = await self._under_way.get()
            await asyncio.sleep(0.002)
            if self._broker.is_frozen:
                self._broker.trace.count(RareEvent.BROKER_FROZEN, "broker")
                await asyncio.sleep(self._timeout_s)
                self._lost.set()
            elif self._broken.is_set():
                self._lost.set()
            else:
                await self._take(topic, payload, answer, retain=retain)

    async def _take(
        self, topic: str, payload: str, answer: asyncio.Future[None], *, retain: bool
    ) -> None:
        self._broker.take(topic, payload, retain=retain)
        if self._broker.trace.happens(self._broker.faults):
            self._broker.trace.count(RareEvent.ACK_LOST, "broker")
            await asyncio.sleep(0.05)
            self._lost.set()
        elif not answer.done():
            answer.set_result(None)

    @property
    def messages(self) -> AsyncIterator[object]:
        """Nothing, until the connection breaks."""
        return self._until_broken()

    async def _until_broken(self) -> AsyncIterator[object]:
        ends = [asyncio.create_task(each.wait()) for each in (self._broken, self._lost)]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in ends:
                each.cancel()
        raise aiomqtt.MqttError("disconnected")
        yield
