"""The game server's end of its publisher's process, which it starts and keeps running.

The process gets rows of the outbox from here and reports which the broker has, so the store has one
writer. A broker can hold up that process, or make it grow, and no game notices.
"""

from collections.abc import Callable
from typing import Final

from ..config.settings import Config
from ..health.child_process import STOP_S, ChildProgram, Start, Supervisor, start_process
from ..health.link import LocalLink, Said
from ..health.log import Log
from ..model.schemas.status import Delivery
from ..store import BrokenStoreError
from .address import Address
from .publishing import ASKED, PUBLISH_TIMEOUT_S, STOP, Outbox, PublisherHandover

MODULE: Final = "mancala.server.publish.process"
FINISH_S: Final = PUBLISH_TIMEOUT_S + STOP_S
"""Time for the process to publish what is left, and to end."""


class PublisherChild:
    def __init__(
        self,
        config: Config,
        url: str,
        outbox: Outbox,
        log: Log,
        uniform: Callable[[float, float], float],
        start: Start = start_process,
    ) -> None:
        """Prepare it; raise `ConfigError` when the broker's URL or authority can't be used."""
        Address.parse(url, config.broker).context()
        self._config = config
        self._url = url
        self._outbox = outbox
        self._link: LocalLink | None = None
        self._is_woken = False
        self.away: str | None = ""
        self.delivery: Delivery | None = None
        program = ChildProgram(
            name="publisher",
            module=MODULE,
            handover=self._handover,
            converse=self._converse,
            hears=ASKED,
        )
        self._supervisor = Supervisor(program, log, uniform, start=start)

    def wake(self) -> None:
        """Signal that the outbox has new rows, unless the process knows."""
        if not self._is_woken and self._link is not None:
            self._is_woken = True
            self._link.tell("wake", ())

    def publish_live(self, topic: str, payload: str) -> None:
        """Send a live payload at most once; drop it while the broker is away or slow."""
        if self.away is None and self._link is not None:
            self._link.offer("publish_live", (topic, payload))

    def retry(self) -> None:
        if self._link is not None:
            self._link.tell("retry", ())

    def stop(self) -> None:
        self._supervisor.retire()
        if self._link is not None:
            self._link.tell(STOP, ())

    async def run(self) -> None:
        await self._supervisor.run()

    def _handover(self) -> PublisherHandover:
        config = self._config
        return PublisherHandover(
            url=self._url,
            mqtt=config.broker,
            server=config.name,
            prefix=config.topics.prefix,
            log_level=config.log_level,
            tenure=self._outbox.tenure,
        )

    async def _converse(self, link: LocalLink) -> None:
        self._link = link
        self._is_woken = False
        try:
            async for said in link:
                await self._receive(link, said)
        except BrokenStoreError:  # it stops the server by itself
            pass
        finally:
            self._link = None
            self.away = self.away or ""

    async def _receive(self, link: LocalLink, said: Said) -> None:
        match said.topic:
            case "away":
                self.away = said.body
            case "delivery":
                self.delivery = said.body
            case method:
                if method == "unpublished":
                    self._is_woken = False
                await link.answer(said, await getattr(self._outbox, method)(*said.body))
