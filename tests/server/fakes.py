"""Time, journal and connections that a test controls, and a session registry upon them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

from msgspec import structs

from mancala.protocol import messages as wire
from mancala.server.config.settings import Config, Limits, LiveConfig
from mancala.server.health.fairness import Fairness
from mancala.server.health.log import NullLog
from mancala.server.lobby.sessions import SessionRegistry
from mancala.server.match.context import Context
from mancala.server.match.orders import Orders
from mancala.server.model.contests import KeptEvent
from mancala.server.model.credentials import TokenProblem
from mancala.server.model.day_counts import Counted
from mancala.server.model.events import EventFactory
from mancala.server.model.journal import Entry
from mancala.server.model.review.reviews import QueuedReview, ReviewableGame
from mancala.server.net.arrivals.arrival import Arrival
from mancala.server.net.seat import Seat
from mancala.server.reviews.dispatcher import ReviewDispatcher

M = TypeVar("M", bound=wire.Message)
E = TypeVar("E")
UTC = "2026-11-21T12:00:00.000+00:00"


def limited(**limits: Any) -> LiveConfig:  # noqa: ANN401  # whatever a limit is
    return LiveConfig(Config(limits=Limits(**limits)))


@dataclass(order=True)
class FakeTimer:
    """A callback at an instant."""

    when: float
    number: int
    call: Callable[[], None] = field(compare=False)
    is_cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        self.is_cancelled = True


class FakeClock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.time = 1000.0
        self._timers: list[FakeTimer] = []
        self._numbers = count()

    def now(self) -> float:
        return self.time

    def call_at(self, when: float, call: Callable[[], None]) -> FakeTimer:
        timer = FakeTimer(when, next(self._numbers), call)
        heapq.heappush(self._timers, timer)
        return timer

    def pass_by(self, seconds: float) -> None:
        """Advance the clock, and call what falls due."""
        end = self.time + seconds
        while self._timers and self._timers[0].when <= end:
            timer = heapq.heappop(self._timers)
            self.time = max(self.time, timer.when)
            if not timer.is_cancelled:
                timer.call()
        self.time = end


class FakeJournal:
    """Keeps entries in a list; durable immediately, or when the test says so."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.is_slow = False
        self.refuses: Callable[[Entry], bool] = lambda _entry: False
        self._waiting: list[tuple[Sequence[Entry], Callable[[], None], Callable[[], None]]] = []

    def commit(
        self,
        entries: Sequence[Entry],
        done: Callable[[], None],
        refused: Callable[[], None] = lambda: None,
    ) -> None:
        self._waiting.append((entries, done, refused))
        if not self.is_slow:
            self.settle()

    def settle(self) -> None:
        waiting, self._waiting = self._waiting, []
        for entries, done, refused in waiting:
            if any(map(self.refuses, entries)):
                refused()
            else:
                self.entries += entries
                done()

    def kept(self, kind: type[E]) -> list[E]:
        return [entry for entry in self.entries if isinstance(entry, kind)]


@dataclass
class KeptLog:
    """Keeps what is logged at ``debug`` and as a warning: the facts, the event among them."""

    lines: list[dict[str, object]] = field(default_factory=list)
    warnings: list[dict[str, object]] = field(default_factory=list)

    def debug(self, event: str, **facts: object) -> None:
        self.lines.append({"event": event, **facts})

    def info(self, event: str, **facts: object) -> None:
        """Keep nothing of that."""

    def warning(self, event: str, **facts: object) -> None:
        self.warnings.append({"event": event, **facts})


class FakeSeat(Seat):
    """A connection that keeps the messages sent to it."""

    def __init__(self, lag_ms: float = 0.0, address: str = "192.0.2.1") -> None:
        super().__init__(address)
        self.told: list[wire.Message] = []
        self.closed: tuple[str, float | None, int] | None = None
        self._lag_ms = lag_ms
        self.arrives: Arrival | None = None
        self.late = False
        self.heard_out: list[Callable[[], None]] | None = None

    def arrival(self, now: float, *, is_doubted: bool) -> Arrival:  # noqa: ARG002  # as it was set
        return self.arrives or Arrival.at(now)

    @property
    def lag_ms(self) -> float:
        return self._lag_ms

    @property
    def is_held_up(self) -> bool:
        """Whether the front that reads it is late, as set."""
        return self.late

    def hear_out(self, done: Callable[[], None]) -> None:
        """Call back, or keep what its front will call back."""
        if self.heard_out is None:
            done()
        else:
            self.heard_out.append(done)

    def send(self, message: wire.Message, frame: bytes | None = None) -> None:
        del frame
        if not self.session.has_left:
            self.session.send(message)
            self.told.append(message)

    def close(
        self, reason: str, *, reconnect_after: float | None = None, close_code: int = 1000
    ) -> None:
        self.closed = self.closed or (reason, reconnect_after, close_code)

    def of(self, kind: type[M]) -> list[M]:
        return [message for message in self.told if isinstance(message, kind)]

    def last(self, kind: type[M]) -> M:
        return self.of(kind)[-1]

    @property
    def game(self) -> str:
        return self.last(wire.GameStart).game

    @property
    def secret(self) -> str:
        return self.last(wire.Welcome).session

    @property
    def code(self) -> wire.ErrorCode:
        return self.last(wire.Error).code

    @property
    def errors(self) -> list[tuple[wire.ErrorCode, str | None]]:
        return [(error.code, error.ref) for error in self.of(wire.Error)]


class FakeTokens:
    """Accepts every token but ``wrong``, and names without one unless they are reserved."""

    def __init__(self) -> None:
        self.reserved: set[str] = set()
        self.submitters: set[str] = set()
        self.played: set[str] = set()

    def has_played(self, name: str, answer: Callable[[bool], None]) -> None:
        answer(name in self.played)

    def may_submit(self, name: str, answer: Callable[[bool | None], None]) -> None:
        answer(name in self.submitters)

    def check(
        self, name: str, token: str | None, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        is_wrong = token == "wrong" or (token is None and name in self.reserved)  # noqa: S105  # no secret
        answer(TokenProblem(f"that is not the token of {name}") if is_wrong else None)

    def bind(
        self, name: str, token: str, at: str, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        del token, at
        self.reserved.add(name)
        answer(None)

    def verify_session(self, secret_hash: str, answer: Callable[[bool], None]) -> None:
        del secret_hash
        answer(True)  # the session is valid


class FakeReviewStore:
    """Knows the games that a test lets wait for a review."""

    def __init__(self) -> None:
        self.reviewers: set[str] = set()
        self.games: dict[str, ReviewableGame] = {}
        self.kept: list[QueuedReview] = []
        self.old: list[QueuedReview] = []

    def may_review(self, name: str, answer: Callable[[bool | None], None]) -> None:
        answer(name in self.reviewers)  # as the protocol has it

    def waiting(self, limit: int, answer: Callable[[Sequence[QueuedReview] | None], None]) -> None:
        answer(self.kept[:limit])

    def outdated(
        self, version: int, limit: int, answer: Callable[[Sequence[QueuedReview] | None], None]
    ) -> None:
        answer([each for each in self.old if each.version < version][:limit])

    def reviewable(self, game: str, answer: Callable[[ReviewableGame | None], None]) -> None:
        answer(self.games.get(game))


class Harness:
    """A session registry with everything that it needs.

    Attributes:
        utc: the time of day, which a test may set.
        kept_event: returns what is read of an event from the store.
    """

    def __init__(
        self,
        config: Config | None = None,
        journal: FakeJournal | None = None,
        tokens: FakeTokens | None = None,
    ) -> None:
        self.clock = FakeClock()
        self.utc = UTC
        self.journal = journal or FakeJournal()
        self.live = LiveConfig(config or Config(grace_s=30.0))
        self.fairness = Fairness(self.live)
        numbers = count(1)
        self.context = Context(
            config=self.live,
            orders=Orders(lambda: self.utc),
            journal=self.journal,
            events=EventFactory(self.config.name, self.config.topics),
            now=self.clock.now,
            call_at=self.clock.call_at,
            utc=lambda: self.utc,
            new_id=lambda: f"id{next(numbers)}",
            new_secret=lambda: f"secret{next(numbers)}",
            pick=lambda legal: legal[0],
            log=NullLog(),
            fairness=self.fairness,
        )
        self.tokens = tokens or FakeTokens()
        self.reviews = FakeReviewStore()
        dispatcher = ReviewDispatcher(self.reviews, self.context)
        self.kept_event: Callable[[], KeptEvent | None] = lambda: None
        self.sessions = SessionRegistry(self.context, self.tokens, dispatcher, self._read_event)

    @property
    def config(self) -> Config:
        return self.live.now

    def reload(self, **changes: Any) -> None:  # noqa: ANN401  # whatever a setting is
        self.live.now = structs.replace(self.live.now, **changes)
        self.sessions.ladders.reload()

    def _read_event(self, _name: str, answer: Callable[[KeptEvent | None], None]) -> None:
        answer(self.kept_event())

    def connect(self, lag_ms: float = 0.0, address: str = "192.0.2.1") -> FakeSeat:
        seat = FakeSeat(lag_ms, address)
        self.sessions.on_open(seat)
        return seat

    def greet(
        self,
        name: str,
        *,
        token: str | None = None,
        resume: str | None = None,
        version: str = "",
        challenges: bool = False,
        lag_ms: float = 0.0,
        is_own: bool = False,
        may_claim: bool = False,
    ) -> FakeSeat:
        seat = self.connect(lag_ms)
        seat.is_own, seat.may_claim = is_own, may_claim
        agent = wire.Agent("test", version) if version else None
        self.say(seat, wire.Hello(wire.VERSION, name, token, agent, resume, challenges))
        return seat

    def greet_all(self, *names: str) -> list[FakeSeat]:
        return [self.greet(name) for name in names]

    def say_all(self, message: wire.Message, *seats: FakeSeat) -> None:
        for seat in seats:
            self.say(seat, message)

    def say(self, seat: FakeSeat, *messages: wire.Message) -> None:
        for message in messages:
            seat.session.receive(message)
            self.sessions.on_message(seat, message)  # type: ignore[arg-type]  # tests say what clients say

    def restore_counts_of(self, former: Harness) -> None:
        counted = [entry for entry in former.journal.entries if isinstance(entry, Counted)]
        self.sessions.restore([], [], counted=counted)

    def drop(self, seat: FakeSeat) -> None:
        self.sessions.on_close(seat)

    def leave(self, *seats: FakeSeat) -> None:
        for seat in seats:
            self.say(seat, wire.Goodbye())
            self.drop(seat)


def paired(
    harness: Harness, seek: wire.Seek | None = None, lag_ms: float = 0
) -> tuple[FakeSeat, FakeSeat]:
    ann, bob = harness.greet("ann", lag_ms=lag_ms), harness.greet("bob")
    harness.say_all(seek or wire.Seek(), ann, bob)
    return ann, bob


def answer(harness: Harness, seat: FakeSeat) -> None:
    turn = seat.last(wire.Turn)
    harness.say(seat, wire.Move(turn.game, turn.ply, turn.legal[-1]))


def play_out(harness: Harness, *seats: FakeSeat) -> None:
    answered: set[tuple[str, int]] = set()
    while True:
        turns = [(seat, seat.last(wire.Turn)) for seat in seats if seat.of(wire.Turn)]
        fresh = [(seat, turn) for seat, turn in turns if (turn.game, turn.ply) not in answered]
        if not fresh:
            return
        for seat, turn in fresh:
            answered.add((turn.game, turn.ply))
            harness.say(seat, wire.Move(turn.game, turn.ply, turn.legal[-1]))
