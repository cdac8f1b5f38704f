"""``mancala front``: a front on another machine than its server.

It asks all servers that it knows until one serves, passes connections on to that, and begins again
when the link ends: its bots are asked to reconnect then (1012). A server that stands by has no port
for fronts, so after a takeover the next one that answers is the one that serves. Each is asked once
the one before it has failed, or has not answered for a moment, since one whose host is gone answers
nothing; not beside each other, since two addresses may be those of one server, which drops the
former link of a front when it comes again.

Clocks of machines differ. Each second it asks the server for the time; of the last answers the one
with the shortest round trip says how far the clocks are apart. The time of the question is taken
for that of the answer, so what a bot says counts as said at most a round trip later than it was,
and never earlier. That round trip is added to the lag of its connection.
"""

import asyncio
import signal
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from msgspec.structs import replace

from mancala.protocol import codec

from ..config.checks import THIS_MACHINE
from ..config.settings import Config, ConfigError, LiveConfig
from ..health.backoff import backoff, wait_at_most
from ..health.garbage import gc_between_games
from ..health.link import LocalLink, Said
from ..health.log import Log
from ..model.timers import Stall
from ..net import tls
from ..net.arrivals.segment_watch import watching_segments
from ..net.arrivals.segments import SegmentLog
from ..net.hosts import url_of
from ..net.listening import guarded_ports
from . import wire
from .process import ACCEPTS_PER_S, FrontRelay, renew
from .wire import ClockReading, FrontSettings, Heard

CONNECT_S: Final = 5.0
"""For a connection to a server, its TLS, and its answer to a hello."""
LONGEST_RETRY_S: Final = 2.0
SERVER_SILENT_S: Final = 5
"""A server that tells nothing for this long, in seconds, is left: as long as PostgreSQL gives the
session of a silent server. The server leaves a silent front after `wire.SILENT_S`."""
NEXT_ADDRESS_S: Final = 0.25
"""After this, the next address of a server is tried besides."""
NEXT_SERVER_S: Final = 1.0
"""After this, the next server is asked besides."""
LONG_LIFE_S: Final = 10.0
"""Once a link has lasted for this long, the delays begin anew."""
SAMPLES: Final = 10
"""Answers that are compared; clocks drift by half a millisecond in a second at most."""


class FrontRefusedError(Exception):
    """A server does not take this front; the message says why."""


class ServerAddress(NamedTuple):
    """Where a server has its port for fronts."""

    host: str
    port: int
    is_plain: bool

    @classmethod
    def parse(cls, text: str) -> "ServerAddress":
        """Return the address of ``tls://HOST:PORT``, or of ``tcp://`` on this machine.

        ConfigError when it is another one: what bots say, and the token, are secrets.
        """
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if host is None or not port or parts.scheme not in {"tls", "tcp"} or parts.path:
            raise ConfigError(f"{text}: a server is tls://HOST:PORT, its front_port")
        if parts.scheme == "tcp" and host not in THIS_MACHINE:
            raise ConfigError(f"{text}: on the way to another machine it is tls://HOST:PORT")
        return cls(host, port, parts.scheme == "tcp")

    def __str__(self) -> str:
        return url_of("tcp" if self.is_plain else "tls", self.host, self.port)


class ServerClock:
    """The clock of a server, as a front on another machine knows it; pure.

    Attributes:
        missed: how many questions have been asked since the last answer.
    """

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque(maxlen=SAMPLES)
        self._round_trip_s = self._ahead_s = 0.0
        self._last_s = 0.0
        self.missed = 0

    def note(self, answer: ClockReading, now: float) -> None:
        """Take in an answer that came at an instant of the front's own clock."""
        self.missed = 0
        self._samples.append((now - answer.asked_at, answer.now - answer.asked_at))
        self._round_trip_s, self._ahead_s = min(self._samples)

    def shifted(self, heard: Heard) -> Heard:
        """Return a message with the server's times, in order, and with the lag of the link."""
        ahead_s = self._ahead_s
        self._last_s = max(self._last_s, heard.read_at + ahead_s)
        stall = heard.stall
        return replace(
            heard,
            read_at=self._last_s,
            lag_ms=heard.lag_ms + 1000 * self._round_trip_s,
            earliest=None if heard.earliest is None else heard.earliest + ahead_s,
            latest=None if heard.latest is None else heard.latest + ahead_s,
            stall=None if stall is None else Stall(*(each + ahead_s for each in stall)),
        )


class RemoteRelay(FrontRelay):
    """Passes messages on to a server on another machine."""

    def __init__(
        self,
        live: LiveConfig,
        link: LocalLink,
        log: Log,
        tls: ssl.SSLContext | None,
        clock: ServerClock,
    ) -> None:
        super().__init__(live, link, log, tls)
        self._clock = clock
        self._shifted = clock.shifted

    async def watch(self) -> None:
        """Ask for the time each second; drop the link once that is not answered any more."""
        while self._clock.missed < SERVER_SILENT_S:
            self._clock.missed += 1
            self._tell(wire.CLOCK, self._loop.time())
            await asyncio.sleep(1)
        self._link.abort()

    def _take(self, said: Said) -> None:
        if said.topic == wire.CLOCK:
            self._clock.note(said.body, self._loop.time())
        elif said.topic == wire.RELOAD:
            try:
                config = wire.taken_up(self._live.now, said.body)
            except codec.DecodeError as error:
                self._log.warning("cannot read a line", sender="game server", error=str(error))
                self._link.abort()
            else:
                self._reload(FrontSettings(config, None))
        else:
            super()._take(said)


class Taken(NamedTuple):
    """A server that has taken a front, and the link to it."""

    server: ServerAddress
    link: LocalLink
    relay: RemoteRelay


class RemoteFront:
    """A front that looks for the server that serves, again whenever that ends."""

    def __init__(
        self,
        config: Config,
        servers: Sequence[ServerAddress],
        token: str,
        *,
        log: Log,
        ready: Callable[[str], object],
        uniform: Callable[[float, float], float],
    ) -> None:
        """Prepare; ``ready`` hears the URL each time that bots may come.

        ConfigError says if the certificate can't be used.
        Of the settings those of its own port count: host, port and certificate.
        """
        self._config = config
        self._servers = tuple(dict.fromkeys(servers))
        self._token = token
        self._log = log
        self._ready = ready
        self._delays = partial(backoff, uniform, longest_s=LONGEST_RETRY_S)
        self._tls = tls.context_of(config.tls)
        self._authority = ssl.create_default_context()
        self._link: LocalLink | None = None
        self._stop = asyncio.Event()

    async def run(self, segments: SegmentLog) -> None:
        """Pass on connections until stopped; FrontRefusedError when no server wants it."""
        delays, now = self._delays(), asyncio.get_running_loop().time
        while (taken := await self._taken()) is not None:
            server, link, relay = taken
            self._log.info("a server has taken this front", server=str(server))
            began = now()
            await self._serve(link, relay, segments)
            self._log.info("the server is gone", server=str(server))
            if now() - began > LONG_LIFE_S:
                delays = self._delays()
            await wait_at_most(next(delays), self._stop)

    def stop(self) -> None:
        """End the link, so that the server excuses the bots, and then their connections."""
        self._stop.set()
        if self._link is not None:
            self._link.close()

    def renew_certificate(self) -> None:
        """Have bots that come from now on see the certificate that the files hold by now."""
        renew(self._tls, FrontSettings(self._config, None), self._log)

    async def _taken(self) -> Taken | None:
        """Return the first server that takes this front; None once it is stopped."""
        failed = dict[ServerAddress, Exception]()
        turns = [asyncio.Event() for _ in (*self._servers, None)]
        asking = [
            asyncio.create_task(self._ask(place, turns, failed))
            for place in range(len(self._servers))
        ]
        stopping = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait((*asking, stopping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*asking, stopping):
                task.cancel()
            found = await asyncio.gather(*asking, return_exceptions=True)
            taken = [each for each in found if isinstance(each, Taken)]
            for other in taken[1:]:
                other.link.abort()
        if taken:
            return taken[0]
        for each in found:
            if isinstance(each, Exception):
                raise each
        return None

    async def _ask(
        self,
        place: int,
        turns: list[asyncio.Event],
        failed: dict[ServerAddress, Exception],
    ) -> Taken:
        """Ask a server until it takes this front; log once that none of all does, and why.

        It begins when the one before it has failed, and ``NEXT_SERVER_S`` a place later at the
        latest. FrontRefusedError when this was the last of all servers to refuse.
        """
        await wait_at_most(place * NEXT_SERVER_S, turns[place])
        server, delays = self._servers[place], self._delays()
        while True:
            try:
                return Taken(server, *await self._welcomed(server))
            except (OSError, ValueError, FrontRefusedError) as error:
                former, failed[server] = failed.get(server), error
                if len(failed) == len(self._servers):
                    if all(isinstance(each, FrontRefusedError) for each in failed.values()):
                        raise
                    if former is None or _said(former) != _said(error):
                        tried = {str(each): _said(why) for each, why in failed.items()}
                        self._log.warning("no server serves", tried=tried)
            turns[place + 1].set()
            await asyncio.sleep(next(delays))

    async def _welcomed(self, server: ServerAddress) -> tuple[LocalLink, RemoteRelay]:
        clock, loop = ServerClock(), asyncio.get_running_loop()
        is_plain_loop = isinstance(loop, asyncio.BaseEventLoop)  # uvloop has no second address
        next_one: dict[str, Any] = {"happy_eyeballs_delay": NEXT_ADDRESS_S} if is_plain_loop else {}
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(  # noqa: TID251  # the root of this process
                server.host,
                server.port,
                limit=wire.LONGEST_FROM_SERVER,
                ssl=None if server.is_plain else self._authority,
                **next_one,
            )
            try:
                asked_at = loop.time()
                writer.write(codec.to_json(wire.FrontHello(self._token)) + b"\n")
                welcome = codec.from_json(await reader.readline(), wire.FrontWelcome)
                clock.note(ClockReading(asked_at, welcome.now), loop.time())
                live = LiveConfig(wire.taken_up(self._config, welcome.settings))
            except BaseException:
                writer.transport.abort()
                raise
        if welcome.refused:
            writer.close()
            raise FrontRefusedError(f"{server}: {welcome.refused}")
        link = LocalLink(reader, writer, self._log, "game server", wire.TOLD_TO_FAR)
        return link, RemoteRelay(live, link, self._log, self._tls, clock)

    async def _serve(self, link: LocalLink, relay: RemoteRelay, segments: SegmentLog) -> None:
        self._link = link
        if self._stop.is_set():
            link.close()
        watching = asyncio.create_task(relay.watch(), name="watch of the server")
        try:
            call_later = asyncio.get_running_loop().call_later
            with gc_between_games(lambda: relay.is_calm, call_later):
                open_ports = partial(guarded_ports, accepts_per_s=ACCEPTS_PER_S)
                await relay.serve(open_ports, segments, self._opened)
        finally:
            watching.cancel()
            link.abort()
            self._link = None

    def _opened(self, number: int) -> None:
        self._config = replace(self._config, port=number)  # the next time it is the same
        scheme = "ws" if self._config.tls.cert is None else "wss"
        self._ready(url_of(scheme, self._config.host, number))


async def serve(front: RemoteFront, log: Log) -> None:
    """Run a front until SIGTERM or SIGINT, or raise FrontRefusedError or OSError.

    SIGHUP has it take up a renewed certificate.
    """
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, front.stop)
    loop.add_signal_handler(signal.SIGHUP, front.renew_certificate)
    async with watching_segments(lambda code: log.warning("watch ended", code=code)) as segments:
        await front.run(segments)


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
