"""A world of the full stack: a server over its restarts, bots' processes, and what befalls them.

A run is that of the in-process mode: a storm, then calm, in which what is under way must end,
then the ledger compares what was said with what was kept.
"""

import asyncio
import random
import shutil
from collections.abc import Callable
from contextvars import copy_context
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from mancala.protocol.results import Presence
from mancala.server.health.link import LinkLostError
from mancala.server.model.timestamps import rfc3339
from mancala.server.web.feed.topics import WebHandover
from tests.simulate import reading
from tests.simulate.audit import check_all, check_status
from tests.simulate.broker import SimulatedBroker
from tests.simulate.faults import PLAYING, POLITE, draw_faults
from tests.simulate.full_stack.children import FrontedConversation
from tests.simulate.full_stack.host import SimulatedHost
from tests.simulate.full_stack.kgp_player import draw_players
from tests.simulate.full_stack.loop import FullStackLoop
from tests.simulate.full_stack.network import Network, SharedLink, Tap
from tests.simulate.full_stack.packet_tap import Conversation, DeafTap
from tests.simulate.full_stack.player import SimulatedPlayer
from tests.simulate.full_stack.program import SimulatedProgram, draw_spectators
from tests.simulate.full_stack.server_run import FullStackServerRun, settings
from tests.simulate.knobs import draw_config
from tests.simulate.ledger import Transcript
from tests.simulate.loop import BEGIN_S
from tests.simulate.operating import StackOperator
from tests.simulate.plan import BROKER, ORDERS, FaultPlan
from tests.simulate.promises import BrokenPromiseError, Promise, broken
from tests.simulate.scenario import Scenario
from tests.simulate.trace import RareEvent, Trace
from tests.simulate.world import BEGAN_AT, FORGET_S, LONGEST_END_S, PUBLISH_S

SERVED_S: Final = 40.0
"""By then a web process that was killed or hung is replaced."""
RENEWED_S: Final = 5.0
"""By then one of former settings is replaced."""
PINGS_BYTES: Final = 1024
"""What is written to a peer besides messages until it is found dead."""
FEW_STEPS: Final = 1 / 30
"""Rate of the exponential distribution of a kill's place among the callbacks of one moment."""


class FullStackWorld:
    """A world and its clock.

    Attributes:
        server_run: the running server; None between two runs.
    """

    def __init__(self, loop: FullStackLoop, plan: FaultPlan, template: Path, folder: Path) -> None:
        rng = random.Random(f"box {plan.seed}")
        self._loop = loop
        self._outside = copy_context()
        self.plan = plan
        self.folder = folder
        self.path = folder / "world.sqlite3"
        self.trace = Trace(rng, loop.time)
        self.network = loop.network = Network(loop, self.trace, self)
        config = draw_config(rng)
        self.config = settings(config, self.path, plan)
        self.grace_s = config.grace_s
        self.ledger = Transcript(self.trace, self.grace_s, self, self.config)
        self.broker = SimulatedBroker(self.trace)
        self.server_run: FullStackServerRun | None = None
        self.is_calm = False
        self._seated: dict[str, Conversation] = {}
        self._reborn: asyncio.Task[None] | None = None
        self._kill_in = 0
        self._up_since = 0.0
        self._course = Scenario(loop, self._check_promises)
        drawn = draw_faults(rng, PLAYING, plan.bots)
        self.bots = [
            SimulatedPlayer(self, f"{faults.name}{number}", faults, f"198.51.100.{number + 1}")
            for number, faults in enumerate(map(plan.tamed, drawn))
        ]
        self._players = {bot.name: bot for bot in self.bots}
        self._kgp_players = draw_players(self, plan)
        self._kgp_names = {player.name for player in self._kgp_players}
        self._spectators = draw_spectators(self, plan)
        self.ledger.polite = {bot.name for bot in self.bots if bot.faults == POLITE}
        self.ledger.orders.rows = partial(reading.rows, self.path)
        is_at_work = plan.has_page and ORDERS not in plan.without
        self.operator = StackOperator(self, plan.seed, self.ledger.orders, is_at_work=is_at_work)
        self._served_at = 0.0
        self._former: dict[tuple[str, ...], float] = {}
        """By settings of before, when others took their place."""
        shutil.copyfile(template, self.path)
        loop.set_exception_handler(self._note_error)

    # What the others need of the world

    def later(self, delay_s: float, call: Callable[[], object]) -> None:
        self._loop.call_later(delay_s, call, context=self._outside.copy())

    def utc(self) -> str:
        return rfc3339(BEGAN_AT + timedelta(seconds=self._loop.time() - BEGIN_S))

    def step(self) -> None:
        """Take note of a callback of the server; kill the server if this is the one."""
        if self._kill_in:
            self._kill_in -= 1
            if not self._kill_in and not self.is_calm:
                self._outside.copy().run(self._kill)

    def note(self, error: BaseException) -> None:
        self._course.note(error)

    @property
    def bot_names(self) -> tuple[str, ...]:
        return tuple(self._players)

    def kill_after(self, steps: int) -> None:
        """Kill the server after some of its callbacks, if it is killed at all."""
        if self.plan.kills and not self._kill_in:
            self._kill_in = steps

    def renew(self) -> None:
        self._former[self.config.stage_words] = self.trace.now()
        words = (f"word{len(self._former)}",)
        self.config = replace(self.config, stage_words=words)

    def served(self, handover: WebHandover) -> None:
        """Note an answer to the visitor of a page, which goes by the newest settings soon."""
        now = self._served_at = self.trace.now()
        if now - self._former.get(handover.config.stage_words, now) > RENEWED_S:
            broken(Promise.RENEWED, "the page goes by settings of before")

    def seat(self, conversation: Conversation) -> None:
        self._seated[conversation.name] = conversation

    def ask(self, conversation: Conversation) -> None:
        """Note that a bot is asked on a connection; it must be the one where it is welcome."""
        if self._seated.get(conversation.name) is not conversation:
            self.ledger.two_seats(conversation.name)

    @property
    def _everyone(self) -> list[SimulatedProgram]:
        return [*self.bots, *self._kgp_players, *self._spectators]

    def line_of(self, name: str) -> SharedLink | None:
        """Return the connection on which a bot was welcomed last; None while it has none."""
        conversation = self._seated.get(name)
        return None if conversation is None or not conversation.is_open else conversation.link

    def dialled(self, host: SimulatedHost) -> None:
        player = self._players.get(host.name)
        if player is None:
            return
        try:
            player.watch.dialled()
        except BrokenPromiseError as error:
            self.note(error)

    def tap(self, link: SharedLink, host: SimulatedHost) -> tuple[Tap, Tap]:
        if host.name in self._kgp_names:
            return DeafTap(), DeafTap()
        player = self._players.get(host.name)
        client = DeafTap() if player is None else player.watch.tap(link, self.note)
        kind = FrontedConversation if self.config.fronts else Conversation
        return client, kind(link, self.trace, self.ledger, self)

    # What the ledger needs of the world

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._seated)

    def present_since(self, name: str) -> float | None:
        """Return when a bot's present connection was welcomed; None while it is away."""
        seat = self._seated.get(name)
        return None if seat is None or not seat.is_open else seat.welcomed_at

    def away_since(self, name: str) -> float:
        """Return when the server noticed that a bot is away, or was started; now, if it is down."""
        if self.server_run is None or self.server_run.is_over:
            return self.trace.now()
        seat = self._seated.get(name)
        return max(self._up_since, 0.0 if seat is None else seat.closed_at)

    def knows(self, name: str, game: str) -> bool:
        seat = self._seated.get(name)
        return seat is not None and game in seat.games

    @property
    def calm_since(self) -> float:
        """When the server was last late, as it is at its start, or held back by its operator."""
        return max(self._up_since, self.ledger.orders.held_until)

    @property
    def last_stall(self) -> tuple[float, float]:
        """When the server's loop was last held up: never."""
        return 0.0, 0.0

    @property
    def games(self) -> tuple[str, ...]:
        return (
            self.server_run.server.games
            if self.server_run is not None and self.server_run.is_up
            else ()
        )

    def _note_error(self, _loop: asyncio.AbstractEventLoop, facts: dict[str, object]) -> None:
        error = facts.get("exception")
        if isinstance(error, LinkLostError) and "future" in facts:
            return  # a question that a killed process left open
        self.note(error if isinstance(error, BaseException) else RuntimeError(facts["message"]))

    # A run

    async def play(self) -> None:
        try:
            await self._play()
        finally:
            self.is_calm = True
            for bot in self._everyone:
                bot.kill()
            if self.server_run is not None:
                self.server_run.kill()

    async def _play(self) -> None:
        await self._begin_run()
        rng, plan = self.trace.rng, self.plan
        for bot in self._everyone:
            self.later(rng.uniform(0.0, 3.0), bot.start)
        for _ in range(plan.kills):
            self.later(rng.uniform(1.0, plan.storm_s), self._draw_kill)
        self.later(1.0, self._trouble_broker)
        self.operator.begin()
        await self._course.wait(0.5 * plan.storm_s)
        await self._restart_politely()
        await self._course.wait(0.5 * plan.storm_s)
        await self._calm_down()
        await self._end_bots()
        self.ledger.ladder.is_season_over = True
        await self._end_publishing()
        await self._restart_politely()
        await self._course.wait(self.grace_s + FORGET_S)
        await self._check()

    def _check_promises(self) -> None:
        self.ledger.check_alarms()
        for bot in self.bots:
            bot.watch.check()
        self._check_page()
        if self.server_run is not None and not self.server_run.is_over:
            self.ledger.watch(self.games)
        self._check_unread()

    def _check_page(self) -> None:
        """Check that a page is served, whatever befell the process that did."""
        is_up = self.server_run is not None and self.server_run.is_up
        quiet_s = self.trace.now() - max(self._served_at, self._up_since)
        if self.plan.has_page and is_up and quiet_s > SERVED_S:
            broken(Promise.RENEWED, f"no page for {quiet_s:g} s")

    def _check_unread(self) -> None:
        """Check that the server keeps little for peers that do not read."""
        most = self.config.limits.outgoing_bytes + PINGS_BYTES
        for name, seat in self._seated.items():
            unread = seat.link.server.get_write_buffer_size()
            if seat.is_open and unread > most:
                raise BrokenPromiseError(Promise.BOUNDED, f"{name} has {unread} bytes unread")

    async def _begin_run(self) -> None:
        self._up_since = self._loop.time()
        self.ledger.forget_questions()
        self.server_run = FullStackServerRun(self, self.config)
        await self.server_run.start()
        self.trace.tell("world", "the server is up")

    def _draw_kill(self) -> None:
        if self.is_calm:
            return
        if self._kill_in or self.server_run is None or self.server_run.is_over:
            self.later(1.0, self._draw_kill)
        else:
            self._kill_in = int(self.trace.rng.expovariate(FEW_STEPS)) + 1

    def _kill(self) -> None:
        if self.server_run is None:
            return
        self.trace.count(RareEvent.KILL)
        if self.games:
            self.trace.count(RareEvent.SUSPENDED)
        self.server_run.kill()
        self.later(self.trace.rng.uniform(0.1, 4.0), self._restart)

    def _restart(self) -> None:
        self._reborn = self._loop.create_task(self._begin_run())

    async def _restart_politely(self) -> None:
        """Stop the server as an organiser does, and start it again."""
        run = await self._running()
        self.trace.count(RareEvent.RESTART_IN_PLAY if self.games else RareEvent.RESTART)
        await run.stop()
        if not run.is_over:
            await self._begin_run()

    async def _running(self) -> FullStackServerRun:
        while self.server_run is None or not self.server_run.is_up or self.server_run.is_over:
            await self._course.wait(0.1)
        return self.server_run

    def _trouble_broker(self) -> None:
        if self.is_calm or BROKER in self.plan.without:
            self.broker.recover()
        else:
            self.broker.change()
            self.later(self.trace.rng.uniform(1.0, 20.0), self._trouble_broker)

    async def _calm_down(self) -> None:
        self.is_calm = True
        self.broker.recover()
        self.trace.tell("world", "calm")
        await self._running()
        while self.operator.lift():
            await self._course.wait(0.5)
        for bot in self._everyone:
            bot.calm_down()

    async def _end_bots(self) -> None:
        """Let every bot play its running games and leave; that must end in time."""
        end = self._loop.time() + LONGEST_END_S
        while busy := [bot.name for bot in self._everyone if not bot.is_done]:
            await self._course.wait(1.0)
            if self._loop.time() > end:
                raise BrokenPromiseError(Promise.LIVE, f"still there: {busy}")

    async def _end_publishing(self) -> None:
        self.broker.break_connections()  # what was put aside is tried again over the next one
        end = self._loop.time() + PUBLISH_S
        while reading.unpublished(self.path):
            await self._course.wait(0.5)
            if self._loop.time() > end:
                raise BrokenPromiseError(Promise.PUBLISHED, "the outbox does not get empty")

    async def _check(self) -> None:
        run, topics = await self._running(), self.config.topics
        running = run.server.games
        check_status(self.broker, topics, Presence.ONLINE)
        await run.stop()
        self._course.check()
        check_status(self.broker, topics, Presence.OFFLINE)
        stored = reading.read(self.path)
        if running or stored.sessions or stored.members:
            detail = f"games {running}, sessions of {stored.sessions}, {stored.members} members"
            raise BrokenPromiseError(Promise.EMPTY, detail)
        check_all(self.ledger, stored, self.broker, self.config)
        self.ledger.orders.check()
        games = {game.game: game for game in stored.games}
        for player in self._kgp_players:
            player.check(games)
