"""A writer without a thread: each commit takes virtual time, and a kill may fall before or after.

What a group of work does to the database is real, in SQLite. Between the commit and the callbacks
that announce it some time passes, as in the thread of the real one.
"""

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn, Protocol

from mancala.server.store.database.writer import Calls, Transaction, Work, Writer
from tests.simulate.disk import Disk
from tests.simulate.trace import RareEvent, Trace

COMMITS_S: Final = (0.003, 0.003, 0.05)
"""Mean times of a commit, one for each run of a server; a slow disk shows what falls between."""


class WriterTiming(Protocol):
    """What a writer needs of the run of its server."""

    trace: Trace
    disk: Disk

    def later(self, delay_s: float, call: Callable[[], object]) -> None:
        """Call back after a time, unless the server was killed."""


class VirtualWriter(Writer):
    """Commits in virtual time; knows at which of its stages a kill finds it."""

    def __init__(self, run: WriterTiming, *args: Any, **options: Any) -> None:  # noqa: ANN401  # as the class is called
        super().__init__(*args, **options)
        self._server_run = run
        self._stage: RareEvent | None = None
        self._under_way: list[Any] = []
        self._is_closed = False
        self._commit_s = run.trace.rng.choice(COMMITS_S)

    def start(self, opened: Callable[[Exception | None], None]) -> None:
        try:
            self._connection = self._connect()
        except Exception as error:  # noqa: BLE001  # passed to ``opened``
            self._is_closed = True
            opened(error)
            return
        opened(None)

    def stop(self) -> int:
        if self._is_closed:
            return 0
        group, self._under_way = self._under_way, []
        while group or self._submitted:
            self._call_back(self._perform(group))
            group, self._submitted = self._submitted, []
        self._close()
        return 0

    def kill(self) -> None:
        """Lose what is not committed; count at which stage that happened."""
        if self._is_closed:
            return
        if self._stage is not None:
            self._server_run.trace.count(self._stage)
        self._close()

    def _close(self) -> None:
        self._is_closed = True
        self._connection.close()

    def submit(self, work: Work[Any]) -> None:
        if self._server_run.disk.refuses(next(iter(getattr(work.act, "args", ())), None)):
            work.act = _refuse
        super().submit(work)

    def _attempt(self, group: Sequence[Work[Any]]) -> Calls:
        fault = self._server_run.disk.fault(is_written=self._broken is not None)
        if fault is not None:
            raise fault
        return super()._attempt(group)

    def _hand_over(self) -> None:
        if self._is_closed:
            return
        group, self._submitted = self._submitted, []
        self._in_hand = len(group)
        self._under_way = group
        if group:
            self._stage = RareEvent.KILL_BEFORE_COMMIT
            delay_s = self._server_run.trace.rng.expovariate(1 / self._commit_s)
            self._server_run.later(delay_s, lambda: self._commit(group))

    def _commit(self, group: list[Any]) -> None:
        if self._is_closed:
            return
        self._under_way = []
        calls = self._perform(group)
        self._stage = RareEvent.KILL_BEFORE_ANNOUNCEMENT
        delay_s = self._server_run.trace.rng.expovariate(1 / 0.001)
        self._server_run.later(delay_s, lambda: self._announce(calls))

    def _announce(self, calls: list[Callable[[], None]]) -> None:
        self._stage = None
        self._call_back([*calls, self._hand_over])


def _refuse(_transaction: Transaction) -> NoReturn:
    raise sqlite3.IntegrityError("a constraint failed")
