"""Oware: how seeds are sown and captured, what may be sown, and when the game is over."""

from collections.abc import Callable
from random import Random

import pytest

from mancala.protocol import oware
from mancala.protocol.clock import TimeControl
from mancala.protocol.game_board import GameBoard
from mancala.protocol.record import verify
from mancala.protocol.referee import Referee, outcome
from mancala.protocol.rules import OWARE, Board, Ending, InvalidPositionError, Rules
from tests.seeds import seed


def board(text: str) -> Board:
    return Board.from_text(text, OWARE)


@pytest.mark.parametrize("pits", [1, 2, 6, 8])
def test_seeds_fall_one_by_one_past_the_pit_that_is_sown(pits: int) -> None:
    """Laps and all, as when each seed is dropped by itself."""
    rng = Random(seed())
    for _ in range(200):
        before = [rng.randint(0, 3 * pits) for _ in range(2 * pits)]
        pit = rng.randrange(pits)
        places, place = list(before), pit
        hand, places[pit] = places[pit], 0
        while hand:
            place = (place + 1) % len(places)
            if place != pit:
                places[place] += 1
                hand -= 1
        after = list(before)
        captured = oware.sow(after, pit) if before[pit] else 0
        assert sum(after) + captured == sum(before)
        assert after == places or captured
        assert after[:pits] == places[:pits]


@pytest.mark.parametrize(
    ("text", "pit", "captured", "after"),
    [
        # Two, three and two, then five.
        ("<6,0,9,1,0,0,0,0,4,4,1,2,1,0,0>", 5, 7, "<6,9,7,5,0,0,0,0,0,1,0,0,0,0,0>"),
        ("<6,0,0,1,0,0,0,0,1,1,9,0,0,0,0>", 5, 2, "<6,0,2,0,9,0,0,0,0,1,0,0,0,0,0>"),
        # In the mover's own row, two are none.
        ("<6,0,0,1,1,0,0,0,0,9,0,0,0,0,0>", 0, 0, "<6,0,0,9,0,0,0,0,0,0,2,0,0,0,0>"),
        # All of the opponent's seeds: none is captured.
        ("<6,0,0,9,0,0,0,0,2,1,1,0,0,0,0>", 5, 0, "<6,0,0,2,2,0,0,0,0,9,0,0,0,0,0>"),
    ],
)
def test_two_or_three_are_captured_backwards_but_not_all(
    text: str, pit: int, captured: int, after: str
) -> None:
    """A capture stops at the first pit of another number, and takes no last seed."""
    sowing = board(text).sow(pit)
    assert (sowing.captured, sowing.again) == (captured, False)
    assert sowing.board.text == after


def test_an_opponent_without_seeds_has_to_be_given_one() -> None:
    """Only pits that reach its row may be sown; where there is none, the game is over."""
    assert board("<6,20,20,3,0,0,3,0,2,0,0,0,0,0,0>").legal() == (3, 5)
    starved = board("<6,20,22,3,0,0,2,0,0,0,0,0,0,0,0>")
    assert starved.ending is Ending.NORMAL
    assert starved.settled().stores == (25, 22)


def test_more_than_half_of_the_seeds_end_the_game() -> None:
    """What is left goes to the owners of the rows."""
    over = board("<6,25,5,3,0,0,3,0,2,5,0,0,0,5,0>")
    assert over.is_over
    assert over.settled().stores == (33, 15)


def test_a_position_that_comes_again_ends_the_game() -> None:
    """Two seeds go round; the same rows with the other player to move are none of before."""
    at = board("<6,23,23,1,0,0,0,0,0,1,0,0,0,0,0>")
    played = 0
    while not at.is_over:
        assert (at.pits, at.player) not in at.past
        at = at.sow(at.legal()[0]).board
        played += 1
    assert played == 12
    assert at.stores == (24, 24)
    over = outcome(at)
    assert over is not None
    assert over.reason == "normal"


def test_a_game_without_captures_ends() -> None:
    """Where both players avoid them, no position of a long board came again in 4,000 sowings."""
    rng, game = Random(1), GameBoard(rules="oware:pits=16,seeds=3")
    while not game.is_over:
        at = game.board
        quiet = [pit for pit in at.legal() if not at.sow(pit).captured]
        game.push(rng.choice(quiet or at.legal()))
    assert len(game) == oware.MOST_IN_VAIN
    assert verify(game.record()).is_over


@pytest.mark.parametrize("begin", [GameBoard, lambda at: Referee(at, TimeControl(move_ms=1))])
def test_a_game_that_begins_from_a_sown_board_knows_none_before_it(
    begin: Callable[[Board], GameBoard | Referee],
) -> None:
    """A record has no more of it than its opening."""
    sown = board("<6,23,23,1,0,0,0,0,0,1,0,0,0,0,0>").sow(0).board
    assert sown.past
    game = begin(sown)
    assert game.board == sown
    assert not game.board.past


def test_a_capture_lets_positions_begin_anew() -> None:
    """None of those before it can come again."""
    at = board("<6,0,0,1,0,0,0,0,1,1,9,0,0,0,0>")
    assert at.sow(0).board.past == ((at.pits, 0),)
    assert at.sow(5).board.past == ()


def test_it_goes_with_no_rule_of_the_other_games() -> None:
    """The refusal names them; the pie rule goes with it."""
    with pytest.raises(InvalidPositionError, match=r"oware does not go with capture, relay$"):
        Rules.parse("kalah:oware=true,capture=always,relay=true")
    assert Board.start(Rules.parse("oware:pie=true")).sow(0).board.may_swap
