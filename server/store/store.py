"""The store as the server uses it: journal, outbox, tokens, and what a former server left."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Concatenate, Final, ParamSpec, Self, TypeVar

from sqlalchemy import Connection, update

from mancala.protocol.text import quantity

from ..config.settings import IN_MEMORY
from ..model.contests import KeptEvent
from ..model.credentials import NO_RIGHTS, Rights, TokenProblem
from ..model.journal import (
    Announced,
    Entry,
    GameClosed,
    MatchClosed,
    OutboxRow,
    Revealed,
    ReviewStored,
    RowRefused,
    StandingsAnnounced,
)
from ..model.tenure import Tenure
from .database.async_writer import run_in_thread, start_thread, stop_thread
from .database.database import connect, display
from .database.faults import BrokenStoreError, StoreError, error_of
from .database.file_watch import FileWatch
from .database.reader import read_once
from .database.schema import counters
from .database.tenure import HELD
from .database.writer import LEAVE_S, Transaction, Work, Writer
from .entries import name_of, write_all
from .rows import info, outbox, reviews, tokens
from .rows.contests import kept_event
from .rows.outbox import Dropped, PutAside
from .rows.slow_hashes import SlowHashes

P = ParamSpec("P")
T = TypeVar("T")

CALLS_A_TURN: Final = 8
TOO_MANY: Final = TokenProblem("too many tokens are being checked; try again in a second")
UNCHECKED: Final = TokenProblem("the server could not check the token; its log says why")
NEWS: Final = frozenset(
    (GameClosed, MatchClosed, Revealed, Announced, StandingsAnnounced, ReviewStored)
)
"""Entries that add to the outbox."""

TRIFLE: Final = update(counters).values(value=counters.c.value)


def _nothing(*_facts: object) -> None:
    """Do nothing, and report no refused work."""


class Store:
    """The persistent state of a server. Use it with ``async with``.

    Attributes:
        tenure: this server's, which another one may end; None for a file.
    """

    _writer: Writer

    def __init__(
        self,
        path: str,
        *,
        announced: Callable[[], None] = _nothing,
        failed: Callable[[Exception], None],
        refused: Callable[[str, Exception], None] = _nothing,
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
        self.tenure: Tenure | None = None
        self._path = path
        self._announced = announced
        self._failed = failed
        self._refused = refused
        self._watch = FileWatch(path)
        self._make_writer = writer
        self._hashes = SlowHashes()
        self._asking: set[asyncio.Task[None]] = set()
        self._scan = asyncio.Lock()

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()

        def call_back(calls: list[Callable[[], None]]) -> None:
            loop.call_soon_threadsafe(_call_some, loop, calls)

        self._writer = self._make_writer(
            self._connect,
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
            raise error_of(f"{display(self._path)}: {error}", error) from error
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Finish pending writes and close; report those that PostgreSQL did not take in time."""
        self._hashes.close()
        if left := await stop_thread(self._writer):
            late = StoreError(f"PostgreSQL did not take them within {LEAVE_S:g} s of the stop")
            self._refused(quantity(left, "last piece of work", "last pieces of work"), late)

    def _connect(self) -> Connection:
        """Claim the store, or claim it again, in the writer's thread."""
        connection = connect(self._path, held=self.tenure)
        self.tenure = connection.info.get(HELD)
        return connection

    # The journal

    def commit(
        self,
        entries: Sequence[Entry],
        done: Callable[[], None],
        refused: Callable[[], None] = _nothing,
    ) -> None:
        committed = partial(self._committed, entries, done)
        failed = partial(self._refuse, entries, refused)
        self._writer.submit(Work(partial(write_all, entries), committed, failed))

    def _refuse(
        self, what: str | Sequence[Entry], refused: Callable[[], None], error: Exception
    ) -> None:
        if isinstance(error, BrokenStoreError):  # then the server stops, and announces nothing
            return
        self._refused(what if isinstance(what, str) else ", ".join(map(name_of, what)), error)
        refused()

    def _committed(
        self, entries: Sequence[Entry], done: Callable[[], None], _nothing: None
    ) -> None:
        done()
        if not NEWS.isdisjoint(map(type, entries)):
            self._announced()

    # Questions

    async def run(
        self, act: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run ``act`` in the writer's thread, which delays the journal."""
        return await run_in_thread(self._writer, lambda found: act(found, *args, **kwargs))

    async def read_apart(
        self, act: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run ``act`` on a connection of its own, which delays nothing however long it takes."""
        if self._path == IN_MEMORY:  # which only the writer sees
            return await self.run(act, *args, **kwargs)
        return await asyncio.to_thread(
            read_once, self._path, lambda found: act(found, *args, **kwargs)
        )

    @property
    def queued(self) -> int:
        """How much work the writer has not done yet."""
        return self._writer.depth

    async def try_writing(self) -> None:
        """Write without changing anything; raise `BrokenStoreError` if the store is broken."""
        await self.run(Transaction.put, TRIFLE, {})

    def read_event(self, name: str, answer: Callable[[KeptEvent | None], None]) -> None:
        """Call ``answer`` with an event as it is stored, None before its first step."""
        self._do(f"event {name}", lambda found: kept_event(found, name), answer, _nothing)

    # The outbox

    async def unpublished(self, limit: int) -> list[OutboxRow]:
        return await self.run(outbox.unpublished, limit)

    async def mark_published(self, seqs: Sequence[int], at: str) -> None:
        await self.run(outbox.mark_published, seqs, at)

    async def put_aside(self, refused: Sequence[RowRefused], at: str) -> None:
        await self.run(outbox.put_aside, refused, at)

    async def put_aside_after(self, seq: int, limit: int) -> list[OutboxRow]:
        return await self.run(outbox.put_aside_after, seq, limit)

    async def all_put_aside(self) -> tuple[PutAside, ...]:
        return await self.read_apart(outbox.all_put_aside)

    async def forget_published(self, before: str) -> None:
        """Delete the rows published before a time, the oldest first."""
        while await self.run(outbox.forget_published, before):
            pass

    async def drop_oldest_payloads(self, most_rows: int, most_bytes: int) -> Dropped:
        """Delete the oldest rows while there are more, or more bytes, than this."""
        total = Dropped(0, 0)
        while (found := await self.run(outbox.drop_oldest, most_rows, most_bytes)).rows:
            total = Dropped(total.rows + found.rows, total.unpublished + found.unpublished)
        return total

    # What is old

    async def drop_oldest_info(self, limit: int) -> None:
        """Drop the oldest reports of bots until all together have at most ``limit`` bytes."""
        while await self.run(info.drop_oldest, limit):
            pass

    async def forget_excess_reviews(self, most: int) -> None:
        """Forget the last games that wait for a review, beyond a bound."""
        while await self.run(reviews.forget_excess, most):
            pass

    # Questions that are answered on the event loop

    def ask(
        self, what: str, act: Callable[[Transaction], T], answer: Callable[[T | None], None]
    ) -> None:
        """Run ``act`` in the writer's thread, then ``answer`` on the event loop with its result."""
        self._do(what, act, answer, lambda: answer(None))

    def _do(
        self,
        what: str,
        act: Callable[[Transaction], T],
        done: Callable[[T], None],
        refused: Callable[[], None],
    ) -> None:
        self._writer.submit(Work(act, done, partial(self._refuse, what, refused)))

    # Tokens

    async def reserve(self, names: Iterable[str], at: str, rights: Rights = NO_RIGHTS) -> None:
        """Reserve names for the programs that the server runs; no token is valid for them."""

        def reserve(transaction: Transaction) -> None:
            for name in names:
                tokens.reserve(transaction, name, at, rights)

        await self.run(reserve)

    def check(
        self, name: str, token: str | None, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        """Check a token; the slow hash of one that its bearer chose is computed before."""
        what = f"token of {name}"
        unchecked = partial(answer, UNCHECKED)

        def check() -> None:
            self._do(what, lambda found: tokens.problem(found, name, token), answer, unchecked)

        def hash_first(salt: str | None) -> None:
            if token is None or salt is None:
                check()
            else:
                self._hashes.compute(token, salt, check, partial(answer, TOO_MANY))

        if token is None:
            check()
        else:
            self._do(what, lambda found: tokens.salt_of(found, name), hash_first, unchecked)

    def bind(
        self, name: str, token: str, at: str, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        salt = tokens.new_salt()

        def write(transaction: Transaction) -> TokenProblem | None:
            return tokens.bind(transaction, name, token, at, salt=salt)

        go_on = partial(self._do, f"token of {name}", write, answer, partial(answer, UNCHECKED))
        self._hashes.compute(token, salt, go_on, partial(answer, TOO_MANY))

    def has_played(self, name: str, answer: Callable[[bool], None]) -> None:
        what, refused = f"games of {name}", partial(answer, True)

        async def ask() -> None:
            try:
                async with self._scan:
                    found = await self.read_apart(tokens.has_played, name)
            except Exception as error:  # noqa: BLE001  # reported
                self._refuse(what, refused, error)
            else:
                answer(found)

        def go_on(_nothing: None) -> None:
            task = asyncio.get_running_loop().create_task(ask(), name=what)
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)

        self._do(what, lambda _transaction: None, go_on, refused)  # after what is submitted

    def verify_session(self, secret_hash: str, answer: Callable[[bool], None]) -> None:
        self._do(
            "session to resume",
            lambda found: tokens.is_session_kept(found, secret_hash),
            answer,
            partial(answer, False),  # not kept
        )

    def may_submit(self, name: str, answer: Callable[[bool | None], None]) -> None:
        what = f"right of {name} to submit"
        self.ask(what, lambda found: tokens.may_submit(found, name), answer)


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
