"""Asking a server what there is, and submitting an event to it."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from mancala.bot.client.errors import (
    ConnectionFailedError,
    RefusedError,
    ServerFaultError,
    ServerLeftError,
    WrongCallError,
)
from mancala.bot.client.requests import (
    list_bots,
    list_games,
    list_ladders,
    next_matches,
    submit_event,
)
from mancala.bot.client.reviewing import review_games
from mancala.bot.client.run import run
from mancala.protocol import messages as wire
from mancala.protocol.submission import document_of
from mancala.server.config.ladders import LadderSettings
from mancala.server.lobby.submissions import key_of
from mancala.server.model.credentials import Rights
from mancala.server.store.rows.tokens import issue
from tests.bot.client.scripted_server import ServerEnd, scripted_server
from tests.protocol.test_submission import MATCH
from tests.server.peers import arena


@pytest.mark.parametrize(
    ("url", "why"),
    [
        (print, "^the address comes first, as a text; this is a builtin_function_or_method$"),
        ("http://h:1", "^'http://h:1' is not the address of a match server; it begins with ws://"),
    ],
)
async def test_what_is_no_address_is_refused_as_run_refuses_it(url: Any, why: str) -> None:  # noqa: ANN401  # as a caller may give it
    """It was an AttributeError, or a word about proxies."""
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: list_ladders(url, name="eve"),
        lambda: list_bots(url, name="eve"),
        lambda: list_games(url, name="eve"),
        lambda: next_matches(url, "ann", name="eve"),
        lambda: submit_event(url, "{}", submission="it", name="eve", token=None),
        lambda: review_games(url, AsyncMock(), name="eve", token=None, version=1),
        lambda: run(url, AsyncMock(), name="eve"),
    ]
    for call in calls:
        with pytest.raises(WrongCallError, match=why):
            await call()


async def test_a_server_tells_its_ladders_bots_and_games(tmp_path: Path) -> None:
    """Each in one call; the asker is not among the bots."""
    async with arena(tmp_path, ladder=(LadderSettings(name="main"),)) as running:
        for peer in await running.pair("ann", "bob"):
            await peer.hear(wire.GameStart)
        (ladder,) = await list_ladders(running.url, name="eve")
        bots = await list_bots(running.url, name="eve")
        (game,) = await list_games(running.url, name="eve")
        (match,) = await next_matches(running.url, "ann", name="eve")
    assert (match.origin, match.opponent) == ("match", "bob")
    assert (ladder.ladder, ladder.guests) == ("main", True)
    assert [(bot.name, bot.playing) for bot in bots] == [("ann", 1), ("bob", 1)]
    assert sorted(game.names) == ["ann", "bob"]


AT = "2026-01-01T00:00:00.000Z"
DOCUMENT = document_of(MATCH)
CALLS: dict[type[wire.Message], Callable[[str], Awaitable[object]]] = {
    wire.List: partial(list_bots, name="eve"),
    wire.Submit: lambda url: submit_event(url, DOCUMENT, submission="n", name="lab", token=None),
}


@pytest.mark.parametrize(
    ("asked", "answer", "error"),
    [
        (wire.List, wire.Error(wire.ErrorCode.UNKNOWN_TYPE, "?", fatal=False), ServerFaultError),
        (wire.List, wire.Error(wire.ErrorCode.SHUTTING_DOWN, "no", fatal=True), RefusedError),
        (wire.Submit, wire.Error(wire.ErrorCode.UNKNOWN_TYPE, "?", fatal=False), ServerFaultError),
        (wire.Submit, wire.Error(wire.ErrorCode.LIMIT, "long", fatal=False), RefusedError),
        (wire.Submit, wire.Goodbye("closing"), ServerLeftError),
    ],
)
async def test_a_server_that_does_not_list_or_take_it_is_named(
    asked: type[wire.Message], answer: wire.Message, error: type[Exception]
) -> None:
    """One that is too old, refuses, or is stopping."""

    async def script(end: ServerEnd) -> None:
        await end.welcome()
        await end.hear(asked)
        await end.say(answer)

    async with scripted_server(script) as url:
        with pytest.raises(error):
            await CALLS[asked](url)


async def test_pages_are_put_together() -> None:
    """The next one is asked for by what the last one says."""

    async def script(end: ServerEnd) -> None:
        await end.welcome()
        assert (await end.hear(wire.List)).after is None
        await end.say(wire.Listing(wire.Listable.BOTS, bots=(wire.ListedBot("ann"),), next="ann"))
        assert (await end.hear(wire.List)).after == "ann"
        await end.say(
            wire.Listing(wire.Listable.BOTS, bots=(wire.ListedBot("bob"), wire.ListedBot("eve")))
        )

    async with scripted_server(script) as url:
        assert [bot.name for bot in await list_bots(url, name="eve")] == ["ann", "bob"]


async def test_a_server_that_is_not_there_is_named() -> None:
    """With its address, whatever is asked of it."""
    with pytest.raises(ConnectionFailedError, match=r"ws://127\.0\.0\.1:9"):
        await list_games("ws://127.0.0.1:9", name="eve")
    with pytest.raises(ConnectionFailedError, match=r"ws://127\.0\.0\.1:9"):
        await submit_event("ws://127.0.0.1:9", DOCUMENT, submission="n", name="lab", token=None)


async def test_a_server_stores_what_is_submitted(tmp_path: Path) -> None:
    """The answer is its key on the page; a server that refuses it says why."""
    async with arena(tmp_path) as running:
        token = await running.server.store.run(issue, "lab", AT, Rights(is_submitter=True))
        url, other = running.url, await running.server.store.run(issue, "bot", AT)
        key = await submit_event(url, DOCUMENT, submission="n", name="lab", token=token)
        with pytest.raises(RefusedError, match="--submitter"):
            await submit_event(url, DOCUMENT, submission="n", name="bot", token=other)
    assert key == key_of("lab", "n")
