"""A connection between a simulated bot and the server's registry: delays, losses, half-open ends.

Messages keep their order in each direction, and each takes a time of its own. The two ends may
learn of a loss at different times; what is under way then is lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any, Final, Protocol

from mancala.protocol import messages as wire
from mancala.protocol.session import GameStage, RemoteProtocolError, Role, Session
from mancala.server.control.wire import Request
from mancala.server.lobby.sessions import SessionRegistry
from mancala.server.net.arrivals.arrival import Arrival
from mancala.server.net.limits.costs import AddressBudgets
from mancala.server.net.seat import Seat
from mancala.server.store import Store
from tests.simulate.ledger import Transcript
from tests.simulate.trace import Trace

INSTANT_S: Final = 1e-6
"""Differences of times below this are those of rounding."""


class SimulatedPeer(Protocol):
    """A bot, as its connections see it."""

    name: str
    address: str

    def heard(self, line: SimulatedLine, message: wire.Message) -> None: ...
    def lost(self, line: SimulatedLine) -> None: ...
    @property
    def ledger(self) -> Transcript: ...


class SimulatedServerEnd(Protocol):
    """A running server, as connections see it."""

    registry: SessionRegistry
    store: Store
    is_over: bool
    seated: dict[str, LineSeat]
    shown: AddressBudgets
    """What spectators are shown is paid from these, one for each connection and each address."""

    def later(self, delay_s: float, call: Callable[[], object]) -> None:
        """Call back after a time, unless the server was killed."""

    def order(
        self,
        request: Request,
        answered: Callable[[dict[str, Any]], None],
        refused: Callable[[str], None],
    ) -> None:
        """Have an order carried out; neither is called if the server is killed before."""


class Direction:
    """One direction of a connection: what is sent arrives later, in the order of the sending."""

    def __init__(
        self,
        trace: Trace,
        call_later: Callable[[float, Callable[[], object]], object],
        mean_s: float,
    ) -> None:
        self._trace = trace
        self._call_later = call_later
        self._mean_s = mean_s
        self._last = 0.0
        self._under_way: deque[tuple[float, Callable[[], object]]] = deque()
        self.arrival = Arrival.at(0.0)
        self.arrived_at = 0.0

    def send(self, arrive: Callable[[], object]) -> None:
        """Send something; ``arrive`` is called when it arrives."""
        now = self._trace.now()
        at = max(self._last, now + self._trace.rng.expovariate(1 / self._mean_s))
        self._last = at
        self._under_way.append((at, arrive))
        self._call_later(at - now, self._arrive)

    def _arrive(self) -> None:
        """Let the oldest arrive: timers of one instant come in any order."""
        self.arrived_at, arrive = self._under_way.popleft()
        self.arrival = self._known_arrival()
        arrive()

    def _known_arrival(self) -> Arrival:
        """Return what a kernel knows: when the newest data arrived, but of no message before it."""
        unread = [at for at, _ in self._under_way if at <= self._trace.now() + INSTANT_S]
        return Arrival(-inf, unread[-1]) if unread else Arrival.at(self.arrived_at)


class SimulatedLine:
    """One connection; the bot's end.

    Attributes:
        is_timed: whether the kernel of the server notes when messages arrive.
    """

    def __init__(
        self,
        peer: SimulatedPeer,
        server: SimulatedServerEnd,
        trace: Trace,
        call_later: Callable[[float, Callable[[], object]], object],
        *,
        delay_s: float,
        is_timed: bool = True,
    ) -> None:
        self.is_open = True
        self.is_timed = is_timed
        self.address = peer.address
        self.inputs = trace.inputs
        self._peer = peer
        self._server = server
        self._call_later = call_later
        self._now = trace.now
        self._session = Session(Role.CLIENT)
        self._out = Direction(trace, server.later, delay_s)
        self._in = Direction(trace, call_later, delay_s)
        self._seat = LineSeat(self, server, trace.new_number(), round_trip_ms=2000 * delay_s)
        self._out.send(self._seat.open)

    @property
    def seat(self) -> LineSeat:
        return self._seat

    def say(self, message: wire.Message) -> None:
        if self.is_open and not self._session.has_left:
            self._session.send(message)
            self._out.send(partial(self._seat.receive, message))

    def say_anything(self, message: wire.Message) -> None:
        if self.is_open:
            self._out.send(partial(self._seat.receive, message))

    def break_off(self, *, server_learns_s: float) -> None:
        """Lose the connection; the server learns of it later."""
        if self.is_open:
            self.is_open = False
            self._server.later(server_learns_s, self._seat.end)
            self._call_later(0.0, partial(self._peer.lost, self))

    def deliver(self, message: wire.Message) -> None:
        self._in.send(partial(self._hear, message))

    def end(self) -> None:
        self._in.send(self._close)

    def now(self) -> float:
        return self._now()

    def welcomed(self, seat: LineSeat) -> None:
        """Note that the bot has this seat now; the one before must be gone."""
        former = self._server.seated.get(self._peer.name)
        if former is not None and former is not seat and former.is_open:
            self._peer.ledger.two_seats(self._peer.name)
        self._server.seated[self._peer.name] = seat

    def told(self, message: wire.Message, credit_s: float) -> None:
        self._peer.ledger.told(self._peer.name, message, credit_s)

    @property
    def arrival(self) -> Arrival:
        return self._out.arrival

    def noted(self, message: wire.Message) -> None:
        ledger, name = self._peer.ledger, self._peer.name
        match message:
            case wire.Move():
                is_known = self.is_timed and self._out.arrival.earliest == self._out.arrived_at
                ledger.answer(message, self._out.arrived_at, is_known=is_known)
            case wire.Hello():
                ledger.greeted(name, message)
            case wire.Unwatch():
                ledger.spectators.forget(name)
            case wire.OfferReviews():
                ledger.reviews.offered(name, message)
            case wire.Review():
                ledger.reviews.reviewed(name, message)
            case wire.Submit():
                ledger.submissions.arrived(name, message)
            case wire.Resign():
                ledger.renounced(name, (message.game,), is_goodbye=False)
            case wire.Goodbye():
                ledger.renounced(name, self._server.registry.tables.games, is_goodbye=True)

    def overdrew(self, game: str) -> None:
        self._peer.ledger.spectators.overdrew(self._peer.name, game)

    def broken(self) -> None:
        """Note that a message out of place has arrived, which ends the bot's session."""
        self._peer.ledger.left(self._peer.name)

    def _hear(self, message: wire.Message) -> None:
        if self.is_open:
            self._session.receive(message)
            self._peer.heard(self, message)

    def _close(self) -> None:
        if self.is_open:
            self.is_open = False
            self._peer.lost(self)


class LineSeat(Seat):
    """The server's end of a simulated connection; does with messages what a socket's does."""

    def __init__(
        self, line: SimulatedLine, server: SimulatedServerEnd, number: int, *, round_trip_ms: float
    ) -> None:
        super().__init__(line.address)
        self._number = number
        self._line = line
        self._server = server
        self._lag_ms = round_trip_ms
        self._is_open = False
        self._is_closing = False
        self._is_ending = False
        self.welcomed_at = 0.0
        self._closed_at = 0.0
        self._last_game = ""
        now = line.now()
        self._budgets = server.shown.of(f"seat {number}", now), server.shown.of(line.address, now)

    def __hash__(self) -> int:
        """Return its number, so that the order of a set of seats repeats itself."""
        return self._number

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def lag_ms(self) -> float:
        return self._lag_ms

    @property
    def is_open(self) -> bool:
        """Whether the server holds the connection, and has not said goodbye on it."""
        return self._is_open and not self._is_closing and not self.session.has_left

    @property
    def away_since(self) -> float:
        """When the server noticed that the bot is gone; now, while its goodbye is being heeded."""
        return self._line.now() if self._is_open else self._closed_at

    def charge_shown(self, price: float) -> float:
        """Charge what a spectator was shown; return for how long it is shown nothing."""
        for budget in self._budgets:
            budget.take(price, self._line.now())
        if (wait_s := self.shown_wait_s()) > 0:
            self._line.overdrew(self._last_game)
        return wait_s

    def shown_wait_s(self) -> float:
        return max(budget.wait_s(self._line.now()) for budget in self._budgets)

    def arrival(self, now: float, *, is_doubted: bool) -> Arrival:
        """Return when the message arrived, as far as the connection's kernel knows it."""
        if not is_doubted:
            return Arrival.at(now)
        return self._line.arrival if self._line.is_timed else Arrival(-inf, now)

    def open(self) -> None:
        self._is_open = True
        self._server.registry.on_open(self)

    def end(self) -> None:
        if self._is_open:
            self._is_open = False
            self._closed_at = self._line.now()
            self._server.registry.on_close(self)

    def receive(self, message: wire.Message) -> None:
        if not self._is_open or self.session.has_left or self._is_ending:
            return
        try:
            self.session.receive(message)
        except RemoteProtocolError as error:
            self._hear_out_of_place(error)
        else:
            self._line.inputs.heard(message)
            self._line.noted(message)
            client_message: Any = message
            self._server.registry.on_message(self, client_message)

    def send(self, message: wire.Message, frame: bytes | None = None) -> None:
        del frame
        if self.session.has_left or not self._is_open or self._server.is_over:
            return
        self.session.send(message)
        self._last_game = getattr(message, "game", self._last_game)
        if isinstance(message, wire.Welcome):
            self.welcomed_at = self._line.now()
            self._line.welcomed(self)
        self._line.told(message, self._lag_ms / 1000)
        self._line.deliver(message)

    def close(
        self, reason: str, *, reconnect_after: float | None = None, close_code: int = 1000
    ) -> None:
        del close_code
        if self._is_closing:
            return
        self.send(wire.Goodbye(reason, reconnect_after))
        self._is_closing = True
        self._line.end()
        self._server.later(0.001, self.end)

    def _hear_out_of_place(self, error: RemoteProtocolError) -> None:
        if error.state is GameStage.UNKNOWN:
            self.send_error(wire.ErrorCode.UNKNOWN_GAME, "no such game was started here")
            return
        self._line.broken()
        detail = str(error)
        end = partial(self.close_with_error, wire.ErrorCode.OUT_OF_PLACE, detail)
        self._is_ending = True
        self._server.registry.on_violation(self, detail, "", close=end)
