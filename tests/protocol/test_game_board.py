"""A game to step through."""

from xml.etree import ElementTree as ET

import pytest

from mancala.protocol.game_board import GameBoard
from mancala.protocol.record import from_pits, verify
from mancala.protocol.rules import Board, IllegalMoveError, PlayerScore, Rules


def test_sowings_are_taken_back() -> None:
    """As if they had not been made."""
    game = GameBoard(rules="kalah:pits=3,seeds=2")
    before = game.board
    assert game.push(1).again
    assert (game.player, game.history, len(game)) == (0, [1], 1)
    assert game.pop() == 1
    assert (game.board, game.history) == (before, [])
    with pytest.raises(IndexError):
        game.pop()
    with pytest.raises(IllegalMoveError):
        game.push(7)


def test_a_played_game_is_a_record_by_the_rules_and_back() -> None:
    """Its end is known, and its record is the one of the same pits."""
    game = GameBoard()
    while not game.is_over:
        assert game.winner is None
        game.push(game.legal_moves[-1])
    record = game.record(("ada", "bob"))
    verify(record)
    assert record.moves == from_pits(game.history).moves
    assert record.result == game.outcome
    again = GameBoard.from_record(record)
    assert (again.boards, again.history) == (game.boards, game.history)
    assert game.score.of(1) == -game.board.score(0)
    assert game.outcome is not None
    assert game.winner == game.outcome.winner


def test_a_record_has_the_rules_that_the_game_began_with() -> None:
    """Those of its first turns are used up on the last board."""
    game = GameBoard(rules="manchester")
    assert game
    while not game.is_over:
        game.push(game.legal_moves[0])
    record = game.record()
    verify(record)
    assert record.rules == Rules.parse("manchester") != game.board.rules


def test_a_picture_shows_every_number_and_rings_the_pit_sown() -> None:
    """Seeds of the upper row from right to left, as the board's text shows them."""
    game = GameBoard("<3,5,4,1,2,0,3,2,1>")
    drawn = ET.fromstring(game.svg())  # noqa: S314  # our own
    numbers = [int(text.text or "") for text in drawn.iter() if text.tag.endswith("text")]
    assert sorted(numbers) == sorted([5, 4, 1, 2, 0, 3, 2, 1])
    assert "stroke=" not in game.svg()
    game.push(0)
    assert game.svg().count("stroke=") == 1
    assert "<svg" in Board.start().svg()


def test_a_score_is_somebodys() -> None:
    """Which side a number belongs to is part of it."""
    assert PlayerScore(3, 1).of(0) == -3
    assert PlayerScore(None, 0).of(1) is None
    assert str(PlayerScore(2.5, 0)) == "+2.5 for player 0"
