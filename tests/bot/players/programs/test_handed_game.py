"""A game that a private server hands its bot, and the messages that tell the bot of it."""

from math import inf

import pytest

from mancala.bot.players.programs.handed_game import HandedGame, control_of
from mancala.protocol.clock import LONGEST_MS
from mancala.protocol.messages import Reason
from mancala.protocol.player import Budget
from mancala.protocol.rules import KALAH, Board

START = Board.start(KALAH)


def handed(opening: Board = START) -> HandedGame:
    seat = opening.player
    return HandedGame("game1", "game1", seat, control_of(Budget(1.0)), opening, opening, [])


@pytest.mark.parametrize(
    ("budget", "move_ms"),
    [(Budget(0.5, 2.0), 500), (Budget(inf, 2.0), 2000), (Budget(inf, inf), LONGEST_MS)],
)
def test_the_clock_is_the_time_to_think(budget: Budget, move_ms: int) -> None:
    """Without one it is the deadline."""
    assert control_of(budget).move_ms == move_ms


def test_a_sowing_is_announced_with_the_position_after_it() -> None:
    """The mover's seat and the number of the move are those before it."""
    game = handed()
    moved = game.sow(2)
    assert (moved.ply, moved.player, moved.pit, moved.again) == (0, 0, 2, True)
    assert moved.state == game.board.state
    assert game.turn(60_000).ply == 1


def test_a_question_has_no_more_time_than_is_left() -> None:
    """The server has spent some of it."""
    game = handed()
    game.budget = Budget(1.0)
    assert game.turn(60_000).deadline_ms == 1000
    assert game.turn(300).deadline_ms == 300


def test_the_bot_sits_where_the_opening_has_its_mover() -> None:
    """An opening is named only where it is not the start of the rules."""
    second = START.sow(0).board
    first, other = handed().start("ada"), handed(second).start("ada")
    assert (first.seat, first.names, first.opening) == (0, ("ada", "opponent"), None)
    assert (other.seat, other.names, other.opening) == (1, ("opponent", "ada"), second.state)


def test_a_game_that_is_not_over_is_aborted() -> None:
    """The server does not know how it goes on elsewhere."""
    over = handed().over
    assert (over.reason, over.winner) == (Reason.ABORTED, None)
