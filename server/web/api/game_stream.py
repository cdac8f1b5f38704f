"""A running game as server-sent events: a snapshot, then each move, then the end.

A stream ends after a while, and the browser opens the next one by itself. So a viewer that has
stopped reading holds its connection for no longer than a request may take.
"""

import asyncio
from asyncio import Queue
from collections.abc import AsyncIterator
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from mancala.protocol import codec

from ...net.limits.costs import HTTP_QUERY
from ..feed import topics
from ..feed.topics import LiveState, UnavailableError
from ..feed.viewers import OVER, GameEvent
from ..http.budgets import HttpBudgets

STREAM_S: Final = 12.0
"""Less than a request may take on a connection."""
SNAPSHOT_AGAIN_S: Final = 0.5
"""An answer of the game server is kept for that long."""
MOST_WAITING: Final = 256
"""Moves that wait for a viewer; one that misses more takes another snapshot."""
EVENT_STREAM: Final = "text/event-stream"
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
BEGIN: Final = b"retry: 250\n"
"""Part of the first event: some clients take a block without data for an event."""


def game_streams(root: str, live_state: LiveState, budgets: HttpBudgets) -> list[Route]:

    async def send(request: Request) -> Response:
        await budgets.pay(request.scope, HTTP_QUERY)
        events = stream(live_state, request.path_params["game"])
        return StreamingResponse(events, headers=HEADERS, media_type=EVENT_STREAM)

    return [Route(f"{root}/games/{{game}}/events", send)]


async def stream(live_state: LiveState, game: str) -> AsyncIterator[bytes]:
    """Yield a game's events for a while, as lines of the stream."""
    waiting: Queue[GameEvent] = Queue(MOST_WAITING)

    def receive(event: GameEvent) -> None:
        if not waiting.full():
            waiting.put_nowait(event)

    unfollow = live_state.follow(game, receive)
    try:
        yield BEGIN
        async for line in _lines(live_state, game, waiting):
            yield line
    except UnavailableError:
        return
    finally:
        unfollow()


async def _lines(
    live_state: LiveState, game: str, waiting: Queue[GameEvent]
) -> AsyncIterator[bytes]:
    until = asyncio.get_running_loop().time() + STREAM_S
    known = -1
    while (live := await live_state.ask(topics.LIVE, game)) is not None:
        if len(live.moves) > known:
            known = len(live.moves)
            yield _line(b"live", codec.to_json(live))
        while (event := await _next(waiting, until)) is not None and event.ply <= known:
            if event.ply == OVER:
                yield _line(b"over", event.message)
                return
            if event.ply == known:
                known += 1
                yield _line(b"moved", event.message)
        if event is None:
            return
        await asyncio.sleep(SNAPSHOT_AGAIN_S)  # a move was missed: the snapshot was too old
    yield _line(b"over", b"null")


async def _next(waiting: Queue[GameEvent], until: float) -> GameEvent | None:
    try:
        async with asyncio.timeout_at(until):
            return await waiting.get()
    except TimeoutError:
        return None


def _line(kind: bytes, data: bytes) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (kind, data)
