"""Every message of ``mancala.v1``: one struct each; the field ``type`` names it on the wire.

Messages have no behaviour. ``session.py`` states which one may be sent when, ``codec.py`` turns
them into bytes, and ``SPEC.md`` describes them. Optional fields at their default are not sent.
Unknown fields are ignored, so a later version may add some.

The file is long because all messages stay together.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.rules import Rules, State

VERSION: Final = "mancala.v1"

# In Python `$` also matches before a last newline; `(?!\n)` forbids it, in JSON Schema too.
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@+-]{0,47}$(?!\n)")]
Identifier = Annotated[str, Meta(min_length=1, max_length=64)]
Secret = Annotated[str, Meta(min_length=1, max_length=256)]
ShortText = Annotated[str, Meta(max_length=256)]
Text = Annotated[str, Meta(max_length=2000)]
LongText = Annotated[str, Meta(max_length=4000)]
Pit = Annotated[int, Meta(ge=0, le=255)]
Ply = Annotated[int, Meta(ge=0, le=1_000_000)]
Player = Annotated[int, Meta(ge=0, le=1)]
Games = Annotated[int, Meta(ge=1, le=1000)]
Matches = Annotated[int, Meta(ge=1, le=100_000)]
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
    """What was wrong with a message."""

    NOT_JSON = "not_json"
    INVALID = "invalid"
    TOO_LARGE = "too_large"
    UNKNOWN_TYPE = "unknown_type"
    OUT_OF_PLACE = "out_of_place"
    UNSUPPORTED_PROTOCOL = "unsupported_protocol"
    BAD_NAME = "bad_name"
    BAD_TOKEN = "bad_token"  # noqa: S105  # the name of a code, not a secret
    BAD_RESUME = "bad_resume"
    UNKNOWN_GAME = "unknown_game"
    UNKNOWN_LADDER = "unknown_ladder"
    UNKNOWN_EVENT = "unknown_event"
    UNKNOWN_OPPONENT = "unknown_opponent"
    UNKNOWN_CHALLENGE = "unknown_challenge"
    DECLINED = "declined"
    FORBIDDEN = "forbidden"
    QUARANTINED = "quarantined"
    LIMIT = "limit"
    TIMEOUT = "timeout"
    SHUTTING_DOWN = "shutting_down"
    INTERNAL = "internal"


class Message(Struct, frozen=True, omit_defaults=True, tag_field="type", tag=str.lower):
    """A message of either end."""


class Part(Struct, frozen=True, omit_defaults=True):
    """An object inside a message."""


class Agent(Part, frozen=True):
    """The program behind a bot's name."""

    name: ShortText
    version: ShortText = ""


class Dialogue(Part, frozen=True):
    """What a language model was asked and answered, for one move.

    Attributes:
        prompt: the question; its beginning where it is long.
        answer: the beginning of the answer; with a second try, of both.
        tries: how often it was asked.
        prompt_tokens: tokens read, as the model's endpoint counts them.
        answer_tokens: tokens written, as the endpoint counted them.
        cost: what that cost, in the currency of its prices; null if unknown.
    """

    prompt: LongText = ""
    answer: LongText = ""
    tries: Count = 1
    prompt_tokens: Count = 0
    answer_tokens: Count = 0
    cost: float | None = None


class Info(Part, frozen=True):
    """What a bot reports about its search; it is shown, and not relied on.

    Attributes:
        depth: plies searched.
        value: expected difference of stores at the end, for the bot, in seeds.
        exact: whether the value is proven.
        nodes: positions visited.
        nps: positions visited per second.
        seconds: time spent.
        pv: the principal variation, pits in order of play.
        comment: a remark for spectators.
        dialogue: what a language model was asked and answered.
    """

    depth: Count | None = None
    value: float | None = None
    exact: bool | None = None
    nodes: Count | None = None
    nps: float | None = None
    seconds: float | None = None
    pv: Annotated[tuple[Pit, ...], Meta(max_length=256)] | None = None
    comment: Text | None = None
    dialogue: Dialogue | None = None


class Opponent(Part, frozen=True):
    """The opponent of a game."""

    name: str
    agent: Agent | None = None
    present: bool = True


class Limits(Part, frozen=True):
    """What the server allows one connection.

    Attributes:
        frame_bytes: longest text frame accepted.
        games: the most games that a match may have.
        grace_s: seconds for which a dropped seat is kept.
        tables: matches that a bot may play at the same time.
        challenges: open challenges that a bot may have.
        watched: games that a connection may watch.
        connections_per_address: connections from one address, unless that is exempt.
        messages_per_s: budget of a connection, in ordinary messages per second.
        messages_burst: the same in a burst.
        address_per_s: budget that the connections of an address share.
        address_burst: the same in a burst.
        flood_s: seconds for which a connection may overspend before it is cut off.
        moves_per_s: turns a second that are put to one bot at two tables or more; others wait, and
            no clock runs.
        handshake_s: seconds for the first ``hello``.
        idle_s: seconds of silence after which a connection is closed that plays, seeks and
            watches nothing.
        outgoing_bytes: unread bytes at which a connection is cut off.
        info_move_bytes: bytes kept of a move's info.
        info_game_bytes: bytes kept of a game's infos.

    Those that a server does not state are None.
    """

    frame_bytes: int
    games: int
    grace_s: float
    tables: int | None = None
    challenges: int | None = None
    watched: int | None = None
    connections_per_address: int | None = None
    messages_per_s: float | None = None
    messages_burst: int | None = None
    address_per_s: float | None = None
    address_burst: int | None = None
    flood_s: float | None = None
    moves_per_s: float | None = None
    handshake_s: float | None = None
    idle_s: float | None = None
    outgoing_bytes: int | None = None
    info_move_bytes: int | None = None
    info_game_bytes: int | None = None


class Evidence(Part, frozen=True):
    """The facts behind a forced end.

    Attributes:
        player: the player at fault; None if neither is.
        detail: one sentence.
        ply: the ply at which it happened.
        pit: the pit in the answer.
        legal: the legal pits.
        elapsed_ms: time used.
        allowed_ms: time allowed, lag credit included.
        lag_ms: the lag credit.
        received: the beginning of the input, if it was not understood.
        spared: the player who would have lost, if the game is void because it can't be known
            whether an answer was in time.
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
    spared: Player | None = None


Depth = Annotated[int, Meta(ge=1, le=1000)]
Seeds = Annotated[float, Meta(ge=-255, le=255)]
LONGEST_LINE: Final = 16
"""The most pits of a line of play in a review."""
ASSESSMENTS: Final = 16
"""The most plies in one message of a review, which then fits into a frame on any board."""

SUBMISSION_PART: Final = 3500
"""The most characters of a submission in one message, which then fits into a frame."""


class MoveValue(Part, frozen=True):
    """What a move is worth.

    Attributes:
        pit: the pit sown.
        value: final difference of stores for seat 0, after this move.
        depth: plies searched for an estimate; None if the value is proven.
    """

    pit: Pit
    value: Seeds
    depth: Depth | None = None


class Assessment(Part, frozen=True):
    """What a reviewer found out about one position of a game.

    Attributes:
        ply: the number of sowings before the position.
        moves: every legal move, by pit.
        line: best play from the position, the best move first.
        depth: None if the position's value is proven, by a proven move and proofs that no other
            is better; else the depth of the estimate.
    """

    ply: Ply
    moves: Annotated[tuple[MoveValue, ...], Meta(min_length=1, max_length=16)]
    line: Annotated[tuple[Pit, ...], Meta(min_length=1, max_length=LONGEST_LINE)]
    depth: Depth | None = None


class Listable(StrEnum):
    """What a server lists."""

    LADDERS = "ladders"
    BOTS = "bots"
    GAMES = "games"


class ListedLadder(Part, frozen=True):
    """A ladder of the server, with its terms.

    Attributes:
        ladder: its name.
        rules: the rules of its games.
        clock: the limits of its games.
        games: how many games a match has.
        players: how many members are connected.
        guests: whether bots without a token may join.
    """

    ladder: str
    rules: Rules
    clock: TimeControl
    games: int
    players: int
    guests: bool


class ListedBot(Part, frozen=True):
    """A connected bot or spectator.

    Attributes:
        name: its name.
        agent: the program behind the name.
        playing: how many matches it plays.
        ladders: the ladders that it is in.
        challenges: whether it takes challenges.
    """

    name: str
    agent: Agent | None = None
    playing: int = 0
    ladders: tuple[str, ...] = ()
    challenges: bool = False


class ListedGame(Part, frozen=True):
    """A running game.

    Attributes:
        game: its id, for `watch`.
        match: the id of its match.
        names: both players, in seat order.
        rules: the rules of the game.
        rated: whether the result counts.
        ladder: the ladder that it is played in, if any.
    """

    game: str
    match: str
    names: tuple[str, str]
    rules: Rules
    rated: bool = True
    ladder: str | None = None


class MatchOrigin(StrEnum):
    """What a match to come follows from."""

    MATCH = "match"
    LADDER = "ladder"
    EVENT = "event"
    SEEK = "seek"
    CHALLENGE = "challenge"


class NextMatch(Part, frozen=True):
    """A match that a bot plays, or waits for.

    Attributes:
        origin: what it follows from; `match` for one that is under way.
        name: the ladder or the event, if it is of one.
        opponent: the other bot, if it is known.
        games: games that are left; None if that is not known.
        round: the round of the event.
        at: when it begins or can begin, RFC 3339 in UTC, if that is known.
        waits_for: one sentence; empty for a match under way.
    """

    origin: MatchOrigin
    name: str = ""
    opponent: str | None = None
    games: int | None = None
    round: int | None = None
    at: str | None = None
    waits_for: Text = ""


# Messages of the client


class Hello(Message, frozen=True):
    """The first message: who the client is; ``resume`` takes back the seats of a session.

    ``swap`` says that it knows the pie rule; the server asks no other client to swap.
    """

    protocol: ShortText
    name: Name
    token: Secret | None = None
    agent: Agent | None = None
    resume: Secret | None = None
    challenges: bool = False
    swap: bool = False


class Seek(Message, frozen=True):
    """Ask for a match with any bot that asks for the same; ``rules`` may be text or fields."""

    rules: Rules | ShortText | None = None
    clock: TimeControl | None = None
    rated: bool = True
    opponent: Name | None = None
    games: Games = 2


class Unseek(Message, frozen=True):
    """Withdraw the seek."""


class Join(Message, frozen=True):
    """Join a ladder, to be paired in it until ``leave``.

    Attributes:
        ladder: its name.
        matches: after how many matches the server takes the bot out of it; None for never.
    """

    ladder: Name
    matches: Matches | None = None


class Leave(Message, frozen=True):
    """Leave a ladder."""

    ladder: Name


class Enter(Message, frozen=True):
    """Enter an event, or confirm an entry: while it checks in, or on a new connection."""

    event: Name


class Withdraw(Message, frozen=True):
    """Withdraw from an event, after the match of its present round."""

    event: Name


class Challenge(Message, frozen=True):
    """Challenge an opponent to a match."""

    opponent: Name
    rules: Rules | ShortText | None = None
    clock: TimeControl | None = None
    rated: bool = True
    games: Games = 2
    seat: Player = 0
    opening: ShortText | None = None


class Accept(Message, frozen=True):
    """Accept a challenge."""

    challenge: Identifier


class Decline(Message, frozen=True):
    """Decline a challenge, or withdraw one's own."""

    challenge: Identifier
    reason: ShortText = ""


class Move(Message, frozen=True):
    """Answer the ``turn`` with this ``ply``; a ``provisional`` answer may be replaced.

    Pit 16 swaps under the pie rule.
    """

    game: Identifier
    ply: Ply
    pit: Pit
    provisional: bool = False
    info: Info | None = None


class Resign(Message, frozen=True):
    """Resign a game; the cause is shown with its end."""

    game: Identifier
    cause: ShortText = ""


class Watch(Message, frozen=True):
    """Watch a game, or every game of a ladder: exactly one of the two."""

    game: Identifier | None = None
    ladder: Name | None = None


class Unwatch(Message, frozen=True):
    """Stop watching a game or a ladder; without either, stop watching all."""

    game: Identifier | None = None
    ladder: Name | None = None


class List(Message, frozen=True):
    """Ask for a list: ladders, connected bots or running games, by pages.

    Attributes:
        what: which list.
        after: the `next` of the page before; None for the first page.
    """

    what: Listable
    after: Identifier | None = None


class Schedule(Message, frozen=True):
    """Ask when a bot plays next; without a name, when the client itself does."""

    bot: Name | None = None


class OfferReviews(Message, frozen=True, tag="offer_reviews"):
    """Offer to review finished games, up to ``games`` at a time; 0 takes the offer back."""

    version: Annotated[int, Meta(ge=1, le=1_000_000)]
    games: Annotated[int, Meta(ge=0, le=16)] = 1


class Review(Message, frozen=True):
    """Answer a ``review_wanted``, some plies at a time; ``more`` says that others follow."""

    game: Identifier
    plies: Annotated[tuple[Assessment, ...], Meta(max_length=ASSESSMENTS)] = ()
    engine: ShortText = ""
    seconds: Annotated[float, Meta(ge=0, le=1e6)] = 0.0
    more: bool = False


class Submit(Message, frozen=True):
    """Bring an event that was played elsewhere, some text at a time; ``more`` says what follows.

    Attributes:
        submission: its id, chosen by the client; a later one with the same id takes its place.
        text: the next part of the document.
        more: whether further parts follow.
    """

    submission: Identifier
    text: Annotated[str, Meta(max_length=SUBMISSION_PART)]
    more: bool = False


# Messages of the server


class Welcome(Message, frozen=True):
    """The answer to ``hello``; ``session`` is the secret that resumes it.

    ``matches`` are the running matches of the bot; all its others are over. ``warnings`` are
    sentences for its author: what it does will end, or could be better.
    """

    protocol: str
    server: str
    session: str
    resumed: bool
    limits: Limits
    matches: tuple[str, ...] = ()
    warnings: tuple[Text, ...] = ()


class OtherSeeks(Part, frozen=True):
    """The other bots that seek, none of which suits: how many, and how many differ in what.

    A bot counts in each field in which its seek differs.
    """

    count: int
    rules: int = 0
    clock: int = 0
    rated: int = 0
    games: int = 0
    opponent: int = 0


class Seeking(Message, frozen=True):
    """The client's seek is registered; sent again when the first other seek that differs comes."""

    rules: Rules
    clock: TimeControl
    rated: bool
    games: int
    opponent: str | None = None
    others: OtherSeeks | None = None


class Joined(Message, frozen=True):
    """The client is a member of a ladder, whose terms these are.

    Attributes:
        ladder: its name.
        rules: the rules of its games.
        clock: the limits of its games.
        games: how many games a match has.
        matches: after how many matches the client leaves it; None for never.
        warning: a sentence for its author: what it will miss there.
    """

    ladder: str
    rules: Rules
    clock: TimeControl
    games: int
    matches: int | None = None
    warning: Text = ""


class Left(Message, frozen=True):
    """The client is no member of a ladder any more.

    It left, has played its matches, or was put out; then an error says why.
    """

    ladder: str


class Entered(Message, frozen=True):
    """The client is an entrant of an event, whose terms these are.

    Attributes:
        event: its name.
        rules: the rules of its games.
        clock: the limits of its games.
        games: how many games an encounter has.
        joins: the first round that the client is paired for.
        check_in: when entrants have to be connected, or to confirm, if the event asks for it.
        starts: when it begins, if that is known.
    """

    event: str
    rules: Rules
    clock: TimeControl
    games: int
    joins: int = 1
    check_in: str | None = None
    starts: str | None = None


class Withdrawn(Message, frozen=True):
    """The client is paired for no further round of an event.

    Attributes:
        event: its name.
        why: one sentence: the client or the organiser withdrew it, it was absent, or the event is
            over.
    """

    event: str
    why: str = ""


class Submitted(Message, frozen=True):
    """A submission is stored.

    Attributes:
        submission: its id.
        key: its name on the page and in the API: ``/elsewhere/KEY``.
    """

    submission: str
    key: str


class Challenged(Message, frozen=True):
    """A challenge is open; sent to both sides."""

    challenge: str
    by: str
    to: str
    rules: Rules
    clock: TimeControl
    rated: bool
    games: int
    seat: Player = 0
    opening: str | None = None


class GameStart(Message, frozen=True, tag="game_start"):
    """A game begins or is resumed; the message holds its whole state.

    Attributes:
        game: the game's id.
        match: the id of the match it belongs to.
        seat: the player that the client is; None for a spectator.
        rules: the rules in force.
        clock: the limits in force.
        opponent: the opponent; for a spectator, player 1.
        state: the position now.
        moves: pits sown so far, in order.
        clocks: what is left of the banks and quotas.
        opening: the position the game began from; None for the standard start.
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
    """The client is to move; ``deadline_ms`` is its time to think, counted from the sending.

    ``pie`` says that a swap can still follow: player 1 may answer pit 16.
    """

    game: str
    ply: int
    state: State
    legal: tuple[int, ...]
    clock: ClockState
    deadline_ms: int
    pie: bool = False


class Moved(Message, frozen=True):
    """A move was played; ``forced`` if the referee chose it because the time was up.

    Pit 16 is the swap of the pie rule.
    """

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
    """All games of a match are over; ``score`` has the points by name, a draw being half."""

    match: str
    score: dict[str, float]
    ratings: dict[str, float] | None = None


class Listing(Message, frozen=True):
    """A page of a list, in the order of names or ids.

    Attributes:
        what: which list.
        ladders: the ladders of the page, if the list is of ladders.
        bots: the bots of the page, if the list is of bots.
        games: the games of the page, if the list is of games.
        next: the `after` that asks for the following page; None on the last one.
    """

    what: Listable
    ladders: tuple[ListedLadder, ...] = ()
    bots: tuple[ListedBot, ...] = ()
    games: tuple[ListedGame, ...] = ()
    next: str | None = None


class Scheduled(Message, frozen=True):
    """What a bot plays next, and what it waits for; nothing for one that asked for no match."""

    bot: str
    matches: tuple[NextMatch, ...] = ()


class ReviewWanted(Message, frozen=True, tag="review_wanted"):
    """A finished game is to be reviewed.

    Attributes:
        game: the game's id.
        rules: its rules.
        opening: the position at the start.
        moves: the pits sown, in order.
    """

    game: str
    rules: Rules
    opening: State
    moves: tuple[int, ...]


class Notice(Message, frozen=True):
    """What the organiser lets all connected clients know; a client may ignore it.

    Attributes:
        text: one or two sentences; empty if the former notice no longer holds.
        until: when it ends, RFC 3339 in UTC; None until it is taken back.
    """

    text: Text
    until: ShortText | None = None


class Error(Message, frozen=True):
    """The client's message was wrong; if ``fatal``, a goodbye follows."""

    code: ErrorCode
    message: str
    fatal: bool
    ref: str | None = None


# Messages of both


REPLACED: Final = "replaced"
"""Reason of a goodbye: another connection resumed the session, and now plays."""
REPLACED_CLOSE: Final = 4001
"""The websocket close code that goes with it; from the range for private use."""


class Goodbye(Message, frozen=True):
    """The last message of its sender, which discards all that it still receives."""

    reason: ShortText = ""
    reconnect_after: Annotated[float, Meta(ge=0, le=86400)] | None = None


ClientMessage = (
    Hello
    | Seek
    | Unseek
    | Join
    | Leave
    | Enter
    | Withdraw
    | Challenge
    | Accept
    | Decline
    | Move
    | Resign
    | Watch
    | Unwatch
    | List
    | Schedule
    | OfferReviews
    | Review
    | Submit
    | Goodbye
)
ServerMessage = (
    Welcome
    | Seeking
    | Joined
    | Left
    | Entered
    | Withdrawn
    | Challenged
    | GameStart
    | Turn
    | Moved
    | GameOver
    | MatchOver
    | Listing
    | Scheduled
    | ReviewWanted
    | Submitted
    | Notice
    | Error
    | Goodbye
)
