"""The spectators of a table, who pay for what they are shown.

A spectator that has overdrawn its budget (:mod:`mancala.server.net.limits.costs`) is shown nothing
for a while, and then the whole game as it stands. It is shown less, but read as before: one that
plays elsewhere loses no time there, and no player ever waits for a spectator. A spectator that is
left out costs a move nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import Final

from mancala.protocol.messages import GameOver, GameStart, Moved
from mancala.protocol.session import GameStage

from ..model.timers import Timer
from ..net.limits.costs import SHOWN, SHOWN_START
from ..net.seat import Seat
from .context import Context
from .participant import Participant

LEAST_PAUSE_S: Final = 0.5
"""How long a spectator that has overdrawn its budget is shown nothing, at the least."""


class Audience:
    """The spectators of a table's present game."""

    def __init__(
        self,
        context: Context,
        players: Collection[Participant],
        catch_up: Callable[[Seat], None],
    ) -> None:
        """Create it; ``catch_up`` shows the game as it stands to one that fell behind.

        The players' own connections have each message already.
        """
        self._context = context
        self._players = players
        self._catch_up = catch_up
        self._following: dict[Seat, None] = {}
        self._behind: dict[Seat, Timer] = {}

    def __contains__(self, seat: object) -> bool:
        return seat in self._following or seat in self._behind

    def __iter__(self) -> Iterator[Seat]:
        return iter((*self._following, *self._behind))

    def begin(self, seat: Seat, start: GameStart) -> None:
        """Show a game to a spectator from now on."""
        self.discard(seat)
        self._following[seat] = None
        seat.send(start)
        self._charge(seat, SHOWN_START)

    def begin_when_paid(self, seat: Seat) -> None:
        """Show a game to a spectator as soon as it can pay for it."""
        self._fall_behind(seat, seat.shown_wait_s())

    def discard(self, seat: Seat) -> None:
        """Show nothing more to a spectator."""
        self._following.pop(seat, None)
        timer = self._behind.pop(seat, None)
        if timer is not None:
            timer.cancel()

    def show(self, message: Moved, frame: bytes) -> None:
        """Show a move, and the same as it is encoded, to all who can pay for it."""
        if self._following:
            for seat in self._others(tuple(self._following)):
                seat.send(message, frame)
                self._charge(seat, SHOWN)

    def end(self, message: GameOver, frame: bytes) -> None:
        """Show the end to all who have been shown the game, and then nothing more."""
        for seat in self._others(self):
            if self._knows(seat, message.game):
                seat.send(message, frame)
                seat.charge_shown(SHOWN)
        for seat in self:
            self.discard(seat)

    def _others(self, seats: Iterable[Seat]) -> Iterator[Seat]:
        players = {player.seat for player in self._players}
        return (seat for seat in seats if seat not in players)

    def _knows(self, seat: Seat, game: str) -> bool:
        return seat in self._following or seat.session.games.get(game) is GameStage.LIVE

    def _charge(self, seat: Seat, price: float) -> None:
        wait_s = seat.charge_shown(price)
        if wait_s > 0:
            self._fall_behind(seat, wait_s)

    def _fall_behind(self, seat: Seat, wait_s: float) -> None:
        self.discard(seat)
        due = seat.shown_turn(self._context.now() + max(wait_s, LEAST_PAUSE_S))
        self._behind[seat] = self._context.call_at(due, partial(self._look, seat))

    def _look(self, seat: Seat) -> None:
        wait_s = seat.shown_wait_s()
        if wait_s > 0:
            self._fall_behind(seat, wait_s)
        else:
            self._catch_up(seat)
