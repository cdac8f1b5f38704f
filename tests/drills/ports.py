"""Where the servers of drills listen."""

import asyncio
import socket
from contextlib import suppress
from random import SystemRandom
from typing import Final

HOST: Final = "127.0.0.1"
PORTS: Final = range(16_384, 32_768)
"""Below the ports from which Linux makes connections: one of those can be taken at any moment."""
RETRY_S: Final = 0.05

_UNUSED: Final = SystemRandom().sample(PORTS, len(PORTS))
"""Ports that this process has not been given, in the order in which it gets them."""


def free_port() -> int:
    """Return a port that is free now, that no connection takes, and that was not returned before.

    Two settings of one server are chosen before either is opened.
    """
    while _UNUSED:
        port = _UNUSED.pop()
        with socket.socket() as probe, suppress(OSError):
            probe.bind((HOST, port))
            return port
    raise OSError("no port is free")


async def until_open(
    port: int, program: str, process: asyncio.subprocess.Process, host: str = HOST
) -> None:
    while True:
        with suppress(ConnectionRefusedError):
            _, writer = await asyncio.open_connection(host, port)
            writer.close()
            return
        if process.returncode is not None:
            raise RuntimeError(f"{program} ended with {process.returncode}")
        await asyncio.sleep(RETRY_S)
