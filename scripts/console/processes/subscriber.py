"""A consumer of results over MQTT: subscribes at QoS 1, decodes, and drops duplicates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import unquote, urlsplit

from aiomqtt import Client, MqttError, TLSParameters

from mancala.protocol import results
from mancala.protocol.results import AnyPayload
from mancala.server.publish.cancellation import reraise_cancellation

AT_LEAST_ONCE: Final = 1
RESULTS: Final = ("games/+/result", "matches/+/result")
DEFAULT_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}


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
    """Call ``receive`` with every delivery of a result, repetitions included, until cancelled.

    ``subscribed`` is set once the broker has confirmed the subscription. With an identifier the
    session is persistent: the broker queues results while the client is away.
    """
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
