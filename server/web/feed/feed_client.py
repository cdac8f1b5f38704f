"""The web's end of the feed: the state of the game server, at most half a second old.

An answer is kept for a moment and given to every viewer who asks the same, and viewers who ask at
the same time wait for one answer. So what the game server is asked depends on how many different
things are looked at, not on how many people look.
"""

import asyncio
from collections.abc import Callable, Hashable
from functools import partial
from typing import Final, TypeVar

from ...health.link import AnswerFailedError, LinkLostError, LocalLink
from ...model.schemas.status import ServerView
from ...model.schemas.views import View
from . import topics
from .kept_answers import KeptAnswers
from .topics import Topic, UnavailableError
from .viewers import MISSED_END, OVER, GameEvent, Receive

A = TypeVar("A", bound=View | None)

KEPT_S: Final = 0.5
SILENT_S: Final = 5.0
"""The game server counts as stuck after this time without a pulse."""
ANSWER_S: Final = 4.0
"""Longer than the read model's own time limits."""
ORDER_S: Final = 8.0
"""Longer than an order waits for others; one without an answer may be carried out later."""
OPEN_QUESTIONS: Final = 128


class FeedClient:
    """The state of the game server at the other end of a feed."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._link: LocalLink | None = None
        self._kept: KeptAnswers[bytes] = KeptAnswers(KEPT_S)
        self._followers: dict[str, set[Receive]] = {}
        self._about: ServerView | None = None
        self._heard_at = float("-inf")

    async def run(self, link: LocalLink) -> None:
        """Use a link until the game server closes it."""
        self._link = link
        try:
            async for topic, body, _ in link:
                if topic == topics.ABOUT:
                    self._about, self._heard_at = body, self._loop.time()
                else:
                    self._publish(body.game, GameEvent(body.ply, bytes(body.message)))
        finally:
            self._link = None
            self._heard_at = float("-inf")
            self._kept.clear()
            for game in tuple(self._followers):
                self._publish(game, MISSED_END)
            link.close()

    def is_alive(self) -> bool:
        """Return whether a pulse arrived in the last seconds."""
        return self._loop.time() - self._heard_at <= SILENT_S

    def about(self) -> ServerView:
        if self._about is None or not self.is_alive():
            raise UnavailableError(f"no sign of life for {SILENT_S:g} s")
        return self._about

    def follow(self, game: str, receive: Receive) -> Callable[[], None]:
        if self._link is None:
            receive(MISSED_END)
            return lambda: None
        followers = self._followers.setdefault(game, set())
        if not followers:
            self._link.tell(topics.FOLLOW, game)
        followers.add(receive)
        return partial(self._unfollow, game, receive)

    def _unfollow(self, game: str, receive: Receive) -> None:
        followers = self._followers.get(game, set())
        followers.discard(receive)
        if not followers and self._followers.pop(game, None) is not None and self._link:
            self._link.tell(topics.UNFOLLOW, game)

    def _publish(self, game: str, event: GameEvent) -> None:
        for receive in tuple(self._followers.get(game, ())):
            receive(event)
        if event.ply == OVER:
            self._followers.pop(game, None)

    async def ask(self, topic: Topic[A], subject: Hashable = "") -> A:
        if topic.is_order:
            return topic.decode(await self._answer(topic.name, subject, ORDER_S))
        answering = partial(self._answer, topic.name, subject, ANSWER_S)
        return topic.decode(await self._kept.get((topic.name, subject), answering))

    async def _answer(self, topic: str, subject: Hashable, answer_s: float) -> bytes:
        if self._link is None or self._link.questions >= OPEN_QUESTIONS:
            raise UnavailableError("not connected" if self._link is None else "too busy")
        try:
            async with asyncio.timeout(answer_s):
                return await self._link.ask(topic, subject)
        except TimeoutError:
            raise UnavailableError(f"no answer in {answer_s:g} s") from None
        except (AnswerFailedError, LinkLostError) as error:
            raise UnavailableError(str(error)) from None
