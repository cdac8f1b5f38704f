"""The store as the server uses it: journal, outbox, tokens, and unfinished matches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import TracebackType
from typing import Final, Self, TypeVar

from sqlalchemy import RowMapping, select, update

from mancala.protocol import codec
from mancala.protocol.messages import Agent, Reason
from mancala.protocol.referee import LedgerEntry

from ..config.settings import IN_MEMORY
from ..model.contests import KeptEvent
from ..model.credentials import NO_RIGHTS, Rights, TokenProblem
from ..model.day_counts import Counted
from ..model.journal import (
    Announced,
    Entry,
    GameClosed,
    KeptLadder,
    KeptMatch,
    KeptSession,
    MatchClosed,
    OutboxRow,
    ReviewStored,
    StandingsAnnounced,
)
from ..model.orders import KeptOrders
from .database.async_writer import run_in_thread, start_thread, stop_thread
from .database.database import connect, display
from .database.faults import BrokenStoreError, StoreError
from .database.file_watch import FileWatch
from .database.mappers import match_of
from .database.reader import read_once
from .database.schema import counters, games, matches, moves, sessions
from .database.writer import Transaction, Work, Writer
from .entries import name_of, write_all
from .rows import day_counts, info, outbox, reviews, tokens
from .rows.contests import kept_event
from .rows.ladders import kept_ladders
from .rows.orders import kept_orders
from .rows.outbox import Dropped
from .rows.slow_hashes import SlowHashes
from .upkeep import retention

T = TypeVar("T")

CALLS_A_TURN: Final = 8
TOO_MANY: Final = TokenProblem("too many tokens are being checked; try again in a second")
UNCHECKED: Final = TokenProblem("the server could not check the token; its log says why")
NEWS: Final = frozenset((GameClosed, MatchClosed, Announced, StandingsAnnounced, ReviewStored))
"""Entries that add to the outbox."""

Forget = Callable[[Transaction, str], int]
"""Forgets some of what ended before a time; see ``retention.py``."""

TRIFLE: Final = update(counters).values(value=counters.c.value)


def _unreported(_what: str, _error: Exception) -> None:
    """Report no refused work."""


class Store:
    """The persistent state of a server. Use it with ``async with``."""

    _writer: Writer

    def __init__(
        self,
        path: str,
        *,
        announced: Callable[[], None] = lambda: None,
        failed: Callable[[Exception], None],
        refused: Callable[[str, Exception], None] = _unreported,
        writer: Callable[..., Writer] = Writer,
    ) -> None:
        """Prepare the store.

        Args:
            path: the SQLite file, ``:memory:``, or a PostgreSQL URL.
            announced: called when the outbox has new rows.
            failed: called when the store is broken; the server must stop.
            refused: called with the name of a piece of work and its error, when only that piece
                failed.
            writer: makes the writer, called as the class is; a simulation has one without a thread.
        """
        self._path = path
        self._announced = announced
        self._failed = failed
        self._refused = refused
        self._watch = FileWatch(path)
        self._make_writer = writer
        self._hashes = SlowHashes()

    async def __aenter__(self) -> Self:
        """Open the store.

        Raises:
            StoreError: when it can't be opened, or another server uses it.
        """
        loop = asyncio.get_running_loop()

        def call_back(calls: list[Callable[[], None]]) -> None:
            loop.call_soon_threadsafe(_call_some, loop, calls)

        self._writer = self._make_writer(
            partial(connect, self._path),
            call_back,
            loop.call_soon,
            verify=self._watch.check,
            broken=self._failed,
        )
        try:
            await start_thread(self._writer)
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
        """Finish pending writes and close."""
        self._hashes.close()
        await stop_thread(self._writer)

    # The journal

    def commit(
        self,
        entries: Sequence[Entry],
        done: Callable[[], None],
        refused: Callable[[], None] = lambda: None,
    ) -> None:
        """Commit the entries in one transaction, then call ``done`` on the event loop.

        Call ``refused`` instead when these entries can't be stored, while others can.
        """
        committed = partial(self._committed, entries, done)
        failed = partial(self._refuse_entries, entries, refused)
        self._writer.submit(Work(partial(write_all, entries), committed, failed))

    def _refuse_entries(
        self, entries: Sequence[Entry], refused: Callable[[], None], error: Exception
    ) -> None:
        self._refuse(", ".join(map(name_of, entries)), refused, error)

    def _refuse(self, what: str, refused: Callable[[], None], error: Exception) -> None:
        if isinstance(error, BrokenStoreError):  # then the server stops, and announces nothing
            return
        self._refused(what, error)
        refused()

    def _committed(
        self, entries: Sequence[Entry], done: Callable[[], None], _nothing: None
    ) -> None:
        done()
        if not NEWS.isdisjoint(map(type, entries)):
            self._announced()

    async def unfinished(self) -> tuple[list[KeptSession], list[KeptMatch]]:
        """Return the sessions and running matches of the previous process."""
        return await self._run(lambda transaction: (_sessions(transaction), _matches(transaction)))

    # Reading

    async def read(self, act: Callable[[Transaction], T]) -> T:
        """Run ``act`` in the writer's thread, which delays the journal."""
        return await self._run(act)

    async def read_apart(self, act: Callable[[Transaction], T]) -> T:
        """Run ``act`` on a connection of its own, which delays nothing however long it takes."""
        if self._path == IN_MEMORY:  # which only the writer sees
            return await self._run(act)
        return await asyncio.to_thread(read_once, self._path, act)

    @property
    def queued(self) -> int:
        """How much work the writer has not done yet."""
        return self._writer.depth

    async def try_writing(self) -> None:
        """Write without changing anything.

        Raises:
            BrokenStoreError: when the store is broken or gone.
        """
        await self._run(lambda transaction: transaction.put(TRIFLE, {}))

    async def ladders(self) -> dict[str, KeptLadder]:
        """Return the ladders of the previous process, by name."""
        return await self._run(kept_ladders)

    async def orders(self) -> KeptOrders:
        """Return what the operator has ordered and what still holds."""
        return await self._run(kept_orders)

    async def counted_since(self, since: str) -> list[Counted]:
        """Return what is limited to a few in 24 hours and was counted since then."""
        return await self._run(lambda transaction: day_counts.counted_since(transaction, since))

    async def forget_counted(self, before: str) -> None:
        """Delete what was counted before a time."""
        await self._run(lambda transaction: day_counts.forget_counted(transaction, before))

    def read_event(self, name: str, answer: Callable[[KeptEvent | None], None]) -> None:
        """Call ``answer`` with an event as it is stored, None before its first step."""

        def read(transaction: Transaction) -> tuple[KeptEvent | None]:
            return (kept_event(transaction, name),)

        def pass_on(found: tuple[KeptEvent | None] | None) -> None:
            if found is not None:
                answer(*found)

        self.ask(f"event {name}", read, pass_on)

    # The outbox

    async def unpublished(self, limit: int) -> list[OutboxRow]:
        """Return the next rows to publish, at most ``limit``."""
        return await self._run(lambda transaction: outbox.unpublished(transaction, limit))

    async def mark_published(self, seqs: Sequence[int], at: str) -> None:
        """Mark rows that the broker has acknowledged."""

        def mark(transaction: Transaction) -> None:
            for seq in seqs:
                transaction.put(outbox.PUBLISHED, {"key": seq, "new_published_at": at})

        await self._run(mark)

    async def forget_published(self, before: str) -> None:
        """Delete the rows published before a time, the oldest first."""
        while await self._run(partial(_forget_published, before)):
            pass

    async def drop_oldest_payloads(self, most_rows: int, most_bytes: int) -> Dropped:
        """Delete the oldest rows while there are more, or more bytes, than this."""
        total = Dropped(0, 0)
        while (found := await self._run(partial(_drop_payloads, most_rows, most_bytes))).rows:
            total = Dropped(total.rows + found.rows, total.unpublished + found.unpublished)
        return total

    # Reports

    async def drop_oldest_info(self, limit: int) -> None:
        """Drop the oldest reports of bots until all together have at most ``limit`` bytes."""
        while await self._run(partial(_drop_oldest, limit)):
            pass

    # What is old

    async def forget_some(self, kind: Forget, before: str) -> int:
        """Forget some of what ended before a time, the oldest first; return how much."""
        return await self._run(lambda transaction: kind(transaction, before))

    async def renew_statistics(self) -> None:
        """Renew what the planner of queries knows of the tables."""
        await self._run(retention.renew_statistics)

    async def give_back_room(self) -> bool:
        """Release some of the room of deleted rows; return whether more is left."""
        return await self._run(retention.give_back_room)

    # Reviews

    def ask(
        self, what: str, act: Callable[[Transaction], T], answer: Callable[[T | None], None]
    ) -> None:
        """Run ``act`` in the writer's thread, then ``answer`` on the event loop with its result.

        Args:
            what: names the question in the log.
            act: reads from the store.
            answer: gets None if the store refused.
        """
        refuse = partial(self._refuse, what, lambda: answer(None))
        self._writer.submit(Work(act, answer, refuse))

    async def forget_excess_reviews(self, most: int) -> None:
        """Forget the last games that wait for a review, beyond a bound."""
        while await self._run(partial(_forget_excess, most)):
            pass

    # Tokens

    async def issue_token(self, name: str, at: str, rights: Rights = NO_RIGHTS) -> str:
        """Reserve a name and return its token; an earlier token becomes invalid."""

        def issue(transaction: Transaction) -> str:
            return tokens.issue(transaction, name, at, rights)

        return await self._run(issue)

    async def reserve(self, names: Iterable[str], at: str, rights: Rights = NO_RIGHTS) -> None:
        """Reserve names for the programs that the server runs; no token is valid for them."""

        def reserve(transaction: Transaction) -> None:
            for name in names:
                tokens.reserve(transaction, name, at, rights)

        await self._run(reserve)

    async def kept_sessions(self) -> frozenset[str]:
        """Return the hashes of all valid sessions: what else there is, housekeeping ends."""
        return await self._run(tokens.kept_sessions)

    def check(
        self, name: str, token: str | None, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        """Call ``answer`` with the problem of a token, or None if the bot may use the name."""
        check = partial(self._check_known, name, token, answer)
        if token is None:
            check()
            return

        def hash_first(salt: str | None) -> None:
            if salt is None:
                check()
            else:
                self._hashes.compute(token, salt, check, lambda: answer(TOO_MANY))

        refuse = partial(self._refuse, f"token of {name}", lambda: answer(UNCHECKED))
        read = partial(_salt_of, name)
        self._writer.submit(Work(read, hash_first, refuse))

    def _check_known(
        self, name: str, token: str | None, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        """Check a token whose slow hash is known, if it needs one."""

        def read(transaction: Transaction) -> TokenProblem | None:
            return tokens.problem(transaction, name, token)

        refuse = partial(self._refuse, f"token of {name}", lambda: answer(UNCHECKED))
        self._writer.submit(Work(read, answer, refuse))

    def bind(
        self, name: str, token: str, at: str, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        """Bind a free name to a token that its bearer chose.

        Args:
            name: the name.
            token: the token.
            at: the time of day, RFC 3339.
            answer: gets None once it is stored, or what is wrong.
        """
        salt = tokens.new_salt()

        def write(transaction: Transaction) -> TokenProblem | None:
            return tokens.bind(transaction, name, token, at, salt=salt)

        def go_on() -> None:
            refuse = partial(self._refuse, f"token of {name}", lambda: answer(UNCHECKED))
            self._writer.submit(Work(write, answer, refuse))

        self._hashes.compute(token, salt, go_on, lambda: answer(TOO_MANY))

    def verify_session(self, secret_hash: str, answer: Callable[[bool], None]) -> None:
        """Call ``answer`` with whether a session is still valid."""

        def read(transaction: Transaction) -> bool:
            return tokens.is_session_kept(transaction, secret_hash)

        refuse = partial(self._refuse, "session to resume", lambda: answer(False))  # not kept
        self._writer.submit(Work(read, answer, refuse))

    def may_submit(self, name: str, answer: Callable[[bool | None], None]) -> None:
        """Call ``answer`` with whether a token's holder may submit events; None if not known."""

        def read(transaction: Transaction) -> bool:
            return tokens.may_submit(transaction, name)

        self.ask(f"right of {name} to submit", read, answer)

    async def _run(self, act: Callable[[Transaction], T]) -> T:
        return await run_in_thread(self._writer, act)


def _drop_oldest(limit: int, transaction: Transaction) -> bool:
    return info.drop_oldest(transaction, limit)


def _salt_of(name: str, transaction: Transaction) -> str | None:
    return tokens.salt_of(transaction, name)


def _forget_published(before: str, transaction: Transaction) -> int:
    return outbox.forget_published(transaction, before)


def _drop_payloads(most_rows: int, most_bytes: int, transaction: Transaction) -> Dropped:
    return outbox.drop_oldest(transaction, most_rows, most_bytes)


def _forget_excess(most: int, transaction: Transaction) -> bool:
    return reviews.forget_excess(transaction, most)


def _call_some(loop: asyncio.AbstractEventLoop, calls: Sequence[Callable[[], None]]) -> None:
    """Call these in order, a few per iteration of the event loop.

    A large group would delay the messages of its first calls, and other connections. An exception
    in one does not stop the others: it goes to the loop's exception handler.
    """
    for call in calls[:CALLS_A_TURN]:
        try:
            call()
        except Exception as error:  # noqa: BLE001  # passed to the loop's handler
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
