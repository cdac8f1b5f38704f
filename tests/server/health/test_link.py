"""The wire between a server and its children, however its lines end."""

import asyncio
import socket
from asyncio import StreamReader
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import Mock

import pytest

from mancala.server.health.link import (
    MOST_UNREAD,
    AnswerFailedError,
    LinkLostError,
    LocalLink,
    Said,
)
from mancala.server.net.event_loop import loop_factory
from mancala.server.publish.publishing import ASKED, TOLD
from mancala.server.web.feed import topics
from tests.patience import PATIENCE_S
from tests.server.fakes import KeptLog

LIMIT = 64
HEARS = {"add": list[int], "news": str}


async def heard(sent: bytes, hears: Mapping[str, Any], log: KeptLog) -> list[Said]:
    reader = StreamReader(limit=max(LIMIT, 2 * len(sent)))
    reader.feed_data(sent)
    reader.feed_eof()
    return [said async for said in LocalLink(reader, Mock(), log, "child", hears)]


@asynccontextmanager
async def linked() -> AsyncIterator[tuple[LocalLink, LocalLink]]:
    pair = [await asyncio.open_connection(sock=each) for each in socket.socketpair()]
    one, other = (LocalLink(*each, KeptLog(), "child", HEARS) for each in pair)
    async with asyncio.timeout(PATIENCE_S):
        yield one, other
    one.close()
    other.close()


async def test_what_is_told_and_asked_comes_in_order_and_then_the_end() -> None:
    """A notice has the number 0."""
    log = KeptLog()
    sent = b'{"topic":"news","body":"a"}\n{"topic":"add","number":7,"body":[1,2]}\n'
    assert await heard(sent, HEARS, log) == [("news", "a", 0), ("add", [1, 2], 7)]
    assert log.warnings == []


@pytest.mark.parametrize("cut", [b'{"topic":"ne', b'{"topic":"news","body":"a"}', b""])
async def test_a_line_that_is_cut_off_is_the_end(cut: bytes) -> None:
    """A process that is killed leaves one, which once ended the server with it."""
    log = KeptLog()
    assert await heard(cut, HEARS, log) == []
    assert log.warnings == []


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, loop_factory() or asyncio.new_event_loop])
def test_an_end_that_is_gone_is_told_nothing_and_answers_nothing(
    loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    """Under uvloop a pulse to a web process that Ctrl-C had ended was an error of the server."""

    async def act() -> None:
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=ours)
        link = LocalLink(reader, writer, KeptLog(), "child", HEARS)
        theirs.close()
        while not writer.is_closing():
            link.offer("news", "a")
            await asyncio.sleep(0)
        link.offer("news", "a")
        with pytest.raises(LinkLostError):
            await link.ask("add", [1])
        link.close()

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(asyncio.wait_for(act(), PATIENCE_S))


async def test_an_end_that_closes_ends_all_of_its_open_questions() -> None:
    """One that is left open would wait for ever."""
    async with linked() as (one, _other):
        asking = [asyncio.create_task(one.ask("add", [each])) for each in range(3)]
        await asyncio.sleep(0)
        one.close()
        ended = await asyncio.gather(*asking, return_exceptions=True)
    assert [type(each) for each in ended] == 3 * [LinkLostError]


async def test_a_connection_that_is_reset_is_the_end() -> None:
    """As when the other end is killed with lines unread."""
    reader, log = StreamReader(), KeptLog()
    reader.set_exception(ConnectionResetError())
    assert [said async for said in LocalLink(reader, Mock(), log, "child", HEARS)] == []
    assert log.warnings == []


@pytest.mark.parametrize("hears", [ASKED, TOLD, topics.ASKED, topics.TOLD])
@pytest.mark.parametrize(
    "line",
    [
        *(b"nonsense", b"\xff\xfe", b"", b"[]", b"[" * 100_000, b'{"number":[]}'),
        *(
            b'{"topic":"no such thing"}',
            b'{"topic":"unpublished","body":[]}',
            b'{"topic":"publish_live"}',
        ),
        *(b'{"topic":"about","body":[]}', b'{"topic":"follow"}'),
    ],
)
async def test_what_is_no_message_is_the_end_with_a_warning(
    hears: Mapping[str, Any], line: bytes
) -> None:
    """It names the other end; so a process of another version ends nothing here."""
    log = KeptLog()
    assert await heard(line + b"\n", hears, log) == []
    assert [facts["sender"] for facts in log.warnings] == ["child"]


async def test_a_line_without_an_end_is_the_end_with_a_warning() -> None:
    """It takes no more memory than the longest line may."""
    reader, log = StreamReader(limit=LIMIT), KeptLog()
    reader.feed_data(b'"' + 4 * LIMIT * b"x" + b'"\n')
    assert [said async for said in LocalLink(reader, Mock(), log, "child", HEARS)] == []
    assert len(log.warnings) == 1


async def test_a_question_gets_its_answer_or_an_error() -> None:
    """Answers find their questions by number, in whatever order they come."""
    async with linked() as (one, other):
        asking = [asyncio.create_task(one.ask("add", [each, 1])) for each in (1, 2, 3)]
        following = asyncio.create_task(anext(one))
        first, second, third = [await anext(other) for _ in asking]
        assert one.questions == 3
        await other.answer(second, sum(second.body))
        other.fail(third)
        await other.answer(first, sum(first.body))
        with pytest.raises(AnswerFailedError):
            await asking[2]
        assert [await each for each in asking[:2]] == [b"2", b"3"]
        other.tell("news", "x")
        assert (await following).body == "x"


async def test_who_asks_learns_that_the_link_is_closed() -> None:
    """It would wait for ever."""
    async with linked() as (one, _):
        asking = asyncio.create_task(one.ask("add", [1]))
        await asyncio.sleep(0)
        one.close()
        with pytest.raises(LinkLostError):
            await asking


async def test_an_end_that_does_not_read_is_offered_no_more() -> None:
    """What is said for certain stays in order before what is offered later."""
    async with linked() as (one, other):
        for _ in range(80):
            one.offer("news", "x" * (MOST_UNREAD // 32))
        one.tell("news", "last")
        reading = [said.body async for said in _until_last(other)]
        assert 32 <= len(reading) < 80
        assert reading[-1] == "last"


async def test_an_end_that_does_not_read_is_given_up_after_it_was_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What waited for it stayed, and its descriptor, for as long as it lived."""
    monkeypatch.setattr("mancala.server.health.link.LINGER_S", 0.01)
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    one = LocalLink(reader, writer, KeptLog(), "child", HEARS)
    with theirs:
        one.tell("news", "x" * MOST_UNREAD)
        one.close()
        async with asyncio.timeout(PATIENCE_S):
            await writer.wait_closed()


async def _until_last(reader: LocalLink) -> AsyncIterator[Said]:
    async for said in reader:
        yield said
        if said.body == "last":
            return
