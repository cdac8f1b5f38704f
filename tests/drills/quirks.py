"""Clients with the habits of the Kalah Game Protocol's stock ones, played straight.

Each is an imitation of behaviour that was observed, with a reader of its own rather than the
product's, and as strict as the original where that is strict:

* ``python`` starts a process a move and kills it on ``stop``. All processes write under one lock,
  so one that is killed just after it wrote leaves the lock taken: from then on the client reads
  and says nothing, for ever. It ignores frames that hold more than a line, and commands without
  arguments that lack their line end.
* ``java`` works through one question after another. Now and then its only move is lost, as it was
  quicker than its bookkeeping, and a bare ``yield`` is all that comes. It dies of any command it
  doesn't know, of a ``set`` that isn't a bare option and a value, of an ``error`` without exactly
  one string, and of a position in which it can't move.
* ``kgpc`` says ``yield`` for every question, also after ``stop``.

All send numbers of their own, comments with quotes in them, and over TCP two writes a line.
"""

import asyncio
import contextlib
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Final

from websockets.exceptions import ConnectionClosed

from tests.drills.ports import HOST
from tests.patience import PATIENCE_S, connect

LOCK_S: Final = 0.01
KEEPING: Final = 40
"""Most questions that may still wait for their delayed ``stop``."""
LINE: Final = re.compile(r"\s*(?:(\d+)?(?:@(\d+))?\s+)?(\w+)(\s+[^\n]*?)?\s*")
ARGUMENT: Final = re.compile(r'"(?:\\.|[^"\\])*"|\S+')
KNOWN: Final = {"kgp", "state", "stop", "set", "ok", "error", "ping", "goodbye"}

Write = Callable[[str], Awaitable[None]]


class QuirkKind(StrEnum):
    """Whose habits."""

    PYTHON = "python"
    JAVA = "java"
    KGPC = "kgpc"


class DiedError(Exception):
    """The client met something that its original dies of."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How a client behaves.

    Attributes:
        token: its credential, if any.
        moves: how many moves it streams before it yields; None to stream until stopped.
        bare_yields: how often a ``java`` client's move is lost.
    """

    kind: QuirkKind
    name: str
    token: str | None = None
    moves: int | None = 2
    think_s: float = 0.0
    bare_yields: float = 0.1
    answers: bool = True


class QuirkClient:
    """One client on one connection."""

    def __init__(
        self,
        habits: Habits,
        write: Write,
        rng: random.Random,
        on_result: Callable[[], None] = lambda: None,
    ) -> None:
        self.results: list[str] = []
        self.questions: list[int] = []
        self.stopped: list[int] = []
        self.errors: list[str] = []
        self.is_wedged = False
        self._habits = habits
        self._write = write
        self._rng = rng
        self._on_result = on_result
        self._settled: list[int] = []
        self._last_id = -1
        self._children: dict[int, asyncio.Task[None]] = {}
        self._wrote_at: dict[int, float] = {}
        self._one_at_a_time = asyncio.Lock()
        self._writing = asyncio.Lock()

    @property
    def unstopped(self) -> list[int]:
        """The questions of games that are over which were never stopped."""
        return [number for number in self._settled if number not in self.stopped]

    async def run(self, lines: AsyncIterator[str]) -> None:
        try:
            async for line in lines:
                if not await self._hear(line):
                    break
        finally:
            for child in self._children.values():
                child.cancel()
            await asyncio.gather(*self._children.values(), return_exceptions=True)

    async def _hear(self, line: str) -> bool:
        found = LINE.fullmatch(line)
        if found is None or "\n" in line.rstrip("\r\n"):
            return self._dies_of(line)
        number, ref, name, rest = found.groups()
        if not rest and not line.endswith("\r\n"):
            return self._dies_of(line)
        if name not in KNOWN:
            return self._dies_of(line)
        await self._obey(name, ARGUMENT.findall(rest or ""), int(number or 0), int(ref or 0))
        return name != "goodbye"

    def _dies_of(self, line: str) -> bool:
        if self._habits.kind is QuirkKind.JAVA:
            raise DiedError(line)
        return True

    async def _obey(self, name: str, arguments: list[str], number: int, ref: int) -> None:
        match name:
            case "kgp":
                await self._greet(arguments)
            case "state":
                self._begin(arguments, number)
            case "stop":
                self._stop(ref)
            case "ping" if not self.is_wedged:
                await self._say("pong", ref=number)
            case "error":
                self._note_error(arguments)
            case "set":
                self._note_option(arguments)

    async def _greet(self, version: list[str]) -> None:
        if version[0] != "1" or len(version) != 3:
            raise DiedError(f"version {version}")
        java = self._habits.kind is QuirkKind.JAVA
        name = "info:name" if java else '"info:name"'
        await self._say("set", name, f'"{self._habits.name}"')
        await self._say("set", "info:authors", '"Nobody, \\"really\\""')
        if self._habits.token is not None:
            await self._say("set", '"auth:token"', f'"{self._habits.token}"')
        await self._say("mode", "freeplay" if java else '"freeplay"')

    def _begin(self, arguments: list[str], number: int) -> None:
        size, _, _, *pits = map(int, arguments[0].strip("<>").split(","))
        legal = [pit + 1 for pit in range(size) if pits[pit]]
        if not legal or not any(pits[size:]) or number in self.questions:
            raise DiedError(f"question {number}: {arguments[0]}")
        self.questions.append(number)
        if self._habits.answers:
            search = self._search(number, legal)
            self._children[number] = asyncio.create_task(search, name=f"search {number}")

    async def _search(self, number: int, legal: list[int]) -> None:
        if self._habits.kind is QuirkKind.KGPC:
            try:
                await self._stream(number, legal)
            except asyncio.CancelledError:
                await self._answer(number, "yield")
            return
        if self._habits.kind is QuirkKind.PYTHON:
            await self._stream(number, legal)
            return
        async with self._one_at_a_time:
            if self._rng.random() < self._habits.bare_yields:
                await self._say("yield", ref=number)
            else:
                await self._stream(number, legal)

    async def _stream(self, number: int, legal: list[int]) -> None:
        sent = 0
        while self._habits.moves is None or sent < self._habits.moves:
            await asyncio.sleep(self._habits.think_s)
            if self._rng.random() < 0.2:
                await self._say("set", "info:comment", '"it is \\"good\\", by \\\\ and large"')
            await self._answer(number, "move", str(self._rng.choice(legal)))
            sent += 1
        await self._answer(number, "yield")

    async def _answer(self, number: int, name: str, *arguments: str) -> None:
        if self.is_wedged:
            return
        await self._say(name, *arguments, ref=number)
        self._wrote_at[number] = asyncio.get_running_loop().time()

    def _stop(self, number: int) -> None:
        self.stopped.append(number)
        child = self._children.pop(number, None)
        if child is None:
            return
        now = asyncio.get_running_loop().time()
        if self._habits.kind is QuirkKind.PYTHON:
            self.is_wedged |= now - self._wrote_at.get(number, 0.0) < LOCK_S
        child.cancel()

    def _note_error(self, arguments: list[str]) -> None:
        if len(arguments) != 1:
            raise DiedError(f"error {arguments}")
        self.errors.append(arguments[0])

    def _note_option(self, arguments: list[str]) -> None:
        if len(arguments) != 2 or arguments[0].startswith('"'):
            raise DiedError(f"set {arguments}")
        option, value = arguments
        if option in ("time:clock", "time:opclock") and not value.isdigit():
            raise DiedError(f"{option} {value}")
        if option == "time:mode" and value not in ('"relative"', '"absolute"', '"none"'):
            raise DiedError(f"{option} {value}")
        if option == "arena:result":
            self.results.append(value.strip('"'))
            self._settled = self.questions[:-KEEPING]
            self._on_result()

    async def _say(self, name: str, *arguments: str, ref: int = 0) -> None:
        async with self._writing:
            self._last_id += 2
            head = f"{self._last_id}@{ref}" if ref else str(self._last_id)
            with contextlib.suppress(ConnectionError, ConnectionClosed):
                await self._write(" ".join((head, name, *arguments)))


class QuirkPlayers:
    """Such clients on one gateway, whose results can be waited for."""

    def __init__(self, tcp_port: int | None, ws_port: int | None, seed: int) -> None:
        self.clients: list[QuirkClient] = []
        self._ports = tcp_port or 0, ws_port or 0
        self._results: asyncio.Queue[None] = asyncio.Queue()
        self._seed = seed
        self._tasks: set[asyncio.Task[None]] = set()

    def join(self, habits: Habits, transport: str) -> asyncio.Task[None]:
        """Let one play over ``tcp`` or ``ws``."""
        tcp_port, ws_port = self._ports
        make = partial(self._client, habits)
        if transport == "tcp":
            playing = play_over_tcp(make, HOST, tcp_port)
        else:
            playing = play_over_websocket(make, f"ws://{HOST}:{ws_port}/any/path?at=all")
        task = asyncio.create_task(playing, name=habits.name)
        self._tasks.add(task)
        return task

    def _client(self, habits: Habits, write: Write) -> QuirkClient:
        rng = random.Random(f"{self._seed} {habits.name}")
        client = QuirkClient(habits, write, rng, lambda: self._results.put_nowait(None))
        self.clients.append(client)
        return client

    async def results(self, count: int) -> None:
        for _ in range(count):
            async with asyncio.timeout(PATIENCE_S):
                await self._results.get()


async def play_over_tcp(client: Callable[[Write], QuirkClient], host: str, port: int) -> None:
    reader, writer = await asyncio.open_connection(host, port)

    async def write(line: str) -> None:
        writer.write(line.encode())
        await writer.drain()
        writer.write(b"\r\n")
        await writer.drain()

    async def lines() -> AsyncIterator[str]:
        while line := await reader.readline():
            yield line.decode()

    try:
        await client(write).run(lines())
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def play_over_websocket(client: Callable[[Write], QuirkClient], url: str) -> None:
    async with connect(url, compression=None, ping_interval=None) as connection:

        async def write(line: str) -> None:
            await connection.send(line + "\r\n")

        async def lines() -> AsyncIterator[str]:
            async for frame in connection:
                yield frame if isinstance(frame, str) else frame.decode()

        await client(write).run(lines())
