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
from typing import Any, Protocol, TypeVar

from sqlalchemy import RowMapping, func, select

from mancala.protocol.accuracy import PhaseAccuracy
from mancala.protocol.record import GameRecord
from mancala.protocol.review import GameReview

from ...model.contests import EventArchive, EventBoardRow, EventStands, KeptEvent
from ...model.entrant import entrant_name
from ...model.reviews import ReviewKey
from ...model.schemas.bots import BotSummary, LadderAccuracy
from ...model.schemas.games import GameNeighbours, MatchView
from ...model.schemas.history import BotStatistics, Duel, RatingHistory
from ...model.schemas.submissions import SubmissionList, SubmissionView
from ..database.schema import games, matches, outbox
from ..database.writer import Transaction
from ..rows import contests, history, reviews, submissions
from ..rows.game_filter import FoundGames, GameFilter, GameKey
from ..rows.game_lists import GAMES, game_summary, games_page, neighbours, status_of
from ..rows.matches import match_of
from ..rows.outbox import bytes_held
from ..rows.records import record_of
from . import statistics
from .bot_lists import bots_page

__all__ = ["Archive", "GameFilter", "GameKey", "ReadConnection"]

T = TypeVar("T")


class ReadConnection(Protocol):
    """A connection for reading."""

    def read(self, act: Callable[[Transaction], T], /) -> Awaitable[T]:
        """Run ``act`` in a thread, within one transaction."""


def _ignore(_seconds: float) -> None:
    """Measure nothing."""


class Archive:
    """Queries of stored games, matches and bots.

    Attributes:
        on_read: called with the seconds that each query took, its wait for a thread included.
    """

    def __init__(self, reader: ReadConnection, *, server: str) -> None:
        """Prepare the archive.

        Args:
            reader: runs the queries.
            server: the server's name, for records.
        """
        self._reader = reader
        self._server = server
        self._pending: dict[object, asyncio.Future[Any]] = {}
        self.on_read: Callable[[float], object] = _ignore

    async def games(self, wanted: GameFilter, *, after: GameKey | None, limit: int) -> FoundGames:
        """Return games, the latest first.

        Args:
            wanted: filters the games.
            after: the last game of the previous page; None for the first page.
            limit: maximum number of games.
        """

        def read(transaction: Transaction) -> FoundGames:
            return games_page(transaction, wanted, after, limit)

        return await self._shared(("games", wanted, after, limit), read)

    async def record(self, game: str) -> GameRecord | None:
        """Return the record of a running or finished game; None when there is no such game."""

        def read(transaction: Transaction) -> GameRecord | None:
            found = record_of(transaction, game, self._server)
            return found or contests.imported_record(transaction, game)

        return await self._shared(("record", game), read)

    async def neighbours(self, game: str) -> GameNeighbours | None:
        """Return the games that began before and after a game; None when there is no such game."""

        def read(transaction: Transaction) -> GameNeighbours | None:
            return neighbours(transaction, game)

        return await self._shared(("neighbours", game), read)

    async def match(self, match: str) -> MatchView | None:
        """Return a match; None when there is no such match."""

        def read(transaction: Transaction) -> MatchView | None:
            query = select(matches).where(matches.c.id == match)
            row = transaction.execute(query).mappings().one_or_none()
            return None if row is None else _match_view(transaction, row)

        return await self._shared(("match", match), read)

    async def bots(
        self, *, name: str | None = None, after: str | None = None, limit: int
    ) -> tuple[BotSummary, ...]:
        """Return bots that played or have a token, ordered by name.

        Args:
            name: only the bot of this name.
            after: the last name of the previous page; None for the first page.
            limit: maximum number of bots.
        """

        def read(transaction: Transaction) -> tuple[BotSummary, ...]:
            return bots_page(transaction, name, after, limit)

        return await self._shared(("bots", name, after, limit), read)

    async def event_states(self) -> dict[str, EventStands]:
        """Return where each event stands that took a step, by name."""
        return await self._shared(("event states",), contests.event_states)

    async def event(self, name: str) -> KeptEvent | None:
        """Return an event as it is stored; None before its first step."""

        def read(transaction: Transaction) -> KeptEvent | None:
            return contests.kept_event(transaction, name)

        return await self._shared(("event", name), read)

    async def event_boards(self, name: str) -> tuple[EventBoardRow, ...]:
        """Return the games of an event that are being played."""

        def read(transaction: Transaction) -> tuple[EventBoardRow, ...]:
            return contests.boards_of(transaction, name)

        return await self._shared(("event boards", name), read)

    async def event_archive(self, name: str, kept: KeptEvent, settings: str) -> EventArchive:
        """Return an event as its archive file has it, given its settings as JSON."""

        def read(transaction: Transaction) -> EventArchive:
            return contests.archive_of(transaction, name, kept, settings, self._server)

        return await self._shared(("event archive", name), read)

    async def submissions(self, *, tests: bool) -> SubmissionList:
        """Return the latest tests that were submitted, or the latest other events."""

        def read(transaction: Transaction) -> SubmissionList:
            return submissions.latest(transaction, tests=tests)

        return await self._shared(("submissions", tests), read)

    async def submission(self, key: str) -> SubmissionView | None:
        """Return an event that was played elsewhere; None where there is none."""

        def read(transaction: Transaction) -> SubmissionView | None:
            return submissions.submission_at(transaction, key)

        return await self._shared(("submission", key), read)

    async def review(self, game: str) -> GameReview | None:
        """Return the review of a game; None while it waits for one.

        Raises:
            LookupError: when it neither has one nor waits for one.
        """

        def read(transaction: Transaction) -> GameReview | None:
            return reviews.review_of(transaction, game)

        return await self._shared(("review", game), read)

    async def latest_reviews(self, limit: int) -> list[ReviewKey]:
        """Return which reviews there are of the games that ended last."""

        def read(transaction: Transaction) -> list[ReviewKey]:
            return reviews.latest(transaction, limit)

        return await self._shared(("latest reviews", limit), read)

    async def reviewed(self, names: tuple[str, ...]) -> frozenset[str]:
        """Return which of these games have a review."""

        def read(transaction: Transaction) -> frozenset[str]:
            return reviews.reviewed(transaction, names)

        return await self._shared(("reviewed", names), read)

    async def accuracies(self, ladder: str, names: tuple[str, ...]) -> dict[str, PhaseAccuracy]:
        """Return how well versions of bots play in a ladder, by name, over whole games."""

        def read(transaction: Transaction) -> dict[str, PhaseAccuracy]:
            found = reviews.accuracies_of(transaction, ladder, names)
            return {name: each.phases[0] for name, each in found.items()}

        return await self._shared(("accuracies", ladder, names), read)

    async def ratings_of(self, bot: str) -> RatingHistory:
        """Return the ratings of a bot's versions over time, in all ladders."""

        def read(transaction: Transaction) -> RatingHistory:
            return history.ratings_of(transaction, bot)

        return await self._shared(("ratings", bot), read)

    async def ratings_in(self, ladder: str, entrants: tuple[str, ...]) -> RatingHistory:
        """Return the ratings of some versions over time, in one ladder."""

        def read(transaction: Transaction) -> RatingHistory:
            return history.ratings_in(transaction, ladder, entrants)

        return await self._shared(("ratings in", ladder, entrants), read)

    async def ratings_before(
        self, ladder: str, entrants: tuple[str, ...], day: date
    ) -> dict[str, float]:
        """Return the ratings of versions in a ladder when a day began, by name."""

        def read(transaction: Transaction) -> dict[str, float]:
            return history.ratings_before(transaction, ladder, entrants, day)

        return await self._shared(("ratings before", ladder, entrants, day), read)

    async def statistics_of(self, bot: str) -> BotStatistics:
        """Return what the games of a bot came to: by seat, ending, opening, length, opponent."""

        def read(transaction: Transaction) -> BotStatistics:
            return statistics.statistics_of(transaction, bot)

        return await self._shared(("statistics", bot), read)

    async def duel(self, bot: str, other: str) -> Duel:
        """Return what the games of two bots came to."""

        def read(transaction: Transaction) -> Duel:
            return statistics.duel(transaction, bot, other)

        return await self._shared(("duel", bot, other), read)

    async def accuracy_of(self, bot: str) -> tuple[LadderAccuracy, ...]:
        """Return how well the versions of a bot play, by ladder and name."""

        def read(transaction: Transaction) -> tuple[LadderAccuracy, ...]:
            return tuple(
                LadderAccuracy(ladder=ladder or None, name=each.name, phases=each.phases)
                for ladder, each in reviews.accuracies_of_bot(transaction, entrant_name(bot, None))
            )

        return await self._shared(("accuracy", bot), read)

    async def outbox_depth(self) -> int:
        """Return the number of payloads not yet published."""
        query = select(func.count()).where(outbox.c.published_at.is_(None))

        def read(transaction: Transaction) -> int:
            count: int = transaction.execute(query).scalar_one()
            return count

        return await self._shared("outbox depth", read)

    async def outbox_bytes(self) -> int:
        """Return the bytes of all payloads in the outbox, but the oldest one's."""
        return await self._shared("outbox bytes", bytes_held)

    async def reviews_waiting(self) -> int:
        """Return the number of games that wait for a review."""
        return await self._shared("reviews waiting", reviews.number_waiting)

    async def _shared(self, query: object, act: Callable[[Transaction], T]) -> T:
        answer: asyncio.Future[T] | None = self._pending.get(query)
        if answer is None:
            answer = self._pending[query] = asyncio.ensure_future(self._read(act))
            answer.add_done_callback(lambda _answer: self._pending.pop(query, None))
        return await asyncio.shield(answer)

    async def _read(self, act: Callable[[Transaction], T]) -> T:
        now = asyncio.get_running_loop().time
        began = now()
        try:
            return await self._reader.read(act)
        finally:
            self.on_read(now() - began)


def _match_view(transaction: Transaction, row: RowMapping) -> MatchView:
    match = match_of(row)
    terms = match.terms
    query = GAMES.where(games.c.match == match.id).order_by(games.c.number)
    played = tuple(map(game_summary, transaction.execute(query).mappings()))
    for game in played:
        match.games.append(game.game)
        if game.reason is not None:
            match.count(game.winner, game.reason)
    return MatchView(
        match=match.id,
        ladder=match.ladder,
        rated=terms.rated,
        rules=terms.rules,
        clock=terms.clock,
        players=match.names,
        planned=terms.games,
        games=played,
        score=match.score,
        status=status_of(row),
        started_at=match.began_at,
        ended_at=row["ended_at"],
    )
