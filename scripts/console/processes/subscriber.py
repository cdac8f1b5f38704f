"""Who watches a server: results over MQTT, at QoS 1 and once each, and games over the websocket."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import unquote, urlsplit

from aiomqtt import Client, MqttError, TLSParameters
from websockets.asyncio.client import ClientConnection

from mancala.protocol import codec, results
from mancala.protocol.messages import VERSION, Hello, Message, ServerMessage, Watch, Welcome
from mancala.protocol.results import AnyPayload
from mancala.protocol.session import Role, Session
from mancala.server.publish.cancellation import reraise_cancellation

AT_LEAST_ONCE: Final = 1
RESULTS: Final = ("games/+/result", "matches/+/result")
DEFAULT_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}


class Spectator:
    """A connection that only watches a ladder, and passes on the server's messages."""

    def __init__(
        self, socket: ClientConnection, on_message: Callable[[ServerMessage], None]
    ) -> None:
        """Use a socket of the server; ``on_message`` is called with each message."""
        self._socket = socket
        self._session = Session(Role.CLIENT)
        self._on_message = on_message
        self._welcome = asyncio.Event()

    async def watch(self, ladder: str) -> None:
        """Ask the server to send every game of a ladder that begins from now on."""
        await self._welcome.wait()
        await self._send(Watch(ladder=ladder))

    async def run(self, name: str) -> None:
        """Log in as ``name`` and receive until the connection closes."""
        await self._send(Hello(protocol=VERSION, name=name))
        async for frame in self._socket:
            message = codec.decode_server(frame)
            self._session.receive(message)
            if isinstance(message, Welcome):
                self._welcome.set()
            self._on_message(message)

    async def _send(self, message: Message) -> None:
        self._session.send(message)
        await self._socket.send(codec.encode(message).decode())


class SubscriberError(Exception):
    """The broker could not be reached, or closed the connection."""


async def follow(
    url: str,
    prefix: str,
    receive: Callable[[AnyPayload], None],
    *,
    subscribed: asyncio.Event | None = None,
) -> None:
    """Call ``receive`` with every result of a server once, until cancelled.

    The broker delivers at least once; a repetition is recognised by its ``event_id``.
    """
    seen: set[str] = set()

    def once(payload: AnyPayload) -> None:
        if payload.event_id not in seen:
            seen.add(payload.event_id)
            receive(payload)

    await take_deliveries(url, prefix, once, subscribed=subscribed)


async def take_deliveries(
    url: str,
    prefix: str,
    receive: Callable[[AnyPayload], None],
    *,
    subscribed: asyncio.Event | None = None,
    identifier: str | None = None,
    topics: Sequence[str] = RESULTS,
) -> None:
    """Call ``receive`` with every delivery of a result, repetitions included, until cancelled."""
    try:
        async with _client(url, identifier) as client:
            await client.subscribe([(f"{prefix}/{topic}", AT_LEAST_ONCE) for topic in topics])
            reraise_cancellation()
            if subscribed is not None:
                subscribed.set()
            async for message in client.messages:
                receive(results.decode(message.payload))
    except MqttError as error:
        raise SubscriberError(f"the broker: {error}") from error


def _client(url: str, identifier: str | None) -> Client:
    parts = urlsplit(url)
    return Client(
        parts.hostname or "127.0.0.1",
        parts.port or DEFAULT_PORTS[parts.scheme],
        username=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        tls_params=TLSParameters() if parts.scheme == "mqtts" else None,
        identifier=identifier,
        clean_session=identifier is None,
    )
