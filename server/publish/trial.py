"""Try a broker: publish on topics such as a server's, and read it back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import aiomqtt

from .address import Address
from .client import VERSIONS, PublishingClient

PAYLOAD: Final = b'{"schema":"mancala.doctor.v1"}'
"""Of a schema that no consumer knows, so that each ignores it."""
PATIENCE_S: Final = 5.0


async def not_read_back(address: Address, topics: Sequence[str]) -> list[str]:
    """Publish on each topic and return those from which nothing came back.

    Raises:
        OSError: when the broker can't be reached, refuses the login or closes the connection.
    """
    context = address.context()
    missing = dict.fromkeys(topics)
    try:
        async with PublishingClient(
            address.host,
            address.port,
            username=address.user,
            password=address.password,
            protocol=VERSIONS[-1],
            tls_context=context,
            timeout=PATIENCE_S,
        ) as client:
            for topic in topics:
                await client.subscribe(topic, qos=1)
                await client.publish(topic, PAYLOAD, qos=1)
            async with asyncio.timeout(PATIENCE_S):
                async for message in client.messages:
                    missing.pop(str(message.topic), None)
                    if not missing:
                        break
    except aiomqtt.MqttError as error:
        raise OSError(str(error)) from error
    except TimeoutError:
        pass
    return list(missing)
