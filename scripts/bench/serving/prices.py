"""Measure what a ply and a connection cost a server, here and in another checkout; print JSON.

``make prices OTHER=CHECKOUT`` runs a server of each in turns, on a store in a SQLite file, and the
same bots over websockets with both. All but ``plies_per_s`` is processor time of the server's
threads, so it can be measured on a busy machine; ``ratios`` are this checkout's medians to the
other's. It reads ``/proc``, so it needs Linux.

* ``pairs`` pairs of bots that answer without delay: ``loop_us`` (the main thread), ``threads_us``
  (all others: the store's writer), ``watcher_us`` (processes that watch for stalls) and
  ``fronts_us`` (the fronts that ``--fronts`` gives the server of this checkout) a ply.
* ``login_us``: one more bot that comes and says hello, with the writer's part.
* ``idle_us_per_s``: one more bot that does nothing, a second.
* ``move_us`` and ``shown_us``: a move of the only game, and one that ``viewers`` are shown, on the
  main thread; ``shown_share`` is the second to the first, ``seen`` the share that a viewer gets.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import struct
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final, NamedTuple, cast

import typer

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import VERSION, Hello, Join, Message, Move, Seek, Turn, Watch
from mancala.server.net.framing import (
    EXTENDED,
    HEADER,
    IS_MASKED,
    IS_PING,
    IS_PONG,
    IS_WHOLE_TEXT,
    SHORT,
    frame_bytes,
)

from ...console import output as console
from ...console.processes.supervisor import mancala
from ...console.processes.temporary import ServedArena

SETTINGS: Final = """name = "prices"
port = 0
store = "prices.db"
drain_s = 0.0
[mqtt]
private_broker = false
[[ladder]]
name = "shown"
rules = "kalah:pits=10,seeds=10"
clock = {move_ms = 60000}
[limits]
connections = 30000
messages_per_s = 100000.0
messages_burst = 1000000
address_per_s = 100000.0
address_burst = 1000000
"""
"""A ladder of long games, and no budget that ends before a measurement."""
CLOCK: Final = TimeControl(move_ms=60_000)
GAMES: Final = 1000
"""Of a match."""
SETTLED_S: Final = 1.0
US: Final = 1e6
TOGETHER: Final = 20
"""Bots that log in at the same time."""
MOVED, ASKED = b'{"type":"moved"', b'{"type":"turn"'
WELCOME, MATCH_OVER = b'{"type":"welcome"', b'{"type":"match_over"'
UPGRADE: Final = (
    b"GET / HTTP/1.1\r\nHost: prices\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
LOGIN_S: Final = 60.0
"""Seconds that bots which log in at the same time may take."""
NO_MASK: Final = bytes(4)
"""A mask that changes nothing."""


class Used(NamedTuple):
    """Seconds of processor time that a server has used."""

    loop: float
    threads: float
    watcher: float
    fronts: float

    @classmethod
    def by(cls, pid: int) -> Used:
        """Return what a process has used so far, and its watchers of stalls and fronts."""
        own = Path(f"/proc/{pid}/task")
        threads = {int(each.name): _task_s(each) for each in own.iterdir()}
        children, fronts = [*_children(pid)], fronts_of(pid)
        watchers = [
            child
            for child in (*children, *(each for front in fronts for each in _children(front)))
            if _runs(child, "segment_watcher")
        ]
        loop_s = threads.pop(pid)
        return cls(loop_s, sum(threads.values()), _processes_s(watchers), _processes_s(fronts))

    def since(self, earlier: Used) -> Used:
        return Used(*(now - then for now, then in zip(self, earlier, strict=True)))


def fronts_of(pid: int) -> list[int]:
    """Return the processes that are fronts of a server."""
    return [child for child in _children(pid) if _runs(child, "fronts.process")]


def _children(pid: int) -> Iterator[int]:
    yield from map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def _runs(pid: int, module: str) -> bool:
    return module in Path(f"/proc/{pid}/cmdline").read_text()


def _processes_s(pids: Sequence[int]) -> float:
    return sum(_task_s(Path(f"/proc/{pid}")) for pid in pids)


def _task_s(task: Path) -> float:
    return int((task / "schedstat").read_text().split()[0]) / 1e9


class QuickPeer(asyncio.Protocol):
    """A bot's end of a websocket, which costs little: answers what it is asked, and pings.

    Attributes:
        is_welcome: set once it may play, or its connection is lost.
    """

    transport: asyncio.Transport

    def __init__(self, name: str, wanted: Message | None = None) -> None:
        self.asked = self.shown = 0
        self.is_welcome = asyncio.Event()
        self.is_lost = False
        self.hello = Hello(VERSION, name)
        self._wanted = wanted
        self._kept = bytearray()
        self._is_open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(UPGRADE)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # as a protocol's
        self.is_lost = True
        self.is_welcome.set()

    def data_received(self, data: bytes) -> None:
        self._kept += data
        if not self._is_open:
            _head, end, rest = self._kept.partition(b"\r\n\r\n")
            if not end:
                return
            self._kept, self._is_open = rest, True
            self._say(self.hello)
        while (frame := self._next_frame()) is not None:
            self._hear(*frame)

    def _next_frame(self) -> tuple[int, bytes] | None:
        kept, size = self._kept, frame_bytes(self._kept)
        if not size or len(kept) < size:
            return None
        begin = HEADER + EXTENDED.get(kept[1], 0)
        frame = kept[0], bytes(kept[begin:size])
        del kept[:size]
        return frame

    def _hear(self, opcode: int, payload: bytes) -> None:
        if payload.startswith(ASKED):
            turn = codec.from_json(payload, Turn)
            self.asked += 1
            self._say(Move(turn.game, turn.ply, turn.legal[turn.ply * 7 % len(turn.legal)]))
        elif payload.startswith(MOVED):
            self.shown += 1
        elif opcode == IS_PING:
            self._write(IS_PONG, payload)
        elif payload.startswith(WELCOME):
            self.is_welcome.set()
            self._want()
        elif payload.startswith(MATCH_OVER) and isinstance(self._wanted, Seek):
            self._want()

    def _want(self) -> None:
        if self._wanted is not None:
            self._say(self._wanted)

    def _say(self, message: Message) -> None:
        self._write(IS_WHOLE_TEXT, codec.encode(message))

    def _write(self, opcode: int, payload: bytes) -> None:
        length = len(payload)
        size = bytes((length,)) if length < SHORT else struct.pack("!BH", SHORT, length)
        header = bytes((opcode, size[0] | IS_MASKED)) + size[1:] + NO_MASK
        self.transport.write(header + payload)


class QuickViewer(QuickPeer):
    """A spectator that only counts what it is shown, so that the players beside it stay fast."""

    def data_received(self, data: bytes) -> None:
        """Take in frames until it is welcome."""
        if self.is_welcome.is_set():
            self.shown += data.count(MOVED)
        else:
            super().data_received(data)


class Served(NamedTuple):
    pid: int
    port: int

    async def used_in(self, seconds: float) -> Used:
        before = Used.by(self.pid)
        await asyncio.sleep(seconds)
        return Used.by(self.pid).since(before)

    @asynccontextmanager
    async def peers(self, peers: Sequence[QuickPeer]) -> AsyncIterator[None]:
        """Have some bots log in, and stay during the block."""
        loop = asyncio.get_running_loop()
        opened = list[asyncio.Transport]()
        try:
            for begin in range(0, len(peers), TOGETHER):
                group = peers[begin : begin + TOGETHER]
                async with asyncio.timeout(LOGIN_S):
                    for peer in group:
                        transport, _ = await loop.create_connection(
                            partial(_same, peer), "127.0.0.1", self.port
                        )
                        opened.append(transport)
                    await asyncio.gather(*(peer.is_welcome.wait() for peer in group))
                _expect_connected(group)
            yield
            _expect_connected(peers)
        finally:
            for transport in opened:
                transport.abort()


def _expect_connected(peers: Sequence[QuickPeer]) -> None:
    lost = sum(peer.is_lost for peer in peers)
    if lost:
        raise ConnectionError(f"the server ended connections: {lost} of {len(peers)}")


def _same(peer: QuickPeer) -> QuickPeer:
    return peer


@asynccontextmanager
async def served(checkout: Path, settings: str) -> AsyncIterator[Served]:
    with TemporaryDirectory(prefix="mancala-prices-") as name:
        folder = Path(name)
        (folder / "prices.toml").write_text(settings)
        environment = {**os.environ, "PYTHONPATH": str(checkout), "XDG_STATE_HOME": name}
        options = ("--config", str(folder / "prices.toml"), "--json")
        starting = mancala("server", "serve", *options, folder=folder, env=environment)
        async with starting as child:
            arena = codec.from_json(await child.line(), ServedArena)
            yield Served(child.process.pid, int(arena.url.rpartition(":")[2]))


class Sizes(NamedTuple):
    """How much is measured; ``seconds`` for each figure, and thrice as many for idle bots."""

    pairs: int
    idle: int
    viewers: int
    seconds: float


async def ply(server: Served, sizes: Sizes) -> dict[str, float]:
    """Return what a ply costs between bots that answer without delay."""
    seek = partial(Seek, clock=CLOCK, games=GAMES)
    peers = [
        QuickPeer(f"bot-{number}", seek(opponent=f"bot-{number ^ 1}"))
        for number in range(2 * sizes.pairs)
    ]
    async with server.peers(peers):
        await asyncio.sleep(min(SETTLED_S, sizes.seconds))
        before = _asked(peers)
        used = await server.used_in(sizes.seconds)
        plies = max(1, _asked(peers) - before)
    costs = {f"{name}_us": US * each / plies for name, each in used._asdict().items()}
    return {"plies_per_s": plies / sizes.seconds, **costs}


async def connections(server: Served, sizes: Sizes) -> dict[str, float]:
    await asyncio.sleep(min(SETTLED_S, sizes.seconds))
    alone = await server.used_in(sizes.seconds)
    before = Used.by(server.pid)
    peers = [QuickPeer(f"idle-{number}") for number in range(sizes.idle)]
    async with server.peers(peers):
        login = Used.by(server.pid).since(before)
        await asyncio.sleep(min(SETTLED_S, sizes.seconds))
        beside = await server.used_in(3 * sizes.seconds)
    idle_s = _own_s(beside) / (3 * sizes.seconds) - _own_s(alone) / sizes.seconds
    return {"login_us": US * _own_s(login) / sizes.idle, "idle_us_per_s": US * idle_s / sizes.idle}


def _own_s(used: Used) -> float:
    return used.loop + used.threads


async def shown(server: Served, sizes: Sizes) -> dict[str, float]:
    players = [QuickPeer(f"player-{number}", Join("shown")) for number in range(2)]
    watching = [
        QuickViewer(f"viewer-{number}", Watch(ladder="shown")) for number in range(sizes.viewers)
    ]
    async with server.peers(players):
        move_us, _ = await _a_move(server, players, (), sizes)
        async with server.peers(watching):
            shown_us, seen = await _a_move(server, players, watching, sizes)
    return {
        "move_us": move_us,
        "shown_us": shown_us,
        "shown_share": shown_us / move_us,
        "seen": seen,
    }


async def _a_move(
    server: Served, players: Sequence[QuickPeer], watching: Sequence[QuickPeer], sizes: Sizes
) -> tuple[float, float]:
    """Return what a move costs the loop, in µs, and the share of moves that a viewer is shown."""
    await asyncio.sleep(min(SETTLED_S, sizes.seconds))
    asked, shown = _asked(players), sum(peer.shown for peer in watching)
    used = await server.used_in(sizes.seconds)
    plies = max(1, _asked(players) - asked)
    shown = sum(peer.shown for peer in watching) - shown
    return US * used.loop / plies, shown / (plies * max(1, len(watching)))


def _asked(peers: Sequence[QuickPeer]) -> int:
    return sum(peer.asked for peer in peers)


class Price(StrEnum):
    """What can be measured."""

    PLY = "ply"
    CONNECTIONS = "connections"
    VIEWERS = "viewers"


MEASURES: Final = {Price.PLY: ply, Price.CONNECTIONS: connections, Price.VIEWERS: shown}


async def measured(
    checkouts: Sequence[tuple[Path, str]], parts: Sequence[Price], sizes: Sizes, rounds: int
) -> list[dict[str, float]]:
    found: list[dict[str, list[float]]] = [{} for _ in checkouts]
    for _ in range(rounds):
        for measure in map(MEASURES.__getitem__, parts):
            for (checkout, settings), figures in zip(checkouts, found, strict=True):
                async with served(checkout, settings) as server:
                    for name, value in (await measure(server, sizes)).items():
                        figures.setdefault(name, []).append(value)
    return [
        {name: round(statistics.median(values), 3) for name, values in figures.items()}
        for figures in found
    ]


def main(
    *,
    other: Annotated[Path | None, typer.Option(help="A checkout to compare with.")] = None,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of bots that play.")] = 64,
    idle: Annotated[int, typer.Option(min=1, help="Bots that do nothing.")] = 1000,
    viewers: Annotated[int, typer.Option(min=1, help="Spectators of the one game.")] = 200,
    seconds: Annotated[float, typer.Option(min=0.01, help="Seconds a figure.")] = 10.0,
    fronts: Annotated[int, typer.Option(min=0, help="Fronts of this checkout's server.")] = 0,
    rounds: Annotated[int, typer.Option(min=1, help="Measurements; their median counts.")] = 3,
    only: Annotated[list[Price] | None, typer.Option(help="Default: all.")] = None,
) -> None:
    """Measure what a ply and a connection cost."""
    settings = f"fronts = {fronts}\n{SETTINGS}" if fronts else SETTINGS
    here = Path(__file__).resolve().parents[3], settings
    checkouts = [here, *([(other.resolve(), SETTINGS)] if other else ())]
    sizes = Sizes(pairs, idle, viewers, seconds)
    ours, *others = asyncio.run(measured(checkouts, only or [*Price], sizes, rounds))
    ratios = [
        {name: round(ours[name] / each[name], 3) for name in ours if each[name]} for each in others
    ]
    console.emit(
        {
            "load": os.getloadavg()[0],
            "here": ours,
            **({"other": others[0], "ratios": ratios[0]} if others else {}),
        }
    )


if __name__ == "__main__":
    typer.run(main)
