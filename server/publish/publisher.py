"""Publish the outbox to the broker: in order, at least once, however long the broker is away.

The only module of the server that imports aiomqtt. A row is marked only after its PUBACK; when the
connection breaks between the two, the row is sent again under the same ``event_id``. Rows are read
in chunks, so a broker that is away for a month costs disk space and no memory.

A broker is not trusted: it may announce a packet of a quarter of a gigabyte, for which the client
would make room before the first byte of it has arrived. So packets are bounded, and a real server
runs all this in a process of its own (``child.py``).

A retained ``status`` says whether the publisher is connected; the last will says ``offline``. It is
sent whenever the publisher does not end in order: killed, cancelled, or left by its game server.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Final

import aiomqtt

from mancala.protocol import codec
from mancala.protocol.results import Presence, Status, Topics
from mancala.protocol.text import quantity

from ..health.log import Log
from ..model.journal import OutboxRow
from .address import Address
from .cancellation import reraise_cancellation
from .publishing import NewClient, Outbox

CHUNK: Final = 100
MOST_LIVE: Final = 1000
"""Maximum number of live payloads queued; the oldest are dropped. Some seconds at full load."""
ANSWER_TIMEOUT_S: Final = 10.0
KEEPALIVE_S: Final = 10
LARGEST_PACKET: Final = 64 * 1024
"""A broker sends a publisher nothing but acknowledgements, of a few bytes each."""


class BoundedClient(aiomqtt.Client):
    """A client that disconnects when the broker announces a packet that is too large."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # as aiomqtt's
        super().__init__(*args, **options)
        # paho has no option for it; it reads each part of a packet with this method.
        receive = self._client._sock_recv  # noqa: SLF001  # paho has no hook at its socket
        self._client._sock_recv = partial(_receive_bounded, receive)  # type: ignore[method-assign]  # noqa: SLF001

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Disconnect; after an error without a goodbye, so that the broker sends the last will."""
        if error is not None and not self._disconnected.done():
            self._client._sock_close()  # noqa: SLF001  # paho has no public way without a goodbye
            self._disconnected.set_result(None)
        await super().__aexit__(kind, error, trace)


def _receive_bounded(receive: Callable[[int], bytes], size: int) -> bytes:
    if size > LARGEST_PACKET:
        raise ConnectionError(f"the broker announces a packet of {quantity(size, 'byte')}")
    return receive(size)


new_client: Final[NewClient] = BoundedClient


class Publisher:
    """Publishes the outbox to one broker until stopped."""

    def __init__(  # noqa: PLR0913  # what it is made of, each by name
        self,
        address: Address,
        outbox: Outbox,
        *,
        server: str,
        topics: Topics,
        utc: Callable[[], str],
        log: Log,
        client: NewClient,
        delays: Callable[[], Iterator[float]],
        on_connection: Callable[[bool], object] = bool,
    ) -> None:
        """Prepare the publisher; raises `ConfigError` for an unusable certificate authority.

        ``client`` is called as aiomqtt's class is, ``delays`` returns the waits between attempts to
        connect, in seconds, and ``on_connection`` hears whether the broker is connected.
        """
        self._address = address
        self._tls = address.context()
        self._outbox = outbox
        self._server = server
        self._topics = topics
        self._utc = utc
        self._log = log
        self._live: deque[tuple[str, str]] = deque(maxlen=MOST_LIVE)
        self._news = asyncio.Event()
        self._stopping = asyncio.Event()
        self._make_client = client
        self._new_delays = delays
        self._delays = delays()
        self._is_due = True
        self._is_done = False
        self._on_connection = on_connection
        self.is_connected = False

    def wake(self) -> None:
        """Signal that the outbox has new rows."""
        self._is_due = True
        self._news.set()

    def publish_live(self, topic: str, payload: str) -> None:
        """Queue a live payload, sent at most once; drop it while the broker is away."""
        if self.is_connected:
            self._live.append((topic, payload))
            self._news.set()

    def stop(self) -> None:
        """End :meth:`run` once the outbox is empty."""
        self._stopping.set()
        self.wake()

    async def run(self) -> None:
        """Connect, publish and reconnect until stopped."""
        while not self._is_done:
            cause = None
            try:
                since = self._utc()
                async with self._client(since) as client:
                    self._log.info("broker connected", host=self._address.host)
                    self._set_connected(is_connected=True)
                    await self._serve(client, since)
            except* aiomqtt.MqttError as errors:
                cause = str(errors.exceptions[0])
            if cause is not None:
                reraise_cancellation()
                await self._rest(next(self._delays), cause)

    def _set_connected(self, *, is_connected: bool) -> None:
        self.is_connected = is_connected
        self._on_connection(is_connected)

    async def _rest(self, delay_s: float, cause: str) -> None:
        self._set_connected(is_connected=False)
        self._live.clear()
        self._log.warning("broker away", cause=cause, retry_s=round(delay_s, 2))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(delay_s):
                await self._stopping.wait()
        self._is_done = self._stopping.is_set()

    async def _serve(self, client: aiomqtt.Client, since: str) -> None:
        async with asyncio.TaskGroup() as tasks:
            watcher = tasks.create_task(_notice_disconnection(client), name="broker connection")
            await self._publish_status(client, Presence.ONLINE, since)
            self._delays = self._new_delays()
            await self._send(client)
            await self._publish_status(client, Presence.OFFLINE, self._utc())
            watcher.cancel()
        self._is_done = True

    async def _send(self, client: aiomqtt.Client) -> None:
        self._is_due = True
        while True:
            reraise_cancellation()
            self._news.clear()
            while self._is_due:
                self._is_due = False
                await self._empty(client)
            await self._send_live(client)
            if self._stopping.is_set():
                return
            await self._news.wait()

    async def _empty(self, client: aiomqtt.Client) -> None:
        while rows := await self._outbox.unpublished(CHUNK):
            await self._send_live(client)  # a game's last moves, before its result
            await self._send_chunk(client, rows)

    async def _send_live(self, client: aiomqtt.Client) -> None:
        while self._live:
            topic, payload = self._live.popleft()
            await client.publish(topic, payload, qos=0)

    async def _send_chunk(self, client: aiomqtt.Client, rows: Sequence[OutboxRow]) -> None:
        acknowledged: list[int] = []
        try:
            for row in rows:
                await client.publish(row.topic, row.payload, qos=1, retain=row.is_retained)
                acknowledged.append(row.seq)
        finally:
            await self._outbox.mark_published(acknowledged, self._utc())

    async def _publish_status(self, client: aiomqtt.Client, presence: Presence, at: str) -> None:
        await client.publish(self._topics.status, self._status(presence, at), qos=1, retain=True)

    def _status(self, presence: Presence, at: str) -> bytes:
        event_id = f"status-{self._server}-{presence}-{at}"
        return codec.to_json(Status(event_id, 0, self._server, presence, at))

    def _client(self, since: str) -> aiomqtt.Client:
        offline = self._status(Presence.OFFLINE, since)
        will = aiomqtt.Will(self._topics.status, offline, qos=1, retain=True)
        return self._make_client(
            self._address.host,
            self._address.port,
            username=self._address.user,
            password=self._address.password,
            will=will,
            timeout=ANSWER_TIMEOUT_S,
            keepalive=KEEPALIVE_S,
            tls_context=self._tls,
        )


async def _notice_disconnection(client: aiomqtt.Client) -> None:
    async for _ in client.messages:  # no subscriptions; this raises when the connection breaks
        pass
