"""One refereed game: numbered questions, flags, faults, absences; time is a number here."""

from itertools import pairwise
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.protocol.clock import Ledger, TimeControl, TimeoutPolicy
from mancala.protocol.messages import Evidence, Info, Outcome, Reason
from mancala.protocol.record import GameRecord, RecordedMove, verify
from mancala.protocol.referee import EXCUSED_S, Asked, Event, LedgerEntry, Played, Referee
from mancala.protocol.results import Contestant
from mancala.protocol.rules import KALAH, PRESETS, Board, IllegalMoveError, Rules
from tests.protocol.strategies import rules

SECOND: Final = TimeControl(move_ms=1000)
GRACE_S: Final = 30.0
PLAYERS: Final = (Contestant("ada"), Contestant("bob"))


def game(
    text: str = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>",
    control: TimeControl = SECOND,
    preset: str = "kalah",
) -> Referee:
    referee = Referee(Board.from_text(text, PRESETS[preset]), control, grace_s=GRACE_S)
    referee.start(0.0)
    return referee


def policy(timeout: TimeoutPolicy) -> TimeControl:
    return TimeControl(move_ms=1000, timeout=timeout)


def end(events: list[Event]) -> Outcome:
    assert isinstance(events[-1], Outcome)
    return events[-1]


def test_a_game_begins_with_a_question() -> None:
    """Player 0 is asked question 0 and told the time allowed."""
    board = Board.start()
    assert Referee(board, SECOND).start(5.0) == [Asked(0, 0, board, 1000.0)]


def test_a_player_has_sown_with_its_first_move_and_not_with_the_opponents() -> None:
    """An extra turn is the same player's move."""
    referee = game()
    for pit, sown in ((2, [True, False]), (0, [True, False]), (0, [True, True])):
        referee.play(referee.player, referee.ply, pit, 0.0)
        assert [referee.has_sown(player) for player in (0, 1)] == sown


def test_one_that_waited_for_the_first_move_has_not_sown() -> None:
    """Player 1 may begin."""
    referee = Referee(Board(KALAH, ((4,) * 6, (4,) * 6), (0, 0), player=1), SECOND)
    referee.start(0.0)
    referee.play(1, 0, 0, 0.1)
    assert [referee.has_sown(player) for player in (0, 1)] == [False, True]


def test_a_move_is_announced_with_its_ledger_and_the_next_question() -> None:
    """What was sown, what it took, what was credited; then the next number."""
    referee = game()
    referee.measure(0, 40.0)
    played, asked = referee.play(0, 0, 0, 0.25, info=Info(depth=7))
    assert isinstance(played, Played)
    assert (played.player, played.ply, played.pit, played.forced) == (0, 0, 0, False)
    assert (played.ledger, played.info) == (Ledger(250.0, 40.0), Info(depth=7))
    assert asked == Asked(1, 1, referee.board, 1000.0)


def test_a_player_that_may_sow_again_is_asked_again() -> None:
    """The number grows with each sowing, not with each turn."""
    asked = game().play(0, 0, 2, 0.1)[-1]
    assert isinstance(asked, Asked)
    assert (asked.player, asked.ply) == (0, 1)


@pytest.mark.parametrize("player", [0, 1])
def test_a_late_answer_is_dropped(player: int) -> None:
    """An answer to an old question changes nothing, from either player."""
    referee = game()
    referee.play(0, 0, 0, 0.1)
    assert referee.play(player, 0, 3, 0.2) == []
    assert referee.ended is None
    assert referee.ply == 1


@pytest.mark.parametrize(("player", "ply"), [(1, 0), (0, 1), (1, 1), (0, 99)])
def test_an_answer_to_no_question_ends_the_game(player: int, ply: int) -> None:
    """Out of turn, or ahead of time: ``protocol``, and the other wins."""
    ended = end(game().play(player, ply, 0, 0.1))
    assert (ended.winner, ended.reason) == (1 - player, Reason.PROTOCOL)
    assert ended.evidence == Evidence(
        player, f"answered question {ply}, which was not put to this player", 0, pit=0
    )


def test_an_answer_before_the_first_question_ends_the_game() -> None:
    """Nothing was asked yet, so nothing is due and no answer is in place."""
    referee = Referee(Board.start(), SECOND)
    assert (referee.deadline(), referee.flag_at) == (None, None)
    assert end(referee.play(0, 0, 0, 0.1)).reason is Reason.PROTOCOL


def test_an_answer_in_the_opponents_turn_ends_the_game() -> None:
    """Question 1 was put to player 1, and player 0 answers it."""
    referee = game()
    referee.play(0, 0, 0, 0.1)
    ended = end(referee.play(0, 1, 3, 0.2))
    assert (ended.winner, ended.reason) == (1, Reason.PROTOCOL)


@pytest.mark.parametrize("provisional", [False, True])
def test_an_illegal_pit_ends_the_game_with_the_legal_ones(*, provisional: bool) -> None:
    """``illegal`` names the pit and what could have been sown; a provisional one counts too."""
    referee = game("<6,0,0,0,1,0,0,0,2,1,1,1,1,1,1>")
    ended = end(referee.play(0, 0, 3, 0.1, provisional=provisional))
    assert (ended.winner, ended.reason) == (1, Reason.ILLEGAL)
    assert ended.evidence == Evidence(0, "that pit may not be sown", 0, pit=3, legal=(1, 5))


def test_the_flag_forfeits_the_game() -> None:
    """``timeout`` tells the time used, the time allowed and the lag in it."""
    referee = game()
    referee.measure(0, 40.0)
    assert referee.deadline() == pytest.approx(1.04)
    assert referee.expire(1.03) == []
    ended = end(referee.expire(1.1))
    assert (ended.winner, ended.reason) == (1, Reason.TIMEOUT)
    evidence = ended.evidence
    assert evidence == Evidence(
        0, "the time was up", 0, elapsed_ms=1100, allowed_ms=1040, lag_ms=40
    )


def test_an_answer_after_the_flag_is_a_timeout_even_unnoticed() -> None:
    """A late timer does not lengthen the time allowed."""
    assert end(game().play(0, 0, 0, 1.001)).reason is Reason.TIMEOUT


def test_an_answer_at_the_flag_counts() -> None:
    """The limit itself is allowed."""
    assert isinstance(game().play(0, 0, 0, 1.0)[0], Played)


def test_provisional_moves_do_not_count_under_forfeit() -> None:
    """The policy decides, and the default is strict."""
    referee = game()
    assert referee.play(0, 0, 0, 0.1, provisional=True) == []
    assert end(referee.expire(1.0)).reason is Reason.TIMEOUT


@pytest.mark.parametrize("timeout", [TimeoutPolicy.PROVISIONAL, TimeoutPolicy.RANDOM])
def test_the_last_provisional_move_is_played_when_the_flag_falls(timeout: TimeoutPolicy) -> None:
    """The best so far is sown, marked as forced, with what the bot said of it."""
    referee = game(control=policy(timeout))
    referee.play(0, 0, 0, 0.1, provisional=True)
    referee.play(0, 0, 5, 0.2, provisional=True, info=Info(depth=3))
    played = referee.expire(1.0)[0]
    assert isinstance(played, Played)
    assert (played.pit, played.forced, played.info) == (5, True, Info(depth=3))


def test_a_provisional_move_is_forgotten_with_its_question() -> None:
    """What was thought of the last position is not played in the next."""
    referee = game(control=policy(TimeoutPolicy.PROVISIONAL))
    referee.play(0, 0, 0, 0.1, provisional=True)
    referee.play(0, 0, 2, 0.2)
    assert end(referee.expire(1.2)).reason is Reason.TIMEOUT


def test_a_final_answer_wins_over_a_provisional_one() -> None:
    """The answer without the flag is what is sown."""
    referee = game(control=policy(TimeoutPolicy.PROVISIONAL))
    referee.play(0, 0, 0, 0.1, provisional=True)
    played = referee.play(0, 0, 5, 0.2)[0]
    assert isinstance(played, Played)
    assert (played.pit, played.forced) == (5, False)


def test_the_referee_picks_when_nothing_came_under_random() -> None:
    """The given `pick` chooses a legal pit."""
    board = Board.from_text("<6,0,0,0,1,0,0,0,2,1,1,1,1,1,1>")
    referee = Referee(board, policy(TimeoutPolicy.RANDOM), pick=lambda legal: legal[-1])
    referee.start(0.0)
    played = referee.expire(1.0)[0]
    assert isinstance(played, Played)
    assert (played.pit, played.forced) == (5, True)


def test_the_first_legal_pit_is_picked_by_default() -> None:
    """A referee without a random generator still plays under ``random``."""
    referee = game("<6,0,0,0,1,0,0,0,2,1,1,1,1,1,1>", policy(TimeoutPolicy.RANDOM))
    assert referee.expire(1.0)[0].pit == 1  # type: ignore[union-attr]  # a move


def test_each_players_flag_falls_after_its_own_lag() -> None:
    """A player whose lag was not measured is credited none."""
    referee = game()
    referee.measure(0, 40.0)
    referee.play(0, 0, 0, 0.5)
    assert referee.flag_at == 1.5


def test_a_doubtful_flag_plays_the_move_that_the_policy_has() -> None:
    """The last provisional move is forced, as if the flag had fallen."""
    referee = game(control=policy(TimeoutPolicy.PROVISIONAL))
    referee.play(0, 0, 5, 0.2, provisional=True)
    played = referee.doubt(1.5, "the server slept")[0]
    assert isinstance(played, Played)
    assert (played.pit, played.forced) == (5, True)


def test_a_doubtful_flag_without_a_move_makes_the_game_void() -> None:
    """The evidence names the player that would have lost, and the times; later doubts are void."""
    referee = game()
    referee.measure(0, 40.0)
    ended = end(referee.doubt(1.5, "the server slept"))
    assert (ended.winner, ended.reason) == (None, Reason.ABORTED)
    assert ended.evidence == Evidence(
        None, "the server slept", 0, elapsed_ms=1500, allowed_ms=1040, lag_ms=40, spared=0
    )
    assert referee.flag_at is None
    assert referee.doubt(2.0, "again") == []


@pytest.mark.parametrize("timeout", TimeoutPolicy)
def test_a_provisional_move_matters_at_the_flag_only_where_it_may_be_played(
    timeout: TimeoutPolicy,
) -> None:
    """A bot out of time once voided its game with one, which no policy would have played."""
    referee = game(control=policy(timeout))
    assert referee.hangs_on(provisional=False)
    assert referee.hangs_on(provisional=True) is (timeout is not TimeoutPolicy.FORFEIT)
    referee.play(0, 0, 5, 0.2, provisional=True)
    assert not referee.hangs_on(provisional=True)


def test_nothing_came_under_provisional_is_a_timeout() -> None:
    """Without a move there is none to play."""
    referee = game(control=policy(TimeoutPolicy.PROVISIONAL))
    assert end(referee.expire(1.0)).reason is Reason.TIMEOUT


def test_a_lost_seat_is_kept_for_the_grace_time() -> None:
    """The player who is not to move may be away for the grace time and no longer."""
    referee = game(control=TimeControl(move_ms=60_000))
    referee.lost(1, 1.0)
    assert not referee.is_present(1)
    assert referee.deadline() == 1.0 + GRACE_S
    assert referee.expire(GRACE_S) == []
    ended = end(referee.expire(1.0 + GRACE_S))
    assert (ended.winner, ended.reason) == (0, Reason.DISCONNECTED)
    assert ended.evidence == Evidence(1, "did not come back", 0, elapsed_ms=30_000)


def test_a_seat_is_kept_for_half_a_minute_by_default() -> None:
    """A late timer ends it all the same."""
    referee = Referee(Board.start(), TimeControl(move_ms=60_000))
    referee.start(0.0)
    referee.lost(1, 1.0)
    assert referee.deadline() == 31.0
    assert end(referee.expire(40.0)).reason is Reason.DISCONNECTED


def test_one_whose_opponent_is_away_loses_by_its_own_flag() -> None:
    """Only a game that both have left is void."""
    referee = game()
    referee.lost(1, 0.1)
    ended = end(referee.expire(1.0))
    assert (ended.winner, ended.reason) == (1, Reason.TIMEOUT)


def test_who_comes_back_plays_on() -> None:
    """After a rejoin the grace time no longer runs."""
    referee = game(control=TimeControl(move_ms=60_000))
    referee.lost(1, 1.0)
    referee.rejoin(1)
    assert referee.is_present(1)
    assert referee.expire(1.0 + GRACE_S) == []
    assert referee.deadline() == 60.0


def test_the_clock_runs_while_away() -> None:
    """Dropping the line buys no time; the evidence says that the player was gone."""
    referee = game()
    referee.lost(0, 0.5)
    ended = end(referee.expire(1.0))
    assert ended.reason is Reason.TIMEOUT
    assert ended.evidence is not None
    assert ended.evidence.detail == "the time was up while away"


def test_a_second_loss_does_not_prolong_the_grace() -> None:
    """The time counts from when the player was first gone."""
    referee = game(control=TimeControl(move_ms=60_000))
    referee.lost(1, 1.0)
    referee.lost(1, 20.0)
    assert referee.deadline() == 1.0 + GRACE_S


@pytest.mark.parametrize("control", [SECOND, TimeControl(move_ms=60_000)])
def test_a_game_without_anybody_is_aborted(control: TimeControl) -> None:
    """When both are gone, neither the flag nor the grace time makes a winner."""
    referee = game(control=control)
    referee.lost(0, 0.1)
    referee.lost(1, 0.2)
    deadline = referee.deadline()
    assert deadline is not None
    ended = end(referee.expire(deadline))
    assert (ended.winner, ended.reason) == (None, Reason.ABORTED)
    assert ended.evidence == Evidence(None, "both players were gone", 0)


@pytest.mark.parametrize("player", [0, 1])
def test_either_may_resign_at_any_time(player: int) -> None:
    """Resigning needs no turn."""
    ended = end(game().resign(player))
    assert (ended.winner, ended.reason) == (1 - player, Reason.RESIGNED)


def test_the_cause_of_a_resignation_is_evidence() -> None:
    """The record of the loss says why."""
    ended = end(game().resign(1, "the program crashed; exit code 3"))
    assert ended.evidence == Evidence(1, "resigned: the program crashed; exit code 3", 0)


def test_a_fault_outside_the_game_ends_it_with_what_was_received() -> None:
    """Garbage is kept as evidence."""
    ended = end(game().fault(1, Reason.PROTOCOL, "no JSON", received="mvoe 3"))
    assert (ended.winner, ended.reason) == (0, Reason.PROTOCOL)
    assert ended.evidence == Evidence(1, "no JSON", 0, received="mvoe 3")


def test_an_ended_game_stays_ended() -> None:
    """After the end no input makes an event, and there is no deadline."""
    referee = game()
    first = end(referee.resign(0))
    referee.lost(1, 0.1)
    later = [
        referee.play(0, 0, 0, 0.1),
        referee.expire(99.0),
        referee.resign(1),
        referee.abort("late"),
        referee.fault(1, Reason.WEDGED, "late"),
    ]
    assert later == [[]] * 5
    assert referee.ended == first
    assert referee.deadline() is None


def test_a_forced_end_counts_the_stores_as_they_stand() -> None:
    """Seeds still in the pits count for neither player."""
    assert end(game("<2,3,1,1,1,1,1>").resign(0)).stores == (3, 1)


@pytest.mark.parametrize(
    ("text", "preset", "pit", "winner", "stores", "reason"),
    [
        ("<2,4,0,0,1,1,1>", "kalah", 1, 0, (5, 2), Reason.NORMAL),
        ("<2,0,4,0,1,1,1>", "kalah", 1, 1, (1, 6), Reason.NORMAL),
        ("<2,1,0,0,1,1,1>", "kalah", 1, None, (2, 2), Reason.NORMAL),
        ("<2,1,0,0,1,1,2>", "kalah", 1, 1, (2, 3), Reason.NORMAL),
        ("<2,2,0,0,1,1,1>", "kalah", 1, 0, (3, 2), Reason.NORMAL),
        ("<2,5,0,1,1,1,2>", "article", 1, 0, (6, 0), Reason.MAJORITY),
    ],
)
def test_a_game_ends_by_the_rules(  # one row of the table above
    text: str, preset: str, pit: int, winner: int | None, stores: tuple[int, int], reason: Reason
) -> None:
    """Winner, stores and reason are those of the rules, without evidence."""
    ended = end(game(text, preset=preset).play(0, 0, pit, 0.1))
    assert ended == Outcome(winner, stores, reason, None)


def test_a_finished_opening_ends_at_once() -> None:
    """No question is put in a position without legal moves."""
    referee = Referee(Board.from_text("<2,4,0,0,0,1,1>"), SECOND)
    assert end(referee.start(0.0)).reason is Reason.NORMAL


def test_replay_goes_on_where_the_journal_ends() -> None:
    """Board, number and both clocks are as they were; the next question starts anew."""
    control = TimeControl(move_ms=None, bank_ms=60_000, increment_ms=100)
    played = Referee(Board.start(), control)
    played.measure(0, 30.0)
    events = played.start(0.0)
    for now, pit in ((0.2, 2), (0.3, 0), (0.9, 3)):
        events += played.play(played.player, played.ply, pit, now)
    journal = [
        LedgerEntry(event.pit, event.ledger.elapsed_ms, event.ledger.lag_ms)
        for event in events
        if isinstance(event, Played)
    ]
    resumed = Referee(Board.start(), control)
    resumed.replay(journal)
    assert (resumed.board, resumed.moves, resumed.clock.state) == (
        played.board,
        played.moves,
        played.clock.state,
    )
    (asked,) = resumed.start(1000.0)
    assert asked == Asked(played.player, 3, played.board, played.clock.allowed_ms(played.player))


def test_replay_refuses_an_illegal_journal() -> None:
    """A damaged journal is noticed."""
    with pytest.raises(IllegalMoveError):
        Referee(Board.start(), SECOND).replay([LedgerEntry(2, 1.0, 0.0), LedgerEntry(2, 1.0, 0.0)])


@given(rules(max_pits=6), st.randoms(use_true_random=False))
def test_whole_random_games_end_normally(variant: Rules, rng: Random) -> None:
    """Legal answers in time lead to an end by the rules, and the record of it verifies."""
    events = play_out(Referee(Board.start(variant), SECOND), rng, unruly=False)
    assert end(events).reason in {Reason.NORMAL, Reason.MAJORITY}
    verify(record_of(Board.start(variant), SECOND, events))


@given(rules(max_pits=6), st.sampled_from(TimeoutPolicy), st.randoms(use_true_random=False))
def test_whatever_happens_the_game_ends_once_and_its_record_verifies(
    variant: Rules, timeout: TimeoutPolicy, rng: Random
) -> None:
    """Late, illegal and stray answers, losses and returns: one end, numbered questions."""
    control = policy(timeout)
    events = play_out(Referee(Board.start(variant), control), rng, unruly=True)
    assert [isinstance(event, Outcome) for event in events].count(True) == 1
    plies = [event.ply for event in events if isinstance(event, Asked)]
    assert all(later == earlier + 1 for earlier, later in pairwise(plies))
    verify(record_of(Board.start(variant), control, events))


def play_out(referee: Referee, rng: Random, *, unruly: bool) -> list[Event]:
    now = 0.0
    events = referee.start(now)
    while referee.ended is None:
        now += rng.random() * (1.2 if unruly else 0.99)
        deadline = referee.deadline()
        if deadline is not None and now >= deadline:
            events += referee.expire(now)
        elif unruly and rng.random() < 0.2:
            events += disturb(referee, rng, now)
        else:
            pit = rng.choice(referee.board.legal())
            provisional = unruly and rng.random() < 0.3
            events += referee.play(referee.player, referee.ply, pit, now, provisional=provisional)
    return events


def disturb(referee: Referee, rng: Random, now: float) -> list[Event]:
    """Let something happen that should not, or need not."""
    player = rng.randrange(2)
    match rng.randrange(40):
        case 0:
            return referee.resign(player)
        case 1:
            return referee.play(player, referee.ply + rng.randrange(2), rng.randrange(9), now)
        case 2:
            return referee.fault(player, Reason.WEDGED, "did not answer a ping")
        case 3 | 4 | 5:
            referee.lost(player, now)
        case 6 | 7 | 8:
            referee.rejoin(player)
        case 9 | 10 | 11:
            referee.measure(player, rng.random() * 500)
        case _:
            return referee.play(player, referee.ply - 1, rng.randrange(9), now)
    return []


def record_of(opening: Board, control: TimeControl, events: list[Event]) -> GameRecord:
    moves = tuple(
        RecordedMove(e.player, e.pit, *e.ledger, clock=e.clock.state, forced=e.forced)
        for e in events
        if isinstance(e, Played)
    )
    over = end(events)
    return GameRecord("g", opening.rules, PLAYERS, opening.state, moves, over, clock=control)


def test_a_withdrawn_question_runs_no_clock_until_it_is_put_again() -> None:
    """No flag falls meanwhile, and no answer counts."""
    referee = game()
    referee.hold()
    assert referee.deadline() is None
    assert referee.expire(100.0) == []
    assert referee.flag_at is None
    referee.start(100.0)
    assert referee.deadline() == 101.0
    assert end(referee.expire(101.0)).reason is Reason.TIMEOUT


@pytest.mark.parametrize(("excused_s", "patience_s"), [(EXCUSED_S, EXCUSED_S), (0.0, GRACE_S)])
def test_a_game_waits_for_a_player_whose_absence_is_excused_and_is_then_void(
    excused_s: float, patience_s: float
) -> None:
    """Neither player is charged with what the caller answers for."""
    referee = game(control=TimeControl(move_ms=1000 * round(2 * EXCUSED_S)))
    referee.lost(1, 1.0, excused_s=excused_s)
    assert referee.deadline() == 1.0 + patience_s
    assert referee.expire(1.0 + 0.9 * patience_s) == []
    ended = end(referee.expire(1.0 + patience_s))
    assert (ended.winner, ended.reason) == (None, Reason.ABORTED)
    assert ended.evidence == Evidence(None, "did not come back", 0)


def test_a_player_that_may_not_be_spared_loses_though_its_absence_was_excused() -> None:
    """The caller is asked when the time is over, about this player."""
    referee = game(control=TimeControl(move_ms=1000 * round(2 * EXCUSED_S)))
    referee.lost(1, 1.0, excused_s=0.0)
    ended = end(referee.expire(1.0 + GRACE_S, lambda player: player != 1))
    assert (ended.winner, ended.reason) == (0, Reason.DISCONNECTED)
