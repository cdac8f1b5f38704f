"""The flat positions that the classic players search."""

from dataclasses import replace
from random import Random

import pytest

from mancala.engine.classics.game import ClassicGame, lead, position_of
from mancala.protocol.rules import Board, Rules
from tests.engine.classics.positions import VARIANTS, boards_of_random_game


@pytest.mark.parametrize("seed", [20_220_125])
@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_sows_as_the_referee_does(rules: Rules, seed: int) -> None:
    """On every board of random games, moves and what they lead to are those of the rules."""
    rng, game = Random(seed), ClassicGame(rules)
    for _ in range(20):
        for played in boards_of_random_game(rules, rng):
            board = replace(played, past=())
            position = position_of(board)
            assert game.moves(position) == list(board.legal())
            for pit in board.legal():
                sown, sowing = game.sow(position, pit), board.sow(pit)
                mover_next = board.player if sown.again else 1 - board.player
                assert sown.again == sowing.again
                assert sown.captured == sowing.captured
                assert lead(sown.position) == (
                    sowing.board.stores[mover_next] - sowing.board.stores[1 - mover_next]
                )
                if not sowing.board.is_over:
                    assert sown.position == position_of(sowing.board)


def test_a_board_given_with_an_empty_row_is_over() -> None:
    """Seeds left on a board that is over count for their row's owner before any search."""
    position = position_of(Board.from_text("<3,5,4,0,2,0,0,0,0>"))
    assert position == (0, 0, 0, 7, 0, 0, 0, 4)
    assert ClassicGame(Rules(pits=3)).moves(position) == []
