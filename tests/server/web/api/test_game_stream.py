"""A running game as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from mancala.protocol.messages import MatchOver, Move, Moved, Turn
from mancala.server.web.api import game_stream
from mancala.server.web.api.game_stream import stream
from mancala.server.web.feed.viewers import OVER, GameEvent, Receive
from tests.patience import PATIENCE_S, WALK_S
from tests.server.web.seen import seen


async def events(response: httpx.Response) -> AsyncIterator[tuple[str, Any]]:
    kind = ""
    async for line in response.aiter_lines():
        name, _, value = line.partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            yield kind, json.loads(value)


async def test_a_viewer_sees_each_move_and_the_end(tmp_path: Path) -> None:
    """The snapshot first; one spectator sits at the table for two viewers."""
    async with asyncio.timeout(WALK_S), seen(tmp_path) as looking:
        ann, bob = await looking.arena.pair("ann", "bob")
        turn = await ann.hear(Turn)
        path = f"/api/v1/games/{turn.game}/events"
        async with looking.http.stream("GET", path) as one, looking.http.stream("GET", path) as two:
            assert one.headers["Content-Type"].startswith("text/event-stream")
            first, second = events(one), events(two)
            for each in (first, second):
                kind, live = await anext(each)
                assert (kind, live["moves"]) == ("live", [])
            await ann.say(Move(turn.game, turn.ply, turn.legal[0]))
            moved = await ann.hear(Moved)
            for each in (first, second):
                kind, message = await anext(each)
                assert (kind, message["ply"], message["pit"]) == ("moved", moved.ply, moved.pit)
            await asyncio.gather(ann.play_until(MatchOver), bob.play_until(MatchOver))
            assert [kind async for kind, _ in first][-1] == "over"
            assert [kind async for kind, _ in second][-1] == "over"


async def test_a_game_that_is_not_played_is_over(tmp_path: Path) -> None:
    """The page then asks for its record."""
    async with (
        seen(tmp_path) as looking,
        looking.http.stream("GET", "/api/v1/games/ffff/events") as answer,
    ):
        assert [event async for event in events(answer)] == [("over", None)]


async def test_each_block_of_a_stream_has_data(tmp_path: Path) -> None:
    """So a client that takes each block for an event, as httpx-sse 0.4.3 does, reads JSON."""
    async with seen(tmp_path) as looking:
        answer = await looking.http.get("/api/v1/games/ffff/events")
    blocks = answer.text.split("\n\n")
    assert blocks.pop() == ""
    assert all("\ndata: " in block for block in blocks)


class LateSnapshots:
    """A server whose snapshots are behind its events."""

    receive: Receive

    def __init__(self, *plies: int) -> None:
        self.plies = list(plies)

    def follow(self, _game: str, receive: Receive) -> Callable[[], None]:
        self.receive = receive
        return lambda: None

    async def ask(self, _topic: object, _game: str) -> Any:  # noqa: ANN401  # what has moves
        return Snapshot(self.plies.pop(0))


class Snapshot(dict[str, int]):
    """As much of a live game as a stream looks at."""

    def __init__(self, plies: int) -> None:
        super().__init__(plies=plies)
        self.moves = range(plies)


async def test_a_missed_move_brings_another_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves that a snapshot has already are left out."""
    monkeypatch.setattr(game_stream, "SNAPSHOT_AGAIN_S", 0.0)
    scripted: Any = LateSnapshots(2, 4)
    lines = stream(scripted, "g")
    got = [await anext(lines), await anext(lines)]
    for ply in (1, 3, 3, 4, OVER):
        scripted.receive(GameEvent(ply, b"%d" % ply))
    got += [line async for line in lines]
    assert [line.split(b"\n")[:2] for line in got[1:]] == [
        [b"event: live", b'data: {"plies":2}'],
        [b"event: live", b'data: {"plies":4}'],
        [b"event: moved", b"data: 4"],
        [b"event: over", b"data: -1"],
    ]


async def test_a_stream_ends_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser opens the next one."""
    monkeypatch.setattr(game_stream, "STREAM_S", 0.01)
    scripted: Any = LateSnapshots(0)
    async with asyncio.timeout(PATIENCE_S):
        assert len([line async for line in stream(scripted, "g")]) == 2
