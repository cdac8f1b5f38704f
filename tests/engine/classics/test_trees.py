"""Players that search to a fixed depth."""

from collections.abc import Callable

import pytest

from mancala.engine.classics.alphabeta import AlphaBetaPlayer
from mancala.engine.classics.chance import ExpectimaxPlayer
from mancala.engine.classics.evaluation import harvest, side
from mancala.engine.classics.trees import MaxNPlayer, MinimaxPlayer, TreePlayer
from mancala.protocol.player import PlayerError
from mancala.protocol.rules import KALAH, OWARE, Board, Rules
from tests.engine.classics.positions import VARIANTS, boards_of


def test_minimax_visits_what_the_notebook_counted() -> None:
    """Depth 5 from the start: 160,971 positions, and the score difference prefers pit 5."""
    agent = MinimaxPlayer(seed=1, depth=5)
    assert agent.best(Board.start()) == [5]
    assert agent.nodes == 160_971


@pytest.mark.parametrize("seed", [5])
@pytest.mark.parametrize("rules", VARIANTS[:-1], ids=str)
def test_minimax_is_the_definition(rules: Rules, seed: int) -> None:
    """Each rating is the value by the rules: best for the mover, re-turns keeping the depth."""
    depth = 2
    agent = MinimaxPlayer(seed=1, depth=depth)
    for board in boards_of(rules, seed=seed):
        assert agent.rate(board) == {
            pit: _value_after(board, pit, depth, board.player) for pit in board.legal()
        }


@pytest.mark.parametrize("seed", [8])
def test_maxn_with_a_shared_margin_is_minimax(seed: int) -> None:
    """Where one gains what the other loses, each for itself is each against the other."""
    maxn, minimax = MaxNPlayer(seed=1, depth=3), MinimaxPlayer(seed=1, depth=3)
    for board in boards_of(KALAH, seed=seed):
        assert maxn.rate(board) == minimax.rate(board)
        assert maxn.nodes == minimax.nodes


@pytest.mark.parametrize("seed", [9])
def test_maxn_expects_an_opponent_who_harvests_not_to_spite(seed: int) -> None:
    """Against one who only counts its own store, a pit that minimax fears is worth more."""
    harvesting = MaxNPlayer(seed=1, depth=2, utility=harvest)
    minimax = MinimaxPlayer(seed=1, depth=2)
    differing = [
        board
        for board in boards_of(KALAH, seed=seed, every=1)
        if harvesting.best(board) != minimax.best(board)
    ]
    assert differing


@pytest.mark.parametrize("kind", [MinimaxPlayer, AlphaBetaPlayer, ExpectimaxPlayer, MaxNPlayer])
def test_takes_the_win_at_hand(kind: Callable[..., TreePlayer]) -> None:
    """One pit of three wins against the best reply, and is found by looking to the end."""
    board = Board.from_text("<4,7,8,2,0,1,3,1,0,2,0>")
    assert kind(seed=1, depth=8).best(board) == [2]


@pytest.mark.parametrize("kind", [MinimaxPlayer, AlphaBetaPlayer, ExpectimaxPlayer, MaxNPlayer])
def test_equal_pits_are_all_played(kind: Callable[..., TreePlayer]) -> None:
    """With one turn of look-ahead several openings are worth the same, and chance decides."""
    board = Board.from_text("<6,0,0,4,4,0,4,4,4,4,4,4,4,4,4>")
    agent = kind(seed=1, depth=1)
    assert len(agent.best(board)) > 1
    assert {agent.choose(board).pit for _ in range(100)} == set(agent.best(board))


def _value(board: Board, depth: int, root: int) -> int:
    if board.is_over or depth == 0:
        return board.stores[root] - board.stores[1 - root]
    values = [_value_after(board, pit, depth, root) for pit in board.legal()]
    return max(values) if board.player == root else min(values)


def _value_after(board: Board, pit: int, depth: int, root: int) -> int:
    sowing = board.sow(pit)
    return _value(sowing.board, depth if sowing.again else depth - 1, root)


def test_under_oware_only_the_stores_are_a_players_measure() -> None:
    """The others count what sowings and captures of Kalah bring."""
    MinimaxPlayer(seed=1).warm_up(OWARE)
    with pytest.raises(PlayerError, match="only the evaluation stores has a meaning"):
        MinimaxPlayer(seed=1, evaluate=side).warm_up(OWARE)
