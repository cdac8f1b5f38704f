"""Games that the server can't keep fair: not begun, or void."""

import time
from collections import Counter
from math import inf
from pathlib import Path

import httpx
import pytest

from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl, TimeoutPolicy
from mancala.server.config.settings import Config, Limits, LiveConfig
from mancala.server.health.fairness import Fairness
from mancala.server.health.loop_lag import LoopLag
from mancala.server.model.day_counts import Counted, CountKind
from mancala.server.model.journal import GameOpened, MatchOpened
from mancala.server.model.timers import Stall
from mancala.server.net.arrivals.arrival import Arrival
from tests.patience import PATIENCE_S, until
from tests.server.fakes import FakeSeat, Harness
from tests.server.peers import arena

STALL_S = 0.4
BREATH_S = 60.0


@pytest.fixture
def harness() -> Harness:
    """A server whose bots have one second a move, and whose server may be held up by 100 ms."""
    limits = Limits(loop_lag_ms=100.0, own_delay_ms=50.0)
    harness = Harness(Config(clock=TimeControl(move_ms=1000), limits=limits))
    harness.fairness.lag = LoopLag(interval_s=0.05, remembered_s=1.0)
    return harness


def be_late(harness: Harness, late_s: float) -> None:
    for _ in range(20):
        harness.fairness.lag.note(late_s)


def stall(harness: Harness, seconds: float) -> None:
    harness.fairness.lag.expect(harness.clock.time)
    harness.clock.time += seconds


def paired(harness: Harness, games: int = 1) -> list[FakeSeat]:
    seats = harness.greet_all("ann", "bob")
    harness.say_all(wire.Seek(games=games), *seats)
    return seats


# Games that are to begin


def test_no_game_begins_while_the_loop_is_late(harness: Harness) -> None:
    """It begins by itself once the loop is in time again."""
    be_late(harness, 0.2)
    ann, bob = paired(harness)
    harness.clock.pass_by(BREATH_S)
    assert not ann.of(wire.GameStart)
    assert not harness.journal.kept(MatchOpened)
    be_late(harness, 0.001)
    harness.clock.pass_by(1.0)
    assert ann.of(wire.Turn)
    assert bob.of(wire.GameStart)


def test_a_match_waits_between_its_games_too(harness: Harness) -> None:
    """What was begun is played to its end."""
    ann, bob = paired(harness, games=2)
    be_late(harness, 0.2)
    harness.clock.pass_by(1.5)  # ann's flag falls
    assert ann.last(wire.GameOver).reason is wire.Reason.TIMEOUT
    assert len(harness.journal.kept(GameOpened)) == 1
    be_late(harness, 0.001)
    harness.clock.pass_by(1.0)
    assert len(bob.of(wire.GameStart)) == 2


def test_a_bot_that_leaves_before_its_match_begins_leaves_nothing_behind(harness: Harness) -> None:
    """No game, no result; the other may seek again."""
    be_late(harness, 0.2)
    ann, bob = paired(harness)
    harness.drop(ann)
    harness.clock.pass_by(BREATH_S)
    be_late(harness, 0.001)
    harness.clock.pass_by(BREATH_S)
    assert not harness.journal.kept(MatchOpened)
    assert not bob.of(wire.GameOver)
    cid = harness.greet("cid")
    harness.say_all(wire.Seek(), bob, cid)
    assert bob.of(wire.GameStart)


# Games under way


def held_up(harness: Harness) -> list[FakeSeat]:
    """Stall the server while ann's flag falls; her answer has not been read."""
    seats = paired(harness)
    harness.clock.pass_by(0.9)
    stall(harness, STALL_S)
    return seats


def reply(harness: Harness, seat: FakeSeat, arrival: Arrival) -> None:
    """Answer the last turn; the answer arrived at an instant, and is read now."""
    turn = seat.last(wire.Turn)
    seat.arrives = arrival
    harness.say(seat, wire.Move(turn.game, turn.ply, 2))
    seat.arrives = None


def in_doubt(harness: Harness) -> Arrival:
    """Return an arrival that may have been in time, and may have been late."""
    return Arrival(-inf, harness.clock.time)


def test_an_answer_that_arrived_before_the_flag_counts_however_late_it_is_read(
    harness: Harness,
) -> None:
    """Its time is the time until it arrived, not until it was read."""
    ann, bob = held_up(harness)
    reply(harness, ann, Arrival(-inf, harness.clock.time - STALL_S + 0.05))
    assert bob.last(wire.Moved).elapsed_ms == 950
    assert not bob.of(wire.GameOver)


def test_an_answer_that_arrived_after_the_flag_is_late_however_busy_the_loop_was(
    harness: Harness,
) -> None:
    """A server that was held up is no excuse."""
    ann, bob = held_up(harness)
    reply(harness, ann, Arrival.at(harness.clock.time - 0.01))
    assert (bob.last(wire.GameOver).winner, bob.last(wire.GameOver).reason) == (
        1,
        wire.Reason.TIMEOUT,
    )


def test_a_stall_of_the_process_that_read_the_answer_is_as_good(harness: Harness) -> None:
    """A front that was held up while the flag fell leaves the same doubt, if for long enough."""
    now = harness.clock.time
    fairness, flag = harness.fairness, now - 0.03
    assert fairness.stall_s(flag, now) == 0.0
    assert fairness.stall_s(flag, now, Stall(now - 0.15, now - 0.1, now)) == pytest.approx(0.1)
    assert fairness.stall_s(flag, now, Stall(now - 0.09, now - 0.04, now)) == 0.0
    assert fairness.stall_s(flag, now, Stall(now - 0.8, now - 0.7, now - 0.04)) == 0.0
    ann, bob = paired(harness)
    harness.clock.time += 1.2  # past the flag
    now = harness.clock.time
    reply(harness, ann, Arrival(-inf, now, Stall(now - 0.3, now - 0.3, now)))
    assert bob.last(wire.GameOver).reason is wire.Reason.ABORTED


def test_an_answer_in_doubt_voids_the_game_and_names_the_player_it_saved(harness: Harness) -> None:
    """The evidence has the times, and says that the server was held up."""
    ann, bob = held_up(harness)
    reply(harness, ann, in_doubt(harness))
    over = bob.last(wire.GameOver)
    assert (over.winner, over.reason) == (None, wire.Reason.ABORTED)
    assert over.evidence is not None
    assert "the server was blocked" in over.evidence.detail
    assert (over.evidence.player, over.evidence.spared) == (None, 0)
    assert over.evidence.elapsed_ms == 1300
    assert bob.last(wire.MatchOver).score == {"ann": 0.0, "bob": 0.0}


def test_an_answer_in_doubt_without_a_stall_is_late(harness: Harness) -> None:
    """The loop ran when the flag fell, and would have read the answer."""
    ann, bob = paired(harness)
    harness.clock.time += 1.01  # the timer has not fired yet
    reply(harness, ann, in_doubt(harness))
    assert bob.last(wire.GameOver).reason is wire.Reason.TIMEOUT


def test_a_stall_that_ended_before_the_flag_leaves_no_doubt(harness: Harness) -> None:
    """Held up for 400 ms in the middle of the turn."""
    ann, bob = paired(harness)
    stall(harness, STALL_S)
    harness.fairness.lag.woken(harness.clock.time)
    harness.clock.time += 0.7
    reply(harness, ann, in_doubt(harness))
    assert bob.last(wire.GameOver).reason is wire.Reason.TIMEOUT


def test_the_third_game_in_doubt_of_a_day_is_lost(harness: Harness) -> None:
    """Two are void; the bot may have brought the doubt about."""
    reasons = []
    for _ in range(3):
        ann, bob = held_up(harness)
        reply(harness, ann, in_doubt(harness))
        reasons.append(bob.last(wire.GameOver).reason)
        harness.leave(ann, bob)
        harness.fairness.lag.woken(harness.clock.time)
        be_late(harness, 0.001)
    assert reasons == [wire.Reason.ABORTED, wire.Reason.ABORTED, wire.Reason.TIMEOUT]
    counted = [entry for entry in harness.journal.entries if isinstance(entry, Counted)]
    assert Counter(entry.key for entry in counted) == {"bot ann": 2, "address 192.0.2.1": 2}


@pytest.mark.parametrize(
    ("voids", "expected"),
    [
        ({"bot ann": 2}, wire.Reason.TIMEOUT),
        ({"address 192.0.2.1": 2}, wire.Reason.ABORTED),
        ({"address 192.0.2.1": 1000}, wire.Reason.ABORTED),
        ({"address 192.0.2.1": 1000, "bot ann": 1}, wire.Reason.TIMEOUT),
    ],
)
def test_after_a_restart_a_bot_pays_for_its_own_voids(
    harness: Harness, voids: dict[str, int], expected: wire.Reason
) -> None:
    """Neighbours who had many cost a name its second void game, and never its first."""
    former = Harness()
    at = former.context.utc()
    entries = [
        Counted(CountKind.VOID, key, f"g{number}", at)
        for key, count in voids.items()
        for number in range(count)
    ]
    former.journal.commit(entries, lambda: None)
    harness.restore_counts_of(former)
    ann, bob = held_up(harness)
    reply(harness, ann, in_doubt(harness))
    assert bob.last(wire.GameOver).reason is expected


def test_the_opponents_answer_voids_nothing(harness: Harness) -> None:
    """It answers a question that was not put to it, which is its own fault."""
    ann, bob = held_up(harness)
    turn = ann.last(wire.Turn)
    bob.arrives = in_doubt(harness)
    harness.sessions.on_message(bob, wire.Move(turn.game, turn.ply, 2))
    assert ann.last(wire.GameOver).reason is wire.Reason.PROTOCOL


def test_a_provisional_move_is_played_where_the_answer_is_in_doubt(harness: Harness) -> None:
    """The clock's policy knows a move; nothing is void."""
    clock = TimeControl(move_ms=1000, timeout=TimeoutPolicy.PROVISIONAL)
    ann, bob = harness.greet_all("ann", "bob")
    harness.say_all(wire.Seek(clock=clock), ann, bob)
    turn = ann.last(wire.Turn)
    harness.say(ann, wire.Move(turn.game, turn.ply, 3, provisional=True))
    harness.clock.pass_by(0.9)
    stall(harness, STALL_S)
    reply(harness, ann, in_doubt(harness))
    assert (bob.last(wire.Moved).pit, bob.last(wire.Moved).forced) == (3, True)


def test_what_lies_in_the_sockets_is_read_before_the_flag_falls(harness: Harness) -> None:
    """The timer fires late and finds no answer yet; an iteration later there is one."""
    ann, bob = held_up(harness)
    harness.clock.pass_by(0.001)  # the timer fires
    assert not bob.of(wire.GameOver)
    reply(harness, ann, Arrival.at(harness.clock.time - STALL_S))
    assert not bob.of(wire.GameOver)
    assert bob.of(wire.Moved)


def test_a_bot_that_answers_nothing_is_out_of_time_all_the_same(harness: Harness) -> None:
    """A bot that hangs is not saved by the server's delay."""
    _ann, bob = held_up(harness)
    harness.clock.pass_by(0.1)
    assert bob.last(wire.GameOver).reason is wire.Reason.TIMEOUT


def test_an_idle_server_may_begin_anything() -> None:
    """Before anything was measured."""
    assert Fairness(LiveConfig(Config())).may_begin()


async def test_an_answer_that_waits_in_the_socket_of_a_stalled_server_counts(
    tmp_path: Path,
) -> None:
    """Over sockets: the answer is sent in time, and read after the flag."""
    clock = TimeControl(move_ms=2000)
    async with arena(tmp_path, clock=clock) as running:
        ann, bob = await running.pair("ann", "bob")
        turn = await ann.hear(wire.Turn)
        await ann.say(wire.Move(turn.game, turn.ply, 2))
        time.sleep(2.1)  # noqa: ASYNC251  # holds up the loop, which is what it is for
        assert (await bob.hear(wire.Moved)).elapsed_ms < 2000


async def test_a_server_that_is_late_says_so(tmp_path: Path) -> None:
    """On its health port and in its log, as of its fronts; it once was in the metrics alone."""
    limits = Limits(loop_lag_ms=10_000)  # more than a busy machine makes
    async with (
        arena(tmp_path, health_port=0, limits=limits) as running,
        httpx.AsyncClient(timeout=PATIENCE_S) as http,
    ):
        server = running.server

        async def findings() -> list[str]:
            return list((await http.get(f"{server.health_url}/readyz")).json()["findings"])

        server.loop_lag.note(20.0)
        server._note_lag(20.0)
        await until(lambda: server._lateness.is_late)
        assert any("the event loop of the game server is late" in each for each in await findings())
        assert "the server is late" in [each.event for each in server._log.faults]
        while server.loop_lag.p99():
            server.loop_lag.note(0.0)
        await until(lambda: not server._lateness.is_late)
        assert not any("is late" in each for each in await findings())
