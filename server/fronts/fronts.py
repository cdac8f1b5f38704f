"""The fronts of a server: processes that hold its sockets, started again when they end.

All accept from the same listening sockets, which the server opens and keeps. A front that ends
takes its connections along, and no game: its bots are away by no fault of their own, so their
clocks stand until they are back, at another front or at its successor.

A front is as little trusted as a peer: what it says is decoded by types, the addresses that it
names are no more than addresses, and one that breaks the wire is replaced. It gets the certificate
and the settings of its own work, and none of the server's passwords. Of its own peers it is trusted
with what they say, the secrets of their sessions included, and roughly with when they said it.
"""

from __future__ import annotations

import asyncio
import socket  # noqa: TID251  # sockets that fronts inherit
from collections.abc import Callable, Sequence
from itertools import count
from ssl import SSLContext
from typing import Final, cast

from ..config.settings import LiveConfig
from ..health.child_process import ChildProgram, Start, Supervisor, start_process
from ..health.fairness import HELD_UP_S
from ..health.link import LocalLink, Said
from ..health.log import Log
from ..model.timers import Spawn
from ..net import tls
from ..net.accepting import Guard, MakeProtocol
from ..net.limits.client_address import Address, parsed
from ..net.limits.connection_filter import ConnectionFilter
from ..net.listening import Listen, listening_sockets
from ..net.metered import report_fault
from . import wire
from .relayed import RelayedConnection, RelayTransport

NAME: Final = "front"
MODULE: Final = "mancala.server.fronts.process"
MOST_UNREAD: Final = 64 * 1024 * 1024
"""A front that has not read this many bytes is replaced."""


class FaultyFrontError(Exception):
    """A front says what none may say."""


class FrontEnd:
    """The server's end of a front that runs.

    Attributes:
        is_late: whether its event loop is late, so that no game of its bots begins.
    """

    def __init__(self, fronts: FrontHost, link: LocalLink) -> None:
        self._fronts = fronts
        self._link = link
        self._loop = asyncio.get_running_loop()
        self._connections: dict[int, RelayedConnection] = {}
        self._writings: list[wire.Writing] = []
        self._rounds = count(1)
        self._due: list[Callable[[], None]] = []
        self._waiting: dict[int, list[Callable[[], None]]] = {}
        self._is_over = False
        self.began_at: float | None = None
        self.is_late = False

    # As connections call it

    def write(self, number: int, frames: bytes) -> None:
        last = self._writings[-1] if self._writings else None
        if last is not None and last.frames is frames:
            last.numbers.append(number)
            return
        if last is None:
            self._loop.call_soon(self._flush)
        self._writings.append(wire.Writing([number], frames))

    def close(self, number: int, code: int, reason: str) -> None:
        self.tell(wire.CLOSE, wire.Closing(number, code, reason))

    def abort(self, number: int) -> None:
        self.tell(wire.ABORT, number)
        self._loop.call_soon(self._lose, number)

    def acknowledge(self, number: int, size: int) -> None:
        self.tell(wire.READ, wire.Handled(number, size))

    def note_play(self, number: int, *, plays: bool) -> None:
        self.tell(wire.PLAYS, wire.Plays(number, plays))

    def hear_out(self, done: Callable[[], None]) -> None:
        if self._is_over:
            self._loop.call_soon(done)
            return
        if not self._due:
            self._loop.call_soon(self._ask)
        self._due.append(done)

    def tell(self, topic: str, body: object = None) -> None:
        """Tell the front something, after what was written before."""
        self._flush()
        self._send(topic, body)

    def _flush(self) -> None:
        writings, self._writings = self._writings, []
        if writings:
            self._send(wire.WRITE, writings)

    def _send(self, topic: str, body: object) -> None:
        self._link.tell(topic, body)
        if self._link.unread_bytes > MOST_UNREAD:
            self._link.abort()

    # As its front calls it

    async def converse(self) -> None:
        """Take what the front tells until it ends, or breaks the wire."""
        async for said in self._link:
            try:
                self._take(said)
            except FaultyFrontError:
                raise
            except Exception as error:  # noqa: BLE001  # any fault; the front goes on
                report_fault(self._loop, error)
            await self._give_way()

    async def _give_way(self) -> None:
        """Let others have their turn: the next line may be there already."""
        await asyncio.sleep(0)

    def end(self) -> None:
        """Lose all connections, without a fault of theirs."""
        self._is_over = True
        for number in tuple(self._connections):
            self._lose(number, is_excused=True)
        for due in (*self._waiting.values(), self._due):
            self._call(due)

    def _ask(self) -> None:
        if not self._is_over:
            number = next(self._rounds)
            self._waiting[number], self._due = self._due, []
            self.tell(wire.CATCH_UP, number)

    def _call(self, due: Sequence[Callable[[], None]]) -> None:
        for done in due:  # a fault in one stops no other
            self._loop.call_soon(done)

    def _take(self, said: Said) -> None:
        body = said.body
        if said.topic == wire.HEARD:
            for heard in body:
                self._hear(heard)
        elif said.topic == wire.OPENED:
            self._open(body)
        elif said.topic == wire.CLOSED:
            self._lose(body.number, body.fault)
        elif said.topic == wire.FLOODED:
            self._flood(body)
        elif said.topic == wire.UP:
            self.began_at = self._loop.time()
        elif said.topic == wire.LATE:
            self.is_late = body
            self._fronts.note_lateness(is_late=body)
        else:
            self._call(self._waiting.pop(body, ()))

    def _open(self, opened: wire.Opened) -> None:
        number, told = opened
        if number in self._connections:
            raise FaultyFrontError(f"connection {number} is open already")
        if (place := parsed(told)) is None:
            raise FaultyFrontError(f"no address: {told[:40]!r}")
        address = self._address_of(place)
        transport = RelayTransport(self, number)
        connection = self._fronts.connect(address)
        if connection is None:
            transport.abort()
            return
        self._connections[number] = connection
        connection.connection_made(transport)

    def _address_of(self, place: Address) -> str:
        return str(place)

    def _hear(self, heard: wire.Heard) -> None:
        connection = self._connections.get(heard.number)
        if connection is None:  # it was aborted a moment ago
            return
        try:
            is_within = connection.take(heard)
        except Exception as error:  # noqa: BLE001  # any fault; it ends this connection alone
            connection.fail(error)
            return
        if not is_within:
            raise FaultyFrontError(f"connection {heard.number} says too much ahead, or in the past")

    def _flood(self, number: int) -> None:
        if (connection := self._connections.get(number)) is not None:
            try:
                connection.note_flood()
            except Exception as error:  # noqa: BLE001  # as in what it says
                connection.fail(error)

    def _lose(self, number: int, fault: str | None = None, *, is_excused: bool = False) -> None:
        connection = self._connections.pop(number, None)
        if connection is not None:
            connection.lose(fault, is_excused=is_excused)
            self._fronts.disconnected(connection.address)


class FrontHost:
    """What passes on the connections of fronts: where they are counted, and which fronts run."""

    kind = "fronts"
    _guard: Guard
    _make: MakeProtocol

    def __init__(self, live: LiveConfig, log: Log) -> None:
        self._live = live
        self._log = log
        self._loop = asyncio.get_running_loop()
        self._running: dict[FrontEnd, None] = {}

    @property
    def ages_s(self) -> tuple[float, ...]:
        """For how long each front has accepted connections, in seconds."""
        now, began = self._loop.time(), (front.began_at for front in self._running)
        return tuple(now - began_at for began_at in began if began_at is not None)

    @property
    def noticed(self) -> tuple[str, ...]:
        """What of the fronts holds up games, in a sentence, if anything does."""
        late = sum(front.is_late for front in self._running)
        if not late:
            return ()
        said = f"{self.kind} whose event loop is late: {late} of {len(self._running)}"
        return (f"{said}; games of their bots begin up to {HELD_UP_S:g} s later",)

    def note_lateness(self, *, is_late: bool) -> None:
        if is_late:
            self._log.warning("a front is late", holds_up_s=HELD_UP_S)
        else:
            self._log.info("a front is late no longer")

    def connect(self, address: str) -> RelayedConnection | None:
        """Return the connection of a peer; None if the guard does not admit its address."""
        if not self._guard.admits(address):
            return None
        return cast("RelayedConnection", self._make(address))

    def disconnected(self, address: str) -> None:
        self._guard.closed(address)

    async def converse(self, front: FrontEnd) -> None:
        """Have a front pass on connections until it ends; they are lost then."""
        self._running[front] = None
        try:
            await front.converse()
        except FaultyFrontError as error:
            self._log.warning("a front breaks the wire", error=str(error))
        finally:
            del self._running[front]
            front.end()


class Fronts(FrontHost):
    """The port of bots and spectators, and the fronts that accept its connections."""

    def __init__(
        self,
        live: LiveConfig,
        log: Log,
        uniform: Callable[[float, float], float],
        spawn: Spawn,
        listen: Listen = listening_sockets,
        start: Start = start_process,
    ) -> None:
        super().__init__(live, log)
        self._uniform = uniform
        self._spawn = spawn
        self._listen = listen
        self._start = start
        self._pem = tls.read(live.now.tls)
        self._listening: Sequence[socket.socket] = ()
        self._supervisors: list[Supervisor] = []

    # As the port of a server

    async def open_ports(self, setting: str, host: str, port: int, guard: Guard) -> tuple[Fronts]:
        """Listen on each address of a host, or raise `PortError`."""
        self._listening = await self._listen(setting, host, port)
        self._guard = guard
        return (self,)

    @property
    def number(self) -> int:
        return int(self._listening[0].getsockname()[1])

    def serve(self, make: MakeProtocol, tls: SSLContext | None, handshake_s: float) -> None:
        """Start the fronts, which have TLS and the time of handshakes from the settings."""
        del tls, handshake_s
        self._make = make
        program = ChildProgram(
            name=NAME,
            module=MODULE,
            handover=self._handover,
            converse=self._converse,
            hears=wire.ASKED,
            inherits=self._listening,
            longest_line=wire.LONGEST_LINE,
        )
        for _ in range(self._live.now.fronts):
            supervisor = Supervisor(program, self._log, self._uniform, start=self._start)
            self._supervisors.append(supervisor)
            self._spawn(supervisor.run(), NAME)

    def _handover(self) -> wire.FrontHandover:
        """Return what a front gets; what its predecessor had the kernel ignore is heard again."""
        for each in self._listening:
            ConnectionFilter(each).clear()
        return wire.FrontHandover(
            settings=wire.settings_of(self._live.now, self._pem),
            log_level=self._live.now.log_level,
        )

    def close(self) -> None:
        """Accept no more, and replace no front any more."""
        for supervisor in self._supervisors:
            supervisor.retire()
        for front in self._running:
            front.tell(wire.STOP)
        for each in self._listening:
            each.close()

    def end(self) -> None:
        for supervisor in self._supervisors:
            supervisor.stop()

    def reload(self) -> None:
        """Have the fronts take the settings now in force, and renewed certificates."""
        self._pem = tls.read(self._live.now.tls)
        for front in self._running:
            front.tell(wire.RELOAD, wire.settings_of(self._live.now, self._pem))

    async def _converse(self, link: LocalLink) -> None:
        await self.converse(FrontEnd(self, link))
