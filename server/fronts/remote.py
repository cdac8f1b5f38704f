"""Fronts on other machines: the port that they come to, each with a token of its own.

Such a front is one of ours by its token, and no more trusted than that. What it says is decoded by
types, and paid for: one that overspends is not read for a while. It can't name an address of this
machine, keep a flag from falling, or say that a message came longer ago than an end of the wire may
be silent. Where it breaks the wire, is silent or ends, its bots are away by no fault of theirs, as
with a front here.
"""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamReaderProtocol, StreamWriter
from collections import Counter
from collections.abc import Mapping, Sequence
from hmac import compare_digest
from ssl import SSLContext
from typing import Final

from mancala.protocol import codec

from ..config.settings import LiveConfig
from ..health.child_process import STOP_S
from ..health.link import LocalLink, Said
from ..health.log import Log
from ..model.timers import Spawn
from ..net.accepting import Guard, MakeProtocol, OpenPorts, Port
from ..net.limits.client_address import Address
from ..net.limits.costs import AddressBudgets, TokenBucket, network_of
from ..net.metered import report_fault
from . import wire
from .fronts import FaultyFrontError, FrontEnd, FrontHost

MOST_LINKS: Final = 64
"""Connections to the port of fronts, those without a token included."""
MOST_OF_ONE: Final = 16
"""Those from one address, so that one stranger keeps no front out."""
LINKS_PER_S: Final = 1.0
"""Connections that it accepts from an address, since each may cost a handshake of TLS."""
BUDGET_PER_S: Final = 10_000.0
"""What a front may tell, in lines: as many as turns of its event loop have messages."""
BUDGET: Final = 100_000.0
LONGEST_REST_S: Final = 0.5
"""So soon one that rests is seen to have ended."""
PRICES: Final[Mapping[str, float]] = {wire.OPENED: 10.0, wire.LATE: 1000.0}
"""What costs more than a line: what opens a connection, and what is logged. Each message that was
heard costs its reading besides."""


class RemoteFrontEnd(FrontEnd):
    """The server's end of a front on another machine."""

    def __init__(self, fronts: RemoteFronts, link: LocalLink, address: str, token: str) -> None:
        super().__init__(fronts, link)
        self.token = token
        self._address = address
        self._budget = TokenBucket(per_s=BUDGET_PER_S, capacity=BUDGET, now=self._loop.time())
        self._missed = 0

    def drop(self) -> None:
        """End the link."""
        self._link.abort()

    async def watch(self) -> None:
        """Drop the link once the front is silent, or owes for as long what had arrived there.

        Seconds are counted in steps, so that a pause of this process is not taken for the front's.
        """
        owed, owes = None, 0
        while max(self._missed, owes) < wire.SILENT_S:
            await asyncio.sleep(1)
            self._missed += 1
            first = next(iter(self._waiting), None)
            owes = owes + 1 if first is not None and first == owed else 0
            owed = first
        self.drop()

    async def _give_way(self) -> None:
        await asyncio.sleep(0)
        while self._link.is_open and (rest_s := self._budget.wait_s(self._loop.time())):  # noqa: ASYNC110  # time refills it
            await asyncio.sleep(min(rest_s, LONGEST_REST_S))

    def _take(self, said: Said) -> None:
        now = self._loop.time()
        self._budget.take(PRICES.get(said.topic, 1.0), now)
        if said.topic == wire.CLOCK:
            self._missed = 0
            self.tell(wire.CLOCK, wire.ClockReading(said.body, now))
        else:
            super()._take(said)

    def _address_of(self, place: Address) -> str:
        """Return the front's own address for one of its machine, which is none of this one."""
        return self._address if place.is_loopback else str(place)

    def _hear(self, heard: wire.Heard) -> None:
        now, times = self._loop.time(), (heard.read_at, heard.latest, *(heard.stall or ()))
        if any(each is not None and abs(now - each) > wire.SILENT_S for each in times):
            raise FaultyFrontError(f"connection {heard.number} said something at another time")
        self._budget.take(wire.reading_price(heard.message), now)
        super()._hear(heard)


class LinkGuard:
    """Keeps the connections to the port of fronts few, in all and from an address."""

    def __init__(self) -> None:
        self._now = asyncio.get_running_loop().time
        self._open = Counter[str]()
        self._paces = AddressBudgets(lambda: (LINKS_PER_S, MOST_OF_ONE))

    def admits(self, address: str) -> bool:
        """Return whether to accept a connection; count it if so."""
        now, network = self._now(), network_of(address)
        pace = self._paces.of(address, now)
        is_full = self._open.total() >= MOST_LINKS or self._open[network] >= MOST_OF_ONE
        if is_full or not pace.pays(1, now):
            return False
        self._open[network] += 1
        return True

    def closed(self, address: str) -> None:
        """Note that a connection is closed."""
        self._open -= Counter((network_of(address),))

    def trusts(self, _address: str) -> bool:
        """Return that no proxy is between."""
        return False


class RemoteFronts(FrontHost):
    """The fronts on other machines, as the port of a server."""

    kind = "fronts on other machines"

    def __init__(self, live: LiveConfig, log: Log, spawn: Spawn, open_ports: OpenPorts) -> None:
        super().__init__(live, log)
        self._spawn = spawn
        self._open_ports = open_ports
        self._ports: Sequence[Port] = ()
        self._fronts: dict[str, RemoteFrontEnd] = {}
        self._writers: set[StreamWriter] = set()

    @property
    def noticed(self) -> tuple[str, ...]:
        """What of the fronts an organiser should know, in sentences."""
        away = [name for name in self._live.now.front_tokens if name not in self._fronts]
        said = (f"fronts on other machines that are away: {', '.join(away)}",) if away else ()
        return (*super().noticed, *said)

    # As the port of a server

    async def open_ports(
        self, setting: str, host: str, port: int, guard: Guard
    ) -> tuple[RemoteFronts]:
        """Listen for fronts on each address of a host, or raise `PortError`."""
        self._ports = await self._open_ports(setting, host, port, LinkGuard())
        self._guard = guard
        return (self,)

    @property
    def number(self) -> int:
        return self._ports[0].number

    def serve(self, make: MakeProtocol, tls: SSLContext | None, handshake_s: float) -> None:
        """Accept fronts; they have TLS if there is a certificate."""
        self._make = make
        for port in self._ports:
            port.serve(self._protocol, tls, handshake_s)

    def close(self) -> None:
        """Accept no more, here and at the fronts."""
        for port in self._ports:
            port.close()
        for front in self._running:
            front.tell(wire.STOP)

    def end(self) -> None:
        for writer in self._writers:
            writer.close()
            self._loop.call_later(STOP_S, writer.transport.abort)

    def reload(self) -> None:
        """Have the fronts take the settings now in force; drop those whose token is gone."""
        for name, front in self._fronts.items():
            if self._live.now.front_tokens.get(name) == front.token:
                front.tell(wire.RELOAD, wire.public_settings(self._live.now))
            else:
                front.drop()

    def _protocol(self, address: str) -> StreamReaderProtocol:
        def begin(reader: StreamReader, writer: StreamWriter) -> None:
            self._spawn(self._serve(address, reader, writer), "front")

        return StreamReaderProtocol(StreamReader(limit=wire.LONGEST_LINE), begin)

    async def _serve(self, address: str, reader: StreamReader, writer: StreamWriter) -> None:
        self._writers.add(writer)
        try:
            name = await self._welcome(address, reader, writer)
            if name is not None:
                link = LocalLink(reader, writer, self._log, f"front {name}", wire.TOLD_FROM_FAR)
                token = self._live.now.front_tokens[name]
                await self._hold(name, RemoteFrontEnd(self, link, address, token))
                link.abort()  # it may read nothing
        except (OSError, ValueError) as error:
            self._log.warning("a front does not say hello", address=address, error=str(error))
        except Exception as error:  # noqa: BLE001  # any fault; it ends this front alone
            report_fault(self._loop, error)
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _welcome(
        self, address: str, reader: StreamReader, writer: StreamWriter
    ) -> str | None:
        """Return the name of a front, once it has its settings; None if it is refused."""
        async with asyncio.timeout(self._live.now.limits.handshake_s):
            hello = codec.from_json(await reader.readline(), wire.FrontHello)
        given, names = hello.token.encode(), self._live.now.front_tokens.items()
        name = next((name for name, token in names if compare_digest(token.encode(), given)), None)
        settings = wire.public_settings(self._live.now)
        answer = wire.FrontWelcome(settings=settings, now=self._loop.time())
        if name is None:
            answer = wire.FrontWelcome("no front has this token here")
        elif hello.wire != wire.NUMBER:
            answer = wire.FrontWelcome(f"this server talks version {wire.NUMBER} with fronts")
        writer.write(codec.to_json(answer) + b"\n")
        if answer.refused:
            self._log.warning("a front is refused", address=address, why=answer.refused)
            return None
        return name

    async def _hold(self, name: str, front: RemoteFrontEnd) -> None:
        """Have a front pass on connections until it ends, or another one comes with its token."""
        if (former := self._fronts.get(name)) is not None:
            self._log.warning("another front has come with the same token", front=name)
            former.drop()
        self._fronts[name] = front
        self._log.info("a front has come", front=name)
        watching = asyncio.create_task(front.watch(), name="watch of a front")
        try:
            await self.converse(front)
        finally:
            watching.cancel()
            if self._fronts.get(name) is front:
                del self._fronts[name]
            self._log.info("a front is gone", front=name)
