"""The match server, composed of the store, the sessions, a listening socket and the publisher.

    async with Server(config) as server:
        print(server.url, server.mqtt_url)

On the way out it drains: no new match or game begins, running games get ``drain_s`` seconds, those
not over by then are suspended, and every bot is asked to reconnect. The next server with the same
store resumes the suspended games, and likewise those of a server that was killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar

from websockets import CloseCode

from protocol.messages import Moved
from server.config.loading import checked
from server.config.reload import Reload, plan
from server.config.settings import IN_MEMORY, Config, ConfigError
from server.context import Context, ignore_move
from server.health.fairness import Fairness
from server.health.gc_scheduler import GcScheduler
from server.health.log import Log, NullLog
from server.health.loop_lag import LoopLag, probe
from server.housekeeping import Housekeeper
from server.lobby.sessions import SessionRegistry
from server.model.day_counts import DAY_S
from server.model.events import EventFactory
from server.model.schemas.status import BrokerState
from server.model.timestamps import later
from server.net import tls
from server.net.gate import gate_of, http_gate_of
from server.net.kgp_gateway import KgpGateway
from server.net.listener import Listener
from server.net.urls import url_of
from server.publish.address import Address
from server.publish.publisher import Publisher, backoff
from server.reviews.desk import ReviewDesk
from server.store import BrokenStoreError, Store, StoreError
from server.store.reviews import StoredReviews
from server.system import System
from server.web.child import WebChild, web_child
from server.web.feed_server import feed_socket
from server.web.read_model import ReadModel

if TYPE_CHECKING:
    from server.web.metrics import Metrics

T = TypeVar("T")

PUBLISH_TIMEOUT_S: Final = 0.5
"""Time for the last results at the end; the next server publishes the rest."""
REMEMBERED_LAG_S: Final = 5.0
"""How much of the past loop lag counts when a game is to begin."""
STOPPING: Final = "the server restarts"


class Server:
    """A match server; runs while its ``async with`` block does.

    Attributes:
        config: its settings.
        housekeeper: ends what is over and forgets what is old.
        url: the URL where bots and spectators connect.
        mqtt_url: the broker that results go to, or None.
        http_url: the URL of the page, the API and the metrics, or None when they are off.
        loop_lag: how late the event loop runs its callbacks.
        kgp: the gateway for clients of the Kalah Game Protocol.
    """

    housekeeper: Housekeeper
    kgp: KgpGateway

    def __init__(
        self,
        config: Config,
        *,
        log: Log | None = None,
        web_process: bool = False,
        system: System | None = None,
    ) -> None:
        """Create a server that is not running yet.

        Args:
            config: its settings.
            log: receives what happens; by default nothing is logged.
            web_process: whether the page and the API run in a process of their own, so that
                viewers never share a loop with the referee. A store in memory can't be read there.
            system: what it asks of the system; by default the real one.

        Raises:
            ConfigError: when the settings are not valid.
        """
        self.config = checked(config)
        self.url = ""
        self.mqtt_url: str | None = None
        self.http_url: str | None = None
        self.loop_lag = LoopLag(remembered_s=REMEMBERED_LAG_S)
        self._fairness = Fairness(self.loop_lag, self.config.limits)
        self._log = log or NullLog()
        self._system = system or System()
        self._stack = contextlib.AsyncExitStack()
        self._publisher: Publisher | None = None
        self._read_model: ReadModel | None = None
        self._has_web_process = web_process and self.config.store_path != IN_MEMORY
        self._web_child: WebChild | None = None
        self._tls = tls.context_of(self.config.tls)
        self._events = EventFactory(self.config.name, self.config.topics)
        self._gate = gate_of(self.config.limits)
        self._http_gate = http_gate_of(self.config.limits)
        self._metrics = _make_metrics() if self._has_web else None
        self._failure: Exception | None = None

    @property
    def _has_web(self) -> bool:
        return self.config.http_port is not None or self.config.web_feed is not None

    @property
    def store(self) -> Store:
        """The server's store."""
        return self._store

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games under way."""
        return self._sessions.tables.games

    async def __aenter__(self) -> Self:
        """Start everything.

        Raises:
            StoreError: when the store can't be opened.
            ConfigError: when the broker's URL is not valid.
            OSError: when the port is taken.
        """
        try:
            matches, port = await self._start(self._stack)
        except BaseException:
            # As in __aexit__: keep the error from the task group, which would wrap it.
            await self._stack.__aexit__(None, None, None)
            raise
        self.url = url_of("ws" if self._tls is None else "wss", self.config.host, port)
        self._log.info(
            "listening", url=self.url, http=self.http_url, mqtt=self.mqtt_url, restored=matches
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Drain and stop everything; without draining if the block was left by an error.

        Raises:
            StoreError: when the store failed, which also ends the block.
        """
        try:
            await self._drain(self.config.drain_s if error is None else 0.0)
        finally:
            # Keep the block's own error from the task group, which would wrap it.
            await self._stack.__aexit__(None, None, None)
        if self._failure is not None:
            self._owner.uncancel()
            raise StoreError(f"the store failed: {self._failure}") from self._failure

    async def _start(self, stack: contextlib.AsyncExitStack) -> tuple[int, int]:
        """Start the parts; return the number of matches resumed, and the port."""
        self._owner = _current_task()
        self._tasks = await stack.enter_async_context(asyncio.TaskGroup())
        self._store = await stack.enter_async_context(self._make_store())
        publishing = await stack.enter_async_context(contextlib.AsyncExitStack())
        self._sessions = self._make_sessions()
        sessions, matches = await self._store.unfinished()
        ladders = await self._store.ladders()
        counted = await self._store.counted_since(later(self._system.utc(), -DAY_S))
        self._listener = self._make_listener()
        stack.push_async_callback(self._listener.close, STOPPING)
        port = await self._listener.open()
        self._sessions.restore(sessions, matches, ladders, counted)
        self.kgp = await stack.enter_async_context(self._make_gateway())
        await self._open_front(stack, port)
        await self._start_publishing(publishing)  # last: a port in use starts no broker
        self._measure_loop_lag(stack)
        self.housekeeper = self._make_housekeeper()
        keeping = self._tasks.create_task(self.housekeeper.run(), name="housekeeping")
        stack.callback(keeping.cancel)
        return len(matches), port

    async def _drain(self, drain_s: float) -> None:
        idle = asyncio.Event()
        self._sessions.drain(idle.set)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(drain_s):
                await idle.wait()
        self._sessions.suspend()
        self._sessions.dismiss(STOPPING, self.config.reconnect_after_s, CloseCode.SERVICE_RESTART)
        if self._web_child is not None:
            self._web_child.stop()
        await asyncio.gather(self._listener.close(STOPPING), self.kgp.close())

    # While it runs

    def reload(self, wanted: Config) -> Reload:
        """Take new settings and renewed certificates; return what was taken and what must wait.

        Raises:
            ConfigError: when they are not valid; nothing has changed then.
        """
        found = plan(self.config, checked(wanted))
        if self._tls is not None:
            tls.load(self._tls, found.config.tls)
        self.config = found.config
        self._gate.adopt(gate_of(self.config.limits))
        self._http_gate.adopt(http_gate_of(self.config.limits))
        self._listener.reconfigure(self.config)
        self._sessions.reconfigure(self.config)
        if self._read_model is not None:
            self._read_model.config = self.config
        if self._web_child is not None:
            self._web_child.replace()
        self._log.info("reloaded", taken_up=found.taken_up, wait_for_restart=found.wait)
        return found

    # The parts

    def _make_store(self) -> Store:
        return Store(
            self.config.store_path,
            announced=self._wake_publisher,
            failed=self._fail,
            refused=self._log_refused,
            writer=self._system.writer,
        )

    def _make_sessions(self) -> SessionRegistry:
        loop, system = asyncio.get_running_loop(), self._system
        context = Context(
            journal=self._store,
            events=self._events,
            now=loop.time,
            call_at=loop.call_at,
            utc=system.utc,
            new_id=system.new_id,
            new_secret=system.new_secret,
            pick=system.rng.choice,
            log=self._log,
            in_background=self._in_background,
            fairness=self._fairness,
            live=self._tell_live if self.config.mqtt.live_moves else ignore_move,
        )
        metrics = self._metrics
        if metrics is not None:
            context = replace(
                context,
                journal=metrics.metered(context.journal, context.now),
                call_at=metrics.timed(context.call_at, context.now),
            )
        return SessionRegistry(self.config, self._store, context, self._make_desk(context))

    def _make_desk(self, context: Context) -> ReviewDesk:
        stored = StoredReviews(self._store.ask)
        return ReviewDesk(self.config.reviewers, self.config.house_names, stored, context)

    def _make_housekeeper(self) -> Housekeeper:
        return Housekeeper(
            self._sessions,
            self._store,
            config=lambda: self.config,
            now=asyncio.get_running_loop().time,
            utc=self._system.utc,
            log=self._log,
        )

    def _make_listener(self) -> Listener:
        return Listener(
            self.config,
            self._sessions,
            self._gate,
            self._spawn,
            tls=self._tls,
            open_ports=self._system.open_ports,
        )

    def _make_gateway(self) -> KgpGateway:
        config = self.config
        return KgpGateway(
            config.kgp,
            self._sessions,
            host=config.host,
            limits=config.limits,
            gate=self._gate,
            tls=self._tls,
            open_ports=self._system.open_ports,
            rng=self._system.rng,
        )

    def _spawn(self, work: Coroutine[None, None, None], name: str) -> object:
        return self._tasks.create_task(work, name=name)

    def _in_background(self, work: Callable[[], T], done: Callable[[T], None]) -> None:
        async def act() -> None:
            done(await asyncio.to_thread(work))

        self._spawn(act(), "in the background")

    def _fail(self, error: Exception) -> None:
        """End the block: what can't be made durable must not be announced."""
        self._log.warning("the store failed", error=str(error))
        if self._failure is None:
            self._failure = error
            self._owner.cancel()

    def _log_refused(self, what: str, error: Exception) -> None:
        """Log a piece of work that the store refused, while it goes on with all others."""
        self._log.warning("the store refused", work=what, error=f"{type(error).__name__}: {error}")

    # Page and metrics

    def _measure_loop_lag(self, stack: contextlib.AsyncExitStack) -> None:
        observe = self._metrics.loop_lag.observe if self._metrics is not None else _ignore
        measuring = probe(self.loop_lag, now=asyncio.get_running_loop().time, tell=observe)
        stack.callback(self._tasks.create_task(measuring, name="loop lag").cancel)

    async def _open_front(self, stack: contextlib.AsyncExitStack, port: int) -> None:
        if self._metrics is None:
            return
        self._read_model = ReadModel(
            self.config, port, self._sessions, self._store, self._broker_state, self._metrics
        )
        if self.config.web_feed is not None:
            feed = feed_socket(self.config.web_feed, self._read_model, self._log)
            await stack.enter_async_context(feed)
        elif self._has_web_process:
            child = web_child(self._read_model, self._log, self._system.rng.uniform)
            self._web_child = await stack.enter_async_context(child)
            self.http_url = self._web_child.url
        else:
            self.http_url = await self._open_web_inside(stack, self._read_model)

    async def _open_web_inside(
        self, stack: contextlib.AsyncExitStack, read_model: ReadModel
    ) -> str:
        from server.web.http_server import Ingress  # noqa: PLC0415  # likewise
        from server.web.service import web_service  # noqa: PLC0415  # takes half a second, and most servers need none

        ingress = Ingress(self._http_gate, self._tls, self.config.limits.handshake_s)
        web = web_service(read_model, self._store, self._log, ingress)
        return await stack.enter_async_context(web)

    def _broker_state(self) -> BrokerState:
        if self._publisher is None:
            return BrokerState.NONE
        return BrokerState.CONNECTED if self._publisher.is_connected else BrokerState.AWAY

    # Results

    async def _start_publishing(self, stack: contextlib.AsyncExitStack) -> None:
        mqtt = self.config.mqtt
        self.mqtt_url = mqtt.url
        if mqtt.url is None and mqtt.private_broker:
            broker = self._system.private_broker(self._log, self._spawn)
            self.mqtt_url = await stack.enter_async_context(broker)
        if self.mqtt_url is None:
            return
        publisher = Publisher(
            Address.parse(self.mqtt_url, self.config.mqtt),
            self._store,
            server=self.config.name,
            topics=self.config.topics,
            utc=self._system.utc,
            log=self._log,
            client=self._system.new_client,
            delays=partial(backoff, self._system.rng.uniform),
        )
        publishing = self._tasks.create_task(self._publish(publisher), name="publisher")
        stack.push_async_callback(_stop_publishing, publisher, publishing)
        self._publisher = publisher

    async def _publish(self, publisher: Publisher) -> None:
        try:
            await publisher.run()
        except* BrokenStoreError:  # the server stops, and says so
            pass

    def _tell_live(self, moved: Moved) -> None:
        if self._publisher is not None:
            self._publisher.tell(*self._events.live_move(moved))

    def _wake_publisher(self) -> None:
        if self._publisher is not None:
            self._publisher.wake()


def alone(_server: Server) -> AbstractAsyncContextManager[None]:
    """Run nothing beside the server."""
    return contextlib.nullcontext()


async def serve(
    config: Config,
    *,
    log: Log,
    ready: Callable[[Server], None],
    again: Callable[[], Config] | None = None,
    beside: Callable[[Server], AbstractAsyncContextManager[None]] = alone,
) -> None:
    """Run a server until SIGTERM or SIGINT; SIGHUP makes it reload its settings.

    Args:
        config: its settings.
        log: receives what happens.
        ready: called once it listens.
        again: reads the settings again; without it only certificates are renewed.
        beside: a context that is open while the server runs.

    Raises:
        StoreError: when the store can't be opened.
        ConfigError: when the settings are not valid.
        OSError: when the port is taken.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with Server(config, log=log, web_process=True) as server, beside(server):
        reload = partial(_reload, server, again or (lambda: server.config), log)
        loop.add_signal_handler(signal.SIGHUP, reload)
        with GcScheduler(lambda: not server.games, loop.call_later):
            ready(server)
            await stop.wait()


def _reload(server: Server, again: Callable[[], Config], log: Log) -> None:
    try:
        server.reload(again())
    except ConfigError as error:
        log.warning("not reloaded", error=str(error))


def _make_metrics() -> Metrics:
    from server.web.metrics import Metrics  # noqa: PLC0415  # takes a quarter of a second

    return Metrics()


def _ignore(_late_s: float) -> None:
    pass


async def _stop_publishing(publisher: Publisher, publishing: asyncio.Task[None]) -> None:
    publisher.stop()
    await asyncio.wait([publishing], timeout=PUBLISH_TIMEOUT_S if publisher.is_connected else 0.0)
    publishing.cancel()
    await asyncio.wait([publishing])  # it marks what was acknowledged, while the store is open


def _current_task() -> asyncio.Task[object]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("a server runs in a task")
    return task
