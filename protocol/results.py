"""What goes out over MQTT: the topics, and one struct for each payload; pure data.

Every payload is one JSON object that names its ``schema``, and can be understood without any
other. ``event_id`` stays the same however often a payload is delivered, so a consumer drops what
it has seen; ``seq`` grows with each event of a server, so a consumer sees a gap. Both are handed
in, as are all times: this room has neither chance nor a clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Final, NamedTuple
from urllib.parse import quote

from msgspec import Meta, Struct

from protocol import codec
from protocol.clock import ClockState, TimeControl
from protocol.messages import Agent, Evidence, Info, Player, Reason
from protocol.rules import Rules, State

Timestamp = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+]00:00)$",
        description="RFC 3339, in UTC",
    ),
]
Seq = Annotated[int, Meta(ge=0, le=2**53 - 1)]

_UNFIT_FOR_PREFIX: Final = "+#\0"
_PLAIN_IN_LEVEL: Final = "@:"


class Contestant(Struct, frozen=True, omit_defaults=True):
    """A player of a game or match.

    Attributes:
        name: the bot's name on the server.
        agent: the program behind it, as it named itself.
    """

    name: str
    agent: Agent | None = None


class Payload(Struct, frozen=True, omit_defaults=True, tag_field="schema"):
    """What every payload tells.

    Attributes:
        event_id: names this event; a second delivery repeats it.
        seq: place in the server's outbox, growing; 0 where the payload is not kept there.
        server: the server's name.
    """

    event_id: str
    seq: Seq
    server: str


class GameResult(Payload, frozen=True, tag="mancala.game_result.v1"):
    """A game ended.

    Attributes:
        game: the game's id.
        match: the id of the match it belongs to.
        rated: whether it counts for ratings.
        rules: the rules in force.
        clock: the limits in force.
        players: who played, in seat order.
        winner: the player who won; None for a draw, or when it does not count (``aborted``).
        stores: both stores at the end, in seat order.
        reason: why it ended.
        plies: how many sowings were made.
        moves: the pits sown, in order.
        started_at: when the first question was put.
        ended_at: when the game ended.
        evidence: the facts behind a forced end.
        opening: the position it began from, when it is not the usual one.
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
        rules: the rules in force.
        clock: the limits in force.
        players: both players; the first had seat 0 in the first game.
        score: points a name: a win is one, a draw half a point.
        games: the ids of the games, in order.
        started_at: when the first game began.
        ended_at: when the last game ended.
        ratings: ratings after the match, a name, where the server keeps any.
        ladder: the ladder it was played in, if any.
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


class Standing(Struct, frozen=True, omit_defaults=True):
    """One line of a table.

    Attributes:
        rank: place, from 1; equals share one.
        name: the bot's name.
        games: games that counted.
        points: wins and half the draws.
        wins: games won.
        draws: games drawn.
        losses: games lost.
        rating: strength, in Elo.
        rating_error: half the width of its 95 % interval, in Elo.
    """

    rank: int
    name: str
    games: int
    points: float
    wins: int
    draws: int
    losses: int
    rating: float | None = None
    rating_error: float | None = None


class LadderStandings(Payload, frozen=True, tag="mancala.ladder_standings.v1"):
    """A ladder's table, best first; retained.

    Attributes:
        ladder: the ladder's name.
        at: when the table was drawn up.
        standings: the table.
    """

    ladder: str
    at: Timestamp
    standings: tuple[Standing, ...]


class Presence(StrEnum):
    """Whether a server's publisher is connected to the broker."""

    ONLINE = "online"
    OFFLINE = "offline"


class Status(Payload, frozen=True, tag="mancala.status.v1"):
    """A server came or went; retained, and the last will says ``offline``.

    Attributes:
        status: whether it is there.
        since: when the connection to the broker was asked for; a last will, being left with
            the broker in advance, says the same.
    """

    status: Presence
    since: Timestamp


class LiveMove(Payload, frozen=True, tag="mancala.live_move.v1"):
    """A move was played; delivered at most once, for those who look on.

    Attributes:
        game: the game's id.
        ply: how many sowings came before it.
        player: who sowed.
        pit: the pit sown.
        captured: seeds that a capture brought to the store.
        again: whether the same player sows next.
        state: the position after it.
        clock: both clocks after it.
        elapsed_ms: time from question to answer.
        lag_ms: of that, credited to the network.
        info: what the bot says of its thinking.
        forced: whether the referee chose the move, the time being up.
    """

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


AnyPayload = GameResult | MatchResult | LadderStandings | Status | LiveMove


class Delivery(NamedTuple):
    """How a payload is published.

    Attributes:
        qos: MQTT's quality of service: 0 at most once, 1 at least once.
        retain: whether the broker keeps the last one for who subscribes later.
    """

    qos: int
    retain: bool


DELIVERY: Final[dict[type[Payload], Delivery]] = {
    GameResult: Delivery(qos=1, retain=False),
    MatchResult: Delivery(qos=1, retain=False),
    LadderStandings: Delivery(qos=1, retain=True),
    Status: Delivery(qos=1, retain=True),
    LiveMove: Delivery(qos=0, retain=False),
}


@dataclass(frozen=True, slots=True)
class Topics:
    """Where each payload goes.

    An id or a name fills exactly one level of a topic: what MQTT reserves in it (``/``, ``+``,
    ``#``, NUL) is written as ``%XX``, as are ``%`` itself and all that is not printable ASCII.

    Attributes:
        prefix: the levels before ours, without a slash at either end.

    Raises:
        ValueError: when the prefix is empty or no topic could begin with it.
    """

    prefix: str

    def __post_init__(self) -> None:
        if not all(self.prefix.split("/")):
            raise ValueError(f"a topic prefix has no empty levels; {self.prefix!r} has one")
        if any(character in self.prefix for character in _UNFIT_FOR_PREFIX):
            raise ValueError(f"a topic prefix holds no '+', '#' or NUL; {self.prefix!r} does")

    @classmethod
    def of_server(cls, name: str) -> Topics:
        """Give the topics of a server that was told no prefix: ``mancala/<name>``."""
        return cls(f"mancala/{level(name)}")

    @property
    def status(self) -> str:
        """Where :class:`Status` goes, and the last will."""
        return f"{self.prefix}/status"

    def game_result(self, game: str) -> str:
        """Tell where a :class:`GameResult` goes."""
        return f"{self.prefix}/games/{level(game)}/result"

    def game_moves(self, game: str) -> str:
        """Tell where a game's :class:`LiveMove` go."""
        return f"{self.prefix}/games/{level(game)}/moves"

    def match_result(self, match: str) -> str:
        """Tell where a :class:`MatchResult` goes."""
        return f"{self.prefix}/matches/{level(match)}/result"

    def ladder_standings(self, ladder: str) -> str:
        """Tell where a ladder's :class:`LadderStandings` go."""
        return f"{self.prefix}/ladders/{level(ladder)}/standings"

    def ladder_games(self, ladder: str) -> str:
        """Tell where each :class:`GameResult` of a ladder goes too."""
        return f"{self.prefix}/ladders/{level(ladder)}/games"


def level(name: str) -> str:
    """Write a name so that it fills exactly one level of a topic."""
    return quote(name, safe=_PLAIN_IN_LEVEL)


def decode(payload: bytes | str) -> AnyPayload:
    """Read a payload, whichever it is; ``schema`` tells.

    Raises:
        DecodeError: when it is no JSON or of the wrong shape.
    """
    return codec.from_json(payload, AnyPayload)  # type: ignore[arg-type]  # a union is a type too


def schema(kind: type[Payload]) -> dict[str, Any]:
    """Describe a payload as a JSON Schema that stands alone."""
    (reference,), components = codec.json_schema(kind)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **reference,
        "components": {"schemas": components},
    }
