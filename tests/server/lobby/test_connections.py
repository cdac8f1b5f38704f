"""What a lost connection leaves behind, and what its return brings back."""

import pytest

from mancala.protocol import messages as wire
from mancala.server.config.settings import Limits
from mancala.server.lobby.directory import RETURNS_PER_S
from mancala.server.match.participant import secret_hash
from mancala.server.model.day_counts import Counted
from mancala.server.model.journal import KeptSession
from tests.server.fakes import Harness, answer, paired


def test_resume_takes_seats_back_with_a_snapshot_and_the_question(harness: Harness) -> None:
    """The snapshot holds it all: position, moves, clocks, opponent, and whose turn it is."""
    ann, bob = paired(harness)
    answer(harness, ann)
    while len(ann.of(wire.Turn)) < 2:
        answer(harness, bob)
    harness.drop(ann)
    again = harness.greet("ann", resume=ann.secret)
    assert again.last(wire.Welcome).resumed
    assert again.secret == ann.secret
    start = again.last(wire.GameStart)
    assert len(start.moves) == len(bob.of(wire.Moved))
    assert start.state == bob.last(wire.Moved).state
    assert start.opponent.present
    assert again.last(wire.Turn).ply == len(start.moves)


def test_a_resumed_question_has_only_the_time_that_is_left(harness: Harness) -> None:
    """The clock ran on while the bot was away."""
    ann, _ = paired(harness)
    harness.drop(ann)
    harness.clock.pass_by(0.4)
    again = harness.greet("ann", resume=ann.secret)
    assert again.last(wire.Turn).deadline_ms == pytest.approx(600, abs=1)


def test_the_opponent_is_told_who_is_away_when_it_comes_back_itself(harness: Harness) -> None:
    """Presence is part of the snapshot."""
    ann, bob = paired(harness)
    for seat in (ann, bob):
        harness.drop(seat)
    again = harness.greet("bob", resume=bob.secret)
    assert not again.last(wire.GameStart).opponent.present


def test_a_bot_that_was_cut_off_is_excused_until_it_is_back(harness: Harness) -> None:
    """What it does later is its own doing."""
    ann = harness.greet("ann")
    player = harness.sessions.directory.find("ann")
    assert player is not None
    ann.is_excused = True
    harness.drop(ann)
    assert player.excused_s == 0.0
    harness.greet("ann", resume=ann.secret)
    assert player.excused_s is None


def test_a_game_is_void_for_a_bot_that_was_cut_off_and_stays_away_a_few_times_a_day(
    harness: Harness,
) -> None:
    """A bot that can end its front, or waits until one ends, once voided all that it was losing."""
    ends = []
    harness.reload(limits=Limits(voids_per_day=1))
    for _ in range(2):
        ann, bob = paired(harness)
        ann.is_excused = True
        harness.drop(ann)
        harness.clock.pass_by(harness.context.config.now.grace_s + 1)
        ends.append(bob.last(wire.GameOver))
        harness.drop(bob)
        harness.clock.pass_by(harness.context.config.now.grace_s + 1)
    assert [(over.reason, over.winner) for over in ends] == [
        (wire.Reason.ABORTED, None),
        (wire.Reason.DISCONNECTED, 1),
    ]
    assert [each.key for each in harness.journal.kept(Counted)][:1] == ["bot ann"]


def test_no_game_begins_for_a_bot_whose_front_is_late(harness: Harness) -> None:
    """What it answers could not be timed there."""
    ann, bob = harness.greet("ann"), harness.greet("bob")
    ann.late = True
    for seat in (ann, bob):
        harness.say(seat, wire.Seek())
    harness.clock.pass_by(10.0)
    assert not bob.of(wire.GameStart)
    ann.late = False
    harness.clock.pass_by(1.0)
    assert bob.of(wire.GameStart)


def test_a_bot_that_leaves_a_front_that_ends_has_its_whole_time_elsewhere(harness: Harness) -> None:
    """Its question may never have reached it there; it once lost on time as soon as it was back."""
    ann, bob = paired(harness)
    done = ann.heard_out = []
    again = harness.greet("ann", resume=ann.secret)
    harness.clock.pass_by(5.0)
    assert not bob.of(wire.GameOver)
    ann.is_excused = True
    done.pop()()
    assert again.last(wire.Turn).deadline_ms == 1000
    answer(harness, again)
    assert not bob.of(wire.GameOver)


@pytest.mark.parametrize("is_excused", [True, False])
def test_what_a_bot_says_in_time_counts_while_the_front_that_it_left_hangs(
    harness: Harness, *, is_excused: bool
) -> None:
    """It is asked as soon as it is back, for the time that is left."""
    ann, bob = paired(harness)
    done = ann.heard_out = []
    harness.clock.pass_by(0.4)
    again = harness.greet("ann", resume=ann.secret)
    assert again.last(wire.Turn).deadline_ms == pytest.approx(600, abs=1)
    harness.clock.pass_by(0.5)
    answer(harness, again)
    harness.clock.pass_by(5.0)
    assert not bob.of(wire.Moved)
    ann.is_excused = is_excused
    done.pop()()
    assert bob.last(wire.Moved).elapsed_ms == (0 if is_excused else pytest.approx(900, abs=1))


def test_a_bot_gains_no_time_by_leaving_fronts_that_answer_late(harness: Harness) -> None:
    """Else a bot short of time would only have to come again, and again."""
    seat, bob = paired(harness)
    for used_s in (0.9, 1.8):
        done = seat.heard_out = []
        harness.clock.pass_by(0.8)
        seat = harness.greet("ann", resume=seat.secret)
        harness.clock.pass_by(0.1)
        done.pop()()
        assert bool(bob.of(wire.GameOver)) is (used_s > 1.0)
    assert bob.last(wire.GameOver).reason is wire.Reason.TIMEOUT


def test_resume_wins_over_a_connection_that_only_looks_alive(harness: Harness) -> None:
    """The old connection is closed and its end changes nothing."""
    ann, _ = paired(harness)
    again = harness.greet("ann", resume=ann.secret)
    assert ann.closed == ("replaced", None, 4001)
    harness.drop(ann)
    answer(harness, again)
    assert again.of(wire.Moved)


def test_a_seek_rests_while_its_client_is_away(harness: Harness) -> None:
    """A bot that is away is never paired."""
    ann = harness.greet("ann")
    harness.say(ann, wire.Seek())
    harness.drop(ann)
    bob = harness.greet("bob")
    harness.say(bob, wire.Seek())
    assert not bob.of(wire.GameStart)
    again = harness.greet("ann", resume=ann.secret)
    assert again.of(wire.Seeking)
    assert again.of(wire.GameStart)
    assert bob.of(wire.GameStart)


def test_what_ended_while_away_is_told_on_return(harness: Harness) -> None:
    """The game, how it ended, and the match."""
    ann, bob = paired(harness, wire.Seek(games=1))
    harness.drop(bob)
    harness.say(ann, wire.Resign(ann.game))
    again = harness.greet("bob", resume=bob.secret)
    assert again.last(wire.GameOver).reason is wire.Reason.RESIGNED
    assert again.last(wire.MatchOver).score == {"ann": 0.0, "bob": 1.0}


def test_all_that_were_cut_off_together_have_the_time_to_come_back(harness: Harness) -> None:
    """A port accepts 250 a second: of 20,000 bots two thirds found their sessions over."""
    kept = [KeptSession(secret_hash(f"{number}'s"), f"bot-{number}", None) for number in range(500)]
    harness.sessions.restore(kept, [])
    harness.clock.pass_by(harness.context.config.now.grace_s + 500 / RETURNS_PER_S - 1)
    first = harness.greet("bot-0", resume="0's")
    first.is_excused = True
    harness.drop(first)
    harness.clock.pass_by(harness.context.config.now.grace_s + 1)
    assert harness.sessions.directory.find("bot-1") is None
    assert harness.greet("bot-0", resume="0's").last(wire.Welcome).resumed


def test_how_long_a_bot_was_away_is_said_truly(harness: Harness) -> None:
    """Away for 34 s of a seat that is kept for as long, it was said to have been for 30."""
    harness.reload(limits=Limits(voids_per_day=0))
    kept = [KeptSession(secret_hash(f"{number}'s"), f"bot-{number}", None) for number in range(498)]
    harness.sessions.restore(kept, [])
    ann, bob = paired(harness)
    grace_s = harness.context.config.now.grace_s
    ann.is_excused = True
    harness.drop(ann)
    harness.clock.pass_by(grace_s + 500 / RETURNS_PER_S - 1)
    assert not bob.of(wire.GameOver)
    harness.clock.pass_by(1)
    evidence = bob.last(wire.GameOver).evidence
    assert evidence is not None
    assert evidence.elapsed_ms == pytest.approx(1000 * (grace_s + 500 / RETURNS_PER_S), abs=1)
