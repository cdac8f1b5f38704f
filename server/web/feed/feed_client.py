"""The web's end of the feed: the state of the game server, at most half a second old.

An answer is kept for a moment and given to every viewer who asks the same, and viewers who ask at
the same time wait for one answer. So what the game server is asked depends on how many different
things are looked at, not on how many people look.
"""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Final, TypeVar

from ...health.local_lines import next_message
from ...health.log import Log, NullLog
from ...model.schemas.status import ServerView
from ...model.schemas.views import View
from .feed import FOLLOW, UNFOLLOW, Answer, Question, answer_of, question_line
from .live_state import UnavailableError
from .topics import Topic
from .viewers import MISSED_END, OVER, GameEvent, Receive

A = TypeVar("A", bound=View | None)

KEPT_S: Final = 0.5
SILENT_S: Final = 5.0
"""The game server counts as stuck after this time without a pulse."""
ANSWER_S: Final = 4.0
"""Longer than the read model's own time limits."""
OPEN_QUESTIONS: Final = 128


class FeedError(Exception):
    """The game server failed to answer a question."""


@dataclass(frozen=True, slots=True)
class _KeptAnswer:
    answer: asyncio.Task[bytes]
    until: float


class FeedClient:
    """The state of the game server at the other end of a feed."""

    def __init__(self, log: Log | None = None) -> None:
        self._log = log or NullLog()
        self._loop = asyncio.get_running_loop()
        self._numbers = count(1)
        self._writer: StreamWriter | None = None
        self._open: dict[int, asyncio.Future[bytes]] = {}
        self._kept: dict[tuple[str, str], _KeptAnswer] = {}
        self._followers: dict[str, set[Receive]] = {}
        self._about: ServerView | None = None
        self._heard_at = float("-inf")

    async def run(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Use a connection until the game server closes it."""
        self._writer = writer
        try:
            while answer := await next_message(reader, answer_of, self._log, sender="game server"):
                self._receive(answer)
        finally:
            self._writer = None
            self._heard_at = float("-inf")
            self._kept.clear()
            for game in tuple(self._followers):
                self._publish(game, MISSED_END)
            for question in self._open.values():
                question.cancel()
            writer.close()

    def _receive(self, answer: Answer | ServerView) -> None:
        if isinstance(answer, ServerView):
            self._about = answer
            self._heard_at = self._loop.time()
            return
        if answer.game:
            self._publish(answer.game, GameEvent(answer.ply, bytes(answer.body)))
            return
        waiting = self._open.get(answer.number)
        if waiting is None or waiting.done():
            return
        if answer.failed:
            waiting.set_exception(FeedError("the game server failed; its log has the details"))
        else:
            waiting.set_result(bytes(answer.body))

    def is_alive(self) -> bool:
        """Return whether a pulse arrived in the last seconds."""
        return self._loop.time() - self._heard_at <= SILENT_S

    def about(self) -> ServerView:
        """Return the server's name, version and address."""
        if self._about is None or not self.is_alive():
            raise UnavailableError(f"no sign of life for {SILENT_S:g} s")
        return self._about

    def follow(self, game: str, receive: Receive) -> Callable[[], None]:
        """Call ``receive`` with each move of a game and its end; return what ends that.

        The game server sends each event once, however many follow the game.
        """
        if self._writer is None:
            receive(MISSED_END)
            return lambda: None
        followers = self._followers.setdefault(game, set())
        if not followers:
            self._writer.write(question_line(Question(0, FOLLOW, game)))
        followers.add(receive)
        return partial(self._unfollow, game, receive)

    def _unfollow(self, game: str, receive: Receive) -> None:
        followers = self._followers.get(game, set())
        followers.discard(receive)
        if not followers and self._followers.pop(game, None) is not None and self._writer:
            self._writer.write(question_line(Question(0, UNFOLLOW, game)))

    def _publish(self, game: str, event: GameEvent) -> None:
        for receive in tuple(self._followers.get(game, ())):
            receive(event)
        if event.ply == OVER:
            self._followers.pop(game, None)

    async def ask(self, topic: Topic[A], subject: str = "") -> A:
        """Return the answer to a topic.

        Raises:
            FeedError: when the game server failed.
            UnavailableError: when it does not answer.
        """
        return topic.decode(await self._ask(topic.name, subject))

    async def _ask(self, topic: str, subject: str) -> bytes:
        now = self._loop.time()
        kept = self._kept.get((topic, subject))
        if kept is None or (kept.answer.done() and kept.until <= now):
            self._kept.pop((topic, subject), None)
            self._forget(now)
            answer = asyncio.create_task(self._answer(topic, subject), name=f"feed {topic}")
            kept = self._kept[topic, subject] = _KeptAnswer(answer, now + KEPT_S)
        try:
            return await asyncio.shield(kept.answer)
        except asyncio.CancelledError:
            if kept.answer.cancelled():
                raise UnavailableError("the game server closed the connection") from None
            raise

    def _forget(self, now: float) -> None:
        """Drop the oldest answers that are out of date."""
        while self._kept:
            key = next(iter(self._kept))
            if not self._kept[key].answer.done() or self._kept[key].until > now:
                break
            del self._kept[key]

    async def _answer(self, topic: str, subject: str) -> bytes:
        if self._writer is None or len(self._open) >= OPEN_QUESTIONS:
            raise UnavailableError("not connected" if self._writer is None else "too busy")
        number = next(self._numbers)
        waiting: asyncio.Future[bytes] = self._loop.create_future()
        self._open[number] = waiting
        self._writer.write(question_line(Question(number, topic, subject)))
        try:
            async with asyncio.timeout(ANSWER_S):
                return await waiting
        except TimeoutError:
            raise UnavailableError(f"no answer in {ANSWER_S:g} s") from None
        finally:
            del self._open[number]
