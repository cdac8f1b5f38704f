"""The topic of each payload, and reading what was published there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, get_args
from urllib.parse import quote

from .. import codec
from .events import EventGameResult, EventRoundPaired, EventStatus, EventTable
from .payloads import (
    GameResult,
    GameReviewed,
    GamesAnnulled,
    LadderStandings,
    LiveMove,
    MatchResult,
    OrganiserActed,
    Payload,
    ServerNotice,
    Status,
)

AnyPayload = (
    GameResult
    | MatchResult
    | LadderStandings
    | Status
    | LiveMove
    | GameReviewed
    | GamesAnnulled
    | ServerNotice
    | EventStatus
    | EventTable
    | EventRoundPaired
    | EventGameResult
    | OrganiserActed
)
PAYLOAD_KINDS: Final[tuple[type[Payload], ...]] = get_args(AnyPayload)

_UNFIT_FOR_PREFIX: Final = "+#\0"
_PLAIN_IN_LEVEL: Final = "@:"


@dataclass(frozen=True, slots=True)
class Topics:
    """The topic of each payload.

    An id or a name fills exactly one level of a topic: characters that MQTT reserves (``/``, ``+``,
    ``#``, NUL), ``%`` and all that is not printable ASCII are written as ``%XX``.

    Attributes:
        prefix: the first levels, without a slash at either end.

    Raises:
        ValueError: when the prefix cannot begin a topic.
    """

    prefix: str

    def __post_init__(self) -> None:
        if not all(self.prefix.split("/")):
            raise ValueError(f"a topic prefix may not have empty levels; {self.prefix!r} has one")
        if any(character in self.prefix for character in _UNFIT_FOR_PREFIX):
            raise ValueError(f"a topic prefix may not hold '+', '#' or NUL; {self.prefix!r} does")

    @classmethod
    def of_server(cls, name: str) -> Topics:
        """Return the topics of a server without a configured prefix: ``mancala/<name>``."""
        return cls(f"mancala/{level(name)}")

    @property
    def status(self) -> str:
        """The topic of :class:`Status` and of the last will."""
        return f"{self.prefix}/status"

    @property
    def notice(self) -> str:
        return f"{self.prefix}/notice"

    @property
    def log(self) -> str:
        """The topic of :class:`OrganiserActed`."""
        return f"{self.prefix}/log"

    @property
    def annulments(self) -> str:
        """The topic of :class:`GamesAnnulled`."""
        return f"{self.prefix}/annulments"

    def game_result(self, game: str) -> str:
        return f"{self.prefix}/games/{level(game)}/result"

    def game_moves(self, game: str) -> str:
        """Return the topic of a game's :class:`LiveMove`."""
        return f"{self.prefix}/games/{level(game)}/moves"

    def game_review(self, game: str) -> str:
        return f"{self.prefix}/games/{level(game)}/review"

    def match_result(self, match: str) -> str:
        return f"{self.prefix}/matches/{level(match)}/result"

    def ladder_standings(self, ladder: str) -> str:
        return f"{self.prefix}/ladders/{level(ladder)}/standings"

    def ladder_games(self, ladder: str) -> str:
        """Return the second topic of each :class:`GameResult` of a ladder."""
        return f"{self.prefix}/ladders/{level(ladder)}/games"

    def event_status(self, event: str) -> str:
        return f"{self.prefix}/events/{level(event)}/status"

    def event_standings(self, event: str) -> str:
        return f"{self.prefix}/events/{level(event)}/standings"

    def event_rounds(self, event: str) -> str:
        return f"{self.prefix}/events/{level(event)}/rounds"

    def event_games(self, event: str) -> str:
        return f"{self.prefix}/events/{level(event)}/games"


def level(name: str) -> str:
    """Return a name escaped to fill exactly one level of a topic."""
    return quote(name, safe=_PLAIN_IN_LEVEL)


def decode(payload: bytes | str) -> AnyPayload:
    """Return the payload in a text, of the kind that its ``schema`` names.

    Raises:
        DecodeError: when it is not JSON or of the wrong shape.
    """
    return codec.from_json(payload, AnyPayload)  # type: ignore[arg-type]  # a union is a type too
