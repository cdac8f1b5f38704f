"""The match server, composed of the store, the sessions, a listening socket and the publisher.

    async with Server(config) as server:
        print(server.url, server.mqtt_url)

On the way out it drains: no new match or game begins, running games get ``drain_s`` seconds, those
not over by then are suspended, and every bot is asked to reconnect. The next server with the same
store resumes the suspended games, also those of a server that was killed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar

from websockets import CloseCode

from mancala.protocol import codec
from mancala.protocol.messages import Moved

from ..config.checks import checked
from ..config.reload import Reload, plan
from ..config.settings import IN_MEMORY, Config, ConfigError, LiveConfig, Section
from ..contest.events.dutch import paired_in_child
from ..control.forms import OrderForms
from ..control.operator import Operator, Target
from ..control.plans.roles import obey
from ..fronts.fronts import Fronts
from ..fronts.relayed import RelayedConnection
from ..fronts.remote import RemoteFronts
from ..health.backoff import backoff, wait_at_most
from ..health.fairness import Fairness, LatenessWatch
from ..health.log import Log, NullLog
from ..health.loop_lag import REMEMBERED_LAG_S, LoopLag, probe
from ..health.recent import RecentLog
from ..ladders.ladder import Ladder
from ..match.context import Context
from ..model.credentials import Rights
from ..model.day_counts import Counted, CountKind
from ..model.journal import KeptLadder
from ..net import tls
from ..net.gateways import GATEWAYS, Gateway, GatewayParts, entered, wanted
from ..net.gateways import close as close_gateway
from ..net.hosts import Hosts, url_of
from ..net.limits.gate import Gate, HttpGate
from ..net.listener import PRIVATE, Doorway, Listener
from ..publish.address import Address, check_broker, without_password
from ..publish.child import FINISH_S, PublisherChild
from ..publish.publication import Publication
from ..publish.publishing import PUBLISH_TIMEOUT_S, Publishing
from ..store import Store, StoreError
from ..store.database.faults import error_of
from ..store.database.lock_file import lacks_log
from ..store.rows.ladders import kept_ladders
from ..web.child import WebChild, web_child
from ..web.feed.feed_server import feed_socket
from ..web.feed.read_model import ReadModel
from ..web.status.health_port import HealthSite, StatusPage, health_port
from ..web.status.morning import morning
from ..web.status.status_door import StatusDoor
from .housekeeping import Housekeeper
from .restoring import lobby_of
from .system import System

if TYPE_CHECKING:
    from ..web.feed.metrics import Metrics

T = TypeVar("T")

STOPPING: Final = "the server restarts"


class Server:
    """A match server; runs while its ``async with`` block does.

    Attributes:
        noticed: what of the machine will do harm, which ``/readyz`` says: sentences.
        on_reload: called with the settings in force after each reload.
    """

    housekeeper: Housekeeper

    def __init__(
        self,
        config: Config,
        *,
        log: Log | None = None,
        processes: bool = False,
        system: System | None = None,
    ) -> None:
        """Create a server that is not running yet; ConfigError when the settings are not valid.

        With ``processes`` the publisher runs in a process of its own, and the page and the API in
        another, so that no broker and no viewer shares a loop with the referee. A store in memory
        can't be read by the page's process.
        """
        self._live = LiveConfig(checked(config))
        self.url = ""
        self.front_url: str | None = None
        self.http_url: str | None = None
        self.health_url: str | None = None
        self.gateways: dict[str, Gateway] = {}
        self.loop_lag = LoopLag(remembered_s=REMEMBERED_LAG_S)
        self.on_reload: Callable[[Config], object] = lambda _config: None
        self.operator: Operator | None = None
        self.noticed: tuple[str, ...] = ()
        self._system = system or System()
        self._has_processes = processes
        self._stack = contextlib.AsyncExitStack()
        self._tls = tls.context_of(self.config.tls)
        self._web_stamp = tls.stamp(self.config)
        self._web_child: WebChild | None = None
        self._fronts: Fronts | None = None
        self._remote: RemoteFronts | None = None
        self._gate = Gate(self._live)
        self._metrics = self._make_metrics()
        counted = log or NullLog()
        if self._metrics is not None:
            counted = self._metrics.counting(counted)
        self._log = RecentLog(counted, self._system.utc)
        self._publication = Publication(
            self._live,
            make=self._make_publisher,
            private_broker=self._system.private_broker,
            spawn=self._spawn,
            log=self._log,
            finish_s=FINISH_S if processes else PUBLISH_TIMEOUT_S,
        )
        self._failure: Exception | None = None
        self._is_drained = False

    @property
    def config(self) -> Config:
        return self._live.now

    @property
    def mqtt_url(self) -> str | None:
        """The broker that results go to, its password left out; None without one."""
        url = self._publication.url
        return None if url is None else without_password(url)

    @property
    def store(self) -> Store:
        return self._store

    @property
    def target(self) -> Target:
        return Target(
            sessions=self._sessions,
            store=self._store,
            context=self._context,
            config=lambda: self.config,
        )

    @property
    def games(self) -> tuple[str, ...]:
        return self._sessions.tables.games

    async def __aenter__(self) -> Self:
        """Start everything; StoreError, ConfigError or OSError says what does not work."""
        try:
            port = await self._start(self._stack)
        except BaseException:
            await self._close()
            raise
        self.url = url_of("ws" if self._tls is None else "wss", self.config.host, port)
        self._log.info(
            "listening",
            url=self.url,
            http=self.http_url,
            health=self.health_url,
            mqtt=self.mqtt_url,
            restored=self._sessions.tables.matches_under_way,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Drain and stop everything; without draining if the block was left by an error."""
        try:
            if not self._is_drained:
                await self._drain(self.config.drain_s if error is None else 0.0)
        finally:
            await self._close()

    async def _close(self) -> None:
        """Stop everything; raise the store's failure, whatever else came of it."""
        try:
            # Keep the block's own error from the task group, which would wrap it.
            await self._stack.__aexit__(None, None, None)
        finally:
            if (failure := self._failure) is not None:
                self._owner.uncancel()
                sentence = f"the store failed: {failure}"
                if self.url:
                    raise StoreError(sentence) from failure
                raise error_of(sentence, failure.__cause__ or failure) from failure

    async def _start(self, stack: contextlib.AsyncExitStack) -> int:
        self._owner = _current_task()
        self._tasks = await stack.enter_async_context(asyncio.TaskGroup())
        if lacks_log(self.config.store_path):
            lost = f"{self.config.store_path}-wal"
            self._log.warning("the log of a store that was not closed is gone", path=lost)
        store = Store(
            self.config.store_path,
            announced=self._publication.wake,
            failed=self._fail,
            refused=self._log_refused,
            writer=self._system.writer,
        )
        self._store = await stack.enter_async_context(store)
        publishing = await stack.enter_async_context(contextlib.AsyncExitStack())
        doorway = self._doorway(stack)
        self._context = self._make_context()
        self._lateness = LatenessWatch(self._context.fairness, self._note_lateness)
        self._sessions, restore = await lobby_of(self._store, self._context)
        parts = self._live, self._sessions, self._gate
        self._listener = Listener(*parts, tls=self._tls)
        stack.push_async_callback(self._listener.close, STOPPING)
        port = await self._listener.open("port", self.config.host, self.config.port, doorway)
        restore()
        if self.config.front_port is not None:
            await self._open_to_fronts(self.config.front_port, stack)
        for name, kind, settings in wanted(self.config):
            with GATEWAYS.guarded(name, OSError, ConfigError):
                gateway = kind.make(self._gateway_parts(settings))
                self.gateways[name] = await stack.enter_async_context(entered(name, gateway))
        await self._open_front(stack, port)
        publishing.push_async_callback(self._publication.close)
        await self._publication.open()  # last: a port in use starts no broker
        self.housekeeper = Housekeeper(self._sessions, self._store, self._context)
        if self._metrics is not None:
            self.housekeeper.on_dropped = self._metrics.outbox_dropped.inc
        probing = probe(self.loop_lag, now=self._context.now, tell=self._note_lag)
        stack.callback(self._spawn(probing, "loop lag").cancel)
        stack.callback(self._spawn(self.housekeeper.run(), "housekeeping").cancel)
        return port

    async def _open_to_fronts(self, port: int, stack: contextlib.AsyncExitStack) -> None:
        parts = self._live, self._log, self._spawn, self._system.open_ports
        self._remote, host = RemoteFronts(*parts), self.config.front_host
        stack.callback(self._remote.end)
        doorway = Doorway(self._remote.open_ports, RelayedConnection)
        number = await self._listener.open("front_port", host, port, doorway)
        self.front_url = url_of("tcp" if self._tls is None else "tls", host, number)

    def _note_lag(self, late_s: float) -> None:
        if self._metrics is not None:
            self._metrics.loop_lag.observe(late_s)
        self._lateness.look(late_s)

    def _note_lateness(self, is_late: bool) -> None:  # noqa: FBT001  # as a watch calls it
        """Warn that the server's own loop is late, or say that it is so no longer."""
        if is_late:
            self._log.warning("the server is late", limit_ms=self.config.limits.loop_lag_ms)
        else:
            self._log.info("the server is late no longer")

    @property
    def _findings(self) -> Iterator[str]:
        yield from self.noticed
        if self._lateness.is_late:
            yield "the event loop of the game server is late; no game begins until it is not"
        if self._fronts is not None:
            yield from self._fronts.noticed
        if self._remote is not None:
            yield from self._remote.noticed
        if self._publication.away:
            yield f"the broker is away: {self._publication.away}"

    @contextlib.asynccontextmanager
    async def drained(self) -> AsyncIterator[None]:
        """Drain at the end of the block, so that what runs beside the server plays to the end."""
        try:
            yield
        except BaseException:
            await self._drain(0.0)
            raise
        await self._drain(self.config.drain_s)

    async def open_to_own(self, path: str) -> None:
        """Listen on a unix socket for the programs that the server runs; they need no tokens."""
        now = self._system.utc()
        await self._store.reserve(self.config.house_names, now)
        await self._store.reserve(self.config.reviewer_names, now, Rights(is_reviewer=True))
        await self._listener.open("house", path, 0, PRIVATE)

    async def _drain(self, drain_s: float) -> None:
        self._is_drained = True
        idle = asyncio.Event()
        self._sessions.drain(idle.set)
        await wait_at_most(drain_s, idle)
        self._sessions.suspend()
        self._sessions.dismiss(STOPPING, self.config.reconnect_after_s, CloseCode.SERVICE_RESTART)
        if self._web_child is not None:
            self._web_child.stop()
        gateways = (close_gateway(name, each) for name, each in self.gateways.items())
        await asyncio.gather(self._listener.close(STOPPING), *gateways)

    def note_start(self) -> None:
        now = self._system.utc()
        start = Counted(CountKind.START, self.config.name, now, now)
        self._store.commit([start], lambda: None)

    # While it runs

    def plan(self, wanted: Config, *, same_season: bool = False) -> Reload:
        """Return what :meth:`reload` would take; ConfigError when the settings are not valid."""
        unplayed = self._sessions.tables.unplayed_ladders
        found = plan(self.config, checked(wanted), same_season=same_season, unplayed=unplayed)
        check_broker(found.config)
        return found

    def reload(self, wanted: Config, *, same_season: bool = False) -> Reload:
        """Take new settings and renewed certificates; return what was taken and what must wait.

        The web process is replaced only when something changed that it goes by. Nothing has changed
        when a ConfigError says that they are not valid.
        """
        found = self.plan(wanted, same_season=same_season)
        if self._tls is not None:
            tls.load(self._tls, found.config.tls)
        self._live.now = found.config
        self._gate.reload()
        self._publication.reload()
        if opened := self._sessions.ladders.reload():
            self._spawn(self._open_ladders(opened), "opening ladders")
        for fronts in (self._fronts, self._remote):
            if fronts is not None:
                fronts.reload()
        former, self._web_stamp = self._web_stamp, tls.stamp(self.config)
        if self._web_child is not None and self._web_stamp != former:
            self._web_child.replace()
        self.on_reload(self.config)
        self._log.info("reloaded", taken_up=found.taken_up, wait_for_restart=found.wait)
        return found

    async def _open_ladders(self, opened: tuple[Ladder, ...]) -> None:
        """Restore new ladders: the store may have games of an earlier season under a name."""
        kept = await self._store.run(kept_ladders)
        for ladder in opened:
            self._sessions.ladders.begin(ladder, kept.get(ladder.name, KeptLadder()))

    # The parts

    def _make_metrics(self) -> Metrics | None:
        config = self.config
        if (config.web_feed, config.http_port, config.health_port) == (None, None, None):
            return None
        from ..web.feed.metrics import Metrics  # noqa: PLC0415  # takes a quarter of a second

        return Metrics()

    def _doorway(self, stack: contextlib.AsyncExitStack) -> Doorway:
        """Return how bots and spectators come: through fronts if there are any."""
        if not (self.config.fronts and self._has_processes):
            return Doorway(self._system.open_ports, segments=self._system.segments)
        system = self._system
        parts = self._live, self._log, system.rng.uniform, self._spawn
        self._fronts = Fronts(*parts, system.listen, system.start)
        stack.callback(self._fronts.end)
        return Doorway(self._fronts.open_ports, RelayedConnection)

    def _make_context(self) -> Context:
        fairness = Fairness(self._live, self.loop_lag)
        made = self._system.context(self._live, self._store, self._log, fairness)
        made = replace(
            made,
            in_background=self._in_background,
            live=self._publish_live,
            swiss_pairs=paired_in_child,
        )
        if (metrics := self._metrics) is None:
            return made
        return replace(
            made,
            journal=metrics.metered(made.journal, made.now),
            call_at=metrics.timed(made.call_at, made.now),
            in_background=metrics.timing(made.in_background, made.now),
        )

    def _gateway_parts(self, settings: Section) -> GatewayParts:
        return GatewayParts(
            settings=settings,
            config=self._live,
            registry=self._sessions,
            gate=self._gate,
            tls=self._tls,
            open_ports=self._system.open_ports,
            refusal=self._listener.from_elsewhere,
            segments=self._system.segments,
            rng=self._system.rng,
        )

    def _spawn(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
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
        self._log.warning("the store refused", work=what, error=f"{type(error).__name__}: {error}")

    # Page and metrics

    async def _open_front(self, stack: contextlib.AsyncExitStack, port: int) -> None:
        if self._metrics is None:
            return
        config, parts = self.config, (self._live, port, self._sessions, self._store)
        read_model = ReadModel(
            *parts,
            lambda: self._publication.state,
            self._metrics,
            lambda: self._publication.delivery,
            lambda given: obey(self.target, self.operator, given),
            lambda: () if self._fronts is None else self._fronts.ages_s,
            lambda: () if self._remote is None else self._remote.ages_s,
            lambda: tuple(self._findings),
        )
        if config.health_port is not None:
            await self._open_health(stack, read_model, config.health_port)
        if config.web_feed is not None:
            await stack.enter_async_context(feed_socket(config.web_feed, read_model, self._log))
        elif config.http_port is not None and self._has_processes and config.store != IN_MEMORY:
            system = self._system
            parts_of_system = system.rng.uniform, system.start, system.listen_once, system.used
            child = web_child(read_model, self._log, *parts_of_system)
            self._web_child = await stack.enter_async_context(child)
            self.http_url = self._web_child.url
        elif config.http_port is not None:
            self.http_url = await self._open_web_inside(stack, read_model)

    async def _open_health(
        self, stack: contextlib.AsyncExitStack, read_model: ReadModel, port: int
    ) -> None:
        forms = OrderForms(lambda: self.operator, self._system.new_secret())
        page = StatusPage(
            partial(morning, read_model, self._store, self._log, self._system.utc),
            StatusDoor(self.config.status_token),
            forms.html,
            forms.obey,
        )
        site = HealthSite(read_model, lambda: Hosts.of(self.config), self._log, page)
        health = health_port(site, self.config.health_host, port)
        self.health_url = await stack.enter_async_context(health)

    async def _open_web_inside(
        self, stack: contextlib.AsyncExitStack, read_model: ReadModel
    ) -> str:
        # These take half a second to load, and most servers need neither.
        from ..web.http.http_server import Ingress  # noqa: PLC0415  # loads Starlette
        from ..web.service import web_service  # noqa: PLC0415  # loads Starlette

        ingress = Ingress(HttpGate(self._live), self._tls, self.config.limits.handshake_s)
        web = web_service(read_model, self._store, self._log, ingress)
        return await stack.enter_async_context(web)

    # Results

    def _make_publisher(self, config: Config, url: str) -> Publishing:
        uniform = self._system.rng.uniform
        if self._has_processes:
            start = self._system.start
            return PublisherChild(config, url, self._store, self._log, uniform, start)
        from ..publish.client import PublishingClient  # noqa: PLC0415  # see publishing.py
        from ..publish.publisher import Publisher  # noqa: PLC0415  # see publishing.py

        return Publisher(
            Address.parse(url, config.broker),
            self._store,
            server=config.name,
            topics=config.topics,
            utc=self._system.utc,
            log=self._log,
            client=self._system.new_client or PublishingClient,
            delays=partial(backoff, uniform),
        )

    def _publish_live(self, moved: Moved) -> None:
        if self._live.now.mqtt.live_moves and moved.game in self._sessions.tables.shown:
            topic, payload = self._context.events.live_move(moved)
            self._publication.publish_live(topic, codec.to_json(payload).decode())


def _current_task() -> asyncio.Task[object]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("a server runs in a task")
    return task
