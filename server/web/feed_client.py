"""The web's end of the feed: the state of the game server, at most half a second old.

An answer is kept for a moment and given to every viewer who asks the same, and viewers who ask at
the same time wait for one answer. So what the game server is asked depends on how many different
things are looked at, not on how many people look.
"""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from dataclasses import dataclass
from itertools import count
from typing import Final, TypeVar

from protocol import codec
from server.model.schemas.bots import BotPresence, OpponentList, RatingBases
from server.model.schemas.games import LiveGame
from server.model.schemas.ladders import LadderList, StandingsView, SuperiorityView, TermsView
from server.model.schemas.status import Readiness, ServerView
from server.model.schemas.views import View
from server.web.feed import Answer, MetricsText, Question, Topic, question_line
from server.web.live_state import UnavailableError

V = TypeVar("V", bound=View)

KEPT_S: Final = 0.5
SILENT_S: Final = 5.0
"""The game server counts as stuck after this time without a pulse."""
ANSWER_S: Final = 4.0
"""Longer than the read model's own time limits."""
OPEN_QUESTIONS: Final = 128
NOTHING: Final = b"null"


class FeedError(Exception):
    """The game server failed to answer a question."""


@dataclass(frozen=True, slots=True)
class _Kept:
    answer: asyncio.Task[bytes]
    until: float


class FeedClient:
    """The state of the game server at the other end of a feed."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._numbers = count(1)
        self._writer: StreamWriter | None = None
        self._open: dict[int, asyncio.Future[bytes]] = {}
        self._kept: dict[tuple[Topic, str], _Kept] = {}
        self._about: ServerView | None = None
        self._heard_at = float("-inf")

    async def run(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Use a connection until the game server closes it."""
        self._writer = writer
        try:
            while line := await reader.readline():
                self._receive(codec.from_json(line, Answer))
        except ConnectionError:
            pass
        finally:
            self._writer = None
            self._heard_at = float("-inf")
            self._kept.clear()
            for question in self._open.values():
                question.cancel()
            writer.close()

    def _receive(self, answer: Answer) -> None:
        if answer.number == 0:
            self._about = codec.from_json(bytes(answer.body), ServerView)
            self._heard_at = self._loop.time()
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

    async def live(self, game: str) -> LiveGame | None:
        """Return a running game; None when no such game is running."""
        return _view_or_none(await self._ask(Topic.LIVE, game), LiveGame)

    async def presence(self, name: str) -> BotPresence:
        """Return whether a bot is connected, and its games."""
        return codec.from_json(await self._ask(Topic.PRESENCE, name), BotPresence)

    async def ladders(self) -> LadderList:
        """Return the ladders."""
        return codec.from_json(await self._ask(Topic.LADDERS), LadderList)

    async def terms(self) -> TermsView:
        """Return the terms of the server and its ladders."""
        return codec.from_json(await self._ask(Topic.TERMS), TermsView)

    async def opponents(self) -> OpponentList:
        """Return the connected bots that take challenges."""
        return codec.from_json(await self._ask(Topic.OPPONENTS), OpponentList)

    async def standings(self, ladder: str) -> StandingsView | None:
        """Return a ladder's standings; None when there is no such ladder."""
        return _view_or_none(await self._ask(Topic.STANDINGS, ladder), StandingsView)

    async def rests_on(self, bot: str) -> RatingBases:
        """Return what a bot's ratings rest on, in all ladders."""
        return codec.from_json(await self._ask(Topic.RESTS_ON, bot), RatingBases)

    async def superiority(self, ladder: str) -> SuperiorityView | None:
        """Return who of a ladder's best is stronger than whom; None without such a ladder."""
        return _view_or_none(await self._ask(Topic.SUPERIORITY, ladder), SuperiorityView)

    async def readiness(self) -> Readiness:
        """Return whether the store takes writes, and the broker's state."""
        return codec.from_json(await self._ask(Topic.READINESS), Readiness)

    async def metrics(self) -> str:
        """Return the game server's metrics, in Prometheus's text format."""
        return codec.from_json(await self._ask(Topic.METRICS), MetricsText).text

    async def _ask(self, topic: Topic, name: str = "") -> bytes:
        now = self._loop.time()
        kept = self._kept.get((topic, name))
        if kept is None or (kept.answer.done() and kept.until <= now):
            self._kept.pop((topic, name), None)
            self._forget(now)
            answer = asyncio.create_task(self._answer(topic, name), name=f"feed {topic}")
            kept = self._kept[topic, name] = _Kept(answer, now + KEPT_S)
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

    async def _answer(self, topic: Topic, name: str) -> bytes:
        if self._writer is None or len(self._open) >= OPEN_QUESTIONS:
            raise UnavailableError("not connected" if self._writer is None else "too busy")
        number = next(self._numbers)
        waiting: asyncio.Future[bytes] = self._loop.create_future()
        self._open[number] = waiting
        self._writer.write(question_line(Question(number, topic, name)))
        try:
            async with asyncio.timeout(ANSWER_S):
                return await waiting
        except TimeoutError:
            raise UnavailableError(f"no answer in {ANSWER_S:g} s") from None
        finally:
            del self._open[number]


def _view_or_none(body: bytes, kind: type[V]) -> V | None:
    return None if body == NOTHING else codec.from_json(body, kind)
