"""What a client may not do, found at its own end of a connection."""

import random
from types import SimpleNamespace
from typing import cast

import pytest
from websockets.frames import Frame, Opcode

from mancala.bot.client.bot import GameResult
from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.clock import ClockState
from mancala.protocol.rules import KALAH, Board
from tests.simulate.full_stack.client_watch import ASKS_WITHIN_S, MOST_ATTEMPTS, ClientWatch
from tests.simulate.full_stack.network import SharedLink
from tests.simulate.ledger import Transcript
from tests.simulate.promises import BrokenPromiseError, Promise
from tests.simulate.seats import Seats
from tests.simulate.trace import Trace

HEAD = b"GET / HTTP/1.1\r\n\r\n"
STATE = Board.start(KALAH).state
CLOCK = ClockState(None, (0, 0))
OVER = wire.GameOver("g", 0, (25, 23), wire.Reason.NORMAL)
RESULT = GameResult("g", "m", "ben", 0, 0, (25, 23), wire.Reason.NORMAL)


class Line:
    """A watched client on one connection, at a time that the test sets."""

    def __init__(self, *, joins: bool = True) -> None:
        self.now = 1.0
        self.found: list[Promise] = []
        trace = Trace(random.Random(1), lambda: self.now)
        self.ledger = Transcript(trace, 5.0, cast("Seats", None))
        self.watch = ClientWatch(self.ledger, joins=joins)
        link = cast("SharedLink", SimpleNamespace(is_silent=False))
        self._tap = self.watch.tap(link, self._note)
        self._tap.said(HEAD)
        self._tap.heard(HEAD)

    def _note(self, error: BaseException) -> None:
        assert isinstance(error, BrokenPromiseError)
        self.found.append(error.promise)

    def says(self, message: wire.Message) -> None:
        self._tap.said(Frame(Opcode.TEXT, codec.encode(message)).serialize(mask=True))

    def hears(self, message: wire.Message) -> None:
        self._tap.heard(Frame(Opcode.TEXT, codec.encode(message)).serialize(mask=False))


def welcome(*matches: str) -> wire.Welcome:
    limits = wire.Limits(frame_bytes=16_384, games=2, grace_s=5.0)
    return wire.Welcome(wire.VERSION, "s", "secret", resumed=False, limits=limits, matches=matches)


def turn(ply: int) -> wire.Turn:
    return wire.Turn("g", ply, STATE, (0, 1, 2), CLOCK, 1000)


def moved(ply: int) -> wire.Moved:
    return wire.Moved(
        "g", ply, 0, 1, 0, again=False, state=STATE, clock=CLOCK, elapsed_ms=1, lag_ms=0
    )


def test_it_asks_for_the_session_that_it_was_given() -> None:
    """A hello without it gives the seat away."""
    line = Line()
    line.says(wire.Hello(wire.VERSION, "ann"))
    line.hears(welcome())
    line.says(wire.Hello(wire.VERSION, "ann", resume="secret"))
    assert line.found == []
    line.says(wire.Hello(wire.VERSION, "ann"))
    assert line.found == [Promise.REJOINS]


def test_it_answers_the_open_question_once() -> None:
    """Neither one that was closed earlier, nor with anything after its answer."""
    line = Line()
    line.hears(turn(4))
    line.says(wire.Move("g", 4, 0, provisional=True))
    line.says(wire.Move("g", 4, 0))
    assert line.found == []
    line.says(wire.Move("g", 4, 1, provisional=True))
    line.hears(turn(6))
    line.hears(moved(6))
    line.says(wire.Move("g", 6, 0))  # under way when the flag's move came
    assert line.found == [Promise.ANSWERS]
    line.now += 1.0
    line.says(wire.Move("g", 6, 0))
    assert line.found == [Promise.ANSWERS, Promise.ANSWERS]


def test_it_does_not_connect_again_and_again() -> None:
    """A welcome lets it count anew; so does time."""
    watch = Line().watch
    for _ in range(MOST_ATTEMPTS):
        watch.dialled()
    with pytest.raises(BrokenPromiseError, match=Promise.BACKS_OFF):
        watch.dialled()
    watch.welcomed(welcome())
    watch.dialled()


def test_it_asks_for_what_it_plays() -> None:
    """A client that is welcome and free does not sit idle."""
    line = Line(joins=False)
    line.hears(welcome("m"))
    line.now += 2 * ASKS_WITHIN_S
    line.watch.check()
    line.hears(welcome())
    line.now += 2 * ASKS_WITHIN_S
    with pytest.raises(BrokenPromiseError, match=Promise.ASKS):
        line.watch.check()


def test_it_finishes_its_ladders_match_before_it_leaves() -> None:
    """Outside of a ladder it may leave between two games."""
    for joins, found in ((True, [Promise.FINISHES]), (False, [])):
        line = Line(joins=joins)
        line.hears(welcome("m"))
        line.now += 1.0
        line.says(wire.Goodbye())
        assert line.found == found


def test_it_reports_each_game_once_and_as_it_ended() -> None:
    """Compared with what the server announced."""
    line = Line()
    line.ledger.results["g"] = OVER
    line.watch.reported(RESULT)
    line.watch.ended([RESULT])
    with pytest.raises(BrokenPromiseError, match="a second time"):
        line.watch.reported(RESULT)
    with pytest.raises(BrokenPromiseError, match=Promise.REPORTS):
        line.watch.ended([RESULT, RESULT])
    line.watch.forgot()
    line.ledger.results["g"] = wire.GameOver("g", 1, (25, 23), wire.Reason.NORMAL)
    with pytest.raises(BrokenPromiseError, match=Promise.REPORTS):
        line.watch.reported(RESULT)
