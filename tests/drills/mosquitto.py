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
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from mancala.parent_death import ending_with_us
from mancala.protocol.results import AnyPayload, GameResult, MatchResult, Topics
from mancala.scripts.console import output as console
from mancala.scripts.console.processes.subscriber import RESULTS, SubscriberError, take_deliveries
from mancala.server.publish.broker import find_mosquitto
from tests.drills.hosting import NAME
from tests.drills.ports import HOST, RETRY_S, free_port, until_open

CONFIG: Final = """\
listener {port} {host}
allow_anonymous true
persistence true
persistence_location {folder}/
max_queued_messages 0
log_type none
user root
"""


class Broker:
    """A broker that can be stopped and restarted. Use it with ``async with``.

    ``within`` begins its command: the command that enters the network of its host.
    """

    def __init__(
        self, program: str, folder: Path, host: str = HOST, within: Sequence[str] = ()
    ) -> None:
        self._program, self._host, self._within = program, host, within
        self.port = free_port()
        self._config = folder / "mosquitto.conf"
        self._config.write_text(CONFIG.format(port=self.port, host=host, folder=folder))
        self._process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"mqtt://{self._host}:{self.port}"

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *(*self._within, *ending_with_us(self._program, "-c", str(self._config))),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await until_open(self.port, self._program, self._process, self._host)

    async def stop(self) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.terminate()
            await self._process.wait()

    @asynccontextmanager
    async def frozen(self) -> AsyncIterator[None]:
        """Stop its process during the block, with its connections open."""
        if self._process is None:
            raise RuntimeError("the broker doesn't run")
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)


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
async def overheard_broker(
    program: str, folder: Path, topics: Sequence[str] = RESULTS
) -> AsyncIterator[tuple[Broker, Consumer]]:
    """Run a broker, and a consumer that takes in these topics, for as long as the block lasts."""
    consumer = Consumer(topics)
    async with Broker(program, folder) as broker, asyncio.TaskGroup() as tasks:
        consuming = tasks.create_task(consumer.run(broker.url), name="consumer")
        await consumer.subscribed.wait()
        yield broker, consumer
        consuming.cancel()


def mosquitto() -> str:
    program = find_mosquitto()
    if program is None:
        console.fail("mosquitto is missing", code=console.FAILED)
    return program
