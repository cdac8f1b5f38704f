"""A bot or spectator as the server knows it, from ``hello`` until its session is over."""

import hashlib
from dataclasses import dataclass, field
from typing import Final

from mancala.protocol import messages as wire
from mancala.protocol.referee import EXCUSED_S, kept_s
from mancala.protocol.session import ConnectionState, GameStage

from ..model.match import Match, OpenSeek
from ..net.arrivals.arrival import Arrival
from ..net.limits.costs import network_of
from ..net.seat import Seat

REMEMBERED_ENDS: Final = 64

Missed = tuple[wire.GameStart, wire.GameOver] | tuple[wire.MatchOver]


def secret_hash(secret: str) -> str:
    """Return the hash under which a session's secret is kept."""
    return hashlib.sha256(secret.encode()).hexdigest()


class RequestError(Exception):
    """A request that can't be granted."""

    def __init__(self, code: wire.ErrorCode, message: str, ref: str | None = None) -> None:
        self.code = code
        self.ref = ref
        super().__init__(message)


@dataclass(eq=False)
class Participant:
    """A bot or spectator that has said hello.

    Attributes:
        address: where its present or last connection comes from; empty before the first.
        token_hash: that of the token it came with last, which may have been replaced since; None
            without one, and where it came with one before the server started.
        lost_at: when the connection was lost; meaningless while there is one.
        return_s: how long all that were lost by the server's fault take to come back, in seconds;
            0 where this one was lost otherwise.
        was_cut_off: whether it was lost by the server's fault.
    """

    name: str
    secret_hash: str
    agent: wire.Agent | None
    is_guest: bool = True
    is_own: bool = False
    takes_challenges: bool = False
    knows_swap: bool = False
    seat: Seat | None = None
    address: str = ""
    token_hash: str | None = None
    lost_at: float = 0.0
    return_s: float = 0.0
    was_cut_off: bool = False
    has_left: bool = False
    matches: dict[str, Match] = field(default_factory=dict)
    seek: OpenSeek | None = None
    was_short: bool = False
    _missed: list[Missed] = field(default_factory=list)

    @property
    def is_present(self) -> bool:
        return self.seat is not None

    @property
    def is_welcome(self) -> bool:
        """Whether the connection was welcomed; before that it may hear nothing else."""
        return self.seat is not None and self.seat.session.state is ConnectionState.READY

    def is_gone(self, now: float, grace_s: float) -> bool:
        """Return whether it said goodbye, or was away for longer than its seat is kept."""
        return self.has_left or (not self.is_present and now >= self.kept_until(grace_s))

    @property
    def excused_s(self) -> float | None:
        """For how long its absence is excused at least; None if that is its own fault."""
        if self.is_own:
            return EXCUSED_S
        return 0.0 if self.was_cut_off else None

    def kept_until(self, grace_s: float) -> float:
        """Return until when the seat of a lost connection is kept."""
        return self.lost_at + kept_s(grace_s, self.excused_s, self.return_s)

    @property
    def payer(self) -> str:
        """What its work is counted under: a guest's address, or the name of a bot with a token."""
        return f"address {network_of(self.address)}" if self.is_guest else f"bot {self.name}"

    @property
    def own_key(self) -> str:
        """What it does itself counts under this: its name."""
        return f"bot {self.name}"

    @property
    def address_key(self) -> str | None:
        """What guests of its address do counts under this; None for a bot with a token."""
        return self.payer if self.is_guest and self.address else None

    @property
    def count_keys(self) -> tuple[str, ...]:
        """What is limited to a few a day counts under these: its name, and a guest's address."""
        address = self.address_key
        return (self.own_key,) if address is None else (self.own_key, address)

    def arrival(self, now: float, *, is_doubted: bool) -> Arrival:
        """Return when the message that is being handled arrived; see :class:`Seat`."""
        if self.seat is None:
            return Arrival.at(now)
        return self.seat.arrival(now, is_doubted=is_doubted)

    @property
    def as_opponent(self) -> wire.Opponent:
        return wire.Opponent(self.name, self.agent, self.is_present)

    def seat_at(self, game: str) -> Seat | None:
        """Return its present connection if that knows of the game.

        A connection that took the seat back does not, until the table has sent it a snapshot.
        """
        seat = self.seat
        return seat if seat and seat.session.games.get(game) is GameStage.LIVE else None

    def send(self, message: wire.Message, frame: bytes | None = None) -> None:
        if self.seat is not None:
            self.seat.send(message, frame)

    def send_error(self, code: wire.ErrorCode, message: str, ref: str | None = None) -> None:
        if self.seat is not None:
            self.seat.send_error(code, message, ref)

    def refuse(self, refusal: RequestError) -> None:
        """Answer why a request can't be granted, if the bot is present."""
        self.send_error(refusal.code, str(refusal), refusal.ref)

    def miss(self, ends: Missed) -> None:
        """Keep messages for the bot's return."""
        if not self.has_left:
            self._missed.append(ends)
            del self._missed[:-REMEMBERED_ENDS]

    def catch_up(self) -> None:
        """Send the messages that were kept."""
        while self._missed:
            for message in self._missed.pop(0):
                self.send(message)
