"""A session divides its limit among slices and reports what is news."""

from dataclasses import dataclass

from mancala.engine.evaluation.weights import shipped
from mancala.engine.kernels import state
from mancala.engine.search.reports import EngineOptions, Limit
from mancala.engine.search.session import LEAST_NODES, REPORT_S, SearchSession, SearchSpeed
from mancala.protocol.rules import Board, Rules

NODE_S = 1e-6
OPTIONS = EngineOptions(table_bits=16, cache=None, book=False)
SEARCH = state.new_search(Rules(), shipped().compiled(Rules()), bits=16)


@dataclass
class SessionClock:
    """A clock on which every node of a session takes as long as any other."""

    session: SearchSession | None = None

    def __call__(self) -> float:
        """Return the time."""
        return self.session.nodes * NODE_S if self.session else 0.0


def begun(speed: SearchSpeed | None = None) -> SearchSession:
    """Return a session on the start whose time is its nodes, with an empty table."""
    SEARCH.entries[:] = 0
    clock = SessionClock()
    clock.session = SearchSession(SEARCH, OPTIONS, Board.start(), clock)
    clock.session.speed = speed or SearchSpeed()
    return clock.session


def test_slices_become_short_near_the_deadline() -> None:
    """A search overruns its time by no more than the shortest slice, not by a whole one."""
    for wanted in (1_000, 5_000, 10_000, 33_333):
        session, limit = begun(), Limit(time_s=wanted * NODE_S)
        session.goes_on(limit)
        for _ in session.steps(limit):
            if not session.goes_on(limit):
                break
        assert wanted <= session.nodes <= wanted + LEAST_NODES


def test_a_search_begins_with_the_speed_of_the_last_one() -> None:
    """Its first slices were the shortest, a third of a search of 2 ms."""
    speed, limit = SearchSpeed(), Limit(time_s=5_000 * NODE_S)
    slices = []
    for _ in range(2):
        session, count = begun(speed), 0
        session.goes_on(limit)
        for _ in session.steps(limit):
            count += 1
            if not session.goes_on(limit):
                break
        assert session.nodes <= 5_000 + LEAST_NODES
        slices.append(count)
    assert slices[1] < slices[0]


def test_stacks_of_an_earlier_session_change_nothing() -> None:
    """What another search left on a stack is not seen by the next one."""
    stacks = state.stack(), state.stack()
    found = []
    for board in (Board.start(), Board.start(Rules(seeds=6)), Board.start()):
        SEARCH.entries[:] = 0
        session = SearchSession(SEARCH, OPTIONS, board, SessionClock(), stacks=stacks)
        for _ in session.steps(Limit(nodes=20_000)):
            if not session.goes_on(Limit(nodes=20_000)):
                break
        found.append(session.report())
    assert found[0] == found[2]


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
