"""The messages of a server."""

from ..clock import ClockState, TimeControl
from ..rules import Rules, State
from .base import ErrorCode, Goodbye, Message, Player, Reason, ShortText, Text
from .parts import (
    Evidence,
    Info,
    Limits,
    Listable,
    ListedBot,
    ListedGame,
    ListedLadder,
    NextMatch,
    Opponent,
    OtherSeeks,
)


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
    code: str = ""


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
