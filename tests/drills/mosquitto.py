"""A real mosquitto that drills and tests stop, freeze and start again, and what comes through it.

It keeps its port, and ends with the process that started it, also a killed one. When it is stopped
with SIGTERM, it keeps undelivered messages on disk. A broker that is killed may lose messages that
it has acknowledged; the drills do not test that.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from mancala.parent_death import ending_with_us
from mancala.protocol.results import AnyPayload, GameResult, MatchResult, Topics
from mancala.scripts.console import output as console
from mancala.scripts.console.processes.subscriber import RESULTS, SubscriberError, take_deliveries
from mancala.server.publish.broker import find_mosquitto
from tests.drills.databases import Database
from tests.drills.hosting import NAME, SQLITE_FILES, ServerHost, temporary_host
from tests.drills.ports import HOST, RETRY_S, free_port
from tests.world.programs import ForeignProgram

CONFIG: Final = """\
listener {port} {host}
allow_anonymous true
persistence true
persistence_location {folder}/
max_queued_messages 0
log_type none
user root
"""


class Broker(ForeignProgram):
    """A broker that can be stopped and restarted. Use it with ``async with``.

    ``within`` begins its command: the command that enters the network of its host.
    """

    def __init__(
        self, program: str, folder: Path, host: str = HOST, within: Sequence[str] = ()
    ) -> None:
        port, config = free_port(), folder / "mosquitto.conf"
        config.write_text(CONFIG.format(port=port, host=host, folder=folder))
        command = (*within, *ending_with_us(program, "-c", str(config)))
        super().__init__(command, port, folder / "mosquitto.log", host=host)
        self.url = f"mqtt://{host}:{port}"

    @asynccontextmanager
    async def frozen(self) -> AsyncIterator[None]:
        """Stop its process during the block, with its connections open."""
        self._running.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._running.send_signal(signal.SIGCONT)


@dataclass(frozen=True, slots=True)
class Arrived:
    """What a consumer took in."""

    deliveries: int
    games: tuple[GameResult, ...]
    matches: tuple[MatchResult, ...]

    @property
    def repeated(self) -> int:
        return self.deliveries - len(self.games) - len(self.matches)


class Consumer:
    """Takes in what the drill's server publishes, and comes back to the broker again and again."""

    def __init__(self, topics: Sequence[str] = RESULTS) -> None:
        """Prepare one, of these topics below the server's prefix."""
        self._topics = topics
        self._deliveries = 0
        self._events: dict[str, AnyPayload] = {}
        self._news = asyncio.Event()
        self.subscribed = asyncio.Event()

    @property
    def arrived(self) -> Arrived:
        events = self._events.values()
        games = tuple(event for event in events if isinstance(event, GameResult))
        matches = tuple(event for event in events if isinstance(event, MatchResult))
        return Arrived(self._deliveries, games, matches)

    @property
    def payloads(self) -> tuple[AnyPayload, ...]:
        """What came so far, each event once, in the order of their first arrival."""
        return tuple(self._events.values())

    async def until(self, done: Callable[[Consumer], bool], *, within_s: float) -> None:
        """Wait until what came is all that is wanted, or the time is up."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while not done(self):
                    self._news.clear()
                    await self._news.wait()

    async def run(self, url: str) -> None:
        while True:
            with suppress(SubscriberError):
                await take_deliveries(
                    url,
                    Topics.of_server(NAME).prefix,
                    self._take,
                    subscribed=self.subscribed,
                    identifier="drill",
                    topics=self._topics,
                )
            await asyncio.sleep(RETRY_S)

    async def reach(self, events: int, *, within_s: float) -> None:
        """Wait until a number of events has arrived, or the time is up."""
        await self.until(lambda consumer: len(consumer.payloads) >= events, within_s=within_s)

    def _take(self, payload: AnyPayload) -> None:
        self._deliveries += 1
        self._events[payload.event_id] = payload
        self._news.set()


@asynccontextmanager
async def overheard_host(
    program: str, settings: str, where: Database = SQLITE_FILES, topics: Sequence[str] = RESULTS
) -> AsyncIterator[tuple[ServerHost, Broker, Consumer]]:
    """Provide a host with a broker, and a consumer that takes in these topics, during the block."""
    consumer = Consumer(topics)
    with temporary_host(settings, where) as place:
        async with Broker(program, place.folder) as broker, asyncio.TaskGroup() as tasks:
            consuming = tasks.create_task(consumer.run(broker.url), name="consumer")
            await consumer.subscribed.wait()
            yield replace(place, broker=broker.url), broker, consumer
            consuming.cancel()


def mosquitto() -> str:
    program = find_mosquitto()
    if program is None:
        console.fail("mosquitto is missing", code=console.FAILED)
    return program
