"""A match under way: what is durable when, what the clocks do, and how games end."""

import pytest

from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl, TimeoutPolicy
from mancala.protocol.referee import LedgerEntry
from mancala.protocol.results import GameResult, MatchResult
from mancala.protocol.rules import KALAH
from mancala.server.config.settings import Config
from mancala.server.match.participant import secret_hash
from mancala.server.model import journal
from mancala.server.model.match import Match, Terms
from tests.server.fakes import UTC, FakeSeat, Harness, answer, paired

GRACE_S = 30.0


@pytest.fixture
def harness() -> Harness:
    """A server whose bots have one second a move."""
    return Harness(Config(clock=TimeControl(move_ms=1000), grace_s=GRACE_S))


def sow(harness: Harness, seat: FakeSeat, pit: int) -> None:
    turn = seat.last(wire.Turn)
    harness.say(seat, wire.Move(turn.game, turn.ply, pit))


def kinds(messages: list[wire.Message]) -> list[type[wire.Message]]:
    return [type(message) for message in messages]


# Durable, then announced


def test_a_move_is_announced_only_once_it_is_durable(harness: Harness) -> None:
    """Neither side hears of it before the journal has it."""
    ann, bob = paired(harness)
    harness.journal.is_slow = True
    sow(harness, ann, 0)
    assert not ann.of(wire.Moved)
    assert not bob.of(wire.Moved)
    harness.journal.settle()
    assert harness.journal.kept(journal.MovePlayed)
    assert ann.last(wire.Moved) == bob.last(wire.Moved)
    assert bob.of(wire.Turn)


def test_the_journals_time_is_charged_to_no_player(harness: Harness) -> None:
    """The next clock starts when the question goes out, not when the answer came in."""
    ann, bob = paired(harness)
    harness.journal.is_slow = True
    sow(harness, ann, 0)
    harness.clock.pass_by(5.0)
    assert not bob.of(wire.GameOver)
    harness.journal.settle()
    assert bob.last(wire.Turn).deadline_ms == 1000
    harness.clock.pass_by(0.9)
    sow(harness, bob, 0)
    harness.journal.settle()
    assert bob.last(wire.Moved).elapsed_ms == 900


def test_what_happens_while_the_journal_works_waits_its_turn(harness: Harness) -> None:
    """A spectator's snapshot shows no half step, and a second answer is judged after the first."""
    ann, bob = paired(harness)
    eve = harness.greet("eve")
    harness.journal.is_slow = True
    sow(harness, ann, 2)
    harness.say(eve, wire.Watch(ann.last(wire.GameStart).game))
    assert not eve.of(wire.GameStart)
    harness.say(
        ann, wire.Move(ann.last(wire.GameStart).game, 1, 0)
    )  # pit 2 moves again: the guess is right
    harness.journal.settle()
    assert eve.last(wire.GameStart).moves == (2,)
    harness.journal.settle()
    assert [moved.pit for moved in eve.of(wire.Moved)] == [0]
    assert [moved.pit for moved in bob.of(wire.Moved)] == [2, 0]


def test_a_result_its_match_and_their_announcements_are_one_batch(harness: Harness) -> None:
    """All of it is durable, or nothing, before game_over is said."""
    ann, bob = paired(harness, wire.Seek(games=1))
    harness.journal.is_slow = True
    harness.say(ann, wire.Resign(ann.last(wire.GameStart).game))
    assert not bob.of(wire.GameOver)
    harness.journal.settle()
    assert [type(entry) for entry in harness.journal.entries] == [
        *(journal.SessionOpened, journal.SessionOpened, journal.MatchOpened, journal.GameOpened),
        *(journal.GameClosed, journal.ReviewQueued, journal.MatchClosed),
    ]
    assert kinds(bob.told[-2:]) == [wire.GameOver, wire.MatchOver]


def test_the_announcements_tell_all_that_is_known(harness: Harness) -> None:
    """Players in seat order, moves, and the reason with its evidence."""
    ann, _ = paired(harness, wire.Seek(games=1))
    sow(harness, ann, 2)
    harness.say(ann, wire.Resign(ann.last(wire.GameStart).game))
    closed = harness.journal.kept(journal.GameClosed)[0]
    result = closed.result.payload
    assert isinstance(result, GameResult)
    assert (result.winner, result.reason) == (1, wire.Reason.RESIGNED)
    assert result.moves == (2,)
    assert [player.name for player in result.players] == ["ann", "bob"]
    assert closed.result.event_id == result.event_id
    match = harness.journal.kept(journal.MatchClosed)[0]
    total = match.result.payload
    assert isinstance(total, MatchResult)
    assert total.score == {"ann": 0.0, "bob": 1.0}
    assert total.games == (result.game,)


# Clocks


def test_silence_loses_on_time_with_the_ledger_as_evidence(harness: Harness) -> None:
    """The flag falls at the limit, and the evidence says what was used and allowed."""
    _, bob = paired(harness, wire.Seek(games=1))
    harness.clock.pass_by(0.999)
    assert not bob.of(wire.GameOver)
    harness.clock.pass_by(0.002)
    over = bob.last(wire.GameOver)
    assert (over.reason, over.winner) == (wire.Reason.TIMEOUT, 1)
    assert over.evidence is not None
    assert (over.evidence.elapsed_ms, over.evidence.allowed_ms) == (1000, 1000)


def test_measured_lag_is_credited_and_shown(harness: Harness) -> None:
    """A bot with 200 ms of round trip may answer 100 ms late, and the move says why."""
    ann, bob = paired(harness, lag_ms=200)
    harness.clock.pass_by(1.1)
    sow(harness, ann, 0)
    assert (bob.last(wire.Moved).elapsed_ms, bob.last(wire.Moved).lag_ms) == (1100, 200)


def test_an_answer_to_an_old_question_is_dropped(harness: Harness) -> None:
    """It's neither played nor an error nor a loss."""
    ann, bob = paired(harness)
    turn = ann.last(wire.Turn)
    sow(harness, ann, 0)
    harness.say(ann, wire.Move(turn.game, turn.ply, 1))
    assert len(bob.of(wire.Moved)) == 1
    assert not ann.of(wire.Error)
    assert not bob.of(wire.GameOver)


def test_an_answer_after_the_end_is_dropped(harness: Harness) -> None:
    """A move that crosses game_over on its way is dropped."""
    ann, bob = paired(harness, wire.Seek(games=1))
    turn = ann.last(wire.Turn)
    harness.say(bob, wire.Resign(turn.game))
    told = len(ann.told)
    harness.say(ann, wire.Move(turn.game, turn.ply, 0), wire.Resign(turn.game))
    assert len(ann.told) == told


def test_the_last_provisional_move_is_played_when_the_flag_falls() -> None:
    """Where the clock's policy allows it; the move is marked as forced."""
    clock = TimeControl(move_ms=1000, timeout=TimeoutPolicy.PROVISIONAL)
    harness = Harness(Config(clock=clock))
    ann, bob = paired(harness)
    turn = ann.last(wire.Turn)
    for pit in (0, 1):
        harness.say(ann, wire.Move(turn.game, turn.ply, pit, provisional=True))
    assert not bob.of(wire.Moved)
    harness.clock.pass_by(1.0)
    assert (bob.last(wire.Moved).pit, bob.last(wire.Moved).forced) == (1, True)


@pytest.mark.parametrize(
    ("mover", "pit", "reason", "legal"),
    [(0, 9, wire.Reason.ILLEGAL, (0, 1, 2, 3, 4, 5)), (1, 0, wire.Reason.PROTOCOL, None)],
)
def test_a_false_move_ends_the_game_with_its_evidence(
    harness: Harness, mover: int, pit: int, reason: wire.Reason, legal: tuple[int, ...] | None
) -> None:
    """A pit that may not be sown, and an answer to the other's question."""
    seats = paired(harness)
    game = seats[0].last(wire.GameStart).game
    harness.say(seats[mover], wire.Move(game, 0, pit))
    over = seats[0].last(wire.GameOver)
    assert (over.winner, over.reason) == (1 - mover, reason)
    assert over.evidence is not None
    assert (over.evidence.player, over.evidence.pit, over.evidence.legal) == (mover, pit, legal)
    assert len(seats[0].of(wire.GameStart)) == 2, "the match goes on"


# Absence


def test_a_dropped_bot_keeps_its_seat_while_clock_and_grace_last() -> None:
    """The seat is lost with the grace time, unless the opponent's clock runs out first."""
    harness = Harness(Config(clock=TimeControl(move_ms=3_600_000), grace_s=GRACE_S))
    ann, bob = paired(harness, wire.Seek(games=6))
    harness.drop(ann)
    harness.clock.pass_by(GRACE_S - 1)
    assert not bob.of(wire.GameOver)
    harness.clock.pass_by(2)
    over = bob.last(wire.GameOver)
    assert (over.winner, over.reason) == (1, wire.Reason.DISCONNECTED)
    assert bob.last(wire.MatchOver).score == {"ann": 0.0, "bob": 1.0}


def test_when_both_are_gone_the_game_does_not_count(harness: Harness) -> None:
    """It is aborted, and the match ends at nought."""
    ann, bob = paired(harness, wire.Seek(clock=TimeControl(move_ms=3_600_000)))
    for seat in (ann, bob):
        harness.drop(seat)
    harness.clock.pass_by(GRACE_S)
    closed = harness.journal.kept(journal.GameClosed)[0]
    assert closed.ended.reason is wire.Reason.ABORTED
    assert len(harness.journal.kept(journal.MatchClosed)) == 1


def test_a_game_that_begins_in_a_bots_absence_waits_for_it(harness: Harness) -> None:
    """Its first question is put when it is back, not to an empty seat."""
    ann, bob = paired(harness)
    sow(harness, ann, 0)
    harness.drop(bob)
    harness.clock.pass_by(1.5)
    assert ann.last(wire.GameOver).reason is wire.Reason.TIMEOUT
    harness.clock.pass_by(10)
    assert len(ann.of(wire.GameOver)) == 1
    again = harness.greet("bob", resume=bob.last(wire.Welcome).session)
    assert again.last(wire.Turn).deadline_ms == 1000


# After a restart


def kept(moves: tuple[LedgerEntry, ...], *, running: bool = True) -> journal.KeptMatch:
    terms = Terms(KALAH, TimeControl(move_ms=1000, bank_ms=60_000), rated=True, games=2)
    match = Match("m", ("ann", "bob"), terms, UTC, games=["g1"])
    if not running:
        match.count(0, wire.Reason.NORMAL)
    return journal.KeptMatch(match, running=running, began_at=UTC, moves=moves)


SESSIONS = [journal.KeptSession(secret_hash(f"{name}'s"), name, None) for name in ("ann", "bob")]


def test_a_restored_game_goes_on_with_the_clocks_as_they_stood(harness: Harness) -> None:
    """No clock runs until the bot to move is back."""
    harness.sessions.restore(SESSIONS, [kept((LedgerEntry(2, 500, 0), LedgerEntry(0, 700, 0)))])
    harness.clock.pass_by(20)
    ann = harness.greet("ann", resume="ann's")
    assert ann.last(wire.GameStart).moves == (2, 0)
    assert ann.last(wire.GameStart).clocks.banks_ms == (58_800, 60_000)
    assert not ann.of(wire.Turn)
    bob = harness.greet("bob", resume="bob's")
    assert (bob.last(wire.Turn).ply, bob.last(wire.Turn).deadline_ms) == (2, 1000)
    sow(harness, bob, 0)
    assert ann.last(wire.Moved).ply == 2


def test_a_restored_match_between_two_games_begins_the_next(harness: Harness) -> None:
    """The score so far counts."""
    harness.sessions.restore(SESSIONS, [kept((), running=False)])
    bob, ann = harness.greet("bob", resume="bob's"), harness.greet("ann", resume="ann's")
    assert bob.last(wire.GameStart).seat == 0
    harness.say(bob, wire.Resign(bob.last(wire.GameStart).game))
    assert ann.last(wire.MatchOver).score == {"ann": 2.0, "bob": 0.0}


def test_a_restored_seat_is_lost_unless_claimed_in_time(harness: Harness) -> None:
    """The bot that came back wins; when neither does, the game doesn't count."""
    harness.sessions.restore(SESSIONS, [kept(())])
    bob = harness.greet("bob", resume="bob's")
    harness.clock.pass_by(GRACE_S + 1)
    assert bob.last(wire.GameOver).reason is wire.Reason.DISCONNECTED
    assert bob.last(wire.MatchOver).score == {"ann": 0.0, "bob": 1.0}


def test_a_bot_that_a_restart_cut_off_is_asked_once_it_is_back(harness: Harness) -> None:
    """The other may come back and move before it; later its clock runs while it is away."""
    harness.sessions.restore(SESSIONS, [kept(())])
    ann = harness.greet("ann", resume="ann's")
    sow(harness, ann, 0)
    assert ann.last(wire.Moved).ply == 0
    harness.clock.pass_by(GRACE_S - 5)
    assert not ann.of(wire.GameOver)
    bob = harness.greet("bob", resume="bob's")
    assert (bob.last(wire.Turn).ply, bob.last(wire.Turn).deadline_ms) == (1, 1000)
    harness.drop(bob)
    harness.clock.pass_by(1.5)
    assert ann.last(wire.GameOver).reason is wire.Reason.TIMEOUT


def test_a_suspended_match_says_nothing_more(harness: Harness) -> None:
    """What the journal still finishes is for the next server to announce."""
    ann, bob = paired(harness)
    harness.journal.is_slow = True
    sow(harness, ann, 0)
    harness.sessions.suspend()
    harness.journal.settle()
    harness.clock.pass_by(60)
    assert not bob.of(wire.Moved)
    assert not bob.of(wire.GameOver)


def test_a_player_can_not_watch_its_own_game(harness: Harness) -> None:
    """It sees all of it already."""
    ann, _ = paired(harness)
    harness.say(ann, wire.Watch(ann.last(wire.GameStart).game))
    assert ann.last(wire.Error).code is wire.ErrorCode.INVALID


# Coming back while the journal works


def test_a_bot_that_resumes_while_a_move_is_written_is_told_it_with_the_snapshot(
    harness: Harness,
) -> None:
    """The new connection hears of the game first; the move was once announced to it before."""
    ann, bob = paired(harness)
    harness.drop(bob)
    harness.journal.is_slow = True
    sow(harness, ann, 0)
    again = harness.greet("bob", resume=bob.last(wire.Welcome).session)
    harness.journal.is_slow = False
    harness.journal.settle()
    assert kinds(again.told) == [wire.Welcome, wire.GameStart, wire.Turn]
    assert again.last(wire.GameStart).moves == (0,)


def test_a_bot_that_resumes_while_its_game_ends_is_told_of_game_and_end(harness: Harness) -> None:
    """It hears the end of the game and of the match after its welcome."""
    ann, bob = paired(harness, wire.Seek(games=1))
    harness.drop(bob)
    harness.journal.is_slow = True
    harness.say(ann, wire.Resign(ann.last(wire.GameStart).game))
    again = harness.greet("bob", resume=bob.last(wire.Welcome).session)
    harness.journal.is_slow = False
    harness.journal.settle()
    assert kinds(again.told) == [wire.Welcome, wire.GameStart, wire.GameOver, wire.MatchOver]


def test_a_welcome_names_the_matches_that_go_on_though_no_game_runs(harness: Harness) -> None:
    """Between two games there is no snapshot yet, and the match is not over all the same."""
    ann, bob = paired(harness)
    harness.journal.is_slow = True
    harness.say(ann, wire.Resign(ann.last(wire.GameStart).game))
    harness.journal.settle()
    again = harness.greet("bob", resume=bob.last(wire.Welcome).session)
    assert again.last(wire.Welcome).matches == (bob.last(wire.GameStart).match,)
    assert not again.of(wire.GameStart)
    harness.journal.is_slow = False
    harness.journal.settle()
    assert again.last(wire.GameStart).match == bob.last(wire.GameStart).match


def test_a_move_that_can_not_be_stored_with_its_comment_is_stored_without(harness: Harness) -> None:
    """So no bot can undo a move by what it writes."""
    ann, bob = paired(harness)
    harness.journal.refuses = lambda entry: (
        isinstance(entry, journal.MovePlayed) and entry.info is not None
    )
    asked = ann.last(wire.Turn)
    harness.say(ann, wire.Move(asked.game, 0, 3, info=wire.Info(comment="poison")))
    moved = bob.last(wire.Moved)
    assert (moved.pit, moved.info) == (3, None)
    assert len(harness.journal.kept(journal.MovePlayed)) == 1


def test_a_move_that_can_not_be_stored_is_not_announced_and_its_game_does_not_count(
    harness: Harness,
) -> None:
    """The game ends where it was durable; the next one is played."""
    ann, bob = paired(harness)
    sow(harness, ann, 0)
    first = ann.last(wire.Turn).game
    harness.journal.refuses = lambda entry: isinstance(entry, journal.MovePlayed)
    answer(harness, bob)
    harness.journal.refuses = lambda _entry: False
    over = ann.of(wire.GameOver)[0]
    assert (over.game, over.reason, over.winner) == (first, wire.Reason.ABORTED, None)
    assert len(ann.of(wire.Moved)) == len(bob.of(wire.Moved)) == 1
    [closed] = harness.journal.kept(journal.GameClosed)
    assert closed.ended.reason is wire.Reason.ABORTED
    assert ann.last(wire.GameStart).game != first


def test_an_end_that_can_not_be_stored_leaves_no_points(harness: Harness) -> None:
    """A resignation whose result is refused ends the game as aborted, and the score is even."""
    ann, bob = paired(harness, wire.Seek(games=1))
    refused: list[object] = []

    def refuse(entry: object) -> bool:
        is_first = isinstance(entry, journal.GameClosed) and not refused
        refused.extend([entry] if is_first else [])
        return is_first

    harness.journal.refuses = refuse
    harness.say(ann, wire.Resign(ann.last(wire.Turn).game))
    assert bob.last(wire.GameOver).reason is wire.Reason.ABORTED
    assert bob.last(wire.MatchOver).score == {"ann": 0.0, "bob": 0.0}


@pytest.mark.parametrize("kind", [journal.MatchOpened, journal.GameOpened])
def test_a_match_that_can_not_be_stored_never_begins(
    harness: Harness, kind: type[journal.Entry]
) -> None:
    """Both bots get the error, none gets a game, and both are free again."""
    harness.journal.refuses = lambda entry: isinstance(entry, kind)
    ann, bob = paired(harness)
    for seat in (ann, bob):
        assert seat.of(wire.GameStart) == []
        assert (seat.last(wire.Error).code, seat.last(wire.Error).fatal) == (
            wire.ErrorCode.INTERNAL,
            False,
        )
    harness.journal.refuses = lambda _entry: False
    for seat in (ann, bob):
        harness.say(seat, wire.Seek())
    assert ann.of(wire.GameStart)


def test_a_game_whose_end_can_not_be_stored_at_all_is_given_up(harness: Harness) -> None:
    """The players hear of it, and the journal knows how to go on after a restart."""
    ann, bob = paired(harness)
    harness.journal.refuses = lambda _entry: True
    answer(harness, ann)
    for seat in (ann, bob):
        assert seat.last(wire.Error).code is wire.ErrorCode.INTERNAL
        assert seat.of(wire.GameOver) == []
    assert harness.sessions.tables.games == ()
