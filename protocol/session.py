"""Which end may send what when: two tables, and the state machine that both ends run on them.

The two ends never change state at the same moment. While a client's ``goodbye`` is under way, the
server may still send a ``turn``; while a game's last ``moved`` is under way, the bot may still send
a ``move``. Therefore a row is keyed by the state *and the sender*, and each end feeds its machine
with both what it sends and what it receives. Whatever a correct end may send in the state it
believes in, the other end accepts in its own state, however late it arrives. A test runs this over
links with random delays.

:data:`CONVERSATION` is the table of a connection. :data:`GAME` is the table of each game on it:
``move`` and ``resign`` are legal only for a game that was started, and stay legal after it has
ended. Whether an answer counts is not decided here but by its number: the referee drops an old
answer and penalises one to a question that was never put.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, get_args

from .messages import (
    ClientMessage,
    Error,
    GameOver,
    GameStart,
    Goodbye,
    Hello,
    Message,
    Move,
    Moved,
    Resign,
    ServerMessage,
    Turn,
    Welcome,
)

REMEMBERED_GAMES: Final = 64
"""That are over, by connection: a move may be under way when its game ends."""


class Role(StrEnum):
    """The two ends."""

    __hash__ = str.__hash__  # every message looks up a row, and Enum's own hash is slow Python

    CLIENT = "client"
    SERVER = "server"

    @property
    def other(self) -> Role:
        return Role.SERVER if self is Role.CLIENT else Role.CLIENT


class ConnectionState(StrEnum):
    __hash__ = str.__hash__  # every message looks up a row, and Enum's own hash is slow Python

    CONNECTED = "connected"
    GREETING = "greeting"
    READY = "ready"
    CLIENT_LEFT = "client_left"
    SERVER_LEFT = "server_left"
    CLOSED = "closed"


class GameStage(StrEnum):
    """The state of a game, as seen by one connection."""

    __hash__ = str.__hash__  # every message looks up a row, and Enum's own hash is slow Python

    UNKNOWN = "unknown"
    LIVE = "live"
    OVER = "over"


_FRAMING: Final = (Hello, Welcome, Goodbye)
_CLIENT_MESSAGES: Final = tuple(each for each in get_args(ClientMessage) if each not in _FRAMING)
_SERVER_MESSAGES: Final = tuple(each for each in get_args(ServerMessage) if each not in _FRAMING)
"""All other messages, which may be sent at any time between the welcome and a goodbye."""

CONVERSATION: Final[dict[tuple[ConnectionState, Role], dict[type[Message], ConnectionState]]] = {
    (ConnectionState.CONNECTED, Role.CLIENT): {
        Hello: ConnectionState.GREETING,
        Goodbye: ConnectionState.CLIENT_LEFT,
    },
    (ConnectionState.CONNECTED, Role.SERVER): {
        Error: ConnectionState.CONNECTED,
        Goodbye: ConnectionState.SERVER_LEFT,
    },
    (ConnectionState.GREETING, Role.CLIENT): {Goodbye: ConnectionState.CLIENT_LEFT},
    (ConnectionState.GREETING, Role.SERVER): {
        Welcome: ConnectionState.READY,
        Error: ConnectionState.GREETING,
        Goodbye: ConnectionState.SERVER_LEFT,
    },
    (ConnectionState.READY, Role.CLIENT): {
        **dict.fromkeys(_CLIENT_MESSAGES, ConnectionState.READY),
        Goodbye: ConnectionState.CLIENT_LEFT,
    },
    (ConnectionState.READY, Role.SERVER): {
        **dict.fromkeys(_SERVER_MESSAGES, ConnectionState.READY),
        Goodbye: ConnectionState.SERVER_LEFT,
    },
    (ConnectionState.CLIENT_LEFT, Role.CLIENT): {},
    (ConnectionState.CLIENT_LEFT, Role.SERVER): {
        **dict.fromkeys((Welcome, *_SERVER_MESSAGES), ConnectionState.CLIENT_LEFT),
        Goodbye: ConnectionState.CLOSED,
    },
    (ConnectionState.SERVER_LEFT, Role.CLIENT): {
        **dict.fromkeys((Hello, *_CLIENT_MESSAGES), ConnectionState.SERVER_LEFT),
        Goodbye: ConnectionState.CLOSED,
    },
    (ConnectionState.SERVER_LEFT, Role.SERVER): {},
    (ConnectionState.CLOSED, Role.CLIENT): {},
    (ConnectionState.CLOSED, Role.SERVER): {},
}

GAME: Final[dict[tuple[GameStage, Role], dict[type[Message], GameStage]]] = {
    (GameStage.UNKNOWN, Role.CLIENT): {},
    (GameStage.UNKNOWN, Role.SERVER): {GameStart: GameStage.LIVE},
    (GameStage.LIVE, Role.CLIENT): {Move: GameStage.LIVE, Resign: GameStage.LIVE},
    (GameStage.LIVE, Role.SERVER): {
        GameStart: GameStage.LIVE,
        Turn: GameStage.LIVE,
        Moved: GameStage.LIVE,
        GameOver: GameStage.OVER,
    },
    (GameStage.OVER, Role.CLIENT): {Move: GameStage.OVER, Resign: GameStage.OVER},
    (GameStage.OVER, Role.SERVER): {},
}


PARTED: Final = {
    Role.CLIENT: (ConnectionState.CLIENT_LEFT, ConnectionState.CLOSED),
    Role.SERVER: (ConnectionState.SERVER_LEFT, ConnectionState.CLOSED),
}
"""The states in which an end has said goodbye."""


class ProtocolError(Exception):
    """A message was sent out of place, in a state of the connection or of the game."""

    def __init__(self, speaker: Role, message: Message, state: ConnectionState | GameStage) -> None:
        self.speaker = speaker
        self.message = message
        self.state = state
        word = type(message).__struct_config__.tag
        super().__init__(f"the {speaker} may not say {word} while {state}")


class LocalProtocolError(ProtocolError):
    """This end was about to send a message out of place: a bug of its own."""


class RemoteProtocolError(ProtocolError):
    """The peer sent a message out of place."""


class Session:
    """One end of a connection.

    Once it ``has_left``, it discards what it receives. Games that were never started are unknown.
    """

    def __init__(self, role: Role) -> None:
        self.role = role
        self.state = ConnectionState.CONNECTED
        self.has_left = False
        self._other = role.other
        self._parted = PARTED[role]
        self.games: dict[str, GameStage] = {}

    def send(self, message: Message) -> None:
        """Record a message that this end sends; LocalProtocolError when it may not be sent now."""
        self._advance(self.role, message, LocalProtocolError)

    def receive(self, message: Message) -> None:
        """Record a message from the other end; RemoteProtocolError when it may not be sent now."""
        self._advance(self._other, message, RemoteProtocolError)

    def _advance(self, speaker: Role, message: Message, error: type[ProtocolError]) -> None:
        kind = type(message)
        following = CONVERSATION[self.state, speaker].get(kind)
        if following is None:
            raise error(speaker, message, self.state)
        if kind in GAME_MESSAGES and not self.has_left:
            game: str = message.game  # type: ignore[attr-defined]  # all of these have it
            stage = self.games.get(game, GameStage.UNKNOWN)
            next_stage = GAME[stage, speaker].get(kind)
            if next_stage is None:
                raise error(speaker, message, stage)
            if next_stage is not stage:
                self.games[game] = next_stage
                self._forget_old_games()
        if following is not self.state:
            self.state = following
            self.has_left = following in self._parted

    def _forget_old_games(self) -> None:
        if len(self.games) <= REMEMBERED_GAMES:
            return
        over = [game for game, stage in self.games.items() if stage is GameStage.OVER]
        for game in over[:-REMEMBERED_GAMES]:
            del self.games[game]


GAME_MESSAGES: Final = (Moved, Turn, Move, GameStart, GameOver, Resign)
