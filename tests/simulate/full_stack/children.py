"""The processes that a server of the full stack starts: its fronts, publisher and web process.

Each is a host of its own, at the far end of a simulated pipe. What a front holds is heard at its
sockets, and what the server says to it as the server writes it. So the ledger has the times that
the server goes by. What else a bot says is noted once the server hears it: it may be lost with its
front.
"""

from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Protocol

from mancala.protocol import codec
from mancala.protocol.messages import Message, Move
from mancala.server.config.settings import LiveConfig
from mancala.server.fronts import fronts, wire
from mancala.server.fronts.process import FrontRelay
from mancala.server.health.child_process import ChildProgram, SupervisedProcess
from mancala.server.health.link import LinkLine, LocalLink
from mancala.server.health.log import Log
from mancala.server.net.arrivals.segments import NO_SEGMENTS
from mancala.server.web import child
from mancala.server.web.feed.topics import WebHandover
from tests.simulate.child_process import PipeEnd, SimulatedChild, link_over, pipe
from tests.simulate.full_stack.host import SimulatedHost
from tests.simulate.full_stack.network import Network, SharedLink
from tests.simulate.full_stack.packet_tap import Conversation, Frames, Witness
from tests.simulate.ledger import Transcript
from tests.simulate.page import Visited, serve_visitor
from tests.simulate.plan import FRONTS, PAGE, PUBLISHER
from tests.simulate.publisher_process import PublisherSetup, publish
from tests.simulate.trace import PlainLog, Trace


class ChildrenSetup(PublisherSetup, Visited, Protocol):
    """What the processes need of the world that they run in."""

    network: Network

    def served(self, handover: WebHandover) -> None: ...


class HostedChild(SimulatedChild):
    """A process of the full stack: its connections end with it."""

    def __init__(
        self,
        host: SimulatedHost,
        world: ChildrenSetup,
        end: PipeEnd,
        work: Callable[[], Coroutine[Any, Any, None]],
        cut_off: Callable[[], None],
    ) -> None:
        self._host = host
        self._cut_off = cut_off
        super().__init__(world, end, work)

    def hang(self) -> None:
        self._end.is_deaf = True
        self._host.hang()
        self._cut_off()

    def _stop(self) -> None:
        self._cut_off()
        self._host.kill()


class FrontedConversation(Conversation):
    """A conversation over a front."""

    def __init__(
        self, link: SharedLink, trace: Trace, ledger: Transcript, witness: Witness
    ) -> None:
        super().__init__(link, trace, ledger, witness)
        self.is_cut_off = False
        self._frames = Frames(is_open=True)
        self._under_way: deque[Message] = deque()

    def said(self, data: bytes) -> None:
        """Ignore what the front writes: it was noted before."""

    def written(self, frames: bytes) -> None:
        self._read(frames, self._frames, *self._said[1:])

    def _announce(self, message: Message) -> None:
        super()._announce(message)
        if self.is_cut_off:
            self._ledger.cut_off(self.questions)

    def _arrive(self, message: Message) -> None:
        self._under_way.append(message)
        if isinstance(message, Move):
            super()._arrive(message)

    def delivered(self) -> None:
        message = self._under_way.popleft()
        if not isinstance(message, Move):
            super()._arrive(message)

    def cut_off(self) -> None:
        self.is_cut_off = True
        self._ledger.cut_off(self.questions)


class SimulatedFront:
    """A front, and what is said over it."""

    def __init__(
        self, world: ChildrenSetup, ledger: Transcript, here: PipeEnd, end: PipeEnd
    ) -> None:
        self._world = world
        self._ledger = ledger
        self._end = end
        self._arrived = b""
        self._conversations: dict[int, FrontedConversation] = {}
        here.on_write, here.on_take, end.on_write = self._told, self._take, self._opened

    async def serve(self, host: str, number: int) -> None:
        handover = codec.from_json(await self._end.reader.readline(), wire.FrontHandover)
        log = PlainLog(self._world.trace)
        link = link_over(self._end, log, "game server", wire.TOLD)
        self._relay = FrontRelay(LiveConfig(handover.settings.config), link, log, None)
        open_ports = self._world.network.open_ports
        await self._relay.serve(
            lambda setting, _host, _number, guard: open_ports(setting, host, number, guard),
            NO_SEGMENTS,
        )

    def cut_off(self) -> None:
        for each in self._conversations.values():
            each.cut_off()

    def _opened(self, text: bytes) -> None:
        line = codec.from_json(text, LinkLine)
        if line.topic == wire.OPENED:
            number = codec.from_json(bytes(line.body), wire.Opened).number
            tap = self._relay._peers[number].connection.transport.tap  # type: ignore[attr-defined]
            if isinstance(tap, FrontedConversation):
                self._conversations[number] = tap

    def _take(self, data: bytes) -> None:
        *lines, self._arrived = (self._arrived + data).split(b"\n")
        for text in lines:
            line = codec.from_json(text, LinkLine)
            if line.topic == wire.HEARD:
                for heard in codec.from_json(bytes(line.body), list[wire.Heard]):
                    if heard.number in self._conversations:
                        self._conversations[heard.number].delivered()

    def _told(self, text: bytes) -> None:
        line = codec.from_json(text, LinkLine)
        if line.topic == wire.WRITE:
            for numbers, frames in codec.from_json(bytes(line.body), list[wire.Writing]):
                for number in numbers:
                    if number in self._conversations:
                        self._conversations[number].written(frames)


class Children:
    """The child processes of one server; faults befall them until the world is calm."""

    def __init__(self, world: ChildrenSetup, ledger: Transcript, place: tuple[str, int]) -> None:
        """Start none yet; fronts accept connections at a ``place``."""
        self._world = world
        self._ledger = ledger
        self._place = place
        self._processes: list[HostedChild] = []

    async def start(self, program: ChildProgram, log: Log) -> tuple[SupervisedProcess, LocalLink]:
        """Start a child, as `mancala.server.health.child_process.start_process` does."""
        here, there = pipe(self._world, program)
        host = SimulatedHost(program.name, self._place[0])
        if program.module == fronts.MODULE:
            front = SimulatedFront(self._world, self._ledger, here, there)
            work, cut_off, fault = partial(front.serve, *self._place), front.cut_off, FRONTS
        elif program.module == child.MODULE:
            work = partial(serve_visitor, self._world, there, self._world.served)
            cut_off, fault = lambda: None, PAGE
        else:
            work, cut_off, fault = partial(publish, self._world, there), lambda: None, PUBLISHER
        process = host.context.run(HostedChild, host, self._world, there, work, cut_off)
        self._processes.append(process)
        process.befall(fault)
        return process, link_over(here, log, program.name, program.hears)

    def kill(self) -> None:
        for process in self._processes:
            process.kill()
