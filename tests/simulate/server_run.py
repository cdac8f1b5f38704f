"""One run of the server: from its start, on the store of the last one, to its end or kill."""

import asyncio
from asyncio import StreamWriter
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from typing import Any, Final, TypeVar, cast

from msgspec import convert

from mancala.protocol import codec
from mancala.protocol.messages import Moved
from mancala.server.app.housekeeping import Housekeeper
from mancala.server.app.restoring import lobby_of
from mancala.server.config.settings import LiveConfig
from mancala.server.control.operator import Operator, Target
from mancala.server.control.plans.roles import obey
from mancala.server.control.port import serve_order
from mancala.server.control.wire import (
    LONGEST_REQUEST,
    LONGEST_RESPONSE,
    Change,
    Request,
    Response,
    line_of,
)
from mancala.server.health.backoff import backoff
from mancala.server.lobby.sessions import SessionRegistry
from mancala.server.match.context import Context, ignore_move
from mancala.server.match.orders import Orders
from mancala.server.model.events import EventFactory
from mancala.server.model.schemas.status import BrokerState
from mancala.server.net.limits.costs import AddressBudgets
from mancala.server.publish.address import Address
from mancala.server.publish.publisher import Publisher
from mancala.server.store import Store
from mancala.server.web.feed.feed_server import serve_feed
from mancala.server.web.feed.read_model import ReadModel
from mancala.server.web.feed.topics import ASKED
from tests.simulate.child_process import ChildSetup, PipeEnd, link_over, pipe_of
from tests.simulate.disk import Disk
from tests.simulate.promises import Promise, broken
from tests.simulate.publisher_process import PublisherOfWorld
from tests.simulate.setup import Setup
from tests.simulate.stalls import PULSE_S, CountedFairness, Stalls
from tests.simulate.storage import VirtualWriter
from tests.simulate.trace import PlainLog, RareEvent, Trace
from tests.simulate.wire import LineSeat

T = TypeVar("T")
Starting = Callable[[Coroutine[Any, Any, bytes]], asyncio.Task[bytes]]

OPERATOR: Final = "root"
SHOWN_BURST: Final = 4.0
"""What a spectator, and an address, may be shown at a time: two games."""
BACKGROUND_S: Final = 0.03
"""Mean time of a computation beside the loop."""


class ControlPort:
    """A running server's end of the pipes over which it gets orders, one after the other."""

    def __init__(
        self, world: ChildSetup, operator: Operator, is_over: Callable[[], bool], start: Starting
    ) -> None:
        self._world = world
        self._operator = operator
        self._is_over = is_over
        self._start = start
        self._ordering: set[asyncio.Task[bytes]] = set()
        self._at_shell = asyncio.Lock()

    @property
    def is_busy(self) -> bool:
        return bool(self._ordering)

    def order(
        self,
        request: Request,
        answered: Callable[[dict[str, Any]], None],
        refused: Callable[[str], None],
    ) -> None:
        """Have an order carried out; neither is called if the server is over before."""

        def settle(task: asyncio.Task[bytes]) -> None:
            self._ordering.discard(task)
            if task.cancelled() or self._is_over():
                return
            try:
                [line] = task.result().splitlines()
            except ValueError:
                broken(Promise.ANSWERED, f"{request.action}: {task.result()!r}")
            response = codec.from_json(line, Response)
            if response.result is None:
                refused(response.error)
            else:
                changed = convert(response.result["changed"], tuple[Change, ...])
                answered(response.result | {"changed": changed})

        task = self._start(self._ask(request))
        self._ordering.add(task)
        task.add_done_callback(settle)

    async def _ask(self, request: Request) -> bytes:
        async with self._at_shell:
            here, there = pipe_of(self._world, LONGEST_RESPONSE, LONGEST_REQUEST)
            here.write(line_of(request))
            log, writer = PlainLog(self._world.trace), cast("StreamWriter", there)
            await serve_order(there.reader, writer, self._operator, OPERATOR, log)
            return await here.reader.read()

    def cancel(self) -> None:
        for task in self._ordering:
            task.cancel()


class ServerRun:
    """A running server without sockets."""

    registry: SessionRegistry

    def __init__(self, world: Setup) -> None:
        self._world = world
        self.trace: Trace = world.trace
        self.disk: Disk = world.disk
        self.is_over = False
        self.failure: Exception | None = None
        self.seated: dict[str, LineSeat] = {}
        self.shown = AddressBudgets(lambda: (world.plan.shown_per_s, SHOWN_BURST))
        self.stalls = Stalls(world.trace, self._step)
        self._loop = asyncio.get_running_loop()
        self._writers: list[VirtualWriter] = []
        self.store = Store(
            str(world.path),
            announced=self._wake,
            failed=self._fail,
            refused=self._note_refusal,
            writer=self._make_writer,
        )
        self._publisher = self._make_publisher()
        self._events = EventFactory(world.config.name, world.config.topics)
        self._publishing: asyncio.Task[None] | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._feeding: dict[asyncio.Task[None], PipeEnd] = {}

    async def start(self) -> None:
        world = self._world
        await self.store.__aenter__()
        live = LiveConfig(world.config)
        context = Context(
            config=live,
            orders=Orders(world.utc),
            journal=self.store,
            events=self._events,
            now=self._loop.time,
            call_at=self._call_at,
            utc=world.utc,
            new_id=world.new_id,
            new_secret=lambda: self.trace.rng.randbytes(12).hex(),
            pick=self.trace.rng.choice,
            log=PlainLog(self.trace),
            in_background=self._in_background,
            fairness=CountedFairness(live, self.stalls.lag, stalls=self.stalls),
            live=self._publish_live if world.config.mqtt.live_moves else ignore_move,
        )
        self.registry, restore = await lobby_of(self.store, context)
        restore()
        target = Target(
            sessions=self.registry, store=self.store, context=context, config=lambda: world.config
        )
        operator = Operator(target)
        self._control = ControlPort(world, operator, lambda: self.is_over, self._loop.create_task)
        unmeasured: Any = None  # a page does not ask for it here
        asked = live, 0, self.registry, self.store, lambda: BrokerState.NONE, unmeasured
        obeyed = partial(obey, target, operator)
        self._read_model = ReadModel(*asked, lambda: None, obeyed, tuple, tuple, tuple)
        housekeeper = Housekeeper(self.registry, self.store, context)
        self._keeping = self._loop.create_task(housekeeper.run())
        self._publishing = self._loop.create_task(self._publisher.run())
        self._pulse()

    def later(self, delay_s: float, call: Callable[[], object]) -> None:
        """Call back after a time, unless this run is over by then."""
        self._loop.call_later(delay_s, self.stalls.message, call)

    def order(
        self,
        request: Request,
        answered: Callable[[dict[str, Any]], None],
        refused: Callable[[str], None],
    ) -> None:
        """Have an order carried out; neither is called if this run is over before."""
        self._control.order(request, answered, refused)

    @property
    def is_up(self) -> bool:
        return self._publishing is not None

    def feed(self, end: PipeEnd) -> None:
        log = PlainLog(self.trace)
        link = link_over(end, log, "web process", ASKED)
        serving = self._loop.create_task(serve_feed(self._read_model, link, log, lambda: 0.0))
        self._feeding[serving] = end

    def stall(self, seconds: float) -> None:
        """Hold the loop up for a while: messages and timers wait."""
        if not self.is_over:
            self.stalls.begin(seconds)

    def kill(self) -> None:
        """End without a word: what is not committed is lost, and nothing more is said."""
        self.is_over = True
        if self._control.is_busy:
            self.trace.count(RareEvent.KILL_IN_ORDER)
        for writer in self._writers:
            writer.kill()
        for task in (self._publishing, self._keeping):
            if task is not None:
                task.cancel()
        self._control.cancel()
        self._close_feeds()
        if isinstance(self._publisher, PublisherOfWorld):
            self._publisher.kill()

    def _close_feeds(self) -> None:
        for task, end in self._feeding.items():
            task.cancel()
            end.close()

    async def stop(self) -> None:
        """Suspend what runs, say goodbye, publish what is left, and close."""
        self.registry.suspend()
        self.registry.dismiss("the server restarts", 0.5, 1012)
        if self._keeping is not None:
            self._keeping.cancel()
        self._publisher.stop()
        if self._publishing is not None:
            await asyncio.wait({self._publishing}, timeout=1.0)
            self._publishing.cancel()
        self.is_over = True
        self._control.cancel()
        self._close_feeds()
        await self.store.__aexit__(None, None, None)

    def _make_publisher(self) -> Publisher | PublisherOfWorld:
        world = self._world
        if world.plan.publishes_apart:
            return PublisherOfWorld(world, self.store)
        return Publisher(
            Address("simulated", 1883, tls=False, user=None, password=None),
            self.store,
            server=world.config.name,
            topics=world.config.topics,
            utc=world.utc,
            log=PlainLog(self.trace),
            client=world.broker.client,
            delays=self._delays,
        )

    def _in_background(self, work: Callable[[], T], done: Callable[[T], None]) -> None:
        """Do the work at this moment; its result comes later, as from a thread."""
        result = work()
        delay_s = self.trace.rng.expovariate(1 / BACKGROUND_S)
        self.later(delay_s, lambda: done(result))

    def _make_writer(self, *args: object, **options: object) -> VirtualWriter:
        writer = VirtualWriter(self, *args, **options)
        self._writers.append(writer)
        return writer

    def _publish_live(self, moved: Moved) -> None:
        if not self.is_over:
            topic, payload = self._events.live_move(moved)
            self._publisher.publish_live(topic, codec.to_json(payload).decode())

    def _delays(self) -> Iterator[float]:
        return backoff(self.trace.rng.uniform, longest_s=2.0)

    def _step(self, call: Callable[[], object]) -> None:
        if not self.is_over:
            self._world.step()
        if not self.is_over:
            call()

    def _call_at(self, when: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        def fall_due() -> None:
            self.stalls.timer(handle, call)

        handle: asyncio.TimerHandle = self._loop.call_at(when, fall_due)
        return handle

    def _pulse(self) -> None:
        if not self.is_over:
            self.stalls.on_time()
            self._loop.call_later(PULSE_S, self._pulse)

    def _wake(self) -> None:
        if not self.is_over:
            self._publisher.wake()

    def _note_refusal(self, what: str, error: Exception) -> None:
        if not self.is_over and self.disk.is_refusing:
            PlainLog(self.trace).info("the store refused", work=what, error=error)
        elif not self.is_over:
            PlainLog(self.trace).warning("the store refused", work=what, error=error)

    def _fail(self, error: Exception) -> None:
        if not self.is_over and self.disk.is_full:
            self._world.lose_store()
        elif not self.is_over:
            self.failure = error
