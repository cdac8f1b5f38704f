"""Pairs of bots whose one side answers around its flag while the server is held up.

The server is stopped with SIGSTOP, which holds up its event loop as thoroughly as any peer could.
All pairs of a round share one stop. What a side sends is timed from the arrival of its ``turn``,
which is never before the clock was started: an answer that is late by that account is late.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import count
from typing import Final, NamedTuple, TypeVar

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.server.health.loop_lag import LoopLag, probe
from tests.drills.duellists import greeted

STOP_BEFORE_S: Final = 0.1
"""How long before the first flag of a round the server is stopped."""
EARLY_S: Final = -0.06
LATE_S: Final = 0.03
SURELY_EARLY_S: Final = -0.02
"""An answer sent later than this, by a drill that was itself held up, is not counted as in time."""
FOLLOWED_AFTER_S: Final = 0.02
WATCHED_EVERY_S: Final = 0.005
CONTINUE_AFTER_S: Final = 0.08
"""How long after the last flag of a round the server goes on."""
BLOCKS: Final = count()

M = TypeVar("M", bound=wire.Message)


class AnswerTiming(StrEnum):
    """When a side answers, and whether it sends anything after that."""

    EARLY = "early"
    LATE = "late"
    FOLLOWED = "followed"
    PINGED = "pinged"

    @property
    def is_early(self) -> bool:
        """Whether it is in time; a ping may follow after the flag."""
        return self in {AnswerTiming.EARLY, AnswerTiming.PINGED}


class ReceivedQuestion(NamedTuple):
    """A question as its player received it."""

    side: StalledBot
    turn: wire.Turn
    at: float


class AnswerOutcome(NamedTuple):
    """What came of one answer."""

    bot: str
    is_counted: bool
    reply: wire.Moved | wire.GameOver


class LatePongs(ClientConnection):
    """A connection that answers each ping late."""

    delay_s = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        send = self.protocol.send_frame

        def send_late(frame: Frame) -> None:
            if frame.opcode is Opcode.PONG:
                self.loop.call_later(self.delay_s, self._send_pong, send, frame)
            else:
                send(frame)

        self.protocol.send_frame = send_late  # type: ignore[method-assign]  # no other way in

    def _send_pong(self, send: Callable[[Frame], None], frame: Frame) -> None:
        if not self.transport.is_closing():
            send(frame)
            self.send_data()


def late_by(delay_s: float) -> type[LatePongs]:
    return type("LatePongs", (LatePongs,), {"delay_s": delay_s})


class StalledBot:
    """One bot on one connection; keeps what it hears, with the time."""

    def __init__(self, name: str, socket: ClientConnection) -> None:
        self.name = name
        self._socket = socket
        self._loop = asyncio.get_running_loop()
        self._heard: asyncio.Queue[tuple[wire.Message, float]] = asyncio.Queue()

    async def listen(self) -> None:
        try:
            while True:
                frame = await self._socket.recv(decode=False)
                self._heard.put_nowait((codec.decode_server(frame), self._loop.time()))
        except ConnectionClosed:
            return

    async def hear(self, kind: type[M]) -> tuple[M, float]:
        """Return the next message of a kind, and when it was received; drop the others."""
        while True:
            message, at = await self._heard.get()
            if isinstance(message, kind):
                return message, at

    async def hear_end(self) -> wire.Moved | wire.GameOver:
        """Return the next move or end of a game; drop the other messages."""
        while True:
            message, _ = await self._heard.get()
            if isinstance(message, wire.Moved | wire.GameOver):
                return message

    async def say(self, message: wire.Message) -> None:
        await self._socket.send(codec.encode(message).decode())

    async def ping(self) -> None:
        await self._socket.ping()


@dataclass(frozen=True, slots=True)
class StalledPair:
    """Two bots that play each other."""

    names: tuple[str, str]
    sides: tuple[StalledBot, StalledBot]

    async def begin(self, clock: TimeControl) -> ReceivedQuestion:
        for side, opponent in zip(self.sides, reversed(self.names), strict=True):
            await side.say(wire.Seek(clock=clock, opponent=opponent))
        hearing = {asyncio.ensure_future(side.hear(wire.Turn)): side for side in self.sides}
        done, pending = await asyncio.wait(hearing, return_when=asyncio.FIRST_COMPLETED)
        for other in pending:
            other.cancel()
        first = done.pop()
        return ReceivedQuestion(hearing[first], *first.result())

    async def finish(self, asked: ReceivedQuestion) -> wire.Moved | wire.GameOver:
        reply = await asked.side.hear_end()
        if isinstance(reply, wire.Moved):
            await asked.side.say(wire.Resign(asked.turn.game))
        for side in self.sides:
            await side.hear(wire.MatchOver)
        return reply


@asynccontextmanager
async def pairs_of(
    url: str, number: int, kinds: Sequence[type[ClientConnection]] = (ClientConnection,)
) -> AsyncIterator[list[StalledPair]]:
    """Run pairs of bots during the block, under names that differ between blocks."""
    block = next(BLOCKS)
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
        pairs, listening = [], []
        for index in range(number):
            names = f"left-{block}-{index}", f"right-{block}-{index}"
            kind = kinds[index % len(kinds)]
            left, right = [
                StalledBot(name, await greeted(stack, url, wire.Hello(wire.VERSION, name), kind))
                for name in names
            ]
            listening += [tasks.create_task(side.listen()) for side in (left, right)]
            pairs.append(StalledPair(names, (left, right)))
        yield pairs
        for task in listening:
            task.cancel()


async def stalled_round(
    pairs: Sequence[StalledPair],
    clock: TimeControl,
    answer: AnswerTiming,
    pid: int,
    scale: float = 1.0,
) -> list[AnswerOutcome]:
    """Play one game of each pair in which the server is stopped around the first flag.

    Args:
        pairs: the pairs.
        clock: their clock; ``move_ms`` decides.
        answer: when the side that is asked first answers.
        pid: the server's process.
        scale: how many times as long before its flag as usual an early answer is sent.
    """
    move_s = (clock.move_ms or 0) / 1000
    async with _own_lag() as lag:
        asked = await asyncio.gather(*(pair.begin(clock) for pair in pairs))
        flags = [question.at + move_s for question in asked]
        stop = _at(min(flags) - scale * STOP_BEFORE_S, partial(_signal, pid, signal.SIGSTOP))
        go_on = _at(max(flags) + CONTINUE_AFTER_S, partial(_signal, pid, signal.SIGCONT))
        sent_at, *_ = await asyncio.gather(
            asyncio.gather(*map(partial(_answer, answer, scale), asked, flags)), stop, go_on
        )
    replies = await asyncio.gather(
        *(pair.finish(question) for pair, question in zip(pairs, asked, strict=True))
    )
    latest = SURELY_EARLY_S - max(lag, default=0.0) if answer.is_early else float("inf")
    return [
        AnswerOutcome(question.side.name, sent - flag <= latest, reply)
        for question, sent, flag, reply in zip(asked, sent_at, flags, replies, strict=True)
    ]


@asynccontextmanager
async def _own_lag() -> AsyncIterator[list[float]]:
    """Measure how long the drill itself is held up; the list grows while the block runs."""
    lag: list[float] = []
    measure = LoopLag(interval_s=WATCHED_EVERY_S)
    now = asyncio.get_running_loop().time
    watching = asyncio.create_task(probe(measure, now=now, tell=lag.append))
    try:
        yield lag
    finally:
        watching.cancel()


async def plain_round(
    pairs: Sequence[StalledPair], clock: TimeControl, answer: AnswerTiming
) -> list[AnswerOutcome]:
    """Play one game of each pair, answered around its first flag; nothing stops the server."""
    move_s = (clock.move_ms or 0) / 1000

    async def play(pair: StalledPair) -> AnswerOutcome:
        asked = await pair.begin(clock)
        await _answer(answer, 1.0, asked, asked.at + move_s)
        return AnswerOutcome(asked.side.name, is_counted=True, reply=await pair.finish(asked))

    return await asyncio.gather(*map(play, pairs))


async def _answer(
    answer: AnswerTiming, scale: float, asked: ReceivedQuestion, flag: float
) -> float:
    offset_s = scale * EARLY_S if answer.is_early else LATE_S
    move = wire.Move(asked.turn.game, asked.turn.ply, asked.turn.legal[0])
    await _at(flag + offset_s, partial(asked.side.say, move))
    now = asyncio.get_running_loop().time()
    if answer is AnswerTiming.FOLLOWED:
        await _at(flag + offset_s + FOLLOWED_AFTER_S, asked.side.ping)
    if answer is AnswerTiming.PINGED:
        await _at(flag + LATE_S, asked.side.ping)
    return now


async def _at(when: float, act: Callable[[], Awaitable[object]]) -> None:
    await asyncio.sleep(when - asyncio.get_running_loop().time())
    await act()


async def _signal(pid: int, number: signal.Signals) -> None:
    os.kill(pid, number)
