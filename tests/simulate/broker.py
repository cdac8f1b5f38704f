"""A broker that is away, freezes, and loses acknowledgements; and the publisher's end of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Self

import aiomqtt

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
        """Lose every connection."""
        self._broken.set()
        self._broken = asyncio.Event()

    def recover(self) -> None:
        """Work as a broker should."""
        self.is_away = self.is_frozen = False
        self.faults = 0.0

    def change(self) -> None:
        """Become well, away, frozen or lossy, or lose every connection."""
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

    def client(self, *_: object, timeout: float, **_options: object) -> aiomqtt.Client:
        """Return a client, as the constructor of aiomqtt's is called."""
        client: Any = BrokerClient(self, timeout, self._broken)
        return client  # type: ignore[no-any-return]  # it has the methods that are used

    def take(self, topic: str, payload: str, *, retain: bool) -> None:
        """Receive a payload."""
        if (topic, payload) in self.received:
            self.trace.count(RareEvent.REPEATED, "broker")
        self.received.append((topic, payload))
        if retain:
            self.retained[topic] = payload


class BrokerClient:
    """The publisher's end of one connection; has the methods of aiomqtt's that are used."""

    def __init__(self, broker: SimulatedBroker, timeout: float, broken: asyncio.Event) -> None:
        self._broker = broker
        self._timeout_s = timeout
        self._broken = broken

    async def __aenter__(self) -> Self:
        """Connect."""
        await asyncio.sleep(0.01)
        if self._broker.is_away:
            self._broker.trace.count(RareEvent.BROKER_AWAY, "broker")
            raise aiomqtt.MqttError("connection refused")
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Disconnect."""

    async def publish(
        self, topic: str, payload: str | bytes, *, qos: int, retain: bool = False
    ) -> None:
        """Publish; return with the acknowledgement."""
        text = payload if isinstance(payload, str) else payload.decode()
        await asyncio.sleep(0.002)
        if self._broker.is_frozen:
            self._broker.trace.count(RareEvent.BROKER_FROZEN, "broker")
            await self._fail_after(self._timeout_s)
        if self._broken.is_set():
            raise aiomqtt.MqttError("disconnected")
        if qos:
            self._broker.take(topic, text, retain=retain)
        if qos and self._broker.trace.happens(self._broker.faults):
            self._broker.trace.count(RareEvent.ACK_LOST, "broker")
            await self._fail_after(0.05)

    async def _fail_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        raise aiomqtt.MqttError("timed out")

    @property
    def messages(self) -> AsyncIterator[object]:
        """Nothing, until the connection breaks."""
        return self._until_broken()

    async def _until_broken(self) -> AsyncIterator[object]:
        await self._broken.wait()
        raise aiomqtt.MqttError("disconnected")
        yield
