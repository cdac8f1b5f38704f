"""One game between two players."""

from collections.abc import Callable
from itertools import count

import pytest
from msgspec import structs

from mancala.protocol.messages import Dialogue, Info, Outcome, Reason
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player
from mancala.protocol.record import verify
from mancala.protocol.rules import KALAH, PRESETS, Board, Rules
from mancala.server.contest.headless.game import Task, Unfinished, play, seed_of, wedged
from mancala.server.contest.headless.played_game import PlayedGame
from tests.server.contest.headless.players import (
    FOUR,
    AnyPitPlayer,
    BrokenPlayer,
    StubbornPlayer,
    conditions,
)

TASK = Task(3, ("ada", "bob"))


def ticking(step_s: float) -> Callable[[], float]:
    """Return a clock that advances by a fixed step at each look."""
    ticks = count()
    return lambda: step_s * next(ticks)


def duel(first: Player, second: Player, *, task: Task = TASK, step_s: float = 0.001) -> PlayedGame:
    return play(task, (first, second), conditions(), ticking(step_s))


def result(game: PlayedGame) -> Outcome:
    assert game.record.result is not None
    return game.record.result


@pytest.mark.parametrize("rules", [*PRESETS.values(), Rules(pits=3, seeds=2)])
def test_a_game_is_a_record_that_proves_itself(rules: Rules) -> None:
    """Moves, times and result of a headless game pass the same check as a server's."""
    game = play(TASK, (AnyPitPlayer(), AnyPitPlayer()), conditions(rules), ticking(0.001))
    verify(game.record)
    assert result(game).reason in (Reason.NORMAL, Reason.MAJORITY)
    assert [player.name for player in game.record.players] == ["ada", "bob"]
    assert {move.elapsed_ms for move in game.record.moves} == {1.0}


def test_the_same_seed_plays_the_same_game() -> None:
    """All chance comes from the event's seed, the game's number and the seat."""
    one, two = duel(AnyPitPlayer(), AnyPitPlayer()), duel(AnyPitPlayer(), AnyPitPlayer())
    assert one.record.moves == two.record.moves
    other = duel(AnyPitPlayer(), AnyPitPlayer(), task=Task(4, ("ada", "bob")))
    assert other.record.moves != one.record.moves


def test_a_game_begins_from_its_opening() -> None:
    """The opening is set up with its mover as player 0."""
    board = "<6,2,1,0,5,5,4,4,4,4,4,4,4,4,3>"
    game = duel(AnyPitPlayer(), AnyPitPlayer(), task=Task(0, ("ada", "bob"), board))
    assert game.record.opening == Board.from_text(board, KALAH).state


def test_an_illegal_pit_loses_with_its_evidence() -> None:
    """The record says which pit was named, and which could have been."""
    game = duel(StubbornPlayer(5), AnyPitPlayer())
    lost = result(game)
    assert (lost.winner, lost.reason) == (1, Reason.ILLEGAL)
    assert lost.evidence is not None
    assert lost.evidence.pit == 5
    verify(game.record)


def test_a_late_answer_loses_on_time() -> None:
    """A player that cannot be interrupted is still held to the clock."""
    game = duel(AnyPitPlayer(), AnyPitPlayer(), step_s=2.0)
    assert (result(game).winner, result(game).reason) == (1, Reason.TIMEOUT)
    verify(game.record)


class SlowPlayer(AnyPitPlayer):
    """Takes ten seconds for each answer, on a clock of its own."""

    now = 0.0

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        self.now += 10.0
        return super().choose(board, budget)


def test_no_clock_runs_for_an_untimed_player() -> None:
    """Its answers take no time, however long they take; its opponent is held to the clock."""
    untimed = structs.replace(conditions(), untimed=("ada",))
    slow = SlowPlayer()
    game = play(TASK, (slow, AnyPitPlayer()), untimed, lambda: slow.now)
    assert result(game).reason is Reason.NORMAL
    assert {move.elapsed_ms for move in game.record.moves} == {0.0}
    assert slow.asked[0][1] > 50
    verify(game.record)
    late = SlowPlayer()
    game = play(TASK, (AnyPitPlayer(), late), untimed, lambda: late.now)
    assert (result(game).winner, result(game).reason) == (0, Reason.TIMEOUT)


def test_a_crash_loses_and_says_what_was_heard() -> None:
    """What a program died with is in the evidence, and it counts as a loss of its player."""
    game = duel(AnyPitPlayer(), BrokenPlayer())
    lost = result(game)
    assert (lost.winner, lost.reason) == (0, Reason.DISCONNECTED)
    assert lost.evidence is not None
    assert (lost.evidence.player, lost.evidence.detail) == (1, "the program crashed")
    assert lost.evidence.received == "Segmentation fault"
    verify(game.record)


def test_a_game_that_a_service_ended_is_void() -> None:
    """It says nothing of the player that asks the service, so it has no winner, and says whose."""
    game = duel(AnyPitPlayer(), BrokenPlayer(is_outage=True))
    void = result(game)
    assert (void.winner, void.reason) == (None, Reason.ABORTED)
    assert (game.forfeiter, game.failed, game.is_void) == (None, game.facts.players[1], True)
    assert game.evidence == "the program crashed"
    verify(game.record)


@pytest.mark.parametrize("is_outage", [True, False])
def test_what_was_asked_for_an_answer_that_is_no_move_is_kept(*, is_outage: bool) -> None:
    """A language model's tokens cost the same whether a move came of them or not."""
    asked = Info(dialogue=Dialogue("which pit?", "none", prompt_tokens=9))
    game = duel(AnyPitPlayer(), BrokenPlayer(is_outage=is_outage, info=asked))
    assert PlayedGame.from_line(game.line).unplayed == asked
    assert duel(AnyPitPlayer(), AnyPitPlayer()).unplayed is None


def test_stderr_is_kept_with_the_move_it_was_written_at() -> None:
    """An author finds the lines of a program beside the questions that they belong to."""
    game = duel(StubbornPlayer(0), AnyPitPlayer())
    assert (game.stderr[0].ply, game.stderr[0].player) == (0, 0)
    assert {remark.line for remark in game.stderr} == {"again?"}


def test_a_player_is_told_its_budget_and_its_deadline() -> None:
    """The budget is what to use, the deadline what the referee enforces."""
    player = AnyPitPlayer()
    duel(player, AnyPitPlayer())
    assert set(player.asked) == {(0.1, 1.0)}


def test_seeds_are_spread_and_stable() -> None:
    """A seed depends on each word, and is the same in every process."""
    assert seed_of(1, 2, 3) == seed_of(1, 2, 3)
    assert len({seed_of(1, number, seat) for number in range(50) for seat in (0, 1)}) == 100
    assert 0 <= seed_of(1) < 2**63


def test_a_game_whose_worker_was_lost_is_lost_by_the_player_to_move() -> None:
    """The record holds what was played, and proves itself."""
    game = wedged(TASK, conditions(), Unfinished(3, 0, (2, 0, 5), 0.3), "the player hung")
    verify(game.record)
    assert (result(game).winner, result(game).reason) == (1, Reason.WEDGED)
    assert [(move.player, move.pit) for move in game.record.moves] == [(0, 2), (0, 0), (1, 5)]
    evidence = result(game).evidence
    assert evidence is not None
    assert (evidence.player, evidence.ply) == (0, 3)
    assert (evidence.detail, evidence.allowed_ms) == ("the player hung", 300)


def test_a_game_that_was_over_keeps_its_result() -> None:
    """A worker that is lost between the last move and its report takes no point from a player."""
    pits = (1, 0, 2, 0, 3, 3, 0, 2, 0, 1, 1, 0, 3, 0)
    game = wedged(TASK, conditions(FOUR), Unfinished(3, 0, pits, 0.3), "the player hung")
    verify(game.record)
    assert (result(game).winner, result(game).reason) == (None, Reason.NORMAL)
