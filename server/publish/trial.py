"""Try a broker: publish on topics such as a server's; before MQTT 5 also read it back."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import aiomqtt

from .address import Address
from .client import VERSIONS, PublishingClient

PAYLOAD: Final = '{"schema":"mancala.doctor.v1"}'
"""Of a schema that no consumer knows, so that each ignores it."""
PATIENCE_S: Final = 5.0


async def not_read_back(address: Address, topics: Sequence[str]) -> list[str]:
    """Publish on each topic and return those from which nothing came back, with the reason if any.

    A broker that does not accept MQTT 5 is asked for 3.1.1, as by a server. One that does says
    itself what it refuses, so its publishers need no right to read.

    Raises:
        OSError: when the broker can't be reached, refuses the login or closes the connection.
    """
    context = address.context()
    refusal: str | None = None
    for version in VERSIONS:
        client = PublishingClient(
            address.host,
            address.port,
            username=address.user,
            password=address.password,
            identifier=address.client_id,
            protocol=version,
            tls_context=context,
            timeout=PATIENCE_S,
        )
        try:
            return await _not_read_back(client, topics)
        except (aiomqtt.MqttError, TimeoutError) as error:
            why = client.cause(error)
        if not client.is_refused:
            break
        refusal = refusal or client.refusal  # one of MQTT 5 alone may not understand the second
        why = refusal or why
    raise OSError(why)


async def _not_read_back(client: PublishingClient, topics: Sequence[str]) -> list[str]:
    missing, refused = dict.fromkeys(() if client.has_reasons else topics), list[str]()
    async with client:
        for topic in topics:
            if not client.has_reasons:
                await client.subscribe(topic, qos=1)
            async with asyncio.timeout(PATIENCE_S):
                refusal = await client.deliver(topic, PAYLOAD, retain=False)
            if refusal is not None:
                refused.append(f"{topic} ({refusal.lower()})")
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                while missing:
                    message = await anext(client.messages)
                    missing.pop(str(message.topic), None)
    return [*refused, *missing]
