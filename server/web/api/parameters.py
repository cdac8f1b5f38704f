"""The path and query parameters of the API, and what they ask for."""

from collections.abc import Mapping
from datetime import date, timedelta
from types import MappingProxyType
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, ValidationError

from mancala.protocol import codec
from mancala.protocol.messages import NAMES_ARE, Agent, Identifier, Name, Reason
from mancala.protocol.rules import Board, InvalidPositionError, Rules

from ...model.entrant import entrant_name
from ...model.schemas.games import BotResult, GameStatus
from ...model.schemas.history import Day
from ...store.reading.archive import GameFilter, GameKey
from ..http.responses import BadRequestError

LARGEST_PAGE: Final = 200
USUAL_PAGE: Final = 50
"""A choice; the description of the API states what stands here."""
USUAL_RULES: Final = "kalah"
UTC: Final = "+00:00"
PageSize = Annotated[int, Meta(ge=1, le=LARGEST_PAGE, description="Maximum number of items.")]
FIRST_PAGE: Final = "`next` of the previous page; absent for the first page."
BotsCursor = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@~-]{0,47}$(?!\n)", description=FIRST_PAGE)
]
"""The last bot's name, with ``~`` for ``+``, which a URL takes for a space."""
GamesCursor = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}(-[0-9]{2}){2}T([0-9]{2}:){2}[0-9]{2}\.[0-9]{3}Z~[A-Za-z0-9_-]{1,64}$(?!\n)",
        description=FIRST_PAGE,
    ),
]
"""When the last game began, and its id."""
StandingsCursor = Annotated[str, Meta(pattern=r"^[0-9]{1,9}$(?!\n)", description=FIRST_PAGE)]
"""How many rows come before the page."""


SHAPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("name", "other", "bot", "opponent", "ladder"), f"names are {NAMES_ARE}"),
        "cursor": "it must be `next` of the previous page",
        "event": "it must be 16 of the digits 0-9 and the letters a-f",
        "since": "a day is written as 2026-01-31",
        "until": "a day is written as 2026-01-31",
        "day": "a day is written as 2026-01-31",
    }
)
"""How parameters that have a pattern are written, for people."""


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The path and query parameters of a request."""


class PageParameters(Parameters, frozen=True):
    """Parameters of a page of a list."""

    limit: PageSize = USUAL_PAGE


class BotsParameters(PageParameters, frozen=True):
    """Parameters of the list of bots.

    Attributes:
        named: only bots that a wall of guests may name, so that a page may be shorter than its
            limit.
    """

    cursor: BotsCursor | None = None
    named: Literal["guests"] | None = None


class GamesParameters(PageParameters, frozen=True):
    """Parameters of the list of games.

    Attributes:
        bot: only games of this bot.
        match: only games of this match.
        ladder: only games of this ladder.
        status: only games that are over, or that are not.
        opponent: only games of the bot against this one.
        result: only games that the bot won, drew or lost.
        version: only games that the bot played as this version.
        reason: only games that ended in this way.
        since: only games that began on this day or later, UTC.
        until: only games that began on this day or earlier.
        named: only games that the home page may name, or with ``guests`` a wall of guests; where
            many others come between them, a page may be shorter than its limit.
    """

    cursor: GamesCursor | None = None
    bot: Name | None = None
    match: Identifier | None = None
    ladder: Name | None = None
    status: GameStatus | None = None
    opponent: Name | None = None
    result: BotResult | None = None
    version: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    reason: Reason | None = None
    since: Day | None = None
    until: Day | None = None
    named: Literal["true", "guests"] | None = None


class GameParameters(Parameters, frozen=True):
    """Parameters of one game."""

    game: Identifier


class AnalysisParameters(Parameters, frozen=True):
    """A position."""

    board: Annotated[str, Meta(max_length=256)]
    rules: Annotated[str, Meta(max_length=256, description="The rules as text.")] = USUAL_RULES


class RiverParameters(Parameters, frozen=True):
    """A position from which games went on; by default the start of most of them."""

    board: Annotated[str, Meta(max_length=256)] | None = None
    rules: (
        Annotated[
            str, Meta(max_length=256, description="The board's rules as text; by default `kalah`.")
        ]
        | None
    ) = None


class MatchParameters(Parameters, frozen=True):
    """Parameters of one match."""

    match: Identifier


class DayParameters(Parameters, frozen=True):
    """Parameters of the puzzle of one day.

    Attributes:
        day: the day in UTC, as ``2026-12-01``.
    """

    day: Day


class NamedParameters(Parameters, frozen=True):
    """Parameters of one bot, ladder or event."""

    name: Name


class DuelParameters(NamedParameters, frozen=True):
    """Parameters of what two bots have played.

    Attributes:
        other: its opponent.
    """

    other: Name


class SubmissionParameters(Parameters, frozen=True):
    """Parameters of one event that was played elsewhere."""

    event: Annotated[
        str, Meta(pattern=r"^[0-9a-f]{16}$(?!\n)", description="Its name, as lists have it.")
    ]


class StandingsParameters(NamedParameters, frozen=True):
    """Parameters of a page of a ladder's standings."""

    limit: PageSize = LARGEST_PAGE
    cursor: StandingsCursor | None = None


def complaint(error: ValidationError) -> str:
    """Return a sentence for a wrong parameter; a pattern is no sentence."""
    name = codec.mismatched(error)
    return f"{name}: {SHAPES[name]}" if name else str(error)


def board_of(parameters: AnalysisParameters) -> Board:
    try:
        return Board.from_text(parameters.board, Rules.parse(parameters.rules))
    except InvalidPositionError as error:
        raise BadRequestError(str(error)) from None


def source_of(parameters: RiverParameters) -> Board | None:
    """Return the position of a request, if it names one."""
    board, rules = parameters.board, parameters.rules
    if board is not None:
        rules = USUAL_RULES if rules is None else rules
        return board_of(AnalysisParameters(board=board, rules=rules))
    if rules is not None:
        raise BadRequestError("rules: needs board, whose rules these are")
    return None


def cursor_of(last: GameKey) -> str:
    return f"{last.started_at.replace(UTC, 'Z')}~{last.game}"


def game_filter(wanted: GamesParameters) -> GameFilter:
    """Return the filter that a request means; refuse one that lacks its bot, or of no day."""
    of_bot = {"opponent": wanted.opponent, "result": wanted.result, "version": wanted.version}
    needing = [name for name, value in of_bot.items() if value is not None]
    if needing and wanted.bot is None:
        raise BadRequestError(f"{needing[0]}: needs bot, whose games these are")
    version = wanted.version
    if version is not None and wanted.bot is not None:
        version = entrant_name(wanted.bot, Agent(wanted.bot, version))
    since = None if wanted.since is None else _midnight("since", wanted.since)
    until = None if wanted.until is None else _midnight("until", wanted.until, days=1)
    same = {name: getattr(wanted, name) for name in GameFilter._fields}
    return GameFilter(**same)._replace(version=version, since=since, until=until)


def _midnight(name: str, day: str, *, days: int = 0) -> str:
    try:
        found = date.fromisoformat(day) + timedelta(days=days)
    except (ValueError, OverflowError):
        raise BadRequestError(f"{name}: there is no day {day}") from None
    return f"{found.isoformat()}T00:00:00.000{UTC}"


def game_key(cursor: str) -> GameKey:
    began_at, _, game = cursor.partition("~")
    return GameKey(began_at.replace("Z", UTC), game)
