"""The spectators of a table, who pay for what they are shown.

A spectator that has overdrawn its budget (:mod:`mancala.server.net.limits.costs`) is shown nothing
for a while, and then the whole game as it stands. It is shown less, but read as before: one that
plays elsewhere loses no time there, and no player ever waits for a spectator. A spectator that is
left out costs a move nothing.

Moves that follow one another within ``TOGETHER_S`` are framed once for all and written together,
since each write to a socket costs as much as refereeing a move. The first is shown immediately. Of
a game too fast to be followed, those of ``BLUR_S`` are.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from math import inf
from typing import Final

from mancala.protocol import codec
from mancala.protocol.messages import GameOver, GameStart, Moved
from mancala.protocol.session import GameStage

from ..model.timers import Timer
from ..net.framing import text_frame
from ..net.limits.costs import SHOWN, SHOWN_START
from ..net.seat import Seat
from .context import Context
from .participant import Participant

LEAST_PAUSE_S: Final = 0.5
"""How long a spectator that has overdrawn its budget is shown nothing, at the least."""
TOGETHER_S: Final = 0.25
"""How far apart moves are shown; a fast game's page comes no more often."""
BLUR_S: Final = 1.0
"""The same where more than ``FOLLOWED_PER_S`` moves a second were shown last."""
FOLLOWED_PER_S: Final = 20.0
TOGETHER_SHARE: Final = 8
"""The share of what a connection may leave unread that is shown together at most, as its divisor.
"""


class Audience:
    """The spectators of a table's present game."""

    def __init__(
        self, context: Context, players: Collection[Participant], catch_up: Callable[[Seat], None]
    ) -> None:
        """Create it; ``catch_up`` shows the game as it stands to one that fell behind."""
        self._context = context
        self._players = players
        self._catch_up = catch_up
        self._following: dict[Seat, None] = {}
        self._behind: dict[Seat, Timer] = {}
        self._unshown: list[tuple[Moved, bytes]] = []
        self._unshown_bytes = 0
        self._holding: dict[Seat, int] = {}
        self._start: tuple[GameStart, bytes] | None = None
        self._shown_at = -inf
        self._apart_s = TOGETHER_S
        self._timer: Timer | None = None

    def __contains__(self, seat: object) -> bool:
        return seat in self._following or seat in self._behind

    def __iter__(self) -> Iterator[Seat]:
        return iter((*self._following, *self._behind))

    def begin(self, seat: Seat, start: GameStart) -> None:
        self.discard(seat)
        self._following[seat] = None
        self._holding[seat] = len(self._unshown)  # the start has them: they do not come after it
        if self._start is None or self._start[0] != start:
            self._start = start, codec.encode(start)
        seat.send(*self._start)
        self._charge(seat, SHOWN_START)

    def begin_when_paid(self, seat: Seat) -> None:
        self._fall_behind(seat, seat.shown_wait_s())

    def discard(self, seat: Seat) -> None:
        self._following.pop(seat, None)
        self._holding.pop(seat, None)
        timer = self._behind.pop(seat, None)
        if timer is not None:
            timer.cancel()

    def show(self, message: Moved, frame: bytes) -> None:
        if not self._following:
            return
        self._unshown.append((message, frame))
        self._unshown_bytes += len(frame)
        due = self._shown_at + self._apart_s
        most_bytes = self._context.config.now.limits.outgoing_bytes / TOGETHER_SHARE
        if self._unshown_bytes >= most_bytes or due <= self._context.now():
            self.flush()
        elif self._timer is None:
            self._timer = self._context.call_at(due, self.flush)

    def flush(self) -> None:
        """Show now what waits to be shown together."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        moves, self._unshown, self._unshown_bytes = self._unshown, [], 0
        holding, self._holding = self._holding, {}
        if not moves:
            return
        now = self._context.now()
        is_blur = len(moves) > FOLLOWED_PER_S * max(now - self._shown_at, TOGETHER_S)
        self._shown_at, self._apart_s = now, BLUR_S if is_blur else TOGETHER_S
        frames = [text_frame(frame) for _, frame in moves]
        framed = dict[int, bytes]()
        for seat in self._others(tuple(self._following)):
            held = holding.get(seat, 0)
            if held == len(moves):
                continue
            if held not in framed:
                framed[held] = b"".join(frames[held:])
            seat.show(moves[held:], framed[held])
            self._charge(seat, SHOWN * (len(moves) - held))

    def end(self, message: GameOver, frame: bytes) -> None:
        """Show the end to all who have been shown the game, and then nothing more."""
        self.flush()
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
