"""A seat whose peer speaks the Kalah Game Protocol; the lobby sees no difference."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from random import Random  # noqa: TID251  # the type; the generator is handed in
from typing import Final, Protocol, assert_never

from websockets import CloseCode

from mancala.protocol.kgp.actions import Action, Close, Fault, Relay, Say
from mancala.protocol.kgp.interpreter import Interpreter
from mancala.protocol.messages import ErrorCode, Goodbye, Message, Turn

from ...model.timers import CallAt, Timer
from ..arrivals.arrival import Arrival
from ..limits import costs as prices
from ..limits.costs import Meter
from ..seat import Seat, SeatHandler, SeatRegistry

LONGEST_STEM: Final = 43
REMEMBERED_SESSIONS: Final = 1024


class ClientIdentity:
    """Who one client is: the name given to a guest, or the session found by name and token."""

    def __init__(
        self,
        registry: SeatRegistry,
        guests: set[str],
        sessions: OrderedDict[tuple[str, str], str],
        rng: Random,
    ) -> None:
        self._registry = registry
        self._guests = guests
        self._sessions = sessions
        self._rng = rng
        self._given = ""

    def name_guest(self, wanted: str) -> str:
        """Return a free name, and reserve it until the registry knows it."""
        name = wanted
        while self._registry.is_taken(name) or name in self._guests:
            name = f"{wanted[:LONGEST_STEM]}-{self._rng.randbytes(2).hex()}"
        self._guests.add(name)
        self._given = name
        return name

    def session_of(self, name: str, token: str) -> str | None:
        """Return the session of a client whose seat is kept; None when there is none."""
        return self._sessions.get((name, token)) if self._registry.is_taken(name) else None

    def remember(self, name: str, token: str, session: str) -> None:
        """Remember a session; beyond the limit, forget the oldest."""
        self._sessions[name, token] = session
        self._sessions.move_to_end((name, token))
        if len(self._sessions) > REMEMBERED_SESSIONS:
            self._sessions.popitem(last=False)

    def release(self) -> None:
        self._guests.discard(self._given)


class Wire(Protocol):
    @property
    def address(self) -> str:
        """The peer's address."""

    @property
    def acknowledged_s(self) -> float | None:
        """The round trip of acknowledgements in seconds; None if it isn't known."""

    def arrival(self, now: float, *, is_last: bool) -> Arrival:
        """Return when a line arrived that was read a moment ago, and may be the last of a read."""

    def write(self, lines: Iterable[str]) -> None:
        """Send lines without waiting."""

    def close(self) -> None:
        """Send what is buffered and close."""


class KgpSeat(Seat):
    """Connects a KGP interpreter to a connection on one side and the lobby on the other."""

    def __init__(
        self,
        wire: Wire,
        handler: SeatHandler,
        interpreter: Interpreter,
        meter: Meter,
        *,
        now: Callable[[], float],
        call_at: CallAt,
    ) -> None:
        super().__init__(wire.address)
        self._wire = wire
        self._handler = handler
        self._interpreter = interpreter
        self._meter = meter
        self._now = now
        self._call_at = call_at
        self._timer: Timer | None = None
        self._due: float | None = None
        self._is_lost = False
        self.heard_at = now()
        self._arrival = Arrival.at(self.heard_at)
        self._unsent: list[str] = []

    @property
    def lag_ms(self) -> float:
        """The smallest of its last round trips, as far as acknowledgements confirm it."""
        return self._interpreter.lag_ms(self._wire.acknowledged_s)

    @property
    def spent(self) -> float:
        return self._meter.spent

    def greet(self) -> None:
        self._act(self._interpreter.greet(self._now()))

    def arrival(self, now: float, *, is_doubted: bool) -> Arrival:
        """Return when the line that was read last arrived, which may be made final later."""
        return self._arrival if is_doubted else Arrival.at(now)

    def skip_late(self, data: bytes) -> bytes:
        """Return what the peer wrote without the moves for the question that was stopped last."""
        return self._interpreter.skip_late(data)

    def hear(self, line: str, *, is_last: bool = True) -> None:
        """Handle a line from the peer, and charge for it; what was read may end with it."""
        self.heard_at = self._now()
        if self._interpreter.is_late(line):
            self._meter.charge_answer(prices.LATE_LINE, self.heard_at)
            return
        self._arrival = self._wire.arrival(self.heard_at, is_last=is_last)
        self._meter.charge_answer(prices.LINE, self.heard_at)
        actions = self._interpreter.hear(line, self.heard_at)
        for action in actions:
            if isinstance(action, Relay):
                self._meter.charge_message(action.message, self.heard_at)
        self._act(actions)

    def cut_off(self) -> None:
        """Disconnect a peer that has overdrawn its budget for too long; its games are lost."""
        if not self.session.has_left:
            self._handler.on_violation(self, prices.TOO_MUCH, "")
            self.close_with_error(ErrorCode.LIMIT, prices.TOO_MUCH)

    def lost(self) -> None:
        self._is_lost = True
        self._rearm()
        self._handler.on_close(self)

    def send(self, message: Message, frame: bytes | None = None) -> None:  # noqa: ARG002  # lines, not frames, go out
        if self.session.has_left or self._is_lost:
            return
        self.session.send(message)
        if isinstance(message, Turn):
            self._meter.grant(prices.LINES_A_TURN)
        self._act(self._interpreter.tell(message, self._now()))

    def close(
        self,
        reason: str,
        *,
        reconnect_after: float | None = None,
        close_code: int = CloseCode.NORMAL_CLOSURE,  # noqa: ARG002  # KGP has no close codes
    ) -> None:
        self.send(Goodbye(reason, reconnect_after))

    def _act(self, actions: list[Action]) -> None:
        for action in actions:
            self._do(action)
        self._flush()
        self._rearm()

    def _do(self, action: Action) -> None:
        match action:
            case Say(line):
                self._unsent.append(line)
            case Relay(message):
                self._flush()
                self.session.receive(message)
                self._handler.on_message(self, message)
            case Fault(reason, detail, received):
                self._handler.on_violation(self, detail, received, reason)
            case Close():
                self._flush()
                self._wire.close()
            case _:
                assert_never(action)

    def _flush(self) -> None:
        if self._unsent:
            lines, self._unsent = self._unsent, []
            self._wire.write(lines)

    def _rearm(self) -> None:
        due = None if self._is_lost else self._interpreter.deadline
        if due == self._due:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._due = due
        self._timer = None if due is None else self._call_at(due, self._expire)

    def _expire(self) -> None:
        self._timer = self._due = None
        self._act(self._interpreter.expire(self._now()))
