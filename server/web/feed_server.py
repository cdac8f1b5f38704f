"""The game server's end of the feed: answers the web at a bounded price.

Questions are answered one at a time. After each, the server rests for a multiple of the processor
time that its loop used meanwhile. So however much is asked, answering takes at most one part in
``REST + 1`` of the loop, and less when games keep it busy. The web keeps answers for half a second
and joins equal questions, so that viewers do not notice.
"""

from __future__ import annotations

import asyncio
import contextlib
import os  # noqa: TID251  # for the rights of its socket
import stat
import time  # noqa: TID251  # for the CPU time of answers
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path  # noqa: TID251  # the caller names the socket
from typing import Final

from protocol import codec
from server.health.log import Log
from server.model.schemas.views import View
from server.web.feed import (
    LONGEST_QUESTION,
    PULSE_S,
    MetricsText,
    Question,
    Topic,
    answer_line,
    failure_line,
    pulse_line,
)
from server.web.live_state import LiveState

REST: Final = 19
"""Resting 19 times as long as an answer took leaves 95 % of the loop to the games."""
SHORTEST_REST_S: Final = 0.001
MOST_UNREAD: Final = 64 * 1024
"""No pulse is sent to a web process that has not read this many bytes."""


async def serve_feed(
    live_state: LiveState, reader: StreamReader, writer: StreamWriter, log: Log
) -> None:
    """Serve one web process until it closes the connection.

    Args:
        live_state: answers the questions.
        reader: the connection.
        writer: likewise.
        log: receives what could not be answered.
    """
    try:
        async with asyncio.TaskGroup() as tasks:
            pulse = tasks.create_task(_pulse(live_state, writer), name="feed pulse")
            with contextlib.suppress(ConnectionError):
                await _answer_all(live_state, reader, writer, log)
            pulse.cancel()
    finally:
        writer.close()


async def _pulse(live_state: LiveState, writer: StreamWriter) -> None:
    while True:
        if writer.transport.get_write_buffer_size() < MOST_UNREAD:
            writer.write(pulse_line(live_state.about()))
        await asyncio.sleep(PULSE_S)


async def _answer_all(
    live_state: LiveState, reader: StreamReader, writer: StreamWriter, log: Log
) -> None:
    while line := await reader.readline():
        began_s = time.thread_time()
        question = codec.from_json(line, Question)
        try:
            answer = answer_line(question.number, await _answer(live_state, question))
        except Exception as error:  # noqa: BLE001  # a viewer's question must not end the server
            log.warning("web question failed", topic=question.topic, error=repr(error))
            answer = failure_line(question.number)
        writer.write(answer)
        await writer.drain()
        used_s = time.thread_time() - began_s
        await asyncio.sleep(max(SHORTEST_REST_S, REST * used_s))


async def _answer(live_state: LiveState, question: Question) -> View | None:
    if question.topic is Topic.METRICS:
        return MetricsText(text=await live_state.metrics())
    whole: dict[Topic, Callable[[], Awaitable[View]]] = {
        Topic.LADDERS: live_state.ladders,
        Topic.TERMS: live_state.terms,
        Topic.OPPONENTS: live_state.opponents,
        Topic.READINESS: live_state.readiness,
    }
    about: dict[Topic, Callable[[str], Awaitable[View | None]]] = {
        Topic.LIVE: live_state.live,
        Topic.PRESENCE: live_state.presence,
        Topic.STANDINGS: live_state.standings,
        Topic.RESTS_ON: live_state.rests_on,
        Topic.SUPERIORITY: live_state.superiority,
    }
    if question.topic in whole:
        return await whole[question.topic]()
    return await about[question.topic](question.name)


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

    with _only_for_this_user():
        server = await asyncio.start_unix_server(serve, path, limit=LONGEST_QUESTION)  # noqa: TID251  # the way to a web process of its own, which a simulated server doesn't have
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


@contextlib.contextmanager
def _only_for_this_user() -> Iterator[None]:
    before = os.umask(stat.S_IRWXG | stat.S_IRWXO)
    try:
        yield
    finally:
        os.umask(before)
