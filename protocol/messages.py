"""Every sentence of ``mancala.v1``: one struct each, told apart on the wire by ``type``.

Messages are nouns without behaviour. Which one may be said when stands in ``session.py``; bytes
are ``codec.py``'s; the document is ``SPEC.md``. Optional fields left at their default are not
sent. Fields that a reader does not know are ignored, so a later version may add some.

The file is longer than others so that every sentence is found in one place.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from protocol.clock import ClockState, TimeControl
from protocol.rules import Rules, State

VERSION: Final = "mancala.v1"

# In Python `$` also matches before a last newline; `(?!\n)` forbids it, in JSON Schema too.
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@+-]{0,47}$(?!\n)")]
Identifier = Annotated[str, Meta(min_length=1, max_length=64)]
Secret = Annotated[str, Meta(min_length=1, max_length=256)]
Line = Annotated[str, Meta(max_length=256)]
Text = Annotated[str, Meta(max_length=2000)]
Pit = Annotated[int, Meta(ge=0, le=255)]
Ply = Annotated[int, Meta(ge=0, le=1_000_000)]
Player = Annotated[int, Meta(ge=0, le=1)]
Games = Annotated[int, Meta(ge=1, le=1000)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]


class Reason(StrEnum):
    """Why a game ended."""

    NORMAL = "normal"
    MAJORITY = "majority"
    TIMEOUT = "timeout"
    ILLEGAL = "illegal"
    RESIGNED = "resigned"
    DISCONNECTED = "disconnected"
    PROTOCOL = "protocol"
    ABORTED = "aborted"
    WEDGED = "wedged"


class ErrorCode(StrEnum):
    """What was wrong with what the peer said."""

    NOT_JSON = "not_json"
    INVALID = "invalid"
    TOO_LARGE = "too_large"
    UNKNOWN_TYPE = "unknown_type"
    OUT_OF_PLACE = "out_of_place"
    UNSUPPORTED_PROTOCOL = "unsupported_protocol"
    BAD_NAME = "bad_name"
    BAD_TOKEN = "bad_token"  # noqa: S105  # a code's name, no secret
    BAD_RESUME = "bad_resume"
    UNKNOWN_GAME = "unknown_game"
    UNKNOWN_LADDER = "unknown_ladder"
    UNKNOWN_OPPONENT = "unknown_opponent"
    UNKNOWN_CHALLENGE = "unknown_challenge"
    DECLINED = "declined"
    FORBIDDEN = "forbidden"
    QUARANTINED = "quarantined"
    LIMIT = "limit"
    TIMEOUT = "timeout"
    SHUTTING_DOWN = "shutting_down"


class Message(Struct, frozen=True, omit_defaults=True, tag_field="type", tag=str.lower):
    """What either end may say."""


class Part(Struct, frozen=True, omit_defaults=True):
    """A piece of a message."""


class Agent(Part, frozen=True):
    """The program behind a bot's name."""

    name: Line
    version: Line = ""


class Info(Part, frozen=True):
    """What a bot says of its own thinking; shown, never believed.

    Attributes:
        depth: plies searched.
        value: expected difference of stores at the end, for the bot, in seeds.
        exact: whether the value is proven.
        nodes: positions visited.
        nps: positions visited a second.
        seconds: time spent.
        pv: the line the bot expects, pits in order of play.
        comment: anything else, for spectators.
    """

    depth: Count | None = None
    value: float | None = None
    exact: bool | None = None
    nodes: Count | None = None
    nps: float | None = None
    seconds: float | None = None
    pv: Annotated[tuple[Pit, ...], Meta(max_length=256)] | None = None
    comment: Text | None = None


class Opponent(Part, frozen=True):
    """Who sits on the other side."""

    name: str
    agent: Agent | None = None
    present: bool = True


class Limits(Part, frozen=True):
    """What the server allows one connection.

    Attributes:
        frame_bytes: longest text frame accepted.
        games: most games of a match.
        grace_s: how long a dropped seat is kept.
    """

    frame_bytes: int
    games: int
    grace_s: float


class Evidence(Part, frozen=True):
    """The facts behind a forced end.

    Attributes:
        player: whose doing it was; None when it was nobody's.
        detail: one sentence.
        ply: the question it happened at.
        pit: the pit answered.
        legal: the pits that would have been legal.
        elapsed_ms: time used.
        allowed_ms: time allowed, credit included.
        lag_ms: credit included in that.
        received: the beginning of what was sent, when it was not understood.
    """

    player: Player | None = None
    detail: str = ""
    ply: int | None = None
    pit: int | None = None
    legal: tuple[int, ...] | None = None
    elapsed_ms: int | None = None
    allowed_ms: int | None = None
    lag_ms: int | None = None
    received: str | None = None


# What the client says


class Hello(Message, frozen=True):
    """First word: who I am. ``resume`` takes back the seats of the session it names."""

    protocol: Line
    name: Name
    token: Secret | None = None
    agent: Agent | None = None
    resume: Secret | None = None


class Seek(Message, frozen=True):
    """Match me with anyone who wants the same; ``rules`` is a preset's text or all the fields."""

    rules: Rules | Line | None = None
    clock: TimeControl | None = None
    rated: bool = True
    opponent: Name | None = None
    games: Games = 2


class Unseek(Message, frozen=True):
    """I no longer wait for a match."""


class Join(Message, frozen=True):
    """Pair me in this ladder until I leave it."""

    ladder: Name


class Leave(Message, frozen=True):
    """Pair me in this ladder no more."""

    ladder: Name


class Challenge(Message, frozen=True):
    """I want to play this opponent."""

    opponent: Name
    rules: Rules | Line | None = None
    clock: TimeControl | None = None
    rated: bool = True
    games: Games = 2


class Accept(Message, frozen=True):
    """I take the challenge."""

    challenge: Identifier


class Decline(Message, frozen=True):
    """I refuse the challenge."""

    challenge: Identifier
    reason: Line = ""


class Move(Message, frozen=True):
    """My answer to ``turn`` number ``ply`` of the game; ``provisional`` until a later one."""

    game: Identifier
    ply: Ply
    pit: Pit
    provisional: bool = False
    info: Info | None = None


class Resign(Message, frozen=True):
    """I give the game up."""

    game: Identifier


class Watch(Message, frozen=True):
    """Show me a game, or every game of a ladder: exactly one of the two."""

    game: Identifier | None = None
    ladder: Name | None = None


class Unwatch(Message, frozen=True):
    """Show me this game or ladder no more; without either, nothing more at all."""

    game: Identifier | None = None
    ladder: Name | None = None


# What the server says


class Welcome(Message, frozen=True):
    """Answer to ``hello``; ``session`` is the secret that resumes it.

    ``matches`` are those that the bot plays in still; the other ones are over.
    """

    protocol: str
    server: str
    session: str
    resumed: bool
    limits: Limits
    matches: tuple[str, ...] = ()


class Seeking(Message, frozen=True):
    """Your seek stands."""

    rules: Rules
    clock: TimeControl
    rated: bool
    games: int
    opponent: str | None = None


class Challenged(Message, frozen=True):
    """A challenge stands; said to both sides."""

    challenge: str
    by: str
    to: str
    rules: Rules
    clock: TimeControl
    rated: bool
    games: int


class GameStart(Message, frozen=True, tag="game_start"):
    """A game begins, or is taken up again; with it, everything that is known of it.

    Attributes:
        game: the game's id.
        match: the id of the match it belongs to.
        seat: the player you are; None for a spectator.
        rules: the rules in force.
        clock: the limits in force.
        opponent: who sits on the other side; for a spectator, player 1.
        state: the position now.
        moves: pits sown so far, in order.
        clocks: what is left of the banks and quotas.
        opening: the position the game began from, when it is not the usual one.
        names: both players' names, in seat order.
        rated: whether the result counts.
    """

    game: str
    match: str
    seat: Player | None
    rules: Rules
    clock: TimeControl
    opponent: Opponent
    state: State
    moves: tuple[int, ...]
    clocks: ClockState
    names: tuple[str, str]
    opening: State | None = None
    rated: bool = True


class Turn(Message, frozen=True):
    """A question: which pit? ``deadline_ms`` is the time to think, counted from its sending."""

    game: str
    ply: int
    state: State
    legal: tuple[int, ...]
    clock: ClockState
    deadline_ms: int


class Moved(Message, frozen=True):
    """A move was played; ``forced`` when the referee had to choose it, the time being up."""

    game: str
    ply: int
    player: int
    pit: int
    captured: int
    again: bool
    state: State
    clock: ClockState
    elapsed_ms: int
    lag_ms: int
    info: Info | None = None
    forced: bool = False


class GameOver(Message, frozen=True, tag="game_over"):
    """The game ended; no winner means a draw, or that it does not count (``aborted``)."""

    game: str
    winner: int | None
    stores: tuple[int, int]
    reason: Reason
    evidence: Evidence | None = None


class MatchOver(Message, frozen=True, tag="match_over"):
    """All games of the match are over; points a name, a draw being half a point."""

    match: str
    score: dict[str, float]
    ratings: dict[str, float] | None = None


class Error(Message, frozen=True):
    """What you said was wrong; when ``fatal``, a goodbye follows."""

    code: ErrorCode
    message: str
    fatal: bool
    ref: str | None = None


# What both say


class Goodbye(Message, frozen=True):
    """My last word; whatever I still receive I discard."""

    reason: Line = ""
    reconnect_after: Annotated[float, Meta(ge=0, le=86400)] | None = None


ClientMessage = (
    Hello
    | Seek
    | Unseek
    | Join
    | Leave
    | Challenge
    | Accept
    | Decline
    | Move
    | Resign
    | Watch
    | Unwatch
    | Goodbye
)
ServerMessage = (
    Welcome
    | Seeking
    | Challenged
    | GameStart
    | Turn
    | Moved
    | GameOver
    | MatchOver
    | Error
    | Goodbye
)
