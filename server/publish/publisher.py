"""Publish the outbox to the broker: in order, at least once, however long the broker is away.

A row is marked only after its PUBACK; when the connection breaks between the two, the row is sent
again under the same ``event_id``. Rows are read in chunks, so a broker that is away for a month
costs disk space and no memory. Many are under way together (``window.py``).

A row that the broker does not accept is put aside: it says so with a reason (MQTT 5), or the
connection ends twice behind the row. Such a row stays in the outbox with the reason, and delays no
other row. It is tried again after each new connection, each reload and every hour, under its old
number. A row that ends connections is tried alone, and a few of them at a time are enough: each
costs subscribers a moment of ``offline``.

A broker is not trusted, so a real server runs all this in a process of its own (``child.py``).

A retained ``status`` says whether the publisher is connected; the last will says ``offline``. It is
sent whenever the publisher does not end in order: killed, cancelled, or left by its game server.

Where another server may take over, the status also has the number of the tenure, and all servers of
a prefix log in by one client id. So the broker ends the connection of a former one, and sends its
will, before it accepts the next: no ``offline`` comes late. A publisher asks the outbox before it
connects, since a server that has lost its store has nothing to say there.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Final

import aiomqtt

from mancala.protocol import codec
from mancala.protocol.results import Presence, Status, Topics

from ..health.backoff import wait_at_most
from ..health.log import Log
from ..model.journal import ENDED, OutboxRow, RowRefused
from ..model.schemas.status import Delivery
from .address import Address
from .cancellation import reraise_cancellation
from .client import VERSIONS, PublishingClient
from .publishing import NewClient, Outbox
from .read_back import ReadBack
from .tries import Tries
from .window import Window

FETCHED: Final = 500
"""Rows that are read together; between them the window runs empty once."""
CHUNK: Final = 100
"""Rows that are marked together."""
MOST_LIVE: Final = 1000
"""Maximum number of live payloads queued; the oldest are dropped. Some seconds at full load."""
ANSWER_TIMEOUT_S: Final = 10.0
KEEPALIVE_S: Final = 10
LONG_LIFE_S: Final = 15.0
"""A connection that lasted for this long is replaced soon, though nothing was published."""
RETRY_S: Final = 3600.0


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
        on_connection: Callable[[str | None], object] = str,
        on_delivery: Callable[[Delivery], object] = str,
    ) -> None:
        """Prepare the publisher; raises `ConfigError` for an unusable certificate authority.

        ``client`` is called as `PublishingClient` is, ``delays`` returns the waits between attempts
        to connect, in seconds, ``on_connection`` hears why the broker is away, or None, and
        ``on_delivery`` how far it is known that payloads arrive.
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
        self._on_delivery = on_delivery
        self._client_id = address.client_id
        if outbox.tenure is not None and address.client_id is None:
            self._client_id = f"mancala{blake2b(topics.status.encode(), digest_size=8).hexdigest()}"
        self._window = Window()
        self._read_back = ReadBack(topics.prefix)
        self._tries = Tries()
        self._retry_at = 0.0
        self.away: str | None = ""
        self.delivery: Delivery | None = None

    def wake(self) -> None:
        self._is_due = True
        self._news.set()

    def retry(self) -> None:
        self._tries.begin()
        self._retry_at = asyncio.get_running_loop().time() + RETRY_S
        self._news.set()

    def publish_live(self, topic: str, payload: str) -> None:
        """Queue a live payload, sent at most once; drop it while the broker is away."""
        if self.away is None:
            self._live.append((topic, payload))
            self._news.set()

    def stop(self) -> None:
        self._stopping.set()
        self.wake()

    async def run(self) -> None:
        """Connect, publish and reconnect until stopped."""
        while not self._is_done:
            cause = await self._serve_once()
            if cause is not None:
                reraise_cancellation()
                await self._recover(cause)

    # Connections

    async def _serve_once(self) -> str | None:
        """Publish over one connection; return what ended it, None for a stop.

        A broker that does not accept MQTT 5 is asked for 3.1.1 each time: it may be another one by
        then.
        """
        cause: str | None = None
        refusal: str | None = None
        if self._outbox.tenure is not None:
            await self._outbox.unpublished(1)
        for version in VERSIONS:
            cause, since = None, self._utc()
            client = self._client(since, version)
            try:
                async with client:
                    await self._serve(client, since)
            except* aiomqtt.MqttError as errors:
                cause = client.cause(errors.exceptions[0])
                self._read_back.is_off |= client.is_overwhelmed
            if cause is None or not client.is_refused:
                break
            refusal = refusal or client.refusal  # one of MQTT 5 alone may not understand the second
            cause = refusal or cause
        return cause

    async def _serve(self, client: PublishingClient, since: str) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.TaskGroup() as tasks:
                watcher = tasks.create_task(self._listen(client), name="broker connection")
                await self._publish_status(client, Presence.ONLINE, since)
                self._log.info(
                    "broker connected", host=self._address.host, reasons=client.has_reasons
                )
                self._note_away(None)
                self._note_delivery(client)
                if not self._tries.go_on:
                    self.retry()
                await self._send(client)
                await self._publish_status(client, Presence.OFFLINE, self._utc())
                watcher.cancel()
            self._is_done = True
        finally:
            if loop.time() - began > LONG_LIFE_S:
                self._delays = self._new_delays()

    async def _listen(self, client: PublishingClient) -> None:
        """Note what is read back; this raises when the connection breaks."""
        async for message in client.messages:
            self._read_back.hear(message.topic.value, message.payload)

    def _note_delivery(self, client: PublishingClient) -> None:
        if client.has_reasons:
            found = Delivery.CONFIRMED
        else:
            is_verified = self._read_back.is_verified
            found = Delivery.READ_BACK if is_verified else Delivery.UNVERIFIED
        if found is not self.delivery:
            self.delivery = found
            self._on_delivery(found)

    def _note_away(self, why: str | None) -> None:
        if self.away != why:
            self.away = why
            self._on_connection(why)

    async def _recover(self, cause: str) -> None:
        """Put aside the row that ended the connection, if it did so before, and wait.

        Behind a row the broker counts as connected until it can't be reached.
        """
        row, is_refused = self._window.blame()
        delay_s = next(self._delays)
        behind = {} if row is None else {"behind": row.topic, "seq": row.seq}
        event = "broker away" if row is None else "a row ended the connection"
        self._log.warning(event, cause=cause, retry_s=round(delay_s, 2), **behind)
        self._live.clear()
        self._tries.note_end(row)
        if row is None:
            self._note_away(cause)
            self._read_back.kinds.clear()
        elif is_refused:
            await self._put_aside([RowRefused(row.seq, f"{ENDED}: {cause}")], row)
        await wait_at_most(delay_s, self._stopping)
        self._is_done = self._stopping.is_set()

    def _client(self, since: str, version: aiomqtt.ProtocolVersion) -> PublishingClient:
        offline = self._status(Presence.OFFLINE, since)
        will = aiomqtt.Will(self._topics.status, offline, qos=1, retain=True)
        return self._make_client(
            self._address.host,
            self._address.port,
            username=self._address.user,
            password=self._address.password,
            identifier=self._client_id,
            protocol=version,
            will=will,
            timeout=ANSWER_TIMEOUT_S,
            keepalive=KEEPALIVE_S,
            tls_context=self._tls,
        )

    # Rows

    async def _send(self, client: PublishingClient) -> None:
        self._is_due = True
        while True:
            reraise_cancellation()
            self._news.clear()
            if asyncio.get_running_loop().time() >= self._retry_at:
                self.retry()
            while self._is_due or self._tries.is_due:
                if self._is_due:
                    self._is_due = False
                    await self._empty(client)
                elif self._stopping.is_set():
                    break
                else:
                    await self._try_again(client)
            await self._send_live(client)
            if self._stopping.is_set():
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(self._retry_at):
                    await self._news.wait()

    async def _empty(self, client: PublishingClient) -> None:
        while rows := await self._outbox.unpublished(FETCHED):
            if shunned := [row for row in rows if self._window.is_shunned(row)]:
                why = f"{ENDED}, or behind another one of its topic"
                await self._put_aside([RowRefused(row.seq, why) for row in shunned], shunned[0])
                rows = [row for row in rows if row not in shunned]
            await self._send_rows(client, rows)

    async def _try_again(self, client: PublishingClient) -> None:
        rows = await self._outbox.put_aside_after(self._tries.last, FETCHED)
        if not rows:
            self._tries.end()
            return
        self._tries.under_way(rows)
        for some in (self._tries.firsts_of(rows), rows):
            wanted = [row for row in some if self._tries.is_wanted(row)]
            self._tries.note(wanted, await self._send_rows(client, wanted))
        self._tries.under_way(())

    async def _send_live(self, client: PublishingClient) -> None:
        while self._live:
            topic, payload = self._live.popleft()
            await client.publish(topic, payload, qos=0)

    async def _send_rows(self, client: PublishingClient, rows: Sequence[OutboxRow]) -> set[int]:
        """Send rows, many of them under way together; return the numbers of those refused."""
        waiting, refused = deque(rows), set[int]()
        answers: dict[int, asyncio.Future[str | None]] = {}
        said: dict[int, str | None] = {}
        try:
            while waiting or answers:
                reraise_cancellation()
                await self._send_live(client)  # a game's last moves, before its result
                await self._send_some(client, waiting, answers)
                said |= self._said(answers)
                if len(said) >= CHUNK:
                    refused |= await self._mark(rows, said)
        finally:
            said |= self._said(answers)
            refused |= await self._mark(rows, said)
        self._note_delivery(client)
        return refused

    async def _send_some(
        self,
        client: PublishingClient,
        waiting: deque[OutboxRow],
        answers: dict[int, asyncio.Future[str | None]],
    ) -> None:
        """Send what may be under way now, and wait for the next answer."""
        most = self._window.room(list(islice(waiting, client.window)), client.window)
        for _ in range(most):
            row = waiting[0]
            is_read = not client.has_reasons and self._read_back.is_due(row.topic, row.payload)
            if is_read and answers:
                break
            async with self._read_back.reading(client, row.topic, row.payload, is_read=is_read):
                self._window.begin(waiting.popleft())
                answers[row.seq] = client.deliver(row.topic, row.payload, retain=row.is_retained)
                if is_read:
                    await _next_of(answers)
            if is_read:
                return
        await _next_of(answers)

    def _said(self, answers: dict[int, asyncio.Future[str | None]]) -> dict[int, str | None]:
        """Take what the broker has answered: None, or why it refuses a row."""
        said = {seq: answer.result() for seq, answer in answers.items() if answer.done()}
        for seq in said:
            del answers[seq]
        self._window.note(said.keys())
        if said:
            self._delays = self._new_delays()
        return said

    async def _mark(self, rows: Sequence[OutboxRow], said: dict[int, str | None]) -> set[int]:
        """Keep what the broker said of rows; return the numbers of those it refused."""
        if published := [seq for seq, why in said.items() if why is None]:
            await self._outbox.mark_published(published, self._utc())
        refused = [RowRefused(seq, why) for seq, why in said.items() if why is not None]
        said.clear()
        if refused:
            first = next(row for row in rows if row.seq == refused[0].seq)
            await self._put_aside(refused, first)
        return {each.seq for each in refused}

    async def _put_aside(self, refused: Sequence[RowRefused], first: OutboxRow) -> None:
        """Keep why rows were refused, the first of which is given."""
        facts = {"rows": len(refused), "topic": first.topic, "seq": first.seq}
        self._log.warning("results put aside", **facts, why=refused[0].why)
        await self._outbox.put_aside(refused, self._utc())

    # The status

    async def _publish_status(self, client: PublishingClient, presence: Presence, at: str) -> None:
        topic, payload = self._topics.status, self._status(presence, at)
        is_read = presence is Presence.ONLINE and not client.has_reasons
        is_read = is_read and not self._read_back.is_off
        async with self._read_back.reading(client, topic, payload, is_read=is_read):
            answer = client.deliver(topic, payload, retain=True)
            await _next_of({0: answer})
        if (why := answer.result()) is not None:
            self._log.warning("the broker refused the status", topic=topic, why=why)

    def _status(self, presence: Presence, at: str) -> str:
        event_id = f"status-{self._server}-{presence}-{at}"
        number, host = self._outbox.tenure or (None, None)
        status = Status(event_id, 0, self._server, presence, at, host, number)
        return codec.to_json(status).decode()


async def _next_of(answers: Mapping[int, asyncio.Future[str | None]]) -> None:
    """Wait for the next answer; raise `MqttError` when it is long in coming."""
    done, _ = await asyncio.wait(
        answers.values(), timeout=ANSWER_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED
    )
    if not done:
        raise aiomqtt.MqttError(f"no acknowledgement in {ANSWER_TIMEOUT_S:g} s")
