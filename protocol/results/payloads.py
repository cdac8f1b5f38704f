"""What is published of games, matches, ladders and of the server itself."""

from enum import StrEnum
from typing import Annotated, ClassVar, Final

from msgspec import Meta, Struct

from ..accuracy import PhaseAccuracy
from ..clock import ClockState, TimeControl
from ..messages import Agent, Evidence, Info, Player, Reason
from ..review import LosingMove, PlayerReview, ResultChange
from ..rules import Rules, State

Timestamp = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+]00:00)$",
        description="RFC 3339, in UTC",
    ),
]
Seq = Annotated[int, Meta(ge=0, le=2**53 - 1)]

LOGISTIC: Final = "logistic"
"""The scale of all ratings: Elo at which the expected score, a draw counting ½, is
``1 / (1 + 10^(-difference / 400))``, seats taken in turn."""


class Contestant(Struct, frozen=True, omit_defaults=True):
    """A player of a game or match.

    Attributes:
        name: the bot's name on the server.
        agent: the program behind it, as the bot stated it.
    """

    name: str
    agent: Agent | None = None


class Payload(Struct, frozen=True, omit_defaults=True, tag_field="schema"):
    """The fields of every payload.

    Attributes:
        event_id: the id of the event; a second delivery repeats it.
        seq: the event's place in the server's outbox, ascending; 0 if it is not kept there.
        server: the server's name.
    """

    qos: ClassVar[int] = 1
    """MQTT's quality of service: 0 at most once, 1 at least once."""
    retain: ClassVar[bool] = False
    """Whether the broker keeps the last one for later subscribers."""

    event_id: str
    seq: Seq
    server: str


class GameResult(Payload, frozen=True, tag="mancala.game_result.v1"):
    """A game ended.

    Attributes:
        game: the game's id.
        match: the id of the match it belongs to.
        rated: whether it counts for ratings.
        rules: the rules.
        clock: the time limits.
        players: both players, in seat order.
        winner: the player who won; None for a draw, or if the game does not count (``aborted``).
        stores: both stores at the end, in seat order.
        reason: why it ended.
        plies: the number of sowings.
        moves: the pits sown, in order.
        started_at: when the first question was put.
        ended_at: when the game ended.
        evidence: the facts behind a forced end.
        opening: the position at the start; None for the standard start.
        ladder: the ladder it was played in, if any.
    """

    game: str
    match: str
    rated: bool
    rules: Rules
    clock: TimeControl
    players: tuple[Contestant, Contestant]
    winner: Player | None
    stores: tuple[int, int]
    reason: Reason
    plies: int
    moves: tuple[int, ...]
    started_at: Timestamp
    ended_at: Timestamp
    evidence: Evidence | None = None
    opening: State | None = None
    ladder: str | None = None


class MatchResult(Payload, frozen=True, tag="mancala.match_result.v1"):
    """All games of a match are over.

    Attributes:
        match: the match's id.
        rated: whether it counts for ratings.
        rules: the rules.
        clock: the time limits.
        players: both players; the first had seat 0 in the first game.
        score: points by name: a win is one point, a draw half a point.
        games: the ids of the games, in order.
        started_at: when the first game began.
        ended_at: when the last game ended.
        ratings: ratings after the match by name, if the server keeps any.
        ladder: the ladder it was played in, if any.
        scale: the scale of the ratings, ``logistic``; see :data:`LOGISTIC`.
    """

    match: str
    rated: bool
    rules: Rules
    clock: TimeControl
    players: tuple[Contestant, Contestant]
    score: dict[str, float]
    games: tuple[str, ...]
    started_at: Timestamp
    ended_at: Timestamp
    ratings: dict[str, float] | None = None
    ladder: str | None = None
    scale: str | None = None


class StandingCounts(Struct, frozen=True):
    """What every row of standings has: on MQTT, in the API, and in the table of an event.

    Attributes:
        rank: the place, from 1; those that are level share one.
        name: the player; in a ladder the rated version, ``bot@version``.
        games: games that counted.
        points: wins and half the draws, and in an event the points of byes.
        wins: games won.
        draws: games drawn.
        losses: games lost.
    """

    rank: int
    name: str
    games: int
    points: float
    wins: int
    draws: int
    losses: int


class Standing(StandingCounts, frozen=True, omit_defaults=True):
    """One row of a ladder's standings.

    Attributes:
        rating: strength, in Elo.
        rating_error: half the width of its 95 % interval, in Elo.
        rank_range: the first and the last place that it may have, 95 %.
        accuracy: seeds lost a move against perfect play in its reviewed games of the ladder, the
            whole game first, then each phase with moves that count.
    """

    rating: float | None = None
    rating_error: float | None = None
    rank_range: tuple[int, int] | None = None
    accuracy: tuple[PhaseAccuracy, ...] = ()


class LadderStandings(Payload, frozen=True, tag="mancala.ladder_standings.v1"):
    """The standings of a ladder, best first; retained.

    Attributes:
        ladder: the ladder's name.
        at: when the standings were computed.
        standings: the best rows, at most 100.
        total: how many rows there are in all.
        more: the path of all rows in the server's API, by pages.
        scale: the scale of the ratings, ``logistic``; see :data:`LOGISTIC`.
        players: how many versions of bots are ranked. This and the next two are for programs that
            read plain numbers only, such as exporters of metrics.
        games: how many games count.
        top_rating: the rating of the best, in Elo, once there is one.
    """

    retain = True

    ladder: str
    at: Timestamp
    standings: tuple[Standing, ...]
    total: int | None = None
    more: str | None = None
    scale: str | None = None
    players: int | None = None
    games: int | None = None
    top_rating: float | None = None


class Presence(StrEnum):
    """Whether a server's publisher is connected to the broker."""

    ONLINE = "online"
    OFFLINE = "offline"


class Status(Payload, frozen=True, tag="mancala.status.v1"):
    """A server connected to or left the broker; retained. The last will says ``offline``.

    Attributes:
        status: whether the server is connected.
        since: when it began to connect to the broker; the last will carries the same time,
            because it is left with the broker in advance.
        host: the machine of a server that another one may take over from.
        tenure: the number of its tenure; one that takes over has the next.
    """

    retain = True

    status: Presence
    since: Timestamp
    host: str | None = None
    tenure: int | None = None


class LiveMove(Payload, frozen=True, tag="mancala.live_move.v1"):
    """A move was played; delivered at most once, for spectators.

    Attributes:
        game: the game's id.
        ply: the number of sowings before it.
        player: the mover.
        pit: the pit sown.
        captured: seeds that a capture moved to the store.
        again: whether the same player moves again.
        state: the position after it.
        clock: both clocks after it.
        elapsed_ms: the time from question to answer.
        lag_ms: the part of it that was credited as lag.
        info: what the bot reports about its search.
        forced: whether the referee played it because the time was up.
    """

    qos = 0

    game: str
    ply: int
    player: Player
    pit: int
    captured: int
    again: bool
    state: State
    clock: ClockState
    elapsed_ms: int
    lag_ms: int
    info: Info | None = None
    forced: bool = False


class VersionAccuracy(Struct, frozen=True):
    """How well a bot's version plays, over all its reviewed games.

    Attributes:
        name: the rated version, ``bot@version``.
        phases: the whole game first, then each phase with moves that count.
    """

    name: str
    phases: tuple[PhaseAccuracy, ...]


class GameReviewed(Payload, frozen=True, tag="mancala.game_review.v1"):
    """A game was reviewed: which move lost it, and how well both players played.

    Attributes:
        game: the game's id.
        names: both bots, in seat order.
        version: the version of the way of reviewing; a higher one is better.
        engine: the program that made the review, with its version.
        seconds: time spent on it.
        reviewed_at: when the server received it.
        proven: share of the plies whose loss is proven, 0..1.
        players: how well each player played in this game, in seat order.
        changes: the moves that changed the result, in order of play.
        path: the path of the whole review in the server's API.
        losing: the move that lost the game, if one did.
        accuracy: both bots' versions over all games of the same ladder, in seat order.
        ladder: the ladder it was played in, if any.
    """

    game: str
    names: tuple[str, str]
    version: int
    engine: str
    seconds: float
    reviewed_at: Timestamp
    proven: float
    players: tuple[PlayerReview, PlayerReview]
    changes: tuple[ResultChange, ...]
    path: str
    losing: LosingMove | None = None
    accuracy: tuple[VersionAccuracy, ...] = ()
    ladder: str | None = None


class GamesAnnulled(Payload, frozen=True, tag="mancala.games_annulled.v1"):
    """The organiser annulled games, or made annulled ones count again.

    Attributes:
        games: the ids of the games.
        event_ids: the events of their results, which are corrected by this one.
        counts: whether they count from now on; false when they are annulled.
        reason: why, in the organiser's words.
        at: when it was done.
    """

    games: tuple[str, ...]
    event_ids: tuple[str, ...]
    counts: bool
    reason: str
    at: Timestamp


class ServerNotice(Payload, frozen=True, tag="mancala.notice.v1"):
    """What the organiser lets all know, such as that maintenance comes; retained.

    Attributes:
        text: one or two sentences; empty if the former notice no longer holds.
        at: when it was given.
        until: when it ends; None until it is taken back.
    """

    retain = True

    text: str
    at: Timestamp
    until: Timestamp | None = None


class ActChange(Struct, frozen=True, omit_defaults=True):
    """One thing that the organiser changed.

    Attributes:
        what: what kind of thing.
        subject: which one.
        before: how it was; None if there was nothing, or if it is not public.
        after: how it is then.
        event: the event whose game, match, round, entrant or setting it is.
    """

    what: str
    subject: str
    before: str | None = None
    after: str | None = None
    event: str | None = None


class OrganiserActed(Payload, frozen=True, tag="mancala.organiser_acted.v1"):
    """The organiser did something, where the log of it is public.

    Attributes:
        action: what was done.
        by: who did it.
        changed: what it changed, at most twenty things.
        changes: how many things.
        why: the reason given; may be empty.
        at: when it was done.
    """

    action: str
    by: str
    changed: tuple[ActChange, ...]
    changes: int
    why: str
    at: Timestamp
