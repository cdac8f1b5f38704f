"""Read-only queries for the API: games, records, matches and bots.

Reads never block the journal: they have a connection and a thread of their own, and see the last
commit while the writer goes on. Only a store in memory has a single connection; there the writer's
thread reads too.

Concurrent requests for the same query share one result, so many viewers of one page cost one query.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from mancala.protocol.accuracy import PhaseAccuracy
from mancala.protocol.record import GameRecord
from mancala.protocol.review import GameReview

from ...model.contests import EventArchive, KeptEvent
from ..database.writer import Transaction
from ..rows import contests, game_lists, history, outbox, reviews, submissions
from ..rows.game_lists import FoundGames, GameFilter, GameKey
from ..rows.records import record_of
from . import statistics

__all__ = ["Archive", "FoundGames", "GameFilter", "GameKey", "ReadConnection"]

P = ParamSpec("P")
T = TypeVar("T")


class ReadConnection(Protocol):
    def run(self, act: Callable[[Transaction], T], /) -> Awaitable[T]:
        """Run ``act`` in a thread, within one transaction."""


def _query(
    act: Callable[Concatenate[Transaction, P], T],
) -> Callable[Concatenate[Archive, P], Awaitable[T]]:
    """Return a method of the archive that asks for what ``act`` finds."""

    def asked(archive: Archive, /, *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        return archive.ask(act, *args, **kwargs)

    return asked


class Archive:
    """Queries of stored games, matches and bots."""

    def __init__(self, reader: ReadConnection, *, server: str) -> None:
        """Prepare the queries; ``server`` is the server's name, for records."""
        self._reader = reader
        self._server = server
        self._pending: dict[object, asyncio.Future[Any]] = {}
        self.on_read: Callable[[float], object] = lambda _seconds: None
        """Called with the seconds that each query took, its wait for a thread included."""

    games = _query(game_lists.games_page)
    neighbours = _query(game_lists.neighbours)
    match = _query(game_lists.match_view)
    bots = _query(statistics.bots_page)
    event_states = _query(contests.event_states)
    event = _query(contests.kept_event)
    event_boards = _query(contests.boards_of)
    submission = _query(submissions.submission_at)
    submissions = _query(submissions.latest)
    review = _query(reviews.review_of)
    latest_reviews = _query(reviews.latest)
    reviewed = _query(reviews.reviewed)
    puzzles_until = _query(reviews.puzzles_until)
    accuracy_of = _query(reviews.accuracies_of_bot)
    ratings_of = _query(history.ratings_of)
    ratings_in = _query(history.ratings_in)
    ratings_before = _query(history.ratings_before)
    statistics_of = _query(statistics.statistics_of)
    duel = _query(statistics.duel)
    outbox_depth = _query(outbox.depth)
    outbox_bytes = _query(outbox.bytes_held)
    reviews_waiting = _query(reviews.number_waiting)

    async def record(self, game: str) -> GameRecord | None:
        """Return the record of a running or finished game; None when there is no such game."""
        return await self.ask(_record, game, self._server)

    async def review_if_any(self, game: str) -> GameReview | None:
        """Return a game's review; None where it waits for one, and where it has none."""
        try:
            return await self.review(game)
        except LookupError:
            return None

    async def event_archive(self, name: str, kept: KeptEvent, settings: str) -> EventArchive:
        """Return an event as its archive file has it, given its settings as JSON."""
        return await self.ask(contests.archive_of, name, kept, settings, self._server)

    async def accuracies(self, ladder: str, names: tuple[str, ...]) -> dict[str, PhaseAccuracy]:
        """Return how well versions of bots play in a ladder, by name, over whole games."""
        found = await self.ask(reviews.accuracies_of, ladder, names)
        return {name: each.phases[0] for name, each in found.items()}

    async def ask(
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
            return await self._reader.run(act)
        finally:
            self.on_read(now() - began)


def _record(transaction: Transaction, game: str, server: str) -> GameRecord | None:
    found = record_of(transaction, game, server)
    return found or contests.imported_record(transaction, game)
