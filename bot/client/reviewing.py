"""Review finished games for a match server: take one, assess it, send it back, and so on.

A reviewer keeps nothing: the server gives the game of a lost connection to another one, and this
end comes back with a new session, waiting longer each time.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator

from websockets.asyncio.client import ClientConnection

from mancala.protocol import messages as wire
from mancala.protocol.review import ReviewWork

from .errors import RefusedError
from .link import LARGEST_FRAME, ClientLink, ungrouped
from .reconnect import (
    DEFAULT_DELAYS,
    Delays,
    Retries,
    dial,
    expect_address,
    is_passing,
    pause,
    stopping,
)

WELCOME_TIMEOUT_S = 30.0

Assess = Callable[[wire.ReviewWanted], Awaitable[ReviewWork]]
"""Reviews a game."""


async def review_games(  # noqa: PLR0913  # one call holds all options of a reviewer
    url: str,
    assess: Assess,
    *,
    name: str,
    token: str | None,
    version: int,
    agent: wire.Agent | None = None,
    games: int | None = None,
    stop: asyncio.Event | None = None,
    delays: Delays = DEFAULT_DELAYS,
    patience_s: float = 30.0,
    reviewed: Callable[[str, ReviewWork], None] = lambda _game, _work: None,
    logger: logging.Logger | None = None,
) -> int:
    """Review games until a number of them is done; errors are those of `mancala.run`.

    Args:
        url: the server's address: ``ws://…``, ``wss://…``, or ``ws+unix://PATH``.
        assess: reviews a game; it runs while the connection is served.
        name: the reviewer's name on the server.
        token: a credential of that name with the right to review; None for one that the server
            itself runs.
        version: the version of the way of reviewing.
        agent: the program behind the name.
        games: leave after this many games; None to stay.
        stop: once set, the reviewer leaves. Without an event, SIGTERM or SIGINT does the same.
        delays: returns the waits between attempts to connect, in seconds.
        patience_s: seconds to keep trying before the first welcome.
        reviewed: called with each game and the work sent.
        logger: receives warnings.

    Returns:
        How many games were reviewed.
    """
    expect_address(url)
    hello = wire.Hello(wire.VERSION, name, token=token, agent=agent)
    logger = logger or logging.getLogger("mancala.reviewer")
    work = _Work(assess, version, games, reviewed, logger)
    retries = Retries(url, delays, patience_s, logger)
    with stopping(stop) as stopped:
        while not (work.is_done or stopped.is_set()):
            try:
                wait_s = await _connect(url, hello, work, retries, stopped)
            except Exception as error:  # noqa: BLE001  # raised again unless it passes
                # The server may still know our dead connection.
                is_ghost = isinstance(error, RefusedError) and error.code is wire.ErrorCode.BAD_NAME
                passes = is_passing(error) or (is_ghost and retries.was_welcome)
                wait_s = retries.wait_after(error, passes=passes)
            if not work.is_done:
                await pause(wait_s, stopped)
    return work.done


class _Work:
    """What outlives a connection: how to review, and how many games are done."""

    def __init__(
        self,
        assess: Assess,
        version: int,
        games: int | None,
        reviewed: Callable[[str, ReviewWork], None],
        logger: logging.Logger,
    ) -> None:
        self.version = version
        self.logger = logger
        self.done = 0
        self._assess = assess
        self._games = games
        self._reviewed = reviewed

    @property
    def is_done(self) -> bool:
        return self._games is not None and self.done >= self._games

    async def review(self, wanted: wire.ReviewWanted, link: ClientLink) -> None:
        work = await self._assess(wanted)
        link.send(*parts_of(wanted.game, work))
        self.done += 1
        self._reviewed(wanted.game, work)


async def _connect(
    url: str, hello: wire.Hello, work: _Work, retries: Retries, stop: asyncio.Event
) -> float:
    """Hold one connection; return the seconds after which to come back."""
    async with dial(url, max_size=LARGEST_FRAME) as socket:
        link = ClientLink(socket, work.logger)
        wanted: asyncio.Queue[wire.ReviewWanted] = asyncio.Queue()

        async def review() -> None:
            while not work.is_done:
                await work.review(await wanted.get(), link)
            await _leave(link, socket)

        async def leave_at_stop() -> None:
            await stop.wait()
            await _leave(link, socket)

        link.send(hello)
        try:
            with ungrouped():
                async with asyncio.TaskGroup() as tasks:
                    running = [
                        tasks.create_task(review(), name="review"),
                        tasks.create_task(leave_at_stop(), name="wait for stop"),
                    ]
                    await _listen(link, wanted, work)
                    for task in running:
                        task.cancel()
        finally:
            retries.note_end(was_welcome=link.is_welcome)
    return link.back_after_s or 0.0


async def _leave(link: ClientLink, socket: ClientConnection) -> None:
    link.send(wire.Goodbye())
    await socket.close()


async def _listen(link: ClientLink, wanted: asyncio.Queue[wire.ReviewWanted], work: _Work) -> None:
    async with asyncio.timeout(WELCOME_TIMEOUT_S) as welcoming:
        async for message in link.messages():
            match message:
                case wire.Welcome():
                    welcoming.reschedule(None)
                    link.send(wire.OfferReviews(work.version))
                case wire.ReviewWanted():
                    wanted.put_nowait(message)
                case wire.Error(code=wire.ErrorCode.FORBIDDEN):
                    raise RefusedError(message.code, message.message)
                case wire.Error():
                    work.logger.warning(
                        "game %s: %s (%s)", message.ref, message.message, message.code
                    )


def parts_of(game: str, work: ReviewWork) -> Iterator[wire.Review]:
    """Yield the messages that bring a game's review to the server."""
    plies = tuple(work.assessments)
    starts = range(0, len(plies), wire.ASSESSMENTS) or range(1)
    for start in starts:
        end = start + wire.ASSESSMENTS
        yield wire.Review(
            game, plies[start:end], engine=work.engine, seconds=work.seconds, more=end < len(plies)
        )
