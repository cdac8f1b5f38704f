"""Searches that take means: beliefs about the opponent, utilities, slips, and pruning."""

from functools import cache
from statistics import fmean

import pytest

from mancala.engine.classics.chance import Belief, ExpectimaxPlayer, ExpectiminimaxPlayer
from mancala.engine.classics.evaluation import side
from mancala.engine.classics.trees import MinimaxPlayer, TreePlayer
from mancala.protocol.rules import KALAH, PRESETS, Board, Rules
from tests.engine.classics.positions import boards_of


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


def test_minimax_is_the_expectimax_that_believes_in_a_perfect_opponent() -> None:
    """The lecture's quiz: with all of the belief on the best reply, the values are minimax's."""
    certain = ExpectimaxPlayer(seed=1, depth=3, opponent=Belief(minimax=1, foresight=9))
    minimax = MinimaxPlayer(seed=1, depth=3)
    for board in boards_of(KALAH, seed=10):
        assert certain.rate(board) == pytest.approx(minimax.rate(board))


def test_a_belief_of_four_fifths_lies_between_chance_and_minimax() -> None:
    """The other quiz of the lecture: the opponent plays its best move 80 % of the time."""
    board = Board.from_text("<3,1,0,2,0,3,0,3,3>")
    root = board.player
    believing = ExpectimaxPlayer(seed=1, depth=2, opponent=Belief(minimax=0.8))
    for pit, rating in believing.rate(board).items():
        sowing = board.sow(pit)
        replies = [_after_reply(sowing.board, reply, root) for reply in sowing.board.legal()]
        assert rating == pytest.approx(0.8 * min(replies) + 0.2 * fmean(replies))


@pytest.mark.parametrize("utility", ["linear", "square"])
@pytest.mark.parametrize("opponent", [Belief(), Belief(minimax=0.8)])
@pytest.mark.parametrize("rules", PRESETS.values(), ids=str)
def test_pruning_changes_no_choice(rules: Rules, opponent: Belief, utility: str) -> None:
    """Star1 chooses what the full tree does, at the same value."""
    full = ExpectimaxPlayer(seed=1, depth=3, opponent=opponent, utility=utility)
    pruned = ExpectimaxPlayer(seed=1, depth=3, opponent=opponent, utility=utility, prune=True)
    visits = [0, 0]
    for board in boards_of(rules, seed=11, every=5):
        ratings = full.rate(board)
        assert max(pruned.rate(board).values()) == pytest.approx(max(ratings.values()))
        assert pruned.best(board) == full.best(board)
        visits[0] += full.nodes
        visits[1] += pruned.nodes
    assert visits[1] <= visits[0]
    assert visits[1] < visits[0] or utility == "square"


def test_pruning_wants_bounded_values() -> None:
    """Under an evaluation whose bounds are not known, it is refused."""
    with pytest.raises(ValueError, match="evaluation=stores only"):
        ExpectimaxPlayer(evaluate=side, prune=True)


def test_squares_change_what_is_best_on_average_only() -> None:
    """Minimax does not mind the scale; expectimax prefers the gamble, as in the lecture."""
    scaled = ExpectimaxPlayer(
        seed=1, depth=2, utility="square", opponent=Belief(minimax=1, foresight=2)
    )
    minimax = MinimaxPlayer(seed=1, depth=2)
    linear = ExpectimaxPlayer(seed=1, depth=2)
    square = ExpectimaxPlayer(seed=1, depth=2, utility="square")
    changed = 0
    for board in boards_of(KALAH, seed=12, every=1):
        assert scaled.best(board) == minimax.best(board)
        changed += linear.best(board) != square.best(board)
    assert changed


def test_without_slips_expectiminimax_is_minimax() -> None:
    """And where every hand slips always, a position is worth the mean of its successors."""
    steady, minimax = ExpectiminimaxPlayer(depth=3, slip=0), MinimaxPlayer(depth=3)
    slipping = ExpectiminimaxPlayer(depth=2, slip=1)
    for board in boards_of(KALAH, seed=13):
        assert steady.rate(board) == pytest.approx(minimax.rate(board))
        for pit, rating in slipping.rate(board).items():
            sowing = board.sow(pit)
            if not sowing.again and not sowing.board.is_over:
                assert rating == pytest.approx(_mean(sowing.board, board.player))


def _mean(board: Board, root: int) -> float:
    if board.is_over or board.player == root:
        return board.stores[root] - board.stores[1 - root]
    return fmean(_mean(board.sow(pit).board, root) for pit in board.legal())


def _after_reply(board: Board, pit: int, root: int) -> float:
    """Return the lead, for the player at the root, after a reply that ends the turn."""
    sowing = board.sow(pit)
    assert not sowing.again
    return (
        sowing.board.score(root)
        if sowing.board.is_over
        else (sowing.board.stores[root] - sowing.board.stores[1 - root])
    )


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
