"""The web process of some worlds, over the restarts of its server, and a visitor of its page.

It is at the far end of a pipe, as one that runs on its own is at the game server's socket. The pipe
is lost at times, and with each server. Both ends of the feed are the product's; the visitor looks
where bots play, and follows their games.
"""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from mancala.protocol import codec
from mancala.server.web.feed import topics
from mancala.server.web.feed.feed_client import FeedClient
from mancala.server.web.feed.topics import (
    LONGEST_ANSWER,
    LONGEST_QUESTION,
    TOLD,
    UnavailableError,
    WebHandover,
)
from mancala.server.web.feed.viewers import OVER, GameEvent
from tests.simulate.child_process import ChildSetup, PipeEnd, link_over, pipe_of
from tests.simulate.plan import PAGE
from tests.simulate.promises import NOTICED_S, Promise, broken
from tests.simulate.server_run import ServerRun
from tests.simulate.trace import PlainLog, RareEvent, Trace

OPEN: Final = 0.3
"""The share of worlds that have one."""
LOOK_S: Final = 1.0
"""Mean time between two looks of the visitor."""
RETRY_S: Final = 0.5
LOST_S: Final = (3.0, 30.0)
"""Time between two losses of the pipe: the least and the most."""


class Visited(ChildSetup, Protocol):
    """What a visitor needs of its world."""

    @property
    def games(self) -> tuple[str, ...]: ...
    @property
    def bot_names(self) -> tuple[str, ...]: ...


class Fed(Visited, Protocol):
    """What a page needs of its world besides."""

    @property
    def server_run(self) -> ServerRun | None: ...


@dataclass(slots=True)
class Follow:
    """A game that is followed: its last ply that was told, and since when it is over."""

    ply: int | None = None
    over_since: float | None = None


class PageVisitor:
    """One who looks where bots play, and follows their games.

    Attributes:
        end: the web process's end of its pipe; None while it has none.
    """

    def __init__(
        self, world: Visited, client: FeedClient, rng: random.Random, served: Callable[[], None]
    ) -> None:
        """Look at nothing yet; ``served`` is called with each answer."""
        self.end: PipeEnd | None = None
        self._world = world
        self._client = client
        self._rng = rng
        self._served = served
        self._follows: dict[str, Follow] = {}

    async def visit(self) -> None:
        while True:
            await asyncio.sleep(self._rng.expovariate(1 / LOOK_S))
            end = self.end
            if end is None:
                continue
            self._check()
            try:
                bot = self._rng.choice(self._world.bot_names)
                found = await self._client.ask(topics.PRESENCE, bot)
            except UnavailableError as error:
                if self.end is end and not end.is_closing():
                    broken(Promise.SERVED, str(error))
                continue
            self._served()
            for game in found.playing:
                if game not in self._follows and self.end is end:
                    self._follows[game] = Follow()
                    self._client.follow(game, partial(self._receive, game))

    def _receive(self, game: str, event: GameEvent) -> None:
        follow = self._follows.get(game)
        if follow is None:
            return
        if event.ply == OVER:
            del self._follows[game]
        elif follow.ply not in {None, event.ply - 1}:
            broken(Promise.FOLLOWED, f"move {event.ply} of {game} after move {follow.ply}")
        else:
            follow.ply = event.ply

    def _check(self) -> None:
        """Check that the ends of games were told which are over for a while."""
        running, now = self._world.games, self._world.trace.now()
        for game, follow in self._follows.items():
            if game in running:
                follow.over_since = None
            elif follow.over_since is None:
                follow.over_since = now
            elif now - follow.over_since > NOTICED_S:
                broken(Promise.FOLLOWED, f"the end of {game} was not told")


class SimulatedPage:
    """The page of a world, if it has one, and its visitor; what it draws changes nothing else."""

    def __init__(self, world: Fed) -> None:
        self._world = world
        self._rng = random.Random(f"page {world.plan.seed}")
        self._is_open = self._rng.random() < OPEN
        self.plan, self.later = world.plan, world.later
        self.trace = Trace(self._rng, world.trace.now)
        self._client = FeedClient()
        self._visitor = PageVisitor(world, self._client, self._rng, lambda: None)

    @property
    def is_calm(self) -> bool:
        return self._world.is_calm

    def begin(self) -> None:
        if self._is_open:
            running = self._connect(), self._visitor.visit()
            self._tasks = [asyncio.create_task(each) for each in running]
            for task in self._tasks:
                task.add_done_callback(report)
            self._lose_later()

    async def _connect(self) -> None:
        log = PlainLog(self._world.trace)
        while True:
            run = self._world.server_run
            if run is not None and run.is_up and not run.is_over:
                here, end = pipe_of(self, LONGEST_QUESTION, LONGEST_ANSWER)
                self._visitor.end = end
                run.feed(here)
                await self._client.run(link_over(end, log, "game server", TOLD))
                self._visitor.end = None
            await asyncio.sleep(RETRY_S)

    def _lose_later(self) -> None:
        if PAGE not in self.plan.without:
            self.later(self._rng.uniform(*LOST_S), self._lose)

    def _lose(self) -> None:
        if self._visitor.end is not None and not self.is_calm:
            self._world.trace.count(RareEvent.PAGE_LOST)
            self._visitor.end.close()
        self._lose_later()


async def serve_visitor(
    world: Visited, end: PipeEnd, served: Callable[[WebHandover], None]
) -> None:
    """Do the work of a web process, which one visitor looks at; ``served`` hears of answers."""
    handover = codec.from_json(await end.reader.readline(), WebHandover)
    client = FeedClient()
    visitor = PageVisitor(world, client, world.trace.rng, lambda: served(handover))
    visitor.end = end
    visiting = asyncio.create_task(visitor.visit())
    visiting.add_done_callback(report)
    try:
        await client.run(link_over(end, PlainLog(world.trace), "game server", TOLD))
    finally:
        visiting.cancel()


def report(task: asyncio.Task[None]) -> None:
    """Raise what ended a task, in a callback, so that its world notes it."""
    if not task.cancelled():
        task.result()
