"""What a lost connection means to matches, requests, ladders and events, and what its return."""

from dataclasses import dataclass, field
from functools import partial

from mancala.protocol.messages import REPLACED, REPLACED_CLOSE

from ..match.context import Context
from ..match.participant import Participant
from ..model.journal import SessionClosed
from ..model.timers import Timer
from ..net.seat import Seat
from ..reviews.dispatcher import ReviewDispatcher
from .directory import Directory
from .requests import MatchRequests
from .submissions import Submissions
from .tables import Tables


@dataclass(slots=True)
class Connections:
    """Joins participants and connections, and forgets participants that don't come back."""

    context: Context
    directory: Directory
    tables: Tables
    requests: MatchRequests
    reviews: ReviewDispatcher
    submissions: Submissions
    _timers: dict[Participant, Timer] = field(default_factory=dict)
    _is_closed: bool = False

    def attach(self, player: Participant, seat: Seat) -> None:
        """Join a participant and a new connection; what it reviews on a former one is over."""
        self.directory.attach(player, seat)
        player.was_cut_off = False
        self._cancel(player)
        self.reviews.on_disconnect(player)
        self.submissions.forget(player)

    def replace(self, player: Participant) -> Seat | None:
        """Close the connection of a participant that has another one now; return it, if any."""
        former = self.directory.detach(player)
        if former is not None:
            former.close(REPLACED, close_code=REPLACED_CLOSE)
        return former

    def on_disconnect(self, player: Participant) -> None:
        """Keep the seat of a participant whose connection is gone."""
        player.was_cut_off = player.seat is not None and player.seat.is_excused
        self.tables.ladders.on_disconnect(player)
        self.reviews.on_disconnect(player)
        player.seat = None
        player.lost_at = self.context.now()
        player.return_s = self.directory.return_s if player.was_cut_off else 0.0
        self.requests.on_disconnect(player)
        self.tables.contests.on_disconnect(player)
        for table in self.tables.of(player):
            table.lost(player)
        self.keep_seat(player)

    def on_reconnect(self, player: Participant, former: Seat | None) -> None:
        """Show a participant that was welcomed again what it missed, and its games."""
        player.catch_up()
        for table in self.tables.of(player):
            table.back(player, former)
        self.tables.ladders.on_connect(player)
        self.requests.on_reconnect(player)
        self.tables.contests.look()

    # Seats that are kept

    def keep_seat(self, player: Participant) -> None:
        """Forget a participant once its time is over; a timer may fire a little early."""
        self._timers.pop(player, None)
        if self._is_closed or player.is_present or self.forget_if_done(player):
            return
        ends = player.kept_until(self.context.config.now.grace_s)
        if self.context.now() < ends:
            self._timers[player] = self.context.call_at(ends, partial(self.keep_seat, player))

    def forget_if_done(self, player: Participant) -> bool:
        """Forget a participant whose time and matches are over; return whether they are."""
        is_gone = player.is_gone(self.context.now(), self.context.config.now.grace_s)
        if player.is_present or player.matches or not is_gone:
            return False
        self.forget(player)
        return True

    def forget(self, player: Participant) -> None:
        """Forget a participant immediately, and close its session in the journal."""
        self._cancel(player)
        if self.directory.find(player.name) is player:
            self.tables.ladders.forget(player)
        if self.directory.remove(player):
            self.context.journal.commit([SessionClosed(player.secret_hash)], lambda: None)

    def close(self) -> None:
        """Keep all participants from now on: the server stops, and its journal has the sessions."""
        self._is_closed = True
        for player in tuple(self._timers):
            self._cancel(player)

    def _cancel(self, player: Participant) -> None:
        timer = self._timers.pop(player, None)
        if timer is not None:
            timer.cancel()
