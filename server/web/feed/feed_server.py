"""The game server's end of the feed: answers the web at a bounded price.

Questions are answered one at a time. Each one owes a rest, a multiple of the processor time that
the loop used meanwhile. So however much is asked, answering takes at most one part in ``REST + 1``
of the loop, and less when games keep it busy. A little may be owed: a page asks several questions,
and none of them waits for the rest of the one before. The web keeps answers for half a second and
joins equal questions, so that viewers do not notice.
"""

import asyncio
import time  # noqa: TID251  # for what answers take
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

from msgspec import Raw

from ...health.link import LocalLink, Said
from ...health.log import Log
from ...net.private_port import private_server
from . import topics
from .topics import TOPICS, FollowedEvent, LiveState
from .viewers import OVER, GameEvent

PULSE_S: Final = 0.25
REST: Final = 19
"""Resting 19 times as long as an answer took leaves 95 % of the loop to the games."""
SHORTEST_REST_S: Final = 0.001
OWED_S: Final = 0.1
"""How much rest may be owed: 5 ms of answers, as a ladder's page and a bot's ask for."""


async def serve_feed(
    live_state: LiveState, link: LocalLink, log: Log, used: Callable[[], float] = time.thread_time
) -> None:
    """Serve one web process until it closes the connection; return once its orders are done."""
    followed = _FollowedGames(live_state, link)
    async with asyncio.TaskGroup() as tasks:
        pulse = tasks.create_task(_pulse(live_state, link), name="feed pulse")
        try:
            await _answer_all(live_state, link, log, followed, tasks, used)
        finally:
            pulse.cancel()
            followed.clear()
            link.close()


class _FollowedGames:
    """The games whose events the web gets."""

    def __init__(self, live_state: LiveState, link: LocalLink) -> None:
        self._live_state = live_state
        self._link = link
        self._games: dict[str, Callable[[], None]] = {}

    def add(self, game: str) -> None:
        self.discard(game)
        self._games[game] = _nothing
        unfollow = self._live_state.follow(game, partial(self._send, game))
        if game in self._games:  # it may be over already
            self._games[game] = unfollow

    def discard(self, game: str) -> None:
        self._games.pop(game, _nothing)()

    def clear(self) -> None:
        while self._games:
            self._games.popitem()[1]()

    def _send(self, game: str, event: GameEvent) -> None:
        """Send an event, unless the web has stopped reading: it notices the gap."""
        self._link.offer(topics.EVENT, FollowedEvent(game, event.ply, Raw(event.message)))
        if event.ply == OVER:
            del self._games[game]


def _nothing() -> None:
    """End nothing."""


async def _pulse(live_state: LiveState, link: LocalLink) -> None:
    while True:
        link.offer(topics.ABOUT, live_state.about())
        await asyncio.sleep(PULSE_S)


async def _answer_all(
    live_state: LiveState,
    link: LocalLink,
    log: Log,
    followed: _FollowedGames,
    tasks: asyncio.TaskGroup,
    used: Callable[[], float],
) -> None:
    rest, now = Rest(), asyncio.get_running_loop().time
    async for said in link:
        if said.topic == topics.FOLLOW:
            followed.add(said.body)
        elif said.topic == topics.UNFOLLOW:
            followed.discard(said.body)
        elif TOPICS[said.topic].is_order:
            tasks.create_task(_answer(live_state, link, log, said), name="order")
        else:
            began_s = used()
            await _answer(live_state, link, log, said)
            await asyncio.sleep(rest.after(used() - began_s, now=now()))


async def _answer(live_state: LiveState, link: LocalLink, log: Log, question: Said) -> None:
    try:
        await link.answer(question, await live_state.ask(TOPICS[question.topic], question.body))
    except Exception as error:  # noqa: BLE001  # a viewer's question must not end the server
        log.warning("web question failed", topic=question.topic, error=repr(error))
        link.fail(question)


class Rest:
    """How long to rest after an answer."""

    def __init__(self) -> None:
        """Owe nothing."""
        self._paid_at = 0.0

    def after(self, used_s: float, now: float) -> float:
        """Return how long to rest after an answer that took some processor time."""
        self._paid_at = max(self._paid_at, now - used_s) + (REST + 1) * used_s
        return max(SHORTEST_REST_S, self._paid_at - now - OWED_S)


@asynccontextmanager
async def feed_socket(path: str, live_state: LiveState, log: Log) -> AsyncIterator[None]:
    """Serve the feed on a unix socket during the block, to one process at a time."""
    feeds: dict[asyncio.Task[None], LocalLink] = {}

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        if any(each.is_open for each in feeds.values()):
            writer.close()
            return
        link = LocalLink(reader, writer, log, "web process", topics.ASKED)
        task = asyncio.ensure_future(serve_feed(live_state, link, log))
        feeds[task] = link
        task.add_done_callback(feeds.pop)
        log.info("web process connected")
        with suppress(asyncio.CancelledError):
            await task
        log.info("web process gone")

    try:
        async with private_server(path, serve, topics.LONGEST_QUESTION):
            yield
    finally:
        for task in feeds:
            task.cancel()
