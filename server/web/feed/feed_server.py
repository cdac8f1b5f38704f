"""The game server's end of the feed: answers the web at a bounded price.

Questions are answered one at a time. Each one owes a rest, a multiple of the processor time that
the loop used meanwhile. So however much is asked, answering takes at most one part in ``REST + 1``
of the loop, and less when games keep it busy. A little may be owed: a page asks several questions,
and none of them waits for the rest of the one before. The web keeps answers for half a second and
joins equal questions, so that viewers do not notice.
"""

from __future__ import annotations

import asyncio
import contextlib
import time  # noqa: TID251  # for what answers take
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path  # noqa: TID251  # the caller names the socket
from typing import Final

from ...health.local_lines import next_message
from ...health.log import Log
from ...net.private_port import private_socket
from .feed import (
    FOLLOW,
    LONGEST_QUESTION,
    PULSE_S,
    UNFOLLOW,
    answer_line,
    event_line,
    failure_line,
    pulse_line,
    question_of,
)
from .live_state import LiveState
from .topics import TOPICS
from .viewers import OVER, GameEvent

REST: Final = 19
"""Resting 19 times as long as an answer took leaves 95 % of the loop to the games."""
SHORTEST_REST_S: Final = 0.001
OWED_S: Final = 0.1
"""How much rest may be owed: 5 ms of answers, as a ladder's page and a bot's ask for."""
MOST_UNREAD_EVENTS: Final = 1024 * 1024
"""Events of games are left out while the web has not read this many bytes."""
MOST_UNREAD: Final = 64 * 1024
"""No pulse is sent to a web process that has not read this many bytes."""


async def serve_feed(
    live_state: LiveState, reader: StreamReader, writer: StreamWriter, log: Log
) -> None:
    """Serve one web process until it closes the connection.

    Args:
        live_state: answers the questions.
        reader: the connection.
        writer: the connection's other direction.
        log: receives what could not be answered.
    """
    followed = _Followed(live_state, writer)
    try:
        async with asyncio.TaskGroup() as tasks:
            pulse = tasks.create_task(_pulse(live_state, writer), name="feed pulse")
            with contextlib.suppress(ConnectionError):
                await _answer_all(live_state, reader, writer, log, followed)
            pulse.cancel()
    finally:
        followed.clear()
        writer.close()


class _Followed:
    """The games whose events the web gets."""

    def __init__(self, live_state: LiveState, writer: StreamWriter) -> None:
        self._live_state = live_state
        self._writer = writer
        self._games: dict[str, Callable[[], None]] = {}

    def add(self, game: str) -> None:
        """Send the events of a game."""
        self.discard(game)
        self._games[game] = _nothing
        unfollow = self._live_state.follow(game, partial(self._send, game))
        if game in self._games:  # it may be over already
            self._games[game] = unfollow

    def discard(self, game: str) -> None:
        """Send them no longer."""
        self._games.pop(game, _nothing)()

    def clear(self) -> None:
        """Send no events any more."""
        while self._games:
            self._games.popitem()[1]()

    def _send(self, game: str, event: GameEvent) -> None:
        """Send an event, unless the web has stopped reading: it notices the gap."""
        if self._writer.transport.get_write_buffer_size() < MOST_UNREAD_EVENTS:
            self._writer.write(event_line(game, event))
        if event.ply == OVER:
            del self._games[game]


def _nothing() -> None:
    """End nothing."""


async def _pulse(live_state: LiveState, writer: StreamWriter) -> None:
    while True:
        if writer.transport.get_write_buffer_size() < MOST_UNREAD:
            writer.write(pulse_line(live_state.about()))
        await asyncio.sleep(PULSE_S)


async def _answer_all(
    live_state: LiveState,
    reader: StreamReader,
    writer: StreamWriter,
    log: Log,
    followed: _Followed,
) -> None:
    rest = Rest()
    while question := await next_message(reader, question_of, log, sender="web process"):
        began_s = time.thread_time()
        if question.topic in {FOLLOW, UNFOLLOW}:
            (followed.add if question.topic == FOLLOW else followed.discard)(question.subject)
            continue
        try:
            found = await live_state.ask(TOPICS[question.topic], question.subject)
            answer = answer_line(question.number, found)
        except Exception as error:  # noqa: BLE001  # a viewer's question must not end the server
            log.warning("web question failed", topic=question.topic, error=repr(error))
            answer = failure_line(question.number)
        writer.write(answer)
        await writer.drain()
        rest_s = rest.after(time.thread_time() - began_s, now=time.monotonic())
        await asyncio.sleep(rest_s)


class Rest:
    """How long to rest after an answer."""

    def __init__(self) -> None:
        """Owe nothing."""
        self._paid_at = 0.0

    def after(self, used_s: float, now: float) -> float:
        """Return how long to rest after an answer.

        Args:
            used_s: the processor time that it took.
            now: a clock, in seconds.
        """
        self._paid_at = max(self._paid_at, now - used_s) + (REST + 1) * used_s
        return max(SHORTEST_REST_S, self._paid_at - now - OWED_S)


@asynccontextmanager
async def feed_socket(path: str, live_state: LiveState, log: Log) -> AsyncIterator[None]:
    """Serve the feed on a unix socket while the block runs, to one web process at a time.

    Args:
        path: where the socket is created; only this user may connect.
        live_state: answers the questions.
        log: receives who connects.

    Raises:
        OSError: when the socket can't be created.
    """
    open_feeds: set[asyncio.Task[None]] = set()

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        if open_feeds:
            writer.close()
            return
        task = asyncio.ensure_future(serve_feed(live_state, reader, writer, log))
        open_feeds.add(task)
        task.add_done_callback(open_feeds.discard)
        log.info("web process connected")
        with contextlib.suppress(asyncio.CancelledError):
            await task
        log.info("web process gone")

    listening = private_socket(path)
    server = await asyncio.start_unix_server(serve, sock=listening, limit=LONGEST_QUESTION)  # noqa: TID251  # the way to a web process of its own, which a simulated server doesn't have
    try:
        yield
    finally:
        server.close()
        for task in open_feeds:
            task.cancel()
        _remove(Path(path))


def _remove(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
