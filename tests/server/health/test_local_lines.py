"""What is read from another process of this machine, however its lines end."""

from __future__ import annotations

from asyncio import StreamReader
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from mancala.protocol import codec
from mancala.server.control.wire import Request, request_of
from mancala.server.health.local_lines import next_message
from mancala.server.publish.link import from_publisher, to_publisher
from mancala.server.web.feed.feed import answer_of, question_of

LIMIT = 64


@dataclass
class WarningLog:
    """Keeps the facts of warnings."""

    warnings: list[dict[str, object]] = field(default_factory=list)

    def debug(self, event: str, **facts: object) -> None:
        """Keep nothing."""

    def info(self, event: str, **facts: object) -> None:
        """Keep nothing."""

    def warning(self, event: str, **facts: object) -> None:
        """Keep the facts."""
        assert event == "cannot read a line"
        self.warnings.append(facts)


def fed(sent: bytes) -> StreamReader:
    """Return a connection over which something was sent, and which was then closed."""
    reader = StreamReader(limit=LIMIT)
    reader.feed_data(sent)
    reader.feed_eof()
    return reader


async def test_messages_come_one_by_one_and_then_none() -> None:
    """None says that the other end has closed."""
    log, reader = WarningLog(), fed(b'{"action":"who"}\n{"action":"bans"}\n')
    read = [await next_message(reader, request_of, log, sender="x") for _ in range(3)]
    assert read == [Request("who"), Request("bans"), None]
    assert log.warnings == []


async def test_a_line_that_is_cut_off_is_the_end() -> None:
    """A process that is killed leaves one, which once ended the server with it."""
    log = WarningLog()
    for cut in (b'{"acti', b'{"action":"who"}'):
        assert await next_message(fed(cut), request_of, log, sender="x") is None
    assert log.warnings == []


async def test_a_connection_that_is_reset_is_the_end() -> None:
    """As when the other end is killed with lines unread."""
    reader, log = StreamReader(), WarningLog()
    reader.set_exception(ConnectionResetError())
    assert await next_message(reader, request_of, log, sender="x") is None
    assert log.warnings == []


@pytest.mark.parametrize("decode", [question_of, answer_of, from_publisher, to_publisher])
@pytest.mark.parametrize(
    "line", [b"nonsense", b"\xff\xfe", b"", b"[]", b'{"number":0,"body":[]}', b"[" * 100_000]
)
async def test_what_is_no_message_is_the_end_with_a_warning(
    decode: Callable[[bytes], object], line: bytes
) -> None:
    """It names the other end; so a process of another version ends nothing here."""
    reader, log = StreamReader(limit=2 * len(line) + 1), WarningLog()
    reader.feed_data(line + b"\n")
    assert await next_message(reader, decode, log, sender="web process") is None
    assert [facts["sender"] for facts in log.warnings] == ["web process"]


async def test_a_line_without_an_end_is_the_end_with_a_warning() -> None:
    """It takes no more memory than the longest line may."""
    log = WarningLog()
    long = fed(codec.to_json("x" * 4 * LIMIT) + b"\n")
    assert await next_message(long, request_of, log, sender="x") is None
    assert len(log.warnings) == 1
