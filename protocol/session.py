"""Who may say what when: one table, and the machine both ends run it on.

The two ends never agree on the moment. While a client's ``goodbye`` is under way the server may
still be asking; while a game's last ``moved`` is under way the bot may still be answering. So a
row is keyed by the state *and the speaker*, and the machine at either end is fed with both what
it says and what it hears; whatever one polite end may say in the state it believes in, the other
accepts in the state it is in, however late. A test plays that out over randomly delayed links.

There are two kinds of row. A connection's life is :data:`CONVERSATION`. Each game on it has a
life of its own, :data:`GAME`: ``move`` and ``resign`` are said only of a game that was started,
and stay acceptable when it has just ended. What an answer is worth is not decided here but by its
number: the referee drops an old one and punishes one that no question asked for.
"""

from __future__ import annotations

from collections import OrderedDict
from enum import StrEnum
from typing import Final

from protocol.messages import (
    Accept,
    Challenge,
    Challenged,
    Decline,
    Error,
    GameOver,
    GameStart,
    Goodbye,
    Hello,
    Join,
    Leave,
    MatchOver,
    Message,
    Move,
    Moved,
    Resign,
    Seek,
    Seeking,
    Turn,
    Unseek,
    Unwatch,
    Watch,
    Welcome,
)

REMEMBERED_GAMES: Final = 1024


class Role(StrEnum):
    """The two ends."""

    __hash__ = str.__hash__  # each message looks its row up; Enum's own hash is a call in Python

    CLIENT = "client"
    SERVER = "server"

    @property
    def other(self) -> Role:
        """The opposite end."""
        return Role.SERVER if self is Role.CLIENT else Role.CLIENT


class State(StrEnum):
    """Where a conversation stands."""

    __hash__ = str.__hash__  # each message looks its row up; Enum's own hash is a call in Python

    CONNECTED = "connected"
    GREETING = "greeting"
    READY = "ready"
    CLIENT_LEFT = "client_left"
    SERVER_LEFT = "server_left"
    CLOSED = "closed"


class GameState(StrEnum):
    """Where a game stands, as far as one connection has heard."""

    __hash__ = str.__hash__  # each message looks its row up; Enum's own hash is a call in Python

    UNKNOWN = "unknown"
    LIVE = "live"
    OVER = "over"


_CLIENT_TALK: Final = (
    *(Seek, Unseek, Join, Leave, Challenge, Accept, Decline),
    *(Move, Resign, Watch, Unwatch),
)
_SERVER_TALK: Final = (Seeking, Challenged, GameStart, Turn, Moved, GameOver, MatchOver, Error)

CONVERSATION: Final[dict[tuple[State, Role], dict[type[Message], State]]] = {
    (State.CONNECTED, Role.CLIENT): {Hello: State.GREETING, Goodbye: State.CLIENT_LEFT},
    (State.CONNECTED, Role.SERVER): {Error: State.CONNECTED, Goodbye: State.SERVER_LEFT},
    (State.GREETING, Role.CLIENT): {Goodbye: State.CLIENT_LEFT},
    (State.GREETING, Role.SERVER): {
        Welcome: State.READY,
        Error: State.GREETING,
        Goodbye: State.SERVER_LEFT,
    },
    (State.READY, Role.CLIENT): {
        **dict.fromkeys(_CLIENT_TALK, State.READY),
        Goodbye: State.CLIENT_LEFT,
    },
    (State.READY, Role.SERVER): {
        **dict.fromkeys(_SERVER_TALK, State.READY),
        Goodbye: State.SERVER_LEFT,
    },
    (State.CLIENT_LEFT, Role.CLIENT): {},
    (State.CLIENT_LEFT, Role.SERVER): {
        **dict.fromkeys((Welcome, *_SERVER_TALK), State.CLIENT_LEFT),
        Goodbye: State.CLOSED,
    },
    (State.SERVER_LEFT, Role.CLIENT): {
        **dict.fromkeys((Hello, *_CLIENT_TALK), State.SERVER_LEFT),
        Goodbye: State.CLOSED,
    },
    (State.SERVER_LEFT, Role.SERVER): {},
    (State.CLOSED, Role.CLIENT): {},
    (State.CLOSED, Role.SERVER): {},
}

GAME: Final[dict[tuple[GameState, Role], dict[type[Message], GameState]]] = {
    (GameState.UNKNOWN, Role.CLIENT): {},
    (GameState.UNKNOWN, Role.SERVER): {GameStart: GameState.LIVE},
    (GameState.LIVE, Role.CLIENT): {Move: GameState.LIVE, Resign: GameState.LIVE},
    (GameState.LIVE, Role.SERVER): {
        GameStart: GameState.LIVE,
        Turn: GameState.LIVE,
        Moved: GameState.LIVE,
        GameOver: GameState.OVER,
    },
    (GameState.OVER, Role.CLIENT): {Move: GameState.OVER, Resign: GameState.OVER},
    (GameState.OVER, Role.SERVER): {},
}


PARTED: Final = {
    Role.CLIENT: (State.CLIENT_LEFT, State.CLOSED),
    Role.SERVER: (State.SERVER_LEFT, State.CLOSED),
}
"""Where each end has said goodbye."""


class ProtocolError(Exception):
    """Something was said out of place.

    Attributes:
        speaker: who said it.
        message: what was said.
        state: where the conversation, or the game, stood.
    """

    def __init__(self, speaker: Role, message: Message, state: State | GameState) -> None:
        self.speaker = speaker
        self.message = message
        self.state = state
        word = type(message).__struct_config__.tag
        super().__init__(f"the {speaker} may not say {word} while {state}")


class LocalProtocolError(ProtocolError):
    """We were about to say something out of place: a bug of ours."""


class RemoteProtocolError(ProtocolError):
    """The peer said something out of place."""


class Session:
    """One end's view of a conversation.

    Attributes:
        role: which end this is.
        state: where the conversation stands.
    """

    def __init__(self, role: Role) -> None:
        self.role = role
        self.state = State.CONNECTED
        self._other = role.other
        self._parted = PARTED[role]
        self._games: OrderedDict[str, GameState] = OrderedDict()

    @property
    def has_left(self) -> bool:
        """Whether this end has said goodbye, so that what it hears no longer matters."""
        return self.state in self._parted

    def game(self, game: str) -> GameState:
        """Tell where a game stands."""
        return self._games.get(game, GameState.UNKNOWN)

    def send(self, message: Message) -> None:
        """Note what this end says.

        Raises:
            LocalProtocolError: when it may not be said now.
        """
        self._advance(self.role, message, LocalProtocolError)

    def receive(self, message: Message) -> None:
        """Note what the other end says.

        Raises:
            RemoteProtocolError: when it may not be said now.
        """
        self._advance(self._other, message, RemoteProtocolError)

    def _advance(self, speaker: Role, message: Message, error: type[ProtocolError]) -> None:
        following = CONVERSATION[self.state, speaker].get(type(message))
        if following is None:
            raise error(speaker, message, self.state)
        if isinstance(message, GAME_MESSAGES) and self.state not in self._parted:
            self._advance_game(speaker, message, error)
        self.state = following

    def _advance_game(
        self,
        speaker: Role,
        message: GameStart | Turn | Moved | GameOver | Move | Resign,
        error: type[ProtocolError],
    ) -> None:
        state = self._games.get(message.game, GameState.UNKNOWN)
        following = GAME[state, speaker].get(type(message))
        if following is None:
            raise error(speaker, message, state)
        if following is state:
            return
        self._games[message.game] = following
        if following is GameState.OVER:
            self._forget_old_games()

    def _forget_old_games(self) -> None:
        over = [game for game, state in self._games.items() if state is GameState.OVER]
        for game in over[:-REMEMBERED_GAMES]:
            del self._games[game]


GAME_MESSAGES: Final = (GameStart, Turn, Moved, GameOver, Move, Resign)
