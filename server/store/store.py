"""The store as the server uses it: a journal, an outbox, tokens, and what was left unfinished."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType
from typing import Final, NamedTuple, Self, TypeVar

from sqlalchemy import RowMapping, bindparam, delete, select, update

from protocol import codec
from protocol.messages import Agent, Reason
from protocol.referee import LedgerEntry
from server.model.journal import (
    Announced,
    Entry,
    GameClosed,
    KeptLadder,
    KeptMatch,
    KeptSession,
    MatchClosed,
)
from server.store import tokens
from server.store.async_writer import ask, end_thread, open_thread
from server.store.database import StoreError, connect, display
from server.store.entries import write_all
from server.store.ladders import kept_ladders
from server.store.mappers import match_of
from server.store.schema import counters, games, matches, moves, outbox, sessions
from server.store.writer import Transaction, Work, Writer

T = TypeVar("T")

CALLS_A_TURN: Final = 8
FORGOTTEN_AT_ONCE: Final = 500
"""Moves wait for as long as so many rows take to delete, a few milliseconds."""
NEWS: Final = frozenset((GameClosed, MatchClosed, Announced))
"""What fills the outbox."""

UNPUBLISHED: Final = (
    select(outbox.c.seq, outbox.c.topic, outbox.c.payload, outbox.c.is_retained)
    .where(outbox.c.published_at.is_(None))
    .order_by(outbox.c.seq)
)
PUBLISHED: Final = (
    update(outbox)
    .where(outbox.c.seq == bindparam("key"))
    .values(published_at=bindparam("new_published_at"))
)
LONG_PUBLISHED: Final = (
    select(outbox.c.seq)
    .where(outbox.c.published_at < bindparam("before"))
    .order_by(outbox.c.published_at, outbox.c.seq)
    .limit(FORGOTTEN_AT_ONCE)
)
FORGET: Final = delete(outbox).where(outbox.c.seq.in_(LONG_PUBLISHED))
TRIFLE: Final = update(counters).values(value=counters.c.value)


class OutboxRow(NamedTuple):
    """A payload that the broker must get.

    Attributes:
        seq: its place in the order.
        topic: where it goes.
        payload: what goes there.
        is_retained: whether the broker keeps it for those who come later.
    """

    seq: int
    topic: str
    payload: str
    is_retained: bool


class Store:
    """A server's memory. Use it with ``async with``."""

    def __init__(
        self,
        path: str,
        *,
        announced: Callable[[], None] = lambda: None,
        failed: Callable[[Exception], None],
    ) -> None:
        """Prepare the store.

        Args:
            path: the SQLite file, ``:memory:``, or a PostgreSQL URL.
            announced: called when the outbox has something new.
            failed: called when entries could not be made durable; the server can't go on.
        """
        self._path = path
        self._announced = announced
        self._failed = failed
        self._writer: Writer | None = None

    async def __aenter__(self) -> Self:
        """Open it.

        Raises:
            StoreError: when it can't be opened, or belongs to another server.
        """
        loop = asyncio.get_running_loop()

        def call_back(calls: list[Callable[[], None]]) -> None:
            loop.call_soon_threadsafe(_call_some, loop, calls)

        self._writer = Writer(partial(connect, self._path), call_back, loop.call_soon)
        try:
            await open_thread(self._writer)
        except StoreError:
            raise
        except Exception as error:
            raise StoreError(f"{display(self._path)}: {error}") from error
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write what was handed in, and close."""
        await end_thread(self._open_writer)

    @property
    def _open_writer(self) -> Writer:
        if self._writer is None:
            raise RuntimeError("the store isn't open")
        return self._writer

    # The journal

    def commit(self, entries: Sequence[Entry], done: Callable[[], None]) -> None:
        """Make the entries durable together, then call ``done`` on the event loop."""
        committed = partial(self._committed, entries, done)
        self._open_writer.submit(Work(partial(write_all, entries), committed, self._failed))

    def _committed(
        self, entries: Sequence[Entry], done: Callable[[], None], _nothing: None
    ) -> None:
        done()
        if not NEWS.isdisjoint(map(type, entries)):
            self._announced()

    async def unfinished(self) -> tuple[list[KeptSession], list[KeptMatch]]:
        """Read what a former server left: sessions, and matches under way."""
        return await self._run(lambda transaction: (_sessions(transaction), _matches(transaction)))

    # Looking in from outside

    async def read(self, act: Callable[[Transaction], T]) -> T:
        """Do it in the writer's thread; the journal waits meanwhile."""
        return await self._run(act)

    async def try_writing(self) -> None:
        """Write something that changes nothing.

        Raises:
            sqlalchemy.exc.SQLAlchemyError: when that can't be done.
        """
        await self._run(lambda transaction: transaction.put(TRIFLE, {}))

    async def ladders(self) -> dict[str, KeptLadder]:
        """Read what a former server left of its ladders, by name."""
        return await self._run(kept_ladders)

    # The outbox

    async def unpublished(self, limit: int) -> list[OutboxRow]:
        """Read what the broker must get next, at most so many rows."""

        def read(transaction: Transaction) -> list[OutboxRow]:
            rows = transaction.execute(UNPUBLISHED.limit(limit))
            return [OutboxRow._make(row) for row in rows]

        return await self._run(read)

    async def mark_published(self, seqs: Sequence[int], at: str) -> None:
        """Note what the broker has acknowledged."""

        def mark(transaction: Transaction) -> None:
            for seq in seqs:
                transaction.put(PUBLISHED, {"key": seq, "new_published_at": at})

        await self._run(mark)

    async def forget_published(self, before: str) -> None:
        """Delete some of what the broker acknowledged before then, the oldest first."""
        await self._run(lambda transaction: transaction.execute(FORGET, {"before": before}).close())

    # Tokens

    async def issue_token(self, name: str, at: str) -> str:
        """Reserve a name for whoever has the token given; a former token is void."""
        return await self._run(lambda transaction: tokens.issue(transaction, name, at))

    async def kept_sessions(self) -> frozenset[str]:
        """Give the hashes of the sessions that were opened with a token and are still good."""
        return await self._run(tokens.kept_sessions)

    def check(self, name: str, token: str | None, answer: Callable[[str | None], None]) -> None:
        """Tell ``answer`` what is wrong with the token, or None if the bot may use the name."""

        def read(transaction: Transaction) -> str | None:
            return tokens.problem(transaction, name, token)

        self._open_writer.submit(Work(read, answer, self._failed))

    def recall(self, secret_hash: str, answer: Callable[[bool], None]) -> None:
        """Tell ``answer`` whether a session is still good."""

        def read(transaction: Transaction) -> bool:
            return tokens.is_session_kept(transaction, secret_hash)

        self._open_writer.submit(Work(read, answer, self._failed))

    async def _run(self, act: Callable[[Transaction], T]) -> T:
        return await ask(self._open_writer, act)


def _call_some(loop: asyncio.AbstractEventLoop, calls: Sequence[Callable[[], None]]) -> None:
    """Call these in order, a few a turn of the event loop.

    A large group would hold up what is sent for its first calls, and whoever speaks meanwhile.
    A fault in one is not the others': it goes where the loop's own callbacks' faults go.
    """
    for call in calls[:CALLS_A_TURN]:
        try:
            call()
        except Exception as error:  # noqa: BLE001  # told to the loop's handler
            loop.call_exception_handler({"message": f"fault in {call!r}", "exception": error})
    if len(calls) > CALLS_A_TURN:
        loop.call_soon(_call_some, loop, calls[CALLS_A_TURN:])


def _sessions(transaction: Transaction) -> list[KeptSession]:
    rows = transaction.execute(select(sessions)).mappings()
    return [
        KeptSession(row["secret_hash"], row["name"], _agent(row["agent"]), row["is_guest"])
        for row in rows
    ]


def _agent(text: str | None) -> Agent | None:
    return None if text is None else codec.from_json(text, Agent)


def _matches(transaction: Transaction) -> list[KeptMatch]:
    rows = transaction.execute(select(matches).where(matches.c.ended_at.is_(None))).mappings()
    return [_match(transaction, row) for row in rows.all()]


def _match(transaction: Transaction, row: RowMapping) -> KeptMatch:
    match = match_of(row)
    query = select(games).where(games.c.match == match.id).order_by(games.c.number)
    last = None
    for game in transaction.execute(query).mappings():
        match.games.append(game["id"])
        if game["ended_at"] is not None:
            match.count(game["winner"], Reason(game["reason"]))
        last = game
    if last is None or last["ended_at"] is not None:
        return KeptMatch(match, running=False, began_at=row["began_at"], moves=())
    played = _moves(transaction, last["id"])
    return KeptMatch(match, running=True, began_at=last["began_at"], moves=played)


def _moves(transaction: Transaction, game: str) -> tuple[LedgerEntry, ...]:
    query = select(moves).where(moves.c.game == game).order_by(moves.c.ply)
    rows = transaction.execute(query).mappings()
    return tuple(LedgerEntry(row["pit"], row["elapsed_ms"], row["lag_ms"]) for row in rows)
