"""Players with one rule of thumb."""

from random import Random

import pytest

from mancala.engine.classics.rating import RatingPlayer
from mancala.engine.classics.strategies import (
    CapturesPlayer,
    DefendPlayer,
    GreedyPlayer,
    RandomPlayer,
)
from mancala.protocol.rules import KALAH, Board
from tests.engine.classics.positions import boards_of_random_game


def test_random_plays_every_legal_pit() -> None:
    """In the long run no legal pit is left out, and no other is played."""
    board = Board.from_text("<6,0,0,4,0,4,4,0,4,4,4,4,4,4,4>")
    agent = RandomPlayer(seed=1)
    assert {agent.choose(board).pit for _ in range(200)} == {0, 2, 3, 5}


def test_greedy_takes_a_re_turn_from_the_start() -> None:
    """Of the opening pits only the third moves again."""
    assert GreedyPlayer(seed=1).best(Board.start()) == [2]


def test_greedy_takes_the_longest_chain() -> None:
    """The pit nearest the store moves again without spoiling the next, so it goes first."""
    board = Board.from_text("<3,0,0,0,2,1,4,4,4>")
    agent = GreedyPlayer(seed=1)
    assert agent.rate(board)[2] > agent.rate(board)[1]
    assert agent.best(board) == [2]


def test_greedy_breaks_a_tie_by_seeds() -> None:
    """Without a re-turn in sight, the capture of five beats a plain sowing."""
    board = Board.from_text("<3,0,0,1,0,5,4,4,4>")
    assert GreedyPlayer(seed=1).best(board) == [0]


def test_captures_takes_the_biggest() -> None:
    """Of two captures the one with more seeds is made, and a re-turn does not tempt."""
    board = Board.from_text("<6,0,0,1,0,0,1,0,1,1,2,1,1,7,1>")
    assert [board.sow(pit).captured for pit in (0, 3)] == [8, 3]
    assert CapturesPlayer(seed=1).best(board) == [0]


def test_captures_moves_again_when_nothing_can_be_taken() -> None:
    """With no capture on the board it takes the re-turn."""
    assert CapturesPlayer(seed=1).best(Board.start()) == [2]


def test_defend_gives_no_capture_away() -> None:
    """The five seeds that a reply would capture are sown out of its reach."""
    board = Board.from_text("<3,0,0,1,5,0,1,0,4>")
    agent = DefendPlayer(seed=1)
    assert agent.best(board) == [1]
    assert _most_captured_in_reply(board, 1) == 0 < _most_captured_in_reply(board, 0)


@pytest.mark.parametrize("seed", [11])
def test_defend_gives_away_as_little_as_can_be(seed: int) -> None:
    """On boards of random games without a re-turn, no other pit would give away less."""
    agent, rng = DefendPlayer(seed=seed), Random(seed)
    for _ in range(10):
        for board in boards_of_random_game(KALAH, rng):
            if board.is_over or any(board.sow(pit).again for pit in board.legal()):
                continue
            given = {pit: _most_captured_in_a_turn(board.sow(pit).board) for pit in board.legal()}
            assert given[agent.choose(board).pit] == min(given.values())


def test_defend_sees_a_capture_behind_a_re_turn() -> None:
    """A reply that empties a pit by moving again, and then captures from it, is a threat."""
    board = Board.from_text("<3,0,0,6,0,2,0,1,1>")
    assert _most_captured_in_reply(board, 2) == 0
    assert DefendPlayer(seed=1).rate(board)[2][0] == -6


@pytest.mark.parametrize("kind", [RandomPlayer, GreedyPlayer, CapturesPlayer, DefendPlayer])
def test_refuses_a_finished_game(kind: type[RatingPlayer[float]]) -> None:
    """There is nothing to choose when the game is over."""
    with pytest.raises(ValueError, match="over"):
        kind(seed=1).choose(Board.from_text("<3,5,5,0,0,0,1,0,0>"))


def _most_captured_in_reply(board: Board, pit: int) -> int:
    after = board.sow(pit).board
    return max((max(after.sow(reply).captured - 1, 0) for reply in after.legal()), default=0)


def _most_captured_in_a_turn(board: Board) -> int:
    sowings = [board.sow(pit) for pit in board.legal()]
    return max(
        (
            max(sowing.captured - 1, 0)
            + (_most_captured_in_a_turn(sowing.board) if sowing.again else 0)
            for sowing in sowings
        ),
        default=0,
    )
