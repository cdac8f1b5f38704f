"""Bots that use little CPU time, so that a drill measures the server and not its bots.

A duellist keeps to the protocol and to one opponent, derives its moves from the turn's number,
and waits instead of thinking. Both bots of a game live in one process and on one clock, so a
:class:`DuelTally` can measure how long a move was under way, and how far the server's clock was
off.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.connection import broadcast
from websockets.exceptions import ConnectionClosed

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.protocol.rules import KALAH, Rules
from tests.patience import connect

LONGEST_MATCH: Final = 1000
CLOCK: Final = TimeControl(move_ms=10_000)
NO_TOKENS: Final[Mapping[str, str]] = MappingProxyType({})
READ_BYTES: Final = 16 * 1024
CONCURRENT_LOGINS: Final = 50
"""Connections opened at the same time; more would only wait in the listener's queue."""


@dataclass(slots=True)
class DuelTally:
    """What all duellists saw together.

    Attributes:
        odd_ends: of these, the ones that did not end by the rules.
        relay_ms: how long each move took from its mover to the other player.
        clock_error_ms: for each move, how far the server's account of the time taken is from
            the time that the bot took by its own account.
    """

    plies: int = 0
    games: int = 0
    odd_ends: int = 0
    live: str = ""
    relay_ms: list[float] = field(default_factory=list)
    clock_error_ms: list[float] = field(default_factory=list)
    first_move: asyncio.Event = field(default_factory=asyncio.Event)
    _sent_at: dict[tuple[str, int], float] = field(default_factory=dict)

    @property
    def is_clean(self) -> bool:
        """Whether moves were made, and no game ended but by the rules."""
        return self.plies > 0 == self.odd_ends

    def sent(self, move: wire.Move, now: float) -> None:
        self._sent_at[move.game, move.ply] = now

    def own(self, moved: wire.Moved, took_s: float) -> None:
        self.plies += 1
        self.live = moved.game
        self.first_move.set()
        self.clock_error_ms.append(moved.elapsed_ms - took_s * 1000)

    def other(self, moved: wire.Moved, now: float) -> None:
        sent_at = self._sent_at.pop((moved.game, moved.ply), None)
        if sent_at is not None:
            self.relay_ms.append((now - sent_at) * 1000)

    def ended(self, over: wire.GameOver) -> None:
        self.games += 1
        self.odd_ends += over.reason is not wire.Reason.NORMAL

    def restart(self) -> None:
        """Discard the measurements so far; keep the games."""
        self.plies = 0
        self.relay_ms.clear()
        self.clock_error_ms.clear()


@dataclass(frozen=True, slots=True)
class Style:
    """How a duellist plays.

    Attributes:
        wanted: the match it asks for, again and again, or the ladder that it joins.
    """

    wanted: wire.Seek | wire.Join
    think_s: tuple[float, float] = (0.0, 0.0)
    seed: int = 0


class Duellist:
    """One bot on one connection."""

    def __init__(self, socket: ClientConnection, style: Style, tally: DuelTally) -> None:
        self._socket = socket
        self._style = style
        self._tally = tally
        self._rng = random.Random(style.seed)
        self._loop = asyncio.get_running_loop()
        self._asked: tuple[str, int] = ("", -1)
        self._took_s = 0.0

    async def run(self) -> None:
        self._say(self._style.wanted)
        try:
            while True:
                self._hear(await self._socket.recv(decode=False))
        except ConnectionClosed:
            return

    def _hear(self, frame: bytes) -> None:
        message = codec.decode_server(frame)
        if isinstance(message, wire.Turn):
            self._consider(message)
        elif isinstance(message, wire.Moved):
            if self._asked == (message.game, message.ply):
                self._tally.own(message, self._took_s)
            else:
                self._tally.other(message, self._loop.time())
        elif isinstance(message, wire.GameOver):
            self._tally.ended(message)
        elif isinstance(message, wire.MatchOver):
            if isinstance(self._style.wanted, wire.Seek):
                self._say(self._style.wanted)
        elif isinstance(message, wire.Challenged):
            self._say(wire.Decline(message.challenge))

    def _consider(self, turn: wire.Turn) -> None:
        asked_at = self._loop.time()
        self._asked = (turn.game, turn.ply)
        least_s, most_s = self._style.think_s
        if most_s > 0:
            think_s = self._rng.uniform(least_s, most_s)
            self._loop.call_later(think_s, self._answer, turn, asked_at)
        else:
            self._answer(turn, asked_at)

    def _answer(self, turn: wire.Turn, asked_at: float) -> None:
        pit = turn.legal[(turn.ply * 7 + self._style.seed) % len(turn.legal)]
        move = wire.Move(turn.game, turn.ply, pit)
        now = self._loop.time()
        self._took_s = now - asked_at
        self._tally.sent(move, now)
        self._say(move)

    def _say(self, message: wire.Message) -> None:
        broadcast((self._socket,), codec.encode(message), text=True)


def read_little(socket: ClientConnection) -> None:
    """Make the connection read into small buffers.

    asyncio's transport takes 256 KiB of fresh memory for each read, which here costs more in page
    faults than the frame costs in all; the attribute is not documented, and harmless if ignored.
    """
    socket.transport.max_size = READ_BYTES  # type: ignore[attr-defined]  # see above


async def greeted(
    stack: AsyncExitStack,
    url: str,
    hello: wire.Hello,
    kind: type[ClientConnection] = ClientConnection,
) -> ClientConnection:
    """Connect and log in; stay connected until the stack is left."""
    opening = connect(url, compression=None, ping_interval=None, create_connection=kind)
    socket = await stack.enter_async_context(opening)
    await socket.send(codec.encode(hello), text=True)
    if not isinstance(codec.decode_server(await socket.recv()), wire.Welcome):
        raise ConnectionError(f"{hello.name} is not welcome")
    return socket


@asynccontextmanager
async def guests(
    url: str, names: Iterable[str], tokens: Mapping[str, str] = NO_TOKENS
) -> AsyncIterator[list[ClientConnection]]:
    few_at_once = asyncio.Semaphore(CONCURRENT_LOGINS)
    async with AsyncExitStack() as stack:

        async def greet(name: str) -> ClientConnection:
            async with few_at_once:
                socket = await greeted(stack, url, wire.Hello(wire.VERSION, name, tokens.get(name)))
                read_little(socket)
                return socket

        yield list(await asyncio.gather(*map(greet, names)))


def duellist_names(pairs: int) -> list[str]:
    return [f"{side}-{pair}" for pair in range(pairs) for side in ("left", "right")]


@asynccontextmanager
async def duels(
    url: str,
    pairs: int,
    tally: DuelTally,
    *,
    think_s: tuple[float, float],
    seed: int,
    rules: Rules = KALAH,
    games: int = LONGEST_MATCH,
    tokens: Mapping[str, str] = NO_TOKENS,
    ladder: str | None = None,
) -> AsyncIterator[None]:
    names = duellist_names(pairs)
    async with guests(url, names, tokens) as sockets, asyncio.TaskGroup() as tasks:
        for index, socket in enumerate(sockets):
            seek = wire.Seek(rules, CLOCK, opponent=names[index ^ 1], games=games)
            wanted = seek if ladder is None else wire.Join(ladder)
            duellist = Duellist(socket, Style(wanted, think_s, seed + index), tally)
            tasks.create_task(duellist.run(), name=names[index])
        yield
        for socket in sockets:
            socket.transport.abort()
