"""The wire between a server and its child processes: JSON lines, over a socket pair or a socket.

Either end may tell the other something, and ask it: a line names its topic, and a question has a
number, which its answer repeats. The other end may be killed in the middle of a line, or be of
another version. Neither may end the process that reads: a line that is cut off counts as the end,
and so does, with a warning, one that is too long or no message. An end that stops reading is no
danger either: what may be lost is only offered to it.
"""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from typing import Any, Final, NamedTuple

from msgspec import Raw, Struct

from mancala.protocol import codec

from .log import Log

MOST_UNREAD: Final = 1024 * 1024
"""Nothing is offered to an end that has not read this many bytes."""
LINGER_S: Final = 5.0
"""How long an end that is closed waits for the other one to read the rest."""
NULL: Final = Raw(b"null")


class LinkLostError(Exception):
    """The other end has closed, or been closed, before it answered."""


class AnswerFailedError(Exception):
    """The other end failed to answer; its log says why."""


class LinkLine(Struct, frozen=True, omit_defaults=True):
    """A line of the wire; ``number`` is that of a question and its answer, 0 for a notice."""

    topic: str = ""
    number: int = 0
    body: Raw = NULL
    failed: bool = False


class Said(NamedTuple):
    """What the other end told, or asked with a number."""

    topic: str
    body: Any
    number: int


class LocalLink:
    """One end of the wire: iterate over it for what the other end tells and asks."""

    def __init__(
        self,
        reader: StreamReader,
        writer: StreamWriter,
        log: Log,
        peer: str,
        hears: Mapping[str, Any],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._log = log
        self._peer = peer
        self._hears = hears
        self._numbers = count(1)
        self._open: dict[int, asyncio.Future[LinkLine]] = {}

    @property
    def questions(self) -> int:
        """How many questions the other end has not answered yet."""
        return len(self._open)

    @property
    def unread_bytes(self) -> int:
        """How much the other end has not read yet, besides what the kernel holds."""
        return self._writer.transport.get_write_buffer_size()

    @property
    def is_open(self) -> bool:
        """Whether this end has not closed it."""
        return not self._writer.is_closing()

    def __aiter__(self) -> LocalLink:
        return self

    async def __anext__(self) -> Said:
        try:
            while (text := await self._reader.readline()).endswith(b"\n"):
                line = self._decode(text)
                if isinstance(line, Said):
                    return line
                waiting = self._open.get(line.number)
                if waiting is not None and not waiting.done():
                    waiting.set_result(line)
        except ConnectionError:
            pass
        except ValueError as error:
            self._log.warning("cannot read a line", sender=self._peer, error=str(error))
        raise StopAsyncIteration

    def _decode(self, text: bytes) -> Said | LinkLine:
        line = codec.from_json(text, LinkLine)
        if not line.topic:
            return line
        if line.topic not in self._hears:
            raise ValueError(f"unknown topic {line.topic!r}")
        body = codec.from_json(bytes(line.body), self._hears[line.topic])
        return Said(line.topic, body, line.number)

    async def ask(self, topic: str, body: object = None) -> bytes:
        if self._writer.is_closing():
            raise LinkLostError(f"the {self._peer} closed the connection")
        number = next(self._numbers)
        waiting = self._open[number] = asyncio.get_running_loop().create_future()
        self._send(topic, number, body)
        try:
            answer = await waiting
        finally:
            del self._open[number]
        if answer.failed:
            raise AnswerFailedError(f"the {self._peer} failed; its log has the details")
        return bytes(answer.body)

    async def answer(self, question: Said, body: object) -> None:
        """Answer a question; wait while the other end does not read."""
        self._send(number=question.number, body=body)
        with suppress(ConnectionError):
            await self._writer.drain()

    def fail(self, question: Said) -> None:
        """Say that a question can't be answered."""
        self._send(number=question.number, failed=True)

    def tell(self, topic: str, body: object = None) -> None:
        """Say something, however late it is read."""
        self._send(topic, body=body)

    def offer(self, topic: str, body: object) -> None:
        """Say something, unless the other end has stopped reading."""
        if self.unread_bytes < MOST_UNREAD:
            self.tell(topic, body)

    def close(self) -> None:
        """Close the connection, and end the questions that are open."""
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_exception(LinkLostError(f"the {self._peer} closed the connection"))
        if self.is_open and self.unread_bytes:
            asyncio.get_running_loop().call_later(LINGER_S, self.abort)
        self._writer.close()

    def abort(self) -> None:
        """Drop the connection, with what the other end has not read."""
        self._writer.transport.abort()

    def _send(
        self, topic: str = "", number: int = 0, body: object = NULL, *, failed: bool = False
    ) -> None:
        if not self._writer.is_closing():  # uvloop raises an error then
            line = LinkLine(topic, number, body, failed)  # type: ignore[arg-type]  # is encoded, too
            self._writer.write(codec.to_line(line) + b"\n")
