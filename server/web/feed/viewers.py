"""Games as viewers of the page follow them: one spectator at the table, however many look."""

from collections.abc import Callable
from typing import Final, NamedTuple

from mancala.protocol import codec
from mancala.protocol.messages import Error, GameOver, Message, Moved

from ...net.seat import Seat

OVER: Final = -1
"""In place of a ply: the game is over."""


class GameEvent(NamedTuple):
    """A move of a game by its number, or its end (`OVER`), with the message about it as JSON."""

    ply: int
    message: bytes


MISSED_END: Final = GameEvent(OVER, b"null")
Receive = Callable[[GameEvent], None]


class Viewer(Seat):
    """A spectator at a table without a connection of its own."""

    def __init__(self, receive: Receive) -> None:
        super().__init__()
        self._receive = receive

    def send(self, message: Message, frame: bytes | None = None) -> None:
        """Pass on moves and the end; who looks has a snapshot from elsewhere."""
        match message:
            case Moved():
                self._receive(GameEvent(message.ply, frame or codec.encode(message)))
            case GameOver():
                self._receive(GameEvent(OVER, frame or codec.encode(message)))
            case Error():
                self._receive(MISSED_END)

    def close(
        self, reason: str, *, reconnect_after: float | None = None, close_code: int = 1000
    ) -> None:
        """Ignore it: there is no connection."""
