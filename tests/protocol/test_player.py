"""What a player need not say: the defaults of budgets, choices and players."""

from math import inf

import pytest

from mancala.protocol.messages import Reason
from mancala.protocol.player import START_UP_S, UNLIMITED, Budget, Choice, Player, PlayerError
from mancala.protocol.rules import Board


class FirstPitPlayer(Player):
    """Plays the first legal pit."""

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        choice = Choice(board.legal()[0])
        budget.offer(choice)
        return choice


def test_a_budget_has_no_end_unless_it_is_given_one() -> None:
    """Only a real clock bounds a player that has a limit of its own."""
    assert (Budget().time_s, Budget().deadline_s) == (inf, inf)
    assert (Budget().enforced, UNLIMITED.enforced) == (True, False)
    assert Budget().is_cancelled() is False


def test_a_player_needs_only_to_choose() -> None:
    """It starts no program, keeps nothing from game to game, and is not asked to ponder."""
    player = FirstPitPlayer()
    assert player.choose(Board.start()) == Choice(0, None)
    assert (player.anytime, player.ponders, player.drain_stderr()) == (False, False, [])
    with pytest.raises(TypeError, match="choose"):
        Player()  # type: ignore[abstract]  # that is what is tried


def test_a_player_without_an_answer_resigns() -> None:
    """Unless it says why the game is lost."""
    error = PlayerError("no idea")
    assert (str(error), error.reason, error.received) == ("no idea", Reason.RESIGNED, "")


def test_a_program_has_half_a_minute_to_start() -> None:
    """Loading a model is not thinking."""
    assert START_UP_S == 30
