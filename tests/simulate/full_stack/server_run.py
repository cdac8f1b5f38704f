"""One run of the real server: a process that starts on the store of the last one."""

import asyncio
import dataclasses
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final, Protocol

from msgspec.structs import replace

from mancala.server.app.server import Server
from mancala.server.app.system import System
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config
from mancala.server.control.operator import Operator, Reloading
from mancala.server.control.wire import Request
from tests.simulate.disk import Disk
from tests.simulate.faults import KGP_LADDER
from tests.simulate.full_stack.children import Children, ChildrenSetup
from tests.simulate.full_stack.host import SimulatedHost
from tests.simulate.ledger import Transcript
from tests.simulate.plan import FaultPlan
from tests.simulate.server_run import ControlPort
from tests.simulate.storage import VirtualWriter
from tests.simulate.trace import PlainLog

ADDRESS: Final = "192.0.2.1"
PORT: Final = 8765
KGP_PORT: Final = 2671
HTTP_PORT: Final = 8080
KGP_RULES: Final = "kalah:pits=3,seeds=2"
DRAIN_S: Final = 1.0
OUTGOING_BYTES: Final = 32 * 1024
"""A peer with more unread is cut off; less than by default, so that it happens."""


class Surroundings(ChildrenSetup, Protocol):
    """What a server needs of the world that it runs in."""

    ledger: Transcript
    path: Path
    config: Config

    def step(self) -> None:
        """Take note of a callback of the server, before it runs; may kill it."""

    def note(self, error: BaseException) -> None: ...
    def renew(self) -> None: ...


def settings(config: Config, path: Path, plan: FaultPlan) -> Config:
    return replace(
        config,
        host=ADDRESS,
        port=PORT,
        store=str(path),
        mqtt=replace(config.mqtt, url="mqtt://192.0.2.2:1883"),
        drain_s=DRAIN_S,
        fronts=plan.fronts,
        http_port=HTTP_PORT if plan.has_page else None,
        limits=replace(config.limits, outgoing_bytes=OUTGOING_BYTES),
        ladder=(*config.ladder, _kgp_ladder(config.ladder[0])),
        kgp=replace(config.kgp, tcp_port=KGP_PORT, ladder=KGP_LADDER),
    )


def _kgp_ladder(ladder: LadderSettings) -> LadderSettings:
    """Return a ladder for KGP clients, who know one set of rules; no bot may be of two houses."""
    rules = ladder.rules if ladder.parsed_rules.is_kalah else KGP_RULES
    return replace(ladder, name=KGP_LADDER, rules=rules, house={})


class FullStackServerRun:
    """A running server."""

    server: Server

    def __init__(self, world: Surroundings, config: Config) -> None:
        self.trace = world.trace
        self.host = SimulatedHost("server", ADDRESS, stepped=world.step)
        self._world = world
        self._config = config
        self.disk = Disk(0, self.trace, lambda: True, is_sound=True)
        self._writers: list[VirtualWriter] = []
        self._children = Children(world, world.ledger, (ADDRESS, PORT))
        self._is_up = asyncio.Event()
        self._is_stopping = asyncio.Event()
        self._ended = asyncio.Event()

    @property
    def is_over(self) -> bool:
        return self.host.is_dead

    @property
    def is_up(self) -> bool:
        return hasattr(self, "server")

    async def start(self) -> None:
        """Start the process; return once the server listens, or was killed before."""
        self._run = self.host.start(self._serve(), "server")
        await self._is_up.wait()

    def later(self, delay_s: float, call: Callable[[], object]) -> None:
        """Call back after a time, unless the server was killed."""
        asyncio.get_running_loop().call_later(delay_s, call, context=self.host.context)

    def kill(self) -> None:
        """End without a word: what is not committed is lost, and nothing more is said."""
        self.host.is_dead = True
        for writer in self._writers:
            writer.kill()
        self._children.kill()
        self._world.network.close_all()
        self.host.kill()
        self._is_up.set()
        self._ended.set()

    async def stop(self) -> None:
        """Stop as an organiser does, with goodbyes; return once it has ended."""
        self._is_stopping.set()
        await self._ended.wait()

    async def _serve(self) -> None:
        world = self._world
        system = System(
            utc=world.utc,
            rng=world.trace.rng,
            open_ports=world.network.open_ports,
            writer=self._make_writer,
            new_client=world.broker.client,
            listen=world.network.hold,
            listen_once=world.network.hold_once,
            used=lambda: 0.0,
            start=self._children.start,
        )
        config, log = self._config, PlainLog(world.trace)
        apart = bool(config.fronts) or config.http_port is not None
        try:
            async with Server(config, log=log, processes=apart, system=system) as server:
                self.server = server
                reloading = Reloading(lambda: world.config, server.plan, server.reload)
                target = dataclasses.replace(server.target, reload=reloading)
                self._control = ControlPort(
                    world, Operator(target), self._is_ending, self._start_order
                )
                self._is_up.set()
                await self._is_stopping.wait()
                self._control.cancel()
        except Exception as error:  # noqa: BLE001  # the world's to report
            if not self.host.is_dead:
                world.note(error)
        finally:
            self._is_up.set()
            self._ended.set()

    def order(
        self,
        request: Request,
        answered: Callable[[dict[str, Any]], None],
        refused: Callable[[str], None],
    ) -> None:
        """Have an order carried out; neither is called if this run is over before."""
        if self.is_up and not self._is_ending():
            if request.action == "reload":
                self._world.renew()
            self._control.order(request, answered, refused)

    def _is_ending(self) -> bool:
        return self.is_over or self._is_stopping.is_set()

    def _start_order(self, work: Coroutine[Any, Any, bytes]) -> asyncio.Task[bytes]:
        return asyncio.get_running_loop().create_task(work, context=self.host.context)

    def _make_writer(self, *args: Any, **options: Any) -> VirtualWriter:  # noqa: ANN401  # as the class is called
        writer = VirtualWriter(self, *args, **options)
        self._writers.append(writer)
        return writer
