"""``python -m mancala.server.fronts.process``: a front, started by the game server.

It accepts connections to sockets that all fronts share, and has their TLS, handshakes, frames,
pings and budgets. What a message means is the game server's business. It ends with the game server,
not by signals that a terminal or systemd sends to all processes of a group.
"""

import asyncio
import signal
import socket  # noqa: TID251  # the root of the front's process
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import count
from math import inf
from ssl import SSLContext
from typing import Final

from websockets import CloseCode

from ..config.settings import ConfigError, LiveConfig, Tls
from ..health.child_process import Parent, parent_of
from ..health.fairness import Fairness, LatenessWatch
from ..health.garbage import gc_between_games
from ..health.link import LocalLink, Said
from ..health.log import Log
from ..health.loop_lag import REMEMBERED_LAG_S, LoopLag, probe
from ..net import tls
from ..net.accepting import Guard, GuardedPort, OpenPorts
from ..net.arrivals.arrival import TICK_S
from ..net.arrivals.segment_watch import watching_segments
from ..net.arrivals.segments import SegmentLog
from ..net.connection import Connection
from ..net.connection_port import ConnectionPort
from ..net.event_loop import run
from ..net.limits.gate import Gate
from ..net.listener import options_of
from . import wire
from .wire import FrontHandover, FrontSettings, Heard

RESTARTS: Final = "the server restarts"
ACCEPTS_PER_S: Final = 500.0
"""Connections that a front accepts: more than a server, whose loop has the games as well."""


class FrontedPeer:
    """A connection of the front, and what of it the game server has not handled."""

    def __init__(self, number: int, connection: Connection) -> None:
        self.number = number
        self.connection = connection
        self.is_closing = False
        self.plays = False
        self._unhandled = 0

    def count(self, size: int) -> None:
        """Count a message; read no more beyond the window."""
        self._unhandled += size + wire.OVERHEAD
        if self._unhandled > wire.WINDOW and not self.is_closing:
            self.connection.hold()

    def acknowledge(self, size: int) -> None:
        """Count what was handled; read on within the window."""
        is_held, self._unhandled = self._unhandled > wire.WINDOW, self._unhandled - size
        if is_held and self._unhandled <= wire.WINDOW:
            self.connection.release()

    def close(self, code: int, reason: str) -> None:
        """Close the connection; read on, for its close."""
        self.is_closing = True
        self.connection.close(code, reason)
        self.connection.release()


class FrontRelay:
    """Passes messages on between peers and the game server."""

    def __init__(self, live: LiveConfig, link: LocalLink, log: Log, tls: SSLContext | None) -> None:
        self._live = live
        self._gate = Gate(live)
        self._link = link
        self._log = log
        self._tls = tls
        self._shifted: Callable[[Heard], Heard] | None = None
        self._lag = LoopLag(remembered_s=REMEMBERED_LAG_S)
        self._loop = asyncio.get_running_loop()
        self._peers: dict[int, FrontedPeer] = {}
        self._numbers = count(1)
        self._heard: list[Heard] = []
        self._heard_bytes = 0

    @property
    def is_calm(self) -> bool:
        """Whether no peer plays."""
        return not any(peer.plays for peer in self._peers.values())

    async def serve(
        self,
        open_ports: OpenPorts,
        segments: SegmentLog,
        opened: Callable[[int], object] = lambda _number: None,
    ) -> None:
        """Accept connections until the game server closes the link; tell at which port."""
        options = options_of(self._live, segments)
        port = ConnectionPort(
            self._converse, self._gate, self._tls, open_ports, Connection, options
        )
        opened(await port.open("port", self._live.now.host, self._live.now.port))
        self._tell(wire.UP, None)
        measuring = asyncio.create_task(self._probe(), name="loop lag")
        async for said in self._link:
            if said.topic == wire.STOP:
                port.stop_accepting()
            else:
                self._take(said)
        measuring.cancel()
        await port.close(CloseCode.SERVICE_RESTART, RESTARTS)

    async def _probe(self) -> None:
        """Measure the lag; tell once no game may begin for it, and once games may again."""
        watch = LatenessWatch(Fairness(self._live, self._lag), partial(self._tell, wire.LATE))
        await probe(self._lag, now=self._loop.time, tell=watch.look)

    # What peers say

    async def _converse(self, connection: Connection) -> None:
        peer = FrontedPeer(next(self._numbers), connection)
        self._peers[peer.number] = peer
        connection.outgoing_bytes = self._live.now.limits.outgoing_bytes
        connection.on_flood(lambda: self._tell(wire.FLOODED, peer.number))
        self._tell(wire.OPENED, wire.Opened(peer.number, connection.address))
        try:
            await connection.listen(lambda message: self._hear(peer, message))
        finally:
            del self._peers[peer.number]
            self._tell(wire.CLOSED, wire.Closed(peer.number, connection.fault))

    def _hear(self, peer: FrontedPeer, message: bytes) -> None:
        if peer.is_closing:
            return
        now, connection = self._loop.time(), peer.connection
        found, lag_ms = connection.arrival(now), connection.lag_s * 1000
        heard = Heard(peer.number, message, now, lag_ms)
        if found.earliest < now - TICK_S:
            earliest = None if found.earliest == -inf else found.earliest
            stall = self._lag.stall_until(now)
            heard = Heard(peer.number, message, now, lag_ms, earliest, found.latest, stall)
        if self._shifted is not None:
            heard = self._shifted(heard)
        if not self._heard:
            self._loop.call_soon(self._flush)
        self._heard.append(heard)
        self._heard_bytes += len(message) + wire.OVERHEAD
        peer.count(len(message))
        # The game server charges it, where turns have prepaid it; here that pays for the next one.
        connection.meter.grant(wire.reading_price(message))
        if self._heard_bytes > wire.LINE_BYTES:
            self._flush()

    def _flush(self) -> None:
        heard, self._heard, self._heard_bytes = self._heard, [], 0
        if heard:
            self._link.tell(wire.HEARD, heard)

    def _tell(self, topic: str, body: object) -> None:
        self._flush()
        self._link.tell(topic, body)

    # What the game server says

    def _take(self, said: Said) -> None:
        body = said.body
        if said.topic == wire.WRITE:
            for numbers, frames in body:
                for number in numbers:
                    self._write(number, frames)
        elif said.topic == wire.CATCH_UP:
            # A turn of the loop from now has read all that has arrived; the one after it tells so.
            self._loop.call_soon(self._loop.call_soon, self._tell, wire.CAUGHT_UP, body)
        elif said.topic == wire.RELOAD:
            self._reload(body)
        else:
            number = body if said.topic == wire.ABORT else body.number
            if (peer := self._peers.get(number)) is not None:
                _obey(peer, said)

    def _write(self, number: int, frames: bytes) -> None:
        peer = self._peers.get(number)
        if peer is not None and peer.connection.is_open:
            peer.connection.send_frames(frames)
            peer.connection.flush()

    def _reload(self, settings: FrontSettings) -> None:
        renew(self._tls, settings, self._log)
        self._live.now = settings.config
        self._gate.reload()


def _obey(peer: FrontedPeer, said: Said) -> None:
    if said.topic == wire.READ:
        peer.acknowledge(said.body.size)
    elif said.topic == wire.PLAYS:
        peer.plays = said.body.plays
        peer.connection.measure_lag(plays=peer.plays)
    elif said.topic == wire.CLOSE:
        peer.close(said.body.code, said.body.reason)
    else:
        peer.connection.abort()


async def _adopt(
    descriptors: Sequence[int], _setting: str, _host: str, _port: int, guard: Guard
) -> list[GuardedPort]:
    listening = (socket.socket(fileno=each) for each in descriptors)
    return [GuardedPort(each, guard, accepts_per_s=ACCEPTS_PER_S) for each in listening]


def _certificate(settings: FrontSettings) -> AbstractContextManager[Tls]:
    return nullcontext(settings.config.tls) if settings.pem is None else tls.as_files(settings.pem)


def renew(context: SSLContext | None, settings: FrontSettings, log: Log) -> None:
    """Load a front's certificate into its context, which keeps its own where that fails."""
    try:
        if context is not None:
            with _certificate(settings) as files:
                tls.load(context, files)
    except ConfigError as error:
        log.warning("a front keeps its certificate", error=str(error))


def run_as_child() -> None:
    """Serve for the game server that started this process, until it closes the link."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    run(_serve_as_child())


async def _serve_as_child() -> None:
    longest = wire.LONGEST_FROM_SERVER
    async with parent_of(FrontHandover, wire.TOLD, longest) as (handover, parent):
        await _serve(handover, parent)


async def _serve(handover: FrontHandover, parent: Parent) -> None:
    link, log, listening = parent
    live = LiveConfig(handover.settings.config)
    with _certificate(handover.settings) as files:
        context = tls.context_of(files)
    async with watching_segments(lambda code: log.warning("watch ended", code=code)) as seen:
        relay, loop = FrontRelay(live, link, log, context), asyncio.get_running_loop()
        with gc_between_games(lambda: relay.is_calm, loop.call_later):
            await relay.serve(partial(_adopt, listening), seen)


if __name__ == "__main__":
    run_as_child()
