"""The endpoints of ``/api/v1``: routes and the OpenAPI document are made from these rows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct

from mancala.protocol.record import GameRecord
from mancala.protocol.review import GameReview

from ...contest.live.views import EventList, EventLosingMoves, EventView
from ...model.contests import EventArchive
from ...model.schemas.analysis import AnalysisView, BotMistakes, ExplorerView, PuzzleList
from ...model.schemas.bots import BotPage, BotSchedule, BotView, OpponentList
from ...model.schemas.games import (
    GameNeighbours,
    GamePage,
    GamePositions,
    GameStatus,
    LiveGame,
    MatchView,
    StageView,
)
from ...model.schemas.history import BotStatistics, Duel, RatingHistory
from ...model.schemas.ladders import LadderList, StandingsView, SuperiorityView, TermsView
from ...model.schemas.status import LogView, ServerView
from ...model.schemas.submissions import SubmissionList, SubmissionView
from ...net.limits.costs import HTTP_ANALYSIS, HTTP_QUERY, HTTP_SCAN
from .api import Api
from .parameters import (
    AnalysisParameters,
    BotParameters,
    BotsParameters,
    DuelParameters,
    EventParameters,
    GameParameters,
    GamesParameters,
    LadderParameters,
    MatchParameters,
    Parameters,
    StandingsParameters,
    SubmissionParameters,
)

A = TypeVar("A", bound=Parameters)


def never(_result: object) -> bool:
    """Return False."""
    return False


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[A]):
    """An endpoint of the API.

    Attributes:
        path: below ``/api/v1``; names in braces are fields of ``parameters``.
        parameters: the path and query parameters.
        result: the body of the response.
        handler: makes the result; its docstring is the summary.
        price: of making the result, besides the request.
        is_final: returns whether a result never changes.
        needs_game_server: whether the store alone can't answer.
    """

    path: str
    parameters: type[A]
    result: type[Struct]
    handler: Callable[[Api, A], Awaitable[Struct]]
    price: float = 0.0
    is_final: Callable[[Any], bool] = never
    needs_game_server: bool = False


def _has_result(record: GameRecord) -> bool:
    return record.result is not None


def _is_over(positions: GamePositions) -> bool:
    return positions.over


def _is_match_over(match: MatchView) -> bool:
    return match.status is GameStatus.OVER


EVENT: Final[Endpoint[Any]] = Endpoint(
    "/events/{name}", EventParameters, EventView, Api.event, HTTP_SCAN
)

ENDPOINTS: Final[tuple[Endpoint[Any], ...]] = (
    Endpoint("", Parameters, ServerView, Api.about, needs_game_server=True),
    Endpoint("/ladders", Parameters, LadderList, Api.ladders, needs_game_server=True),
    Endpoint(
        *("/ladders/{name}/standings", StandingsParameters, StandingsView, Api.standings),
        needs_game_server=True,
    ),
    Endpoint(
        *("/ladders/{name}/ratings", LadderParameters, RatingHistory, Api.ladder_ratings),
        price=HTTP_QUERY,
        needs_game_server=True,
    ),
    Endpoint("/terms", Parameters, TermsView, Api.terms, needs_game_server=True),
    Endpoint("/opponents", Parameters, OpponentList, Api.opponents, needs_game_server=True),
    Endpoint(
        *("/ladders/{name}/superiority", LadderParameters, SuperiorityView, Api.superiority),
        needs_game_server=True,
    ),
    Endpoint(
        *("/analysis", AnalysisParameters, AnalysisView, Api.analysis, HTTP_ANALYSIS),
        needs_game_server=True,  # or rather its machine: the analyst may be busy
    ),
    Endpoint("/explorer", AnalysisParameters, ExplorerView, Api.explorer, HTTP_QUERY),
    Endpoint("/log", Parameters, LogView, Api.log, HTTP_QUERY, needs_game_server=True),
    Endpoint("/events", Parameters, EventList, Api.events, HTTP_QUERY),
    EVENT,
    Endpoint(
        *("/events/{name}/losing-moves", EventParameters, EventLosingMoves),
        *(Api.event_losing_moves, HTTP_SCAN),
    ),
    Endpoint(
        *("/events/{name}/archive", EventParameters, EventArchive, Api.event_archive, HTTP_SCAN)
    ),
    Endpoint("/elsewhere", Parameters, SubmissionList, Api.elsewhere, HTTP_QUERY),
    Endpoint("/elsewhere/{event}", SubmissionParameters, SubmissionView, Api.submission, HTTP_SCAN),
    Endpoint("/tests", Parameters, SubmissionList, Api.tests, HTTP_QUERY),
    Endpoint("/bots", BotsParameters, BotPage, Api.bots, HTTP_SCAN),
    Endpoint(
        *("/bots/{name}", BotParameters, BotView, Api.bot, HTTP_QUERY),
        needs_game_server=True,
    ),
    Endpoint(
        *("/bots/{name}/next", BotParameters, BotSchedule, Api.next_matches, HTTP_QUERY),
        needs_game_server=True,
    ),
    Endpoint("/bots/{name}/ratings", BotParameters, RatingHistory, Api.bot_ratings, HTTP_QUERY),
    Endpoint(
        "/bots/{name}/statistics", BotParameters, BotStatistics, Api.bot_statistics, HTTP_QUERY
    ),
    Endpoint("/bots/{name}/mistakes", BotParameters, BotMistakes, Api.bot_mistakes, HTTP_SCAN),
    Endpoint("/bots/{name}/vs/{other}", DuelParameters, Duel, Api.duel, HTTP_QUERY),
    Endpoint(
        *("/games", GamesParameters, GamePage, Api.games, HTTP_QUERY),
        needs_game_server=True,  # to know the ladder that the games were played in
    ),
    Endpoint("/stage", Parameters, StageView, Api.stage, HTTP_QUERY),
    Endpoint("/puzzles", Parameters, PuzzleList, Api.puzzles, HTTP_SCAN),
    Endpoint("/games/{game}", GameParameters, GameRecord, Api.record, HTTP_QUERY, _has_result),
    Endpoint(
        *("/games/{game}/live", GameParameters, LiveGame, Api.live, HTTP_QUERY),
        needs_game_server=True,
    ),
    Endpoint(
        *("/games/{game}/positions", GameParameters, GamePositions, Api.positions, HTTP_QUERY),
        is_final=_is_over,
    ),
    Endpoint(
        "/games/{game}/neighbours", GameParameters, GameNeighbours, Api.neighbours, HTTP_QUERY
    ),
    Endpoint("/games/{game}/review", GameParameters, GameReview, Api.review, HTTP_QUERY),
    Endpoint("/matches/{match}", MatchParameters, MatchView, Api.match, HTTP_QUERY, _is_match_over),
)
