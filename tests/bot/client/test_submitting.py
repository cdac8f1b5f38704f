"""Submitting an event to a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from mancala.bot.client.errors import (
    ClientError,
    ConnectionFailedError,
    RefusedError,
    ServerFaultError,
    ServerLeftError,
)
from mancala.bot.client.requests import submit_event
from mancala.protocol.messages import Error, ErrorCode, Goodbye, Message, Submit
from mancala.protocol.submission import document_of
from mancala.server.lobby.submissions import key_of
from mancala.server.model.credentials import Rights
from tests.bot.client.scripted_server import ServerEnd, scripted_server
from tests.protocol.test_submission import MATCH
from tests.server.peers import arena

AT = "2026-01-01T00:00:00.000Z"
DOCUMENT = document_of(MATCH)


async def test_a_server_stores_what_is_submitted(tmp_path: Path) -> None:
    """The answer is its key on the page; a server that refuses it says why."""
    async with arena(tmp_path) as running:
        token = await running.server.store.issue_token("lab", AT, Rights(is_submitter=True))
        url, other = running.url, await running.server.store.issue_token("bot", AT)
        key = await submit_event(url, DOCUMENT, submission="n", name="lab", token=token)
        with pytest.raises(RefusedError, match="--submitter"):
            await submit_event(url, DOCUMENT, submission="n", name="bot", token=other)
    assert key == key_of("lab", "n")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Error(ErrorCode.UNKNOWN_TYPE, "submit?", fatal=False), ServerFaultError),
        (Error(ErrorCode.LIMIT, "too long", fatal=False), RefusedError),
        (Goodbye("closing"), ServerLeftError),
    ],
)
async def test_a_server_that_does_not_take_it_is_named(
    answer: Message, error: type[ClientError]
) -> None:
    """One that is too old, refuses, or is stopping."""

    async def script(end: ServerEnd) -> None:
        await end.welcome()
        await end.hear(Submit)
        await end.say(answer)

    async with scripted_server(script) as url:
        with pytest.raises(error):
            await submit_event(url, DOCUMENT, submission="n", name="lab", token="t")  # noqa: S106  # no secret


async def test_a_server_that_is_not_there_is_named() -> None:
    """With its address."""
    with pytest.raises(ConnectionFailedError, match=r"ws://127\.0\.0\.1:9"):
        await submit_event("ws://127.0.0.1:9", DOCUMENT, submission="n", name="lab", token=None)
