"""The objects inside messages."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta

from ..clock import TimeControl
from ..rules import Rules
from .base import Count, LongText, Part, Pit, Player, Ply, Reason, ShortText, Text


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
        cut: how many of its answers the limit of tokens cut off.
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
    cut: Count = 0


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
            whether an answer was in time, or, without a server, since a service failed that the
            player asks.
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


class Outcome(Part, frozen=True):
    """How a game ended.

    Attributes:
        winner: the player who won; None for a draw, or if the game does not count (``aborted``).
        stores: both final stores, with the seeds that the end of the game moves there.
        reason: why it ended.
        evidence: the facts behind a forced end.
    """

    winner: Player | None
    stores: tuple[int, int]
    reason: Reason
    evidence: Evidence | None = None


Depth = Annotated[int, Meta(ge=1, le=1000)]
Seeds = Annotated[float, Meta(ge=-255, le=255)]
LONGEST_LINE: Final = 64
"""The most pits of a line of play in a review: from a mistake most reach the end of the game."""
ASSESSMENTS: Final = 16
"""The most plies in one message of a review, which then fits into a frame on any board."""


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
