"""Read-only queries for the API: games, records, matches and bots.

Reads never block the journal: they have a connection and a thread of their own, and see the last
commit while the writer goes on. Only a store in memory has a single connection; there the writer's
thread reads too.

Concurrent requests for the same query share one result, so many viewers of one page cost one query.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from mancala.protocol.accuracy import PhaseAccuracy
from mancala.protocol.record import GameRecord
from mancala.protocol.review import GameReview

from ...model.contests import EventArchive, EventBoardRow, EventStands, KeptEvent
from ...model.reviews import ReviewKey
from ...model.schemas.bots import BotSummary, LadderAccuracy
from ...model.schemas.games import GameNeighbours, MatchView
from ...model.schemas.history import BotStatistics, Duel, RatingHistory
from ...model.schemas.submissions import SubmissionList, SubmissionView
from ..database.writer import Transaction
from ..rows import contests, game_lists, history, outbox, reviews, submissions
from ..rows.game_lists import FoundGames, GameFilter, GameKey
from ..rows.records import record_of
from . import statistics
from .bot_lists import bots_page

__all__ = ["Archive", "GameFilter", "GameKey", "ReadConnection"]

P = ParamSpec("P")
T = TypeVar("T")


class ReadConnection(Protocol):
    """A connection for reading."""

    def read(self, act: Callable[[Transaction], T], /) -> Awaitable[T]:
        """Run ``act`` in a thread, within one transaction."""


class Archive:
    """Queries of stored games, matches and bots."""

    def __init__(self, reader: ReadConnection, *, server: str) -> None:
        """Prepare the queries; ``server`` is the server's name, for records."""
        self._reader = reader
        self._server = server
        self._pending: dict[object, asyncio.Future[Any]] = {}
        self.on_read: Callable[[float], object] = lambda _seconds: None
        """Called with the seconds that each query took, its wait for a thread included."""

    async def games(self, wanted: GameFilter, *, after: GameKey | None, limit: int) -> FoundGames:
        """Return at most ``limit`` games, the latest first, from behind the game ``after``."""
        return await self._ask(game_lists.games_page, wanted, after, limit)

    async def record(self, game: str) -> GameRecord | None:
        """Return the record of a running or finished game; None when there is no such game."""
        return await self._ask(_record, game, self._server)

    async def neighbours(self, game: str) -> GameNeighbours | None:
        """Return the games that began before and after a game; None when there is no such game."""
        return await self._ask(game_lists.neighbours, game)

    async def match(self, match: str) -> MatchView | None:
        """Return a match; None when there is no such match."""
        return await self._ask(game_lists.match_view, match)

    async def bots(
        self, *, name: str | None = None, after: str | None = None, limit: int
    ) -> tuple[BotSummary, ...]:
        """Return bots that played or have a token, ordered by name; only one with ``name``."""
        return await self._ask(bots_page, name, after, limit)

    async def event_states(self) -> dict[str, EventStands]:
        """Return where each event stands that took a step, by name."""
        return await self._ask(contests.event_states)

    async def event(self, name: str) -> KeptEvent | None:
        """Return an event as it is stored; None before its first step."""
        return await self._ask(contests.kept_event, name)

    async def event_boards(self, name: str) -> tuple[EventBoardRow, ...]:
        """Return the games of an event that are being played."""
        return await self._ask(contests.boards_of, name)

    async def event_archive(self, name: str, kept: KeptEvent, settings: str) -> EventArchive:
        """Return an event as its archive file has it, given its settings as JSON."""
        return await self._ask(contests.archive_of, name, kept, settings, self._server)

    async def submissions(self, *, tests: bool) -> SubmissionList:
        """Return the latest tests that were submitted, or the latest other events."""
        return await self._ask(submissions.latest, tests=tests)

    async def submission(self, key: str) -> SubmissionView | None:
        """Return an event that was played elsewhere; None where there is none."""
        return await self._ask(submissions.submission_at, key)

    async def review(self, game: str) -> GameReview | None:
        """Return the review of a game; None while it waits for one.

        Raises:
            LookupError: when it neither has one nor waits for one.
        """
        return await self._ask(reviews.review_of, game)

    async def latest_reviews(self, limit: int) -> list[ReviewKey]:
        """Return which reviews there are of the games that ended last."""
        return await self._ask(reviews.latest, limit)

    async def reviewed(self, names: tuple[str, ...]) -> frozenset[str]:
        """Return which of these games have a review."""
        return await self._ask(reviews.reviewed, names)

    async def accuracies(self, ladder: str, names: tuple[str, ...]) -> dict[str, PhaseAccuracy]:
        """Return how well versions of bots play in a ladder, by name, over whole games."""
        found = await self._ask(reviews.accuracies_of, ladder, names)
        return {name: each.phases[0] for name, each in found.items()}

    async def ratings_of(self, bot: str) -> RatingHistory:
        """Return the ratings of a bot's versions over time, in all ladders."""
        return await self._ask(history.ratings_of, bot)

    async def ratings_in(self, ladder: str, entrants: tuple[str, ...]) -> RatingHistory:
        """Return the ratings of some versions over time, in one ladder."""
        return await self._ask(history.ratings_in, ladder, entrants)

    async def ratings_before(
        self, ladder: str, entrants: tuple[str, ...], day: date
    ) -> dict[str, float]:
        """Return the ratings of versions in a ladder when a day began, by name."""
        return await self._ask(history.ratings_before, ladder, entrants, day)

    async def statistics_of(self, bot: str) -> BotStatistics:
        """Return what the games of a bot came to: by seat, ending, opening, length, opponent."""
        return await self._ask(statistics.statistics_of, bot)

    async def duel(self, bot: str, other: str) -> Duel:
        """Return what the games of two bots came to."""
        return await self._ask(statistics.duel, bot, other)

    async def accuracy_of(self, bot: str) -> tuple[LadderAccuracy, ...]:
        """Return how well the versions of a bot play, by ladder and name."""
        return await self._ask(reviews.accuracies_of_bot, bot)

    async def outbox_depth(self) -> int:
        """Return the number of payloads not yet published."""
        return await self._ask(outbox.depth)

    async def outbox_bytes(self) -> int:
        """Return the bytes of all payloads in the outbox, but the oldest one's."""
        return await self._ask(outbox.bytes_held)

    async def reviews_waiting(self) -> int:
        """Return the number of games that wait for a review."""
        return await self._ask(reviews.number_waiting)

    async def _ask(
        self, act: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return what ``act`` finds; equal questions at one time share an answer."""
        question = act, args, tuple(kwargs.items())
        answer: asyncio.Future[T] | None = self._pending.get(question)
        if answer is None:
            reading = self._read(lambda transaction: act(transaction, *args, **kwargs))
            answer = self._pending[question] = asyncio.ensure_future(reading)
            answer.add_done_callback(lambda _answer: self._pending.pop(question, None))
        return await asyncio.shield(answer)

    async def _read(self, act: Callable[[Transaction], T]) -> T:
        now = asyncio.get_running_loop().time
        began = now()
        try:
            return await self._reader.read(act)
        finally:
            self.on_read(now() - began)


def _record(transaction: Transaction, game: str, server: str) -> GameRecord | None:
    found = record_of(transaction, game, server)
    return found or contests.imported_record(transaction, game)
