"""Results go to the broker that the settings name, also when they name another one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from mancala.server.config.settings import Config, ConfigError, LiveConfig, Mqtt
from mancala.server.health.log import Log, NullLog
from mancala.server.model.schemas.status import BrokerState, Delivery
from mancala.server.model.timers import Spawn
from mancala.server.publish.publication import Publication
from tests.patience import PATIENCE_S

PRIVATE = "mqtt://private"


class FakePublisher:
    """A publisher that publishes until it is stopped."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.away: str | None = None
        self.delivery: Delivery | None = None
        self.retries = 0
        self.is_over = False
        self._stopping = asyncio.Event()

    def wake(self) -> None:
        """Do nothing."""

    def publish_live(self, topic: str, payload: str) -> None:
        """Do nothing."""

    def retry(self) -> None:
        self.retries += 1

    def stop(self) -> None:
        self._stopping.set()

    async def run(self) -> None:
        await self._stopping.wait()
        self.is_over = True


@dataclass
class Office:
    """A publication whose publishers and private brokers are counted."""

    config: LiveConfig = field(default_factory=lambda: LiveConfig(Config()))
    made: list[FakePublisher] = field(default_factory=list)
    brokers: list[str] = field(default_factory=list)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def make(self, _config: Config, url: str) -> FakePublisher:
        """Make a publisher; only one at a time publishes."""
        if url.endswith("/gone"):
            raise ConfigError("mqtt.ca: gone")
        assert all(former.is_over for former in self.made)
        self.made.append(FakePublisher(url))
        return self.made[-1]

    @asynccontextmanager
    async def broker(self, _log: Log, _spawn: Spawn) -> AsyncIterator[str]:
        self.brokers.append("begun")
        yield PRIVATE
        self.brokers.append("ended")

    def spawn(self, work: Any, name: str) -> asyncio.Task[None]:  # noqa: ANN401  # a coroutine
        self.tasks.append(asyncio.create_task(work, name=name))
        return self.tasks[-1]

    @asynccontextmanager
    async def publishing(self) -> AsyncIterator[Publication]:
        publication = Publication(
            self.config,
            make=self.make,
            private_broker=self.broker,
            spawn=self.spawn,
            log=NullLog(),
            finish_s=PATIENCE_S,
        )
        await publication.open()
        try:
            yield publication
        finally:
            await publication.close()

    async def reload(self, publication: Publication, **changes: Any) -> None:  # noqa: ANN401  # settings
        """Change settings, and wait until that is done."""
        self.config.now = replace(self.config.now, **changes)
        publication.reload()
        async with asyncio.timeout(PATIENCE_S):
            for task in self.tasks:
                if task.get_name() == "changing the broker":
                    await task


def place_of(publication: Publication) -> tuple[str | None, str]:
    return publication.url, str(publication.state)


async def test_another_broker_is_used_once_the_former_publisher_has_ended() -> None:
    """And the private one ends when the settings name another; nothing is left at the end."""
    office = Office()
    async with office.publishing() as publication:
        assert place_of(publication) == (PRIVATE, "connected")
        elsewhere = Mqtt(url="mqtt://elsewhere")
        office.config.now = replace(office.config.now, mqtt=elsewhere)
        publication.reload()
        await office.reload(publication, mqtt=elsewhere)
        assert publication.url == "mqtt://elsewhere"
        assert office.brokers == ["begun", "ended"]
        await office.reload(publication, mqtt=Mqtt(private_broker=False))
        assert place_of(publication) == (None, "none")
    assert [each.url for each in office.made] == [PRIVATE, "mqtt://elsewhere"]
    assert all(each.is_over for each in office.made)


@pytest.mark.parametrize("changed", [{"log_level": "debug"}, {"mqtt": Mqtt(ca="other.pem")}])
async def test_a_new_publisher_leaves_the_private_broker_running(changed: dict[str, Any]) -> None:
    """Its subscribers stay connected; what the publisher does not go by changes nothing."""
    office = Office()
    async with office.publishing() as publication:
        await office.reload(publication, guests=False)
        assert (len(office.made), office.made[0].retries) == (1, 1)
        await office.reload(publication, **changed)
        assert len(office.made) == 2
        assert office.brokers == ["begun"]
    assert office.brokers == ["begun", "ended"]


async def test_an_authority_that_is_gone_by_then_leaves_results_in_the_outbox() -> None:
    """The server goes on, and the next reload may name another one."""
    office = Office()
    async with office.publishing() as publication:
        await office.reload(publication, mqtt=Mqtt(url="mqtt://x/gone"))
        assert publication.state is BrokerState.NONE
        await office.reload(publication, mqtt=Mqtt(url="mqtt://y"))
        assert office.made[-1].url == "mqtt://y"
