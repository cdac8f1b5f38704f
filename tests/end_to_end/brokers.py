"""A real mosquitto that a test may stop and start, and that remembers who subscribed."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Broker:
    """A broker that keeps its port and its memory from one run to the next.

    Attributes:
        program: the mosquitto to run.
        folder: where its files are.
        port: where it listens on loopback.
    """

    program: str
    folder: Path
    port: int

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"mqtt://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run it for as long as the block lasts; subscriptions outlast the block."""
        config = self.folder / "mosquitto.conf"
        config.write_text(
            f"listener {self.port} 127.0.0.1\n"
            "allow_anonymous true\n"
            "persistence true\n"
            f"persistence_location {self.folder}/\n"
            "user root\n"
        )
        process = await asyncio.create_subprocess_exec(
            *(self.program, "-c", str(config)),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            await self._answers()
            yield
        finally:
            process.terminate()
            await process.wait()

    async def _answers(self) -> None:
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except ConnectionRefusedError:
                await asyncio.sleep(0)
            else:
                writer.close()
                return


def prepare(program: str, folder: Path) -> Broker:
    """Find a free port for a broker that does not run yet."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return Broker(program, folder, port)
