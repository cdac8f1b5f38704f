"""Two servers of one store and one broker: one serves, the other stands by, and takes over.

Servers are killed, stopped, and started at the same moment; the way from one to the database, to
the broker, or to both is cut for a while; the database restarts, and connections are lost with a
commit. Of a server there are the store with its writer and its tenure, what stands by, and the
publisher; work stands for games.
"""

from __future__ import annotations

import asyncio
import random
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, Self
from unittest import mock

import aiomqtt

from mancala.protocol import codec
from mancala.protocol.results import Presence, Status
from mancala.server.app.serving import _take_over
from mancala.server.app.standby import Standby
from mancala.server.config.settings import Config, Mqtt
from mancala.server.health.backoff import backoff
from mancala.server.model.journal import Announced, Announcement
from mancala.server.publish.address import Address
from mancala.server.publish.publisher import KEEPALIVE_S, Publisher
from mancala.server.store import Store, StoreError
from mancala.server.store.database import database
from mancala.server.store.database.faults import BrokenStoreError
from tests.simulate import reading
from tests.simulate.audit import check_status
from tests.simulate.broker import BrokerClient, SimulatedBroker
from tests.simulate.disk import Disk
from tests.simulate.loop import VirtualLoop
from tests.simulate.plan import FaultPlan
from tests.simulate.promises import Promise, broken
from tests.simulate.scenario import Scenario
from tests.simulate.sessions import SessionDatabase, SessionWriter
from tests.simulate.trace import PlainLog, RareEvent, Trace

MACHINES: Final = ("one", "two")
WORK_S: Final = 0.3
"""Mean time between two pieces of work."""
TROUBLE_S: Final = (3.0, 15.0)
"""Time between two faults: the least and the most."""
LONGEST_CUT_S: Final = 30.0
LONGEST_RESTART_S: Final = 3.0
"""A database is back within this time."""
UNIT_S: Final = 1.0
"""What starts servers again waits for this long."""
TAKEOVER_S: Final = 10.0
NOTICED_S: Final = 1.5 * KEEPALIVE_S
"""When a broker gives up a connection of a machine that is gone."""
PRESENT_S: Final = 20.0
"""By then a server that reaches its broker says that it is there."""
TOPIC: Final = "world/work"
CUTS: Final = (RareEvent.HOST_CUT, RareEvent.STORE_CUT, RareEvent.BROKER_CUT)
ENDS: Final = (RareEvent.KILL, RareEvent.RESTART, RareEvent.TOGETHER)
TROUBLES: Final = (*CUTS, *ENDS, RareEvent.STORE_RESTART, RareEvent.COMMIT_UNSURE)


class TakeoverBroker(SimulatedBroker):
    """A broker that knows clients by their ids, and has the wills of its connections.

    Attributes:
        cut: the machines that do not reach it.
        connections: those that are open, by their clients' ids.
    """

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self.cut = set[str]()
        self.connections: dict[str, WillingClient] = {}

    def lose(self, machine: str) -> None:
        """Send the wills of a machine's connections, which ended without a goodbye."""
        for name, each in tuple(self.connections.items()):
            if each.machine == machine:
                self.end(name)

    def lose_if_cut(self, machine: str) -> None:
        if machine in self.cut:
            self.lose(machine)

    def end(self, name: str) -> None:
        """End a connection, if it is open, and deliver its will."""
        if (client := self.connections.pop(name, None)) is not None:
            client.close()
            self.take(client.will.topic, str(client.will.payload), retain=True)


class WillingClient(BrokerClient):
    """A publisher's end of a connection, with its id and its will."""

    def __init__(
        self,
        broker: TakeoverBroker,
        machine: str,
        *_: object,
        timeout: float,
        **options: Any,  # noqa: ANN401  # as the publisher makes it
    ) -> None:
        super().__init__(broker, timeout, asyncio.Event())
        self._of = broker
        self.machine = machine
        self._name = options["identifier"] or f"{id(self)}"
        self.will: aiomqtt.Will = options["will"]

    async def __aenter__(self) -> Self:
        if self.machine in self._of.cut:
            await asyncio.sleep(self._timeout_s)
            raise aiomqtt.MqttError("timed out")
        found = await super().__aenter__()
        self._of.end(self._name)  # of the former connection of its id
        self._of.connections[self._name] = self
        return found

    async def __aexit__(self, kind: object = None, *_rest: object) -> None:
        await super().__aexit__()
        if self.machine in self._of.cut or self._of.connections.get(self._name) is not self:
            return  # the broker does not hear of it, or has another one
        if kind is None:
            del self._of.connections[self._name]
        self._of.end(self._name)

    async def _take(
        self, topic: str, payload: str, answer: asyncio.Future[None], *, retain: bool
    ) -> None:
        if self.machine in self._of.cut:
            await asyncio.sleep(self._timeout_s)
            self._lost.set()
        elif not self._lost.is_set():
            await super()._take(topic, payload, answer, retain=retain)

    def close(self) -> None:
        self._lost.set()


class Brain:
    """A machine on which something starts a server again whenever it ends.

    Attributes:
        store: the store of a server that serves; None for one that stands by or is away.
    """

    def __init__(self, world: TakeoverWorld, machine: str) -> None:
        self._world = world
        self.machine = machine
        self.trace, self.disk = world.trace, world.disk
        self.store: Store | None = None
        self._starts = 0
        self._writers: list[SessionWriter] = []

    def start(self) -> None:
        if self._world.is_over:
            return
        self._stop = asyncio.Event()
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(self._ended)

    def stop(self) -> None:
        """Have the server end in order, as SIGTERM does."""
        self._stop.set()

    def kill(self) -> None:
        """End the server without a word."""
        self._starts += 1
        for writer in self._writers:
            writer.kill()
        self._task.cancel()
        self._world.broker.lose(self.machine)

    async def ended(self) -> None:
        await asyncio.wait({self._task})

    def later(self, delay_s: float, call: Callable[[], object]) -> None:
        """Call back after a time, unless the server was killed."""
        number = self._starts
        self._world.later(delay_s, lambda: call() if number == self._starts else None)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.store, self._writers = None, []
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, StoreError):
            self._world.course.note(error)
        self.trace.tell(self.machine, f"ended: {error or 'in order'}")
        if not self._world.is_over:
            self._world.later(UNIT_S, self.start)

    async def _run(self) -> None:
        config, log = self._world.config_of(self.machine), PlainLog(self.trace)
        standby = Standby(self._stop, log, lambda: self.trace.tell(self.machine, "stands by"))
        await _take_over(config, self._serve, lambda: config, log, standby)

    async def _serve(self, config: Config, *, writer: Any, **_parts: object) -> None:  # noqa: ANN401  # of a system
        failed: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()

        def make(*args: object, **options: object) -> SessionWriter:
            sessions = self._world.database
            made = SessionWriter(self, sessions, *args, **options, **writer.keywords)
            self._writers.append(made)
            return made

        def wake() -> None:
            publisher.wake()

        async with Store(
            config.store_path, announced=wake, failed=failed.set_result, writer=make
        ) as store:
            self.store = store
            self._world.began(self, store)
            publisher = self._publisher(store, config)
            async with _running(publisher.run()) as running:
                async with _running(self._work(store)), _running(self._stop.wait()) as stopping:
                    await asyncio.wait((failed, stopping), return_when=asyncio.FIRST_COMPLETED)
                with suppress(BrokenStoreError):
                    await store.try_writing()  # and so all before
                publisher.stop()
                await asyncio.wait({running}, timeout=1.0)
            self.store = None
        if failed.done():
            raise StoreError(f"the store failed: {failed.result()}") from failed.result()

    def _publisher(self, store: Store, config: Config) -> Publisher:
        return Publisher(
            Address("simulated", 1883, tls=False, user=None, password=None),
            store,
            server="world",
            topics=config.topics,
            utc=self._world.utc,
            log=PlainLog(self.trace),
            client=partial(WillingClient, self._world.broker, self.machine),  # type: ignore[arg-type]  # it has the methods that are used
            delays=partial(backoff, self.trace.rng.uniform, longest_s=2.0),
        )

    async def _work(self, store: Store) -> None:
        while True:
            await asyncio.sleep(self.trace.rng.expovariate(1 / WORK_S))
            name = f"work-{self.trace.new_number()}"
            payload = Status(name, 0, "world", Presence.ONLINE, self._world.utc())
            announced = Announced(Announcement(TOPIC, name, payload))
            store.commit([announced], partial(self._world.announced, self.machine, store, name))


@asynccontextmanager
async def _running(work: Any) -> AsyncIterator[asyncio.Task[Any]]:  # noqa: ANN401  # of any result
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class TakeoverWorld:
    """Two machines, what befalls them, and what is promised all the same."""

    def __init__(self, loop: VirtualLoop, plan: FaultPlan, template: Path, folder: Path) -> None:
        self.plan = plan
        self.trace = Trace(random.Random(f"takeover {plan.seed}"), loop.time)
        self._path = folder / "world.sqlite3"
        shutil.copyfile(template, self._path)
        self.later: Callable[..., object] = loop.call_later
        self.course = Scenario(loop, self._check)
        self.database = SessionDatabase(self._path, self.trace, self.course, loop.call_later)
        self.broker = TakeoverBroker(self.trace)
        self.disk = Disk(plan.seed, self.trace, lambda: True, is_sound=True)
        self.is_over = False
        self._announced: Counter[str] = Counter()
        self._newest = 0
        self._may_change = True
        self._online_by = 0.0
        self._expect_by(TAKEOVER_S)
        self._brains = [Brain(self, machine) for machine in MACHINES]
        self._topics = self.config_of(MACHINES[0]).topics
        loop.set_exception_handler(self.course.note_error)

    def config_of(self, machine: str) -> Config:
        store = f"postgresql://{machine}@world/arena?schema=world"
        return Config(store=store, port=0, mqtt=Mqtt(private_broker=False))

    def utc(self) -> str:
        return f"2026-01-01T00:00:00.{self.trace.new_number():06d}Z"

    # What the servers do

    def began(self, brain: Brain, store: Store) -> None:
        """Take note of a server that has claimed the store."""
        number = _number_of(store)
        self.trace.tell(brain.machine, f"serves in tenure {number}")
        if number <= self._newest:
            broken(Promise.FENCED, f"tenure {number} after {self._newest}")
        if not self._may_change:
            broken(Promise.TENURE, f"{brain.machine} took over from one that only had to reconnect")
        self._newest, self._may_change = number, False
        self._online_by = max(self._online_by, self.trace.now() + PRESENT_S)

    def announced(self, machine: str, store: Store, name: str) -> None:
        """Take note of work that is durable, as a server says."""
        if _number_of(store) != self._newest:
            broken(Promise.FENCED, f"{machine} announces {name} in {store.tenure}")
        self._announced[name] += 1

    # What befalls them

    async def play(self) -> Trace:
        with mock.patch.object(database, "_open_postgresql", self.database.engine):
            for brain in self._brains:
                brain.start()
            try:
                ends_at = self.trace.now() + self.plan.storm_s
                while self.trace.now() < ends_at:
                    await self.course.wait(self.trace.rng.uniform(*TROUBLE_S))
                    await self._trouble()
                await self.course.wait(max(0.0, self._online_by - self.trace.now()) + 1.0)
                await self._conclude()
            finally:
                self.is_over = True
                for brain in self._brains:
                    brain.kill()
                    await brain.ended()
        return self.trace

    async def _trouble(self) -> None:
        serving = [brain for brain in self._brains if brain.store is not None]
        if len(serving) != 1:
            return
        [brain], kind = serving, self.trace.rng.choice(TROUBLES)
        self.trace.count(kind)
        if kind is RareEvent.STORE_RESTART:
            seconds = self.trace.rng.uniform(0.1, LONGEST_RESTART_S)
            self._expect_by(seconds + TAKEOVER_S)
            self._may_change = False  # earlier faults are over: who serves now only reconnects
            self.database.restart(seconds)
            return
        self._may_change |= kind is not RareEvent.BROKER_CUT
        self._expect_by(TAKEOVER_S)
        if kind in CUTS:
            await self._cut(brain, kind)
        elif kind is RareEvent.COMMIT_UNSURE:
            self.database.unsure = brain.machine
        elif kind is RareEvent.RESTART:
            brain.stop()
        else:
            for each in self._brains if kind is RareEvent.TOGETHER else (brain,):
                each.kill()

    async def _cut(self, brain: Brain, kind: RareEvent) -> None:
        """Cut a machine off for a time, at whose end the server that followed may be killed."""
        machine, seconds = brain.machine, self.trace.rng.uniform(0.5, LONGEST_CUT_S)
        self._online_by = self.trace.now() + seconds + PRESENT_S
        if kind is not RareEvent.BROKER_CUT:
            self.database.cut_off(machine)
        if kind is not RareEvent.STORE_CUT:
            self.broker.cut.add(machine)
            self.later(NOTICED_S, partial(self.broker.lose_if_cut, machine))
        await self.course.wait(seconds)
        for each in self._brains:
            if each is not brain and each.store is not None and self.trace.happens(0.5):
                self._may_change = True
                self._expect_by(TAKEOVER_S)
                each.kill()
        self.database.heal(machine)
        self.broker.cut.discard(machine)

    def _expect_by(self, seconds: float) -> None:
        """Expect a server that serves by then."""
        self._due_at = self.trace.now() + seconds
        self._online_by = self._due_at + PRESENT_S

    # What is promised

    def _check(self) -> None:
        now = self.trace.now()
        stores = [brain.store for brain in self._brains if brain.store is not None]
        is_served = any(_number_of(store) == self._newest for store in stores)
        if now > self._due_at and not is_served:
            broken(Promise.TAKEN_OVER, f"due at {self._due_at:g}, and no server has the store")
        if now > self._online_by:
            check_status(self.broker, self._topics, Presence.ONLINE, self._newest)

    async def _conclude(self) -> None:
        self.is_over = True
        for brain in sorted(self._brains, key=lambda brain: brain.store is not None):
            brain.stop()
            await brain.ended()
        self.course.raise_noted()
        check_status(self.broker, self._topics, Presence.OFFLINE, self._newest)
        rows = reading.rows(self._path, "select topic, payload from outbox order by seq")
        kept, received = _works(rows), list(dict.fromkeys(_works(self.broker.received)))
        if twice := [name for name, number in Counter(kept).items() if number > 1]:
            broken(Promise.COUNTED_ONCE, f"{twice}")
        if lost := self._announced.keys() - set(kept):
            broken(Promise.REMEMBERED, f"{sorted(lost)}")
        if missing := set(kept) - set(received):
            broken(Promise.PUBLISHED, f"{sorted(missing)}")
        if received != kept:
            broken(Promise.IN_ORDER, f"{received}")


def _number_of(store: Store) -> int:
    return 0 if store.tenure is None else store.tenure.number


def _works(rows: Any) -> list[str]:  # noqa: ANN401  # pairs of topic and payload
    return [codec.from_json(text, Status).event_id for topic, text in rows if topic == TOPIC]
