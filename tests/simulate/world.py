"""One simulated world: a server over its restarts, its bots, its broker, and what befalls them.

First everything goes wrong for a while: bots have faults, the server is killed at points drawn from
the seed, the broker comes and goes. Then the world calms down, and what is under way must end. Then
the ledger compares what was said with what was kept.
"""

import asyncio
import random
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from mancala.protocol.referee import EXCUSED_S
from mancala.protocol.results import Presence
from mancala.server.lobby.sessions import SessionRegistry
from mancala.server.model.day_counts import DAY_S
from mancala.server.store.database.reader import read_once
from mancala.server.store.database.writer import Transaction
from mancala.server.store.rows.tokens import issue, revoke, token_admin
from mancala.server.store.upkeep.recount import differences
from tests.simulate import reading
from tests.simulate.audit import check_all, check_status
from tests.simulate.bots import SimBot
from tests.simulate.broker import SimulatedBroker
from tests.simulate.day_watch import COUNTED_S
from tests.simulate.disk import Disk
from tests.simulate.event_audit import EventAudit, read_event
from tests.simulate.event_knobs import EVENT, with_event
from tests.simulate.faults import BOT_FAULTS, POLITE, BotFaults, draw_faults, with_reviewers
from tests.simulate.knobs import draw_config, settings_of
from tests.simulate.ledger import Transcript
from tests.simulate.loop import BEGIN_S, VirtualLoop
from tests.simulate.memory import AT_REST, AT_WORK, IDLE, check_seats, check_size
from tests.simulate.operating import SimOperator
from tests.simulate.organiser import SimOrganiser
from tests.simulate.page import SimulatedPage
from tests.simulate.plan import BROKER, DISK, ORDERS, FaultPlan
from tests.simulate.promises import BrokenPromiseError, Promise, broken
from tests.simulate.reviewers import SimReviewer
from tests.simulate.scenario import Scenario
from tests.simulate.server_run import ServerRun
from tests.simulate.trace import NO_EVENT, RareEvent, Trace

RULING: Final = frozenset({"annul", "replay", "undo"})
"""What may take back the result of a game that the organiser set."""
BEGAN_AT: Final = datetime(2026, 1, 1, tzinfo=UTC)
LONGEST_END_S: Final = 300.0
"""The stated time in which everything under way ends once faults have ended."""
LONGEST_EVENT_S: Final = 900.0
"""The stated time in which an event of eight ends, with all rounds still to be played."""
ENTERS: Final = 0.9
"""The share of bots that enter an event."""
LATE: Final = 0.5
"""The share of them that enter it some time after each login, perhaps late."""
LATE_S: Final = (10.0, 50.0)
"""After which time: the least and the most."""
PUBLISH_S: Final = 60.0
STOPPED: Final = 0.25
"""The share of kills that are orderly stops."""
LONGEST_STALL_S: Final = 0.8
FORGET_S: Final = 60.0
MEMORY_EVERY: Final = 20
"""The memory is counted at every 20th check, which takes a millisecond."""
RETURN_S: Final = 5.0
"""By then every bot is back after a restart."""


class World:
    """A world and its clock.

    Attributes:
        enters: the bots that enter the event by themselves, and how long after a login.
        server_run: the running server; None between two runs.
        steps_a_kill: the mean number of the server's steps between two kills.
    """

    steps_a_kill = 400

    def __init__(self, loop: VirtualLoop, plan: FaultPlan, template: Path, folder: Path) -> None:
        rng = random.Random(f"world {plan.seed}")
        self._loop = loop
        self.plan = plan
        self.trace = Trace(rng, loop.time)
        drawn = self._draw(rng)
        self.trace.inputs.drew(settings_of(self.config))
        self.grace_s = self.config.grace_s
        self.ledger = Transcript(self.trace, self.grace_s, self, self.config)
        self.broker = SimulatedBroker(self.trace)
        self.path = folder / "world.sqlite3"
        self.server_run: ServerRun | None = None
        self.is_calm = False
        is_sound = DISK in plan.without
        self.disk = Disk(plan.seed, self.trace, self._is_spared, is_sound=is_sound)
        self._ids = count(1)
        self._kill_in = 0
        self._kills_left = plan.kills
        self._reborn: asyncio.Task[None] | None = None
        self._course = Scenario(loop, self._check_promises)
        self._up_since = 0.0
        self._checks = 0
        self.bots = [
            self._make_bot(number, faults) for number, faults in enumerate(map(plan.tamed, drawn))
        ]
        self._organiser = SimOrganiser(self, self.plan.seed) if self.config.event else None
        addresses = {bot.name: bot.address for bot in self.bots}
        self.ledger.reviews.address_of = self.ledger.events.address_of = addresses.__getitem__
        self.ledger.spectators.can_pay = self._can_pay
        hands = self.ledger.events.hands
        hands.received, hands.topics = self.broker.received, self.config.topics
        self.trace.state = self._event_state
        self.ledger.orders.rows = partial(reading.rows, self.path)
        self.operator = SimOperator(
            self, plan.seed, self.ledger.orders, is_at_work=ORDERS not in plan.without
        )
        self.ledger.polite = {bot.name for bot in self.bots if bot.faults == POLITE}
        shutil.copyfile(template, self.path)
        loop.set_exception_handler(self._course.note_error)

    def _draw(self, rng: random.Random) -> list[BotFaults]:
        """Draw the settings and who enters the event; return the faults of the bots."""
        config = draw_config(rng)
        drawn = with_reviewers(draw_faults(rng, BOT_FAULTS, self.plan.bots), self.plan.seed)
        event_rng = random.Random(f"event {self.plan.seed}")
        names = [f"{each.name}{number}" for number, each in enumerate(drawn) if not each.reviews]
        self.config = with_event(config, event_rng, names, BEGAN_AT)
        entering = [name for name in names if event_rng.random() < ENTERS]
        waits = ((name, event_rng.random(), event_rng.uniform(*LATE_S)) for name in entering)
        self.enters = {name: wait if drawn < LATE else 0.0 for name, drawn, wait in waits}
        return drawn

    def _make_bot(self, number: int, faults: BotFaults) -> SimBot:
        kind = SimReviewer if faults.reviews else SimBot
        return kind(self, f"{faults.name}{number}", faults)

    # What the others need of the world

    def later(self, delay_s: float, call: Callable[[], object]) -> None:
        self._loop.call_later(delay_s, call)

    def utc(self) -> str:
        now = BEGAN_AT + timedelta(seconds=self._loop.time() - BEGIN_S)
        return now.isoformat(timespec="milliseconds")

    def revoke(self, name: str) -> None:
        """Revoke the token of a name, as its organiser does beside the server."""
        self._change_token(revoke, name)

    def reserve(self, name: str) -> None:
        """Issue a token for a name, as its organiser does beside the server."""
        self._change_token(issue, name)
        self.ledger.orders.reissued.add(name)

    def _change_token(self, act: Callable[[Transaction, str, str], object], name: str) -> None:
        with token_admin(str(self.path)) as transaction:
            act(transaction, name, self.utc())
        self.ledger.revoked(name)

    def new_id(self) -> str:
        return f"{next(self._ids):06x}"

    def hold_up(self, delay_s: float, length_s: float) -> None:
        """Hold the server's loop up for a while, after a time, if this world has such stalls."""
        if self.plan.stalls and not self.is_calm:
            self.later(max(0.0, delay_s), partial(self._stall, length_s))

    def _stall(self, length_s: float) -> None:
        if self.server_run is not None and not self.is_calm:
            self.server_run.stall(length_s)

    def step(self) -> None:
        """Take note of a step of the server; kill it if this is the one.

        One that lost its store in this step is dying already, and is not killed again.
        """
        self._kill_in -= 1
        is_due = self._kill_in == 0 and self._kills_left and not self.is_calm
        if is_due and self.server_run is not None:
            self._kill()

    # A run

    async def play(self) -> Trace:
        await self._begin_run()
        for bot in self.bots:
            self.later(self.trace.rng.uniform(0.0, 3.0), bot.connect)
        if self._organiser is not None:
            self._organiser.begin()
        self._loop.call_later(1.0, self._trouble_broker)
        self._stall_at_times()
        self.operator.begin()
        SimulatedPage(self).begin()
        await self._storm()
        await self._calm_down()
        await self._end_event()
        await self._end_matches()
        await self._end_reviews()
        await self._end_publishing()
        await self._restart_politely()
        await self._end_publishing()
        await self._leave()
        await self._check()
        return self.trace

    async def _storm(self) -> None:
        """Let things go wrong for a while, and again after a night if there is one."""
        await self._course.wait(self.plan.storm_s)
        if self.plan.has_night:
            await self._pass_a_night()
            await self._course.wait(self.plan.storm_s)

    def kill_after(self, steps: int) -> None:
        """Kill the server after some of its steps, if it is killed at all."""
        self._kill_in = steps

    @property
    def bot_names(self) -> tuple[str, ...]:
        return tuple(bot.name for bot in self.bots)

    @property
    def games(self) -> tuple[str, ...]:
        return () if self.server_run is None else self.server_run.registry.tables.games

    def _event_state(self) -> str:
        """Return where the world's event stands, as far as a server runs it."""
        run = self.server_run
        contests = () if run is None else run.registry.contests.all_contests
        return contests[0].state.phase.state if contests else NO_EVENT

    def _check_promises(self) -> None:
        if self.server_run is not None and self.server_run.failure is not None:
            raise BrokenPromiseError(Promise.RUNNING, f"{self.server_run.failure!r}")
        if not self.disk.is_full:
            self.ledger.check_alarms()
        if self.server_run is None:
            return
        self.disk.check()
        self.ledger.watch(self.server_run.registry.tables.games)
        if (contest := self.server_run.registry.contests.get(EVENT)) is not None:
            self.ledger.events.watch(contest, self.server_run.registry)
        if self.ledger.sessions.has_revoked and reading.ownerless(self.path):
            raise BrokenPromiseError(Promise.WILLING, "the store keeps members without a session")
        self._checks += 1
        if self._checks % MEMORY_EVERY == 0:
            registry = self.server_run.registry
            check_size(registry, self._entrants_of(registry), AT_WORK)

    async def _begin_run(self) -> None:
        self._up_since = self._loop.time()
        self.disk.make_room()
        self.ledger.forget_questions()
        self._check_tables()
        run = ServerRun(self)
        await run.start()
        self.server_run = run
        if (contest := run.registry.contests.get(EVENT)) is not None:
            self.ledger.events.restored(contest)
        self._kill_in = int(self.trace.rng.expovariate(1 / self.steps_a_kill)) + 1
        self.trace.tell("world", "the server is up")

    def _check_tables(self) -> None:
        """Compare what games add up to with a recount; an operator takes some of them out."""
        if self.operator.is_at_work and (found := read_once(str(self.path), differences)):
            broken(Promise.COUNTED_ONCE, f"{found[:3]}")

    def _kill(self) -> None:
        """Kill the server, or stop it as an organiser does, in the middle of everything."""
        self._kills_left -= 1
        run, self.server_run = self._server, None
        if run.registry.tables.games:
            self.trace.count(RareEvent.SUSPENDED)
        if self.trace.happens(STOPPED):
            self.trace.count(RareEvent.RESTART_IN_PLAY)
            self._reborn = self._loop.create_task(self._stop_and_start(run))
            self._reborn.add_done_callback(self._note_birth)
            return
        self.trace.count(RareEvent.KILL)
        self._die(run)

    def _is_spared(self) -> bool:
        """Return whether nothing befalls the disk: a server that only starts just fails to."""
        return self.is_calm or self.server_run is None

    def lose_store(self) -> None:
        """Stop the server, whose store takes nothing more; start another soon."""
        run = self.server_run
        if run is not None:
            self.server_run = None
            self.later(0.0, lambda: self._die(run))

    def _die(self, run: ServerRun) -> None:
        run.kill()
        self._cut_all()
        self._loop.call_later(self.trace.rng.uniform(0.1, 4.0), self._restart)

    async def _stop_and_start(self, run: ServerRun) -> None:
        await asyncio.sleep(0)  # the step under way is done first
        await run.stop()
        self._cut_all()
        await self._begin_run()

    async def _pass_a_night(self) -> None:
        """Switch the server off for about a day: some of what is limited by the day is free."""
        while self.server_run is None:
            await self._course.wait(0.5)
        self.trace.count(RareEvent.NIGHT)
        run, self.server_run = self._server, None
        await run.stop()
        self._cut_all()
        self._loop.pass_by(DAY_S - self.trace.rng.uniform(-COUNTED_S, self.plan.storm_s))
        await self._begin_run()

    def _cut_all(self) -> None:
        """Let the bots know that the server ended, also those that only began to connect."""
        for bot in self.bots:
            bot.cut()

    def _restart(self) -> None:
        self._reborn = self._loop.create_task(self._begin_run())
        self._reborn.add_done_callback(self._note_birth)

    def _note_birth(self, birth: asyncio.Task[None]) -> None:
        if not birth.cancelled() and (error := birth.exception()) is not None:
            self._course.note(error)

    def _stall_at_times(self) -> None:
        """Hold the server's loop up for a while, now and again."""
        if self.plan.stalls and not self.is_calm:
            rng = self.trace.rng
            self._stall(min(LONGEST_STALL_S, 0.02 + rng.expovariate(1 / 0.1)))
            self._loop.call_later(rng.expovariate(1 / 10.0), self._stall_at_times)

    def _trouble_broker(self) -> None:
        """Let the broker be away, freeze, or lose acknowledgements for a while."""
        if self.is_calm or BROKER in self.plan.without:
            self.broker.recover()
            return
        self.broker.change()
        delay_s = self.trace.rng.uniform(1.0, 20.0)
        self._loop.call_later(delay_s, self._trouble_broker)

    async def _calm_down(self) -> None:
        self.is_calm = True
        self._trouble_broker()
        self.trace.tell("world", "calm")
        for bot in self.bots:
            bot.calm_down()
        while self.server_run is None:
            await self._course.wait(0.5)
        while self.operator.lift():
            await self._course.wait(0.5)

    @property
    def _server(self) -> ServerRun:
        if self.server_run is None:
            raise RuntimeError("the server is down")
        return self.server_run

    def _can_pay(self, name: str) -> bool:
        seat = None if self.server_run is None else self.server_run.seated.get(name)
        return seat is not None and seat.shown_wait_s() <= 0

    # What the ledger needs of the world

    @property
    def names(self) -> frozenset[str]:
        return frozenset(() if self.server_run is None else self.server_run.seated)

    def present_since(self, name: str) -> float | None:
        """Return when a bot's present connection was welcomed; None while it is away."""
        seat = None if self.server_run is None else self.server_run.seated.get(name)
        return None if seat is None or not seat.is_open else seat.welcomed_at

    def away_since(self, name: str) -> float:
        """Return when the server noticed that a bot is away, or was started; now, if it is down."""
        if self.server_run is None:
            return self._loop.time()
        seat = self.server_run.seated.get(name)
        return max(self._up_since, 0.0 if seat is None else seat.away_since)

    def knows(self, name: str, game: str) -> bool:
        """Return whether a bot's present connection was shown a game."""
        seat = None if self.server_run is None else self.server_run.seated.get(name)
        return seat is not None and game in seat.session.games

    @property
    def calm_since(self) -> float:
        """When the server was last too late to begin a game, or held back by its operator."""
        stalled = 0.0 if self.server_run is None else self.server_run.stalls.last
        return max(self._up_since, stalled, self.ledger.orders.held_until)

    @property
    def last_stall(self) -> tuple[float, float]:
        """When the server's loop was last held up, from when to when."""
        return (0.0, 0.0) if self.server_run is None else self.server_run.stalls.span

    # The end

    async def _end_event(self) -> None:
        """Let the organiser end its event; its entrants are there, or have left for good."""
        end = self._loop.time() + LONGEST_EVENT_S
        while self._organiser is not None and not self._organiser.settle():
            await self._course.wait(1.0)
            if self._loop.time() > end:
                raise BrokenPromiseError(Promise.LIVE, "the event does not end")

    async def _end_matches(self) -> None:
        end = self._loop.time() + LONGEST_END_S
        while busy := [bot.name for bot in self.bots if self._is_busy(bot.name)]:
            await self._course.wait(1.0)
            if self._loop.time() > end:
                raise BrokenPromiseError(Promise.LIVE, f"still in a match or a ladder: {busy}")

    async def _end_reviews(self) -> None:
        """Let the reviewers work; every game that was played must be reviewed in time."""
        end = self._loop.time() + LONGEST_END_S
        while self._has_reviewer and (waiting := reading.unreviewed(self.path)):
            await self._course.wait(1.0)
            if self._loop.time() > end:
                raise BrokenPromiseError(Promise.REVIEWED, f"{waiting} still wait")

    @property
    def _has_reviewer(self) -> bool:
        return any(isinstance(bot, SimReviewer) and not bot.has_left for bot in self.bots)

    def _is_busy(self, name: str) -> bool:
        registry = self._server.registry
        player = registry.directory.find(name)
        return player is not None and (bool(player.matches) or registry.ladders.is_member(player))

    async def _restart_politely(self) -> None:
        self.trace.count(RareEvent.RESTART)
        registry = self._server.registry
        check_size(registry, self._entrants_of(registry), IDLE)
        check_seats(registry, len(registry.directory.seats))
        self.ledger.ladder.is_season_over = True
        await self._server.stop()
        self._cut_all()
        await self._begin_run()
        await self._course.wait(RETURN_S)

    async def _end_publishing(self) -> None:
        """Wait for the outbox; break connections only for what was put aside, as it wakes all."""
        end = self._loop.time() + PUBLISH_S
        store, is_broken = self._server.store, False
        while (is_due := bool(await store.unpublished(1))) or await store.put_aside_after(0, 1):
            if not is_due and not is_broken:
                self.broker.break_connections()  # what was put aside is tried over the next one
                is_broken = True
            await self._course.wait(0.5)
            if self._loop.time() > end:
                raise BrokenPromiseError(Promise.PUBLISHED, "the outbox does not get empty")

    def _kept_s(self) -> float:
        """Return how long the seat of one that is away is kept: longer for the server's own."""
        found = (self._server.registry.directory.find(bot.name) for bot in self.bots)
        away = [each for each in found if each is not None and not each.is_present]
        return max(self.grace_s, EXCUSED_S) if any(each.is_own for each in away) else self.grace_s

    async def _leave(self) -> None:
        """Let every bot say goodbye; nothing must be left of them, nor of what was restored."""
        for bot in self.bots:
            bot.say_goodbye()
        await self._course.wait(self._kept_s() + FORGET_S)
        registry = self._server.registry
        left = [bot.name for bot in self.bots if registry.directory.find(bot.name) is not None]
        if len(registry.directory.seats) or left:
            detail = f"{len(registry.directory.seats)} connections, participants {left}"
            raise BrokenPromiseError(Promise.EMPTY, detail)
        check_size(registry, self._entrants_of(registry), AT_REST)

    def _entrants_of(self, registry: SessionRegistry) -> int:
        """Return how many versions of bots the ladders know; at least as many as there are bots.

        A season that is over is a ladder of its own, and takes as much as two of them.
        """
        ladders = registry.ladders.all_ladders
        entrants = sum(ladder.state.ranked for ladder in ladders)
        return max(len(self.bots), entrants) + 2 * (len(ladders) - 1)

    async def _check(self) -> None:
        topics, broker = self.config.topics, self.broker
        check_status(broker, topics, Presence.ONLINE)
        await self._server.stop()
        self._course.check()
        check_status(broker, topics, Presence.OFFLINE)
        stored = reading.read(self.path)
        self.ledger.orders.check()
        self._check_tables()
        if stored.sessions or stored.members:
            detail = f"sessions of {stored.sessions}, {stored.members} members of ladders"
            raise BrokenPromiseError(Promise.EMPTY, f"the store keeps {detail}")
        check_all(self.ledger, stored, broker, self.config)
        for settings in self.config.event:
            if (kept := read_event(self.path, settings.name)) is not None:
                self.trace.count(RareEvent.EVENT_OVER, settings.name)
                for late in (each for each in kept.entrants if each.joins > 1):
                    self.trace.count(RareEvent.LATE_ENTRY, late.name)
                former = self.ledger.orders.former_names
                found = {name for (name,) in reading.rows(self.path, "select name from events")}
                others = frozenset(found - {settings.name})
                EventAudit(settings, kept, stored, broker, topics, former, others).check()
                is_spoilt = self.ledger.orders.has_ordered(RULING)
                self.ledger.events.hands.check(kept.pairings, kept.games, is_spoilt=is_spoilt)
        for review in stored.reviews:
            self.trace.count(RareEvent.REVIEWED, review.game)
