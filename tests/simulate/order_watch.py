"""The operator's orders over all restarts: which hold, and whether the server keeps to them."""

from dataclasses import dataclass, field
from typing import Final

from mancala.protocol.messages import Challenged, Message, Notice, Seeking, Welcome
from mancala.server.control.wire import Request
from tests.holding import (
    OF_A_LADDER,
    Holding,
    Rows,
    former_names,
    kept,
    replays_ordered,
    replays_owed,
    told,
)
from tests.simulate.promises import NOTICED_S, Promise, broken
from tests.simulate.seats import Seats
from tests.simulate.tokens import hash_of
from tests.simulate.trace import Trace

LIFTING: Final = frozenset({"resume", "open", "undrain", "undo"})
"""What may let matches begin again."""
MOVING: Final = frozenset({"season", "rename", "merge", "annul", "quarantine", "release", "replay"})
"""What changes by whom a game was played, or what is charged for it."""
CLOSING: Final = frozenset({"close", "season"})
"""What closes a ladder to everyone."""
MERGING: Final = frozenset({"merge"})
"""What makes one bot of two, which may have played at the same time."""
WHYS: Final = "SELECT why FROM admin_log"
ACTIONS: Final = "SELECT DISTINCT action FROM admin_log"
NOTICE: Final = "SELECT text FROM switches WHERE kind = 'notice'"
DRAINED: Final = ("drained", "")
NOTHING: Final = Holding(frozenset(), frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class HeldSpan:
    """A time in which no match began, in a ladder or at all."""

    since: str
    until: str
    is_drained: bool


@dataclass(slots=True)
class OrderWatch:
    """What the operator ordered.

    Attributes:
        held_until: when a ladder or the server was on hold last; in virtual seconds.
        reissued: the names that have a new token: a ban of the former one is on no name.
    """

    trace: Trace
    seats: Seats
    rows: Rows = field(default=lambda _query: ())
    spans: list[HeldSpan] = field(default_factory=list)
    held_until: float = 0.0
    reissued: set[str] = field(default_factory=set)
    _holding: Holding = NOTHING
    _under_way: dict[str, Request] = field(default_factory=dict)
    """The orders that are neither answered nor refused, by their reasons."""
    _answered: set[str] = field(default_factory=set)
    _refused: set[str] = field(default_factory=set)
    _held_since: dict[tuple[str, str], str] = field(default_factory=dict)
    _settled_at: float = 0.0
    _notice: str = ""
    _heard: dict[str, str] = field(default_factory=dict)
    """By bot, the notice that its connection heard last."""

    @property
    def holding(self) -> Holding:
        return self._holding

    def is_banned(self, name: str) -> bool:
        keys = {f"name {name.lower()}"}
        if name not in self.reissued:
            keys.add(f"token {hash_of(name)}")
        return not keys.isdisjoint(self._holding.banned)

    # Orders

    def asked(self, request: Request) -> None:
        self._under_way[request.why] = request
        if request.action in LIFTING:
            self._end_spans()

    def answered(self, request: Request, *, has_changed: bool) -> None:
        """Note that an order was carried out; it is durable if it changed anything."""
        if has_changed:
            self._answered.add(request.why)
        self._settle(request)

    def refused(self, request: Request) -> None:
        """Note that an order was refused; nothing of it may be kept."""
        self._refused.add(request.why)
        self._settle(request)

    def _settle(self, request: Request) -> None:
        self._under_way.pop(request.why, None)
        self._look()

    def restarted(self) -> None:
        self._under_way.clear()
        self._heard.clear()
        self.check()
        self._look()

    def _look(self) -> None:
        self._holding, self._settled_at = told(self.rows), self.trace.now()
        [self._notice] = [str(text) for [text] in self.rows(NOTICE)] or [""]
        self._begin_spans()

    # What may not be while something is on hold

    def _begin_spans(self) -> None:
        if any(request.action in LIFTING for request in self._under_way.values()):
            return
        on_hold = {each for each in self._holding.switched if each[0] in OF_A_LADDER}
        for each in on_hold | (self._holding.switched & {DRAINED}):
            self._held_since.setdefault(each, self.seats.utc())

    def _end_spans(self) -> None:
        for each, since in self._held_since.items():
            self.spans.append(HeldSpan(since, self.seats.utc(), each == DRAINED))
        self._held_since.clear()

    # What the server says

    def heard(self, name: str, message: Welcome | Notice) -> None:
        """Note a welcome, which a banned bot may not get, or a notice."""
        if isinstance(message, Notice):
            self._heard[name] = message.text
            return
        self._heard[name] = ""
        if self.is_banned(name) and not self._under_way:
            broken(Promise.BANNED, f"{name} is welcome")

    def told(self, name: str, message: Message) -> None:
        """Note a message to a bot: while the server drains, nothing is sought or offered anew."""
        is_offered = isinstance(message, Challenged) and message.by == name
        if DRAINED in self._held_since and (is_offered or isinstance(message, Seeking)):
            broken(Promise.HELD, f"{name} may ask for a match: {message}")

    # While it runs

    def watch(self) -> None:
        now = self.trace.now()
        on_hold = self._held_since or any(
            request.action in LIFTING for request in self._under_way.values()
        )
        if on_hold or self._holding.switched & {DRAINED}:
            self.held_until = now
        if self._under_way or now - self._settled_at <= NOTICED_S:
            return
        for name in sorted(self.seats.names):
            since = self.seats.present_since(name)
            if since is not None and now - since > NOTICED_S:
                self._watch_bot(name)

    def _watch_bot(self, name: str) -> None:
        if self.is_banned(name):
            broken(Promise.BANNED, f"{name} is connected")
        if self._heard.get(name, "") != self._notice:
            broken(Promise.NOTICED, f"{name}: {self._heard.get(name)!r}, not {self._notice!r}")

    # What is kept

    def check(self) -> None:
        whys = {str(why) for [why] in self.rows(WHYS)}
        if self._answered - whys:
            broken(Promise.OBEYED, f"answered, and not kept: {sorted(self._answered - whys)}")
        if self._refused & whys:
            broken(Promise.OBEYED, f"refused, and kept: {sorted(self._refused & whys)}")
        by_trail, by_tables = told(self.rows), kept(self.rows)
        if by_trail != by_tables:
            broken(Promise.OBEYED, f"the trail says {by_trail}, the tables {by_tables}")
        if replays_owed(self.rows) - replays_ordered(self.rows):
            broken(Promise.OBEYED, "a match is to be played again that no line of the trail names")

    @property
    def former_names(self) -> frozenset[str]:
        return former_names(self.rows)

    def has_ordered(self, actions: frozenset[str]) -> bool:
        return any(action in actions for [action] in self.rows(ACTIONS))
