"""Games whose worker was lost."""

from __future__ import annotations

from mancala.protocol.messages import Reason
from mancala.protocol.record import verify
from mancala.server.contest.headless.game import Task
from mancala.server.contest.headless.progress import Unfinished
from mancala.server.contest.headless.wedged import wedged
from tests.server.contest.headless.players import FOUR, conditions

TASK = Task(3, ("ada", "bob"))


def test_the_player_to_move_loses_with_the_moves_so_far() -> None:
    """The record holds what was played, and proves itself."""
    unfinished = Unfinished(3, 0, (2, 0, 5), 0.3)
    game = wedged(TASK, conditions(), unfinished, "the player hung")
    verify(game.record)
    result = game.record.result
    assert result is not None
    assert (result.winner, result.reason) == (1, Reason.WEDGED)
    assert [(move.player, move.pit) for move in game.record.moves] == [(0, 2), (0, 0), (1, 5)]
    assert result.evidence is not None
    assert (result.evidence.player, result.evidence.ply) == (0, 3)
    assert (result.evidence.detail, result.evidence.allowed_ms) == ("the player hung", 300)


def test_a_game_that_was_over_keeps_its_result() -> None:
    """A worker that is lost between the last move and its report takes no point from a player."""
    pits = (1, 0, 2, 0, 3, 3, 0, 2, 0, 1, 1, 0, 3, 0)
    game = wedged(TASK, conditions(FOUR), Unfinished(3, 0, pits, 0.3), "the player hung")
    verify(game.record)
    assert game.record.result is not None
    assert (game.record.result.winner, game.record.result.reason) == (None, Reason.NORMAL)
