"""Players that search to a fixed depth."""

from __future__ import annotations

from functools import cache
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING

import pytest

from engine.classics.evaluation import EVALUATIONS, harvest, side
from engine.classics.trees import (
    AlphaBetaPlayer,
    ExpectimaxPlayer,
    MaxNPlayer,
    MinimaxPlayer,
    TreePlayer,
)
from protocol.rules import KALAH, PRESETS, Board, Rules
from tests.engine.classics.positions import VARIANTS, boards_of_random_game

if TYPE_CHECKING:
    from collections.abc import Callable


def boards(rules: Rules, *, seed: int, every: int = 4) -> list[Board]:
    """Return some unfinished boards of a random game."""
    played = list(boards_of_random_game(rules, Random(seed)))
    return [board for board in played[::every] if not board.is_over]


def test_minimax_visits_what_the_notebook_counted() -> None:
    """Depth 5 from the start: 160,971 positions, and the score difference prefers pit 5."""
    agent = MinimaxPlayer(seed=1, depth=5)
    assert agent.best(Board.start()) == [5]
    assert agent.nodes == 160_971


def test_minimax_chooses_what_the_notebook_chose() -> None:
    """With the evaluation by sides, depth 5 from the start plays pit 4, as printed there."""
    assert AlphaBetaPlayer(seed=1, depth=5, evaluate=side).best(Board.start()) == [4]


@pytest.mark.parametrize("seed", [5])
@pytest.mark.parametrize("rules", VARIANTS[:-1], ids=str)
def test_minimax_is_the_definition(rules: Rules, seed: int) -> None:
    """Each rating is the value by the rules: best for the mover, re-turns keeping the depth."""
    depth = 2
    agent = MinimaxPlayer(seed=1, depth=depth)
    for board in boards(rules, seed=seed):
        assert agent.rate(board) == {
            pit: _value_after(board, pit, depth, board.player) for pit in board.legal()
        }


@pytest.mark.parametrize("seed", [6])
@pytest.mark.parametrize("evaluation", EVALUATIONS)
@pytest.mark.parametrize("rules", PRESETS.values(), ids=str)
def test_pruning_changes_no_choice(rules: Rules, evaluation: str, seed: int) -> None:
    """Alpha-beta finds the same best pits at the same value with fewer positions visited."""
    evaluate = EVALUATIONS[evaluation]
    full = MinimaxPlayer(seed=7, depth=3, evaluate=evaluate)
    pruned = AlphaBetaPlayer(seed=7, depth=3, evaluate=evaluate)
    visits = [0, 0]
    for board in boards(rules, seed=seed, every=3):
        assert pruned.best(board) == full.best(board)
        assert max(pruned.rate(board).values()) == max(full.rate(board).values())
        assert pruned.choose(board).pit == full.choose(board).pit
        visits[0] += full.nodes
        visits[1] += pruned.nodes
    assert visits[1] < visits[0] / 2


@pytest.mark.parametrize("seed", [8])
def test_maxn_with_a_shared_margin_is_minimax(seed: int) -> None:
    """Where one gains what the other loses, each for itself is each against the other."""
    maxn, minimax = MaxNPlayer(seed=1, depth=3), MinimaxPlayer(seed=1, depth=3)
    for board in boards(KALAH, seed=seed):
        assert maxn.rate(board) == minimax.rate(board)
        assert maxn.nodes == minimax.nodes


@pytest.mark.parametrize("seed", [9])
def test_maxn_expects_an_opponent_who_harvests_not_to_spite(seed: int) -> None:
    """Against one who only counts its own store, a pit that minimax fears is worth more."""
    harvesting = MaxNPlayer(seed=1, depth=2, utility=harvest)
    minimax = MinimaxPlayer(seed=1, depth=2)
    differing = [
        board
        for board in boards(KALAH, seed=seed, every=1)
        if harvesting.best(board) != minimax.best(board)
    ]
    assert differing


def test_expectimax_averages_over_the_opponent_s_pits() -> None:
    """A pit that passes the turn is worth the mean of all replies, each re-turn averaged too."""
    rules = Rules(pits=3, seeds=2)
    agent = ExpectimaxPlayer(seed=1, depth=30)
    ratings = agent.rate(Board.start(rules))
    for pit, rating in ratings.items():
        assert rating == pytest.approx(_expected(Board.start(rules).sow(pit).board, 0))


def test_expectimax_gains_more_from_random_play_than_minimax() -> None:
    """Played out over all of chance, it wins by more than who fears a perfect opponent."""
    start = Board.start(Rules(pits=3, seeds=3))
    expectimax = _margin_against_chance(ExpectimaxPlayer(seed=1, depth=3), start)
    minimax = _margin_against_chance(MinimaxPlayer(seed=1, depth=3), start)
    assert expectimax > minimax


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


@cache
def _expected(board: Board, root: int) -> float:
    if board.is_over:
        return board.score(root)
    values = [_expected(board.sow(pit).board, root) for pit in board.legal()]
    return max(values) if board.player == root else fmean(values)


def _margin_against_chance(agent: TreePlayer, start: Board) -> float:
    @cache
    def margin(board: Board) -> float:
        if board.is_over:
            return board.score(0)
        pits = agent.best(board) if board.player == 0 else board.legal()
        return fmean(margin(board.sow(pit).board) for pit in pits)

    return margin(start)
