"""A session divides its limit among slices and reports what is news."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from mancala.engine.evaluation.weights import shipped
from mancala.engine.kernels import READ_NODES, state
from mancala.engine.search.reports import EngineOptions, Limit
from mancala.engine.search.session import ALONE_NODES, LEAST_NODES, REPORT_S, SearchSession
from mancala.engine.search.worker import SLICE_NODES
from mancala.protocol.rules import Board, Rules

NODE_S = 1e-6
OPTIONS = EngineOptions(table_bits=16, cache=None, book=False)
SEARCH = state.new_search(Rules(), shipped().compiled(Rules()), bits=16)


@dataclass
class SessionClock:
    """A clock on which every node of a session takes as long as any other."""

    session: SearchSession | None = None

    def __call__(self) -> float:
        return self.session.nodes * NODE_S if self.session else 0.0


def begun() -> SearchSession:
    """Return a session on the start whose time is its nodes, with an empty table."""
    SEARCH.entries[:] = 0
    clock = SessionClock()
    session = SearchSession(SEARCH, OPTIONS, clock)
    session.open(Board.start(), 0.0)
    clock.session = session
    return session


def test_slices_become_short_near_the_deadline() -> None:
    """A search overruns its time by no more than the shortest slice, not by a whole one."""
    for wanted in (1_000, 5_000, 10_000, 33_333):
        session, limit = begun(), Limit(time_s=wanted * NODE_S)
        session.goes_on(limit)
        for _ in session.steps(limit):
            if not session.goes_on(limit):
                break
        assert wanted <= session.nodes <= wanted + LEAST_NODES


def test_an_earlier_board_of_a_session_changes_nothing() -> None:
    """What another search left on the stacks is not seen by the next one."""
    found, limit = [], Limit(nodes=20_000)
    session = SearchSession(SEARCH, OPTIONS, SessionClock())
    for board in (Board.start(), Board.start(Rules(seeds=6)), Board.start()):
        SEARCH.entries[:] = 0
        session.open(board, 0.0)
        for _ in session.steps(limit):
            if not session.goes_on(limit):
                break
        found.append(session.report())
    assert found[0] == found[2]


def first_slice(clock: Callable[[], float], time_s: float) -> int:
    SEARCH.entries[:] = 0
    session = SearchSession(SEARCH, OPTIONS, clock)
    session.open(Board.start(Rules(seeds=6)), clock() - 1.0)
    next(session.steps(Limit(time_s=time_s)))
    return session.nodes


@pytest.mark.parametrize(
    "clock", [time.monotonic, time.perf_counter, time.process_time, time.thread_time]
)
def test_kernels_read_the_clock_themselves(clock: Callable[[], float]) -> None:
    """A search whose time is over ends where it first looks; one with time left ends its slice."""
    assert first_slice(clock, 0.5) == READ_NODES
    assert first_slice(clock, 3600.0) == SLICE_NODES


def test_kernels_leave_other_clocks_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that Python does not read by clock_gettime, as on a Mac, is looked at in Python."""
    read_by = SimpleNamespace(implementation="mach_absolute_time()")
    monkeypatch.setattr(time, "get_clock_info", lambda _: read_by)
    assert first_slice(time.monotonic, 0.5) == SLICE_NODES


def test_slices_are_long_far_from_the_deadline() -> None:
    """On a clock that the kernels cannot read, slices grow: short ones cost 40 % of the nodes."""
    session, limit, slices = begun(), Limit(time_s=1.0), 0
    session.goes_on(limit)
    for _ in session.steps(limit):
        slices += 1
        if not session.goes_on(limit) or session.nodes > 50 * SLICE_NODES:
            break
    assert slices < 100


def test_a_timed_search_waits_between_reports() -> None:
    """Reports cost time, so early news waits; without a limit of time each is reported."""
    session = begun()
    session.report()
    assert session.is_due(Limit(depth=5))
    assert not session.is_due(Limit(time_s=1.0))
    for _ in session.steps(Limit(time_s=1.0)):
        if session.nodes * NODE_S > REPORT_S:
            break
    assert session.is_due(Limit(time_s=1.0))


@pytest.mark.parametrize(
    ("limit", "joined"),
    [
        (Limit(time_s=0.049), ALONE_NODES),
        (Limit(time_s=0.05), SLICE_NODES),
        (Limit(nodes=10 * ALONE_NODES), ALONE_NODES),
        (Limit(time_s=1.0, nodes=10 * ALONE_NODES), ALONE_NODES),
        (Limit(depth=9), SLICE_NODES),
        (Limit(), SLICE_NODES),
    ],
)
def test_helpers_leave_a_short_search_alone(
    limit: Limit, joined: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They join one of less than 50 ms, or of a number of nodes, later than any other."""
    session = begun()
    for nodes in (joined - 1, joined):
        monkeypatch.setattr(SearchSession, "nodes", nodes)
        assert session.is_helped(limit) is (nodes == joined)
