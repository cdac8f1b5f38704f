"""How sessions end: by a goodbye, by a breach of the protocol, or because they are revoked.

A session that ended so is not resumed, and its games under way are over. After a breach the
connection is closed only once the ends of its games were sent, so that the bot reads why it lost.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from mancala.protocol.messages import ErrorCode, Goodbye, Reason

from ..match.context import Context
from ..match.participant import Participant
from ..net.seat import Seat
from .connections import Connections
from .directory import Directory
from .tables import Tables

REVOKED: Final = "the token was revoked"
RESERVED: Final = "the name is reserved; its token is required"
CLOSING_S: Final = 2.0
"""Longest wait for the ends of games to reach the journal before the connection is closed."""


@dataclass(slots=True)
class Logouts:
    """Ends sessions."""

    context: Context
    directory: Directory
    connections: Connections
    tables: Tables
    _closings: dict[Participant, Callable[[], None]] = field(default_factory=dict)

    def goodbye(self, player: Participant, _message: Goodbye) -> None:
        self._end_session(player)
        for table in self.tables.of(player):
            table.leave(player)
        if player.seat is not None:
            player.seat.close("goodbye")

    def breach(
        self, seat: Seat, detail: str, received: str, reason: Reason, close: Callable[[], None]
    ) -> None:
        """End the games and the session of a connection that broke the protocol."""
        player = self.directory.owners.get(seat)
        self.context.log.warning(
            "protocol broken", name=player and player.name, address=seat.address, detail=detail
        )
        if player is None:
            close()
            return
        self._end_session(player)
        self._closings[player] = close
        for table in self.tables.of(player):
            table.fault(player, reason, detail, received)
        self.close_if_free(player)
        if player in self._closings:
            self.context.call_at(self.context.now() + CLOSING_S, partial(self._close, player))

    def close_if_free(self, player: Participant) -> None:
        """Close the connection of a client that broke the protocol, once its matches are over."""
        if not player.matches:
            self._close(player)

    def _close(self, player: Participant) -> None:
        close = self._closings.pop(player, None)
        if close is not None:
            close()

    def revoke(self, revoked: Iterable[str]) -> None:
        """End sessions, by hash: their token was revoked, or their guest's name reserved."""
        for key in revoked:
            player = self.directory.with_session(key)
            if player is not None and not player.has_left:
                detail = RESERVED if player.is_guest else REVOKED
                self.put_out(player, ErrorCode.BAD_TOKEN, detail)

    def put_out(self, player: Participant, code: ErrorCode, detail: str) -> None:
        """End a session; its games are lost."""
        self._end_session(player)
        for table in self.tables.of(player):
            table.fault(player, Reason.DISCONNECTED, detail)
        if player.seat is not None:
            player.seat.close_with_error(code, detail)
        else:
            self.connections.forget_if_done(player)

    def _end_session(self, player: Participant) -> None:
        player.has_left = True
        self.tables.ladders.on_disconnect(player)
