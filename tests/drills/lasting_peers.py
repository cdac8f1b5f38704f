"""``python -m tests.drills.lasting_peers PORT``: thousands of cheap bots, as orders on stdin say.

A bot that has lost its connection comes back with the secret of its session, after waits as those
of the client, and like that it gives up a connection that brings no welcome: where more come than a
port lets wait, the kernel drops what they send first, which TCP repeats after minutes only. Each
order is a line of JSON, and so is its answer: what the bots have seen since
the order before. The connections come from several addresses of this machine, since one has too few
ports for all of them and for those that a killed server has left.
"""

import asyncio
import os
import random
import socket
import sys
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from mancala.bot.client.connection import WELCOME_TIMEOUT_S
from mancala.bot.client.reconnect import backoff
from mancala.protocol import codec
from mancala.protocol.messages import Error, GameOver, Move, Reason, Seek, Turn, Welcome
from mancala.scripts.bench.serving.prices import ASKED, MOVED, WELCOME, QuickPeer
from tests.drills.duellists import CLOCK, CONCURRENT_LOGINS
from tests.drills.ports import HOST

THINK_S: Final = (0.1, 0.5)
GAMES: Final = 1000
ADDRESSES: Final = 16
ERROR, GAME_OVER = b'{"type":"error"', b'{"type":"game_over"'
CLOSE: Final = 0x88


class Come(Struct, frozen=True):
    """An order: bots that are to come, and only report if there are none.

    Attributes:
        first: the number of the first idle bot.
        pairs: pairs of bots that play each other.
    """

    first: int = 0
    idle: int = 0
    pairs: int = 0


class CrowdReport(Struct):
    """What bots have seen since their last report.

    Attributes:
        here: those that are connected and welcome now.
        resumed: those that came back to their session; the seconds from the loss to the welcome.
        anew: welcomes of new sessions.
        ends: why connections ended and games did, and how often; by the rules is no reason.
        relay_ms: how long moves were under way from their bot to its opponent.
    """

    here: int = 0
    resumed: list[float] = []
    anew: int = 0
    ends: dict[str, int] = {}
    plies: int = 0
    relay_ms: list[float] = []

    def end(self, why: str, times: int = 1) -> None:
        self.ends[why] = self.ends.get(why, 0) + times

    def add(self, other: "CrowdReport") -> None:
        """Take in what other bots have seen."""
        self.here += other.here
        self.resumed += other.resumed
        self.anew += other.anew
        self.plies += other.plies
        self.relay_ms += other.relay_ms
        for why, times in other.ends.items():
            self.end(why, times)


class _Shown(Struct, frozen=True):
    """What is read of a move."""

    game: str
    ply: int


class Crowd:
    """All bots of this process."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.rng = random.Random(port)
        self.seen = CrowdReport()
        self.sent_at: dict[tuple[str, int], float] = {}
        self._few = asyncio.Semaphore(CONCURRENT_LOGINS)
        self._tasks: set[asyncio.Task[None]] = set()

    def report(self) -> CrowdReport:
        """Return what was seen, and begin the next report."""
        seen, self.seen = self.seen, CrowdReport(self.seen.here)
        return seen

    def take(self, order: Come) -> None:
        """Let bots come."""
        for number in range(order.first, order.first + order.idle):
            self._greet(LastingPeer(self, f"idle-{number}"))
        for number in range(2 * order.pairs):
            name, other = (f"player-{os.getpid()}-{each}" for each in (number, number ^ 1))
            self._greet(LastingPeer(self, name, Seek(clock=CLOCK, games=GAMES, opponent=other)))

    def _greet(self, peer: "LastingPeer") -> None:
        self.spawn(self._first(peer))

    def spawn(self, work: Any) -> None:  # noqa: ANN401  # a coroutine
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _first(self, peer: "LastingPeer") -> None:
        async with self._few:
            self.spawn(self.connect(peer))
            await peer.is_welcome.wait()

    async def connect(self, peer: "LastingPeer") -> None:
        """Connect a bot, as often as it takes."""
        loop = asyncio.get_running_loop()
        for wait_s in peer.delays:
            opened = socket.socket()
            opened.setblocking(False)
            try:
                opened.bind((f"127.0.1.{self.rng.randrange(ADDRESSES)}", 0))
                async with asyncio.timeout(WELCOME_TIMEOUT_S):
                    await loop.sock_connect(opened, (HOST, self.port))
            except OSError as error:
                opened.close()
                self.seen.end(f"no connection: {error.errno}")
                await asyncio.sleep(wait_s)
            else:
                await loop.create_connection(lambda: peer, sock=opened)
                return


class LastingPeer(QuickPeer):
    """A bot that comes back."""

    delays: Iterator[float]

    def __init__(self, crowd: Crowd, name: str, wanted: Seek | None = None) -> None:
        super().__init__(name, wanted)
        self._crowd = crowd
        self._asked = "", -1
        self._lost_at: float | None = None
        self._is_here = False
        self._loop = asyncio.get_running_loop()
        self._begin()

    def _begin(self) -> None:
        self.delays = backoff(self._crowd.rng.random)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the websocket, and wait for the welcome no longer than the client does."""
        super().connection_made(transport)
        self._loop.call_later(WELCOME_TIMEOUT_S, self._give_up, self.transport)

    def _give_up(self, transport: asyncio.Transport) -> None:
        if transport is self.transport and not (self._is_here or transport.is_closing()):
            self._crowd.seen.end("no welcome")
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Come back."""
        self._crowd.seen.end(f"lost: {exc!r}")
        self._kept.clear()
        self._is_open = False
        if self._is_here:
            self._is_here = False
            self._crowd.seen.here -= 1
            self._lost_at = self._loop.time()
            self._begin()
        self._loop.call_later(next(self.delays), self._come_back)

    def _come_back(self) -> None:
        self._crowd.spawn(self._crowd.connect(self))

    def _hear(self, opcode: int, payload: bytes) -> None:
        if payload.startswith(ASKED):
            turn = codec.from_json(payload, Turn)
            think_s = self._crowd.rng.uniform(*THINK_S)
            self._loop.call_later(think_s, self._answer, turn, self.transport)
        elif payload.startswith(MOVED):
            self._note(codec.from_json(payload, _Shown))
        elif payload.startswith(WELCOME):
            self._note_welcome(codec.from_json(payload, Welcome))
        elif payload.startswith(GAME_OVER):
            reason = codec.from_json(payload, GameOver).reason
            if reason is not Reason.NORMAL:
                self._crowd.seen.end(f"game: {reason}")
        elif payload.startswith(ERROR):
            error = codec.from_json(payload, Error)
            self._crowd.seen.end(f"error: {error.message}")
            self.hello = replace(self.hello, resume=None)
        elif opcode == CLOSE:
            self._crowd.seen.end(f"closed: {payload[2:].decode()}")
            self.transport.close()
        else:
            super()._hear(opcode, payload)

    def _note_welcome(self, welcome: Welcome) -> None:
        seen = self._crowd.seen
        self._is_here = True
        seen.here += 1
        if welcome.resumed and self._lost_at is not None:
            seen.resumed.append(self._loop.time() - self._lost_at)
        else:
            seen.anew += 1
        self.hello = replace(self.hello, resume=welcome.session)
        self.is_welcome.set()
        if not welcome.matches:
            self._want()

    def _answer(self, turn: Turn, transport: asyncio.Transport) -> None:
        if transport is self.transport and not transport.is_closing():
            self._asked = turn.game, turn.ply
            self._crowd.sent_at[self._asked] = self._loop.time()
            self._say(Move(turn.game, turn.ply, turn.legal[turn.ply * 7 % len(turn.legal)]))

    def _note(self, shown: _Shown) -> None:
        crowd, move = self._crowd, (shown.game, shown.ply)
        if move == self._asked:
            crowd.seen.plies += 1
        elif (sent_at := crowd.sent_at.pop(move, None)) is not None:
            crowd.seen.relay_ms.append((self._loop.time() - sent_at) * 1000)


async def _serve(port: int) -> None:
    crowd = Crowd(port)
    loop, orders = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while line := await orders.readline():
        crowd.take(codec.from_json(line, Come))
        print(codec.to_json(crowd.report()).decode(), flush=True)  # noqa: T201  # for the drill


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
