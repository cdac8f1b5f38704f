"""A bot or spectator as the server knows it, from ``hello`` until its session is over.

Connections come and go; the participant stays, found again by its session's secret. What it has
missed of games that ended while it was away is kept and told on its return.
"""

from __future__ import annotations

import hashlib
from collections import deque
from typing import TYPE_CHECKING, Final

from protocol.messages import Agent, ErrorCode, GameOver, GameStart, MatchOver, Message, Opponent
from protocol.session import GameState
from server.lobby.request_book import Wish
from server.net.seat import Seat

if TYPE_CHECKING:
    from server.match.table import Table

REMEMBERED_ENDS: Final = 64

Missed = tuple[GameStart, GameOver] | tuple[MatchOver]


def secret_hash(secret: str) -> str:
    """Give what is kept of a session's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Participant:
    """Someone who said hello.

    Attributes:
        name: the name, unique among those who are here.
        secret_hash: the hash of the session's secret.
        agent: the program behind it.
        is_guest: whether it came without a token.
        seat: the connection, or None while away.
        lost_at: when the connection was lost; meaningless while there is one.
        has_left: whether it said goodbye, or was sent away.
        tables: the matches it plays in.
        wish: the seek to take up again on return.
    """

    def __init__(
        self, name: str, secret_hash: str, agent: Agent | None, *, is_guest: bool = True
    ) -> None:
        self.name = name
        self.secret_hash = secret_hash
        self.agent = agent
        self.is_guest = is_guest
        self.seat: Seat | None = None
        self.lost_at = 0.0
        self.has_left = False
        self.tables: set[Table] = set()
        self.wish: Wish | None = None
        self._missed: deque[Missed] = deque(maxlen=REMEMBERED_ENDS)

    @property
    def is_present(self) -> bool:
        """Whether the connection stands."""
        return self.seat is not None

    def is_gone(self, now: float, grace_s: float) -> bool:
        """Tell whether it said goodbye, or was away for longer than its seat is kept."""
        return self.has_left or (not self.is_present and now >= self.lost_at + grace_s)

    @property
    def lag_ms(self) -> float:
        """The round trip of its connection."""
        return self.seat.lag_ms if self.seat is not None else 0.0

    @property
    def as_opponent(self) -> Opponent:
        """What the other side is told of it."""
        return Opponent(self.name, self.agent, self.is_present)

    def follows(self, game: str) -> bool:
        """Tell whether the connection that stands was told of the game.

        One that took a seat back is not, until the table has told it everything.
        """
        return self.seat is not None and self.seat.session.game(game) is GameState.LIVE

    def send(self, message: Message, frame: bytes | None = None) -> None:
        """Tell it something, if it is there."""
        if self.seat is not None:
            self.seat.send(message, frame)

    def refuse(self, code: ErrorCode, message: str, ref: str | None = None) -> None:
        """Tell it that something can't be done, if it is there."""
        if self.seat is not None:
            self.seat.refuse(code, message, ref)

    def miss(self, ends: Missed) -> None:
        """Keep what it should be told on its return."""
        if not self.has_left:
            self._missed.append(ends)

    def catch_up(self) -> None:
        """Tell what was missed."""
        while self._missed:
            for message in self._missed.popleft():
                self.send(message)
