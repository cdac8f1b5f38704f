"""Games that the server can't keep fair: not begun, or void."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from protocol.clock import TimeControl
from protocol.messages import GameOver, GameStart, MatchOver, Move, Reason, Seek, Turn
from server.config.settings import Config, Limits
from server.health.fairness import Fairness
from server.health.loop_lag import LoopLag
from server.model.journal import GameOpened, MatchOpened
from tests.server.fakes import FakeSeat, Harness
from tests.server.peers import arena

STALL_S = 0.4
BREATH_S = 60.0


@pytest.fixture
def harness() -> Harness:
    """A server whose bots have one second a move, and whose server may be held up by 100 ms."""
    limits = Limits(loop_lag_ms=100.0, own_delay_ms=50.0)
    harness = Harness(Config(clock=TimeControl(move_ms=1000), limits=limits))
    harness.fairness.limits = limits
    harness.fairness.lag = LoopLag(interval_s=0.05, remembered_s=1.0)
    return harness


def be_late(harness: Harness, late_s: float) -> None:
    """Let the probe be woken late, as it is all the time."""
    for _ in range(20):
        harness.fairness.lag.note(late_s)


def stall(harness: Harness, seconds: float) -> None:
    """Let time pass in which nothing runs."""
    harness.fairness.lag.expect(harness.clock.time)
    harness.clock.time += seconds


def paired(harness: Harness, games: int = 1) -> tuple[FakeSeat, FakeSeat]:
    """Let ann and bob agree on a match."""
    ann, bob = harness.greet("ann"), harness.greet("bob")
    for seat in (ann, bob):
        harness.say(seat, Seek(games=games))
    return ann, bob


# Games that are to begin


def test_no_game_begins_while_the_loop_is_late(harness: Harness) -> None:
    """It begins by itself once the loop is in time again."""
    be_late(harness, 0.2)
    ann, bob = paired(harness)
    harness.clock.pass_by(BREATH_S)
    assert not ann.of(GameStart)
    assert not harness.journal.kept(MatchOpened)
    be_late(harness, 0.001)
    harness.clock.pass_by(1.0)
    assert ann.of(Turn)
    assert bob.of(GameStart)


def test_a_match_waits_between_its_games_too(harness: Harness) -> None:
    """What was begun is played to its end."""
    ann, bob = paired(harness, games=2)
    be_late(harness, 0.2)
    harness.clock.pass_by(1.5)  # ann's flag falls
    assert ann.last(GameOver).reason is Reason.TIMEOUT
    assert len(harness.journal.kept(GameOpened)) == 1
    be_late(harness, 0.001)
    harness.clock.pass_by(1.0)
    assert len(bob.of(GameStart)) == 2


def test_whoever_leaves_before_a_match_could_begin_leaves_nothing_behind(harness: Harness) -> None:
    """No game, no result; the other may seek again."""
    be_late(harness, 0.2)
    ann, bob = paired(harness)
    harness.drop(ann)
    harness.clock.pass_by(BREATH_S)
    be_late(harness, 0.001)
    harness.clock.pass_by(BREATH_S)
    assert not harness.journal.kept(MatchOpened)
    assert not bob.of(GameOver)
    cid = harness.greet("cid")
    for seat in (bob, cid):
        harness.say(seat, Seek())
    assert bob.of(GameStart)


# Games under way


def test_a_flag_that_fell_while_the_server_was_held_up_voids_the_game(harness: Harness) -> None:
    """The answer was in time, for all anybody knows; the evidence says whose fault it was."""
    ann, bob = paired(harness)
    turn = ann.last(Turn)
    harness.clock.pass_by(0.9)
    stall(harness, STALL_S)
    harness.say(ann, Move(turn.game, turn.ply, 2))
    over = bob.last(GameOver)
    assert (over.winner, over.reason) == (None, Reason.ABORTED)
    assert over.evidence is not None
    assert "the server itself" in over.evidence.detail
    assert bob.last(MatchOver).score == {"ann": 0.0, "bob": 0.0}


def test_what_lies_in_the_sockets_is_read_before_the_flag_falls(harness: Harness) -> None:
    """The timer rings late, and finds no answer yet; the answer comes a turn of the loop later."""
    ann, bob = paired(harness)
    turn = ann.last(Turn)
    harness.clock.pass_by(0.9)
    stall(harness, STALL_S)
    harness.clock.pass_by(0.001)  # the timer rings
    assert not bob.of(GameOver)
    harness.say(ann, Move(turn.game, turn.ply, 2))
    assert bob.last(GameOver).reason is Reason.ABORTED


def test_whoever_answers_nothing_is_out_of_time_all_the_same(harness: Harness) -> None:
    """A bot that hangs isn't saved by the server's hiccup."""
    _ann, bob = paired(harness)
    harness.clock.pass_by(0.9)
    stall(harness, STALL_S)
    harness.clock.pass_by(0.1)
    assert bob.last(GameOver).reason is Reason.TIMEOUT


def test_a_delay_that_does_not_explain_the_flag_excuses_nobody(harness: Harness) -> None:
    """Held up for 100 ms, late by half a second."""
    ann, bob = paired(harness)
    turn = ann.last(Turn)
    stall(harness, 0.1)
    harness.fairness.lag.woken(harness.clock.time)
    harness.clock.time += 1.4  # with the timer not rung yet: answers and timers race
    harness.say(ann, Move(turn.game, turn.ply, 2))
    assert bob.last(GameOver).reason is Reason.TIMEOUT


def test_an_idle_server_may_begin_anything() -> None:
    """Before anything was measured."""
    assert Fairness().may_begin()


async def test_a_server_that_really_stalls_voids_the_game(tmp_path: Path) -> None:
    """Over sockets: the answer is sent in time, and read too late."""
    clock = TimeControl(move_ms=300)
    async with arena(tmp_path, clock=clock) as running:
        ann, bob = await running.pair("ann", "bob")
        turn = await ann.hear(Turn)
        await asyncio.sleep(0)  # the probe runs
        await ann.say(Move(turn.game, turn.ply, 2))
        time.sleep(2 * STALL_S)  # noqa: ASYNC251  # holds up the loop, which is what it is for
        assert (await bob.hear(GameOver)).reason is Reason.ABORTED
