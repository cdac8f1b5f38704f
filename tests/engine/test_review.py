"""What each position and each move of a game was worth."""

from itertools import count, pairwise
from random import Random

import pytest

from mancala.engine.review import Reviewer
from mancala.engine.search.engine import tables_for
from mancala.engine.search.solver import Solver
from mancala.engine.tablebase import default_seeds
from mancala.protocol.messages import Assessment
from mancala.protocol.review import ReviewedGame, ReviewWork, compose
from mancala.protocol.rules import PRESETS, Board, Rules

SMALL = [Rules(pits=3, seeds=2), *(Rules.parse(f"{name}:pits=3,seeds=3") for name in PRESETS)]
ENOUGH_S = 60.0


def solver(rules: Rules) -> Solver:
    tables = tables_for(rules, seeds=default_seeds(rules.pits))  # no larger ones of the cache
    return Solver(rules, tables=tables, table_bits=16)


def naive(board: Board, known: dict[str, int]) -> int:
    """Work a value out by trying everything: for seat 0, at the end of the game."""
    if board.is_over:
        return board.score(0)
    key = f"{board.player}{board.text}"
    if key not in known:
        best = max if board.player == 0 else min
        known[key] = best(naive(board.sow(pit).board, known) for pit in board.legal())
    return known[key]


def random_game(rules: Rules, rng: Random) -> tuple[list[Board], list[int]]:
    boards, pits = [Board.start(rules)], list[int]()
    while not boards[-1].is_over:
        pits.append(rng.choice(boards[-1].legal()))
        boards.append(boards[-1].sow(pits[-1]).board)
    return boards, pits


def check_lines(boards: list[Board], found: tuple[Assessment, ...]) -> None:
    for board, assessment in zip(boards, found, strict=False):
        best = max if board.player == 0 else min
        values = {move.pit: move.value for move in assessment.moves}
        assert values[assessment.line[0]] == best(values.values())
        for pit in assessment.line:
            assert pit in board.legal()
            board = board.sow(pit).board  # noqa: PLW2901  # along the line


@pytest.mark.parametrize("rules", SMALL)
def test_every_value_is_that_of_trying_everything(rules: Rules) -> None:
    """All moves of small boards are proven, for seat 0, under all rules."""
    rng, known, judge = Random(1), dict[str, int](), Reviewer(solver(rules), lambda: 0.0)
    for _ in range(10):
        boards, pits = random_game(rules, rng)
        found = judge.review(boards, pits, time_s=ENOUGH_S)
        check_lines(boards, found)
        for board, assessment in zip(boards, found, strict=False):
            assert assessment.depth is None
            assert [move.pit for move in assessment.moves] == list(board.legal())
            for move in assessment.moves:
                assert move.value == naive(board.sow(move.pit).board, known)
                assert move.depth is None


def test_what_the_time_does_not_reach_is_estimated() -> None:
    """Every move has a value; proofs reach back from the end, and the rest have a depth."""
    rules = Rules()
    boards, pits = random_game(rules, Random(2))
    ticks = count()
    judge = Reviewer(solver(rules), lambda: float(next(ticks)))
    found = judge.review(boards, pits, time_s=200)
    check_lines(boards, found)
    middle = [assessment.depth is None for assessment in found[6:]]  # the book knows the first
    assert not middle[0]
    assert middle[-1]
    assert middle == sorted(middle)
    for board, assessment in zip(boards, found, strict=False):
        assert [move.pit for move in assessment.moves] == list(board.legal())
        assert all(move.depth is None or move.depth >= 4 for move in assessment.moves)


def test_no_estimate_is_better_than_a_proven_best_move() -> None:
    """What is proven of a position bounds the estimates of its other moves."""
    boards, pits = random_game(Rules(), Random(2))
    ticks = count()
    judge = Reviewer(solver(Rules()), lambda: float(next(ticks)))
    for board, found in zip(boards, judge.review(boards, pits, time_s=300), strict=False):
        sign = 1 if board.player == 0 else -1
        if found.depth is None:
            best = max(sign * move.value for move in found.moves if move.depth is None)
            assert all(sign * move.value <= best for move in found.moves)


def test_a_game_that_was_broken_off_is_reviewed_as_far_as_it_went() -> None:
    """A player that lost on time is reviewed, too."""
    boards, pits = random_game(Rules(pits=3, seeds=3), Random(3))
    judge = Reviewer(solver(Rules(pits=3, seeds=3)), lambda: 0.0)
    whole = judge.review(boards, pits, time_s=ENOUGH_S)
    part = judge.review(boards[:4], pits[:3], time_s=ENOUGH_S)
    assert [found.moves for found in part] == [found.moves for found in whole[:3]]


def test_the_value_of_a_best_move_is_that_of_the_position_after_it() -> None:
    """With everything proven, best play keeps the value along the whole game."""
    rules = Rules(pits=4, seeds=3)
    boards, pits = random_game(rules, Random(4))
    found = Reviewer(solver(rules), lambda: 0.0).review(boards, pits, time_s=ENOUGH_S)
    for (before, after), pit in zip(pairwise(found), pits, strict=False):
        played = next(move.value for move in before.moves if move.pit == pit)
        following = {move.pit: move.value for move in after.moves}
        assert played == following[after.line[0]]


def test_a_game_without_moves_has_an_empty_review() -> None:
    """A bot may vanish before its first move."""
    judge = Reviewer(solver(Rules(pits=3, seeds=3)), lambda: 0.0)
    assert judge.review([Board.start(Rules(pits=3, seeds=3))], [], time_s=1) == ()


@pytest.mark.parametrize("rules", SMALL)
def test_a_lost_seed_has_a_line_to_the_end_after_both_moves(rules: Rules) -> None:
    """Each sowing keeps the value, and the reason of each mistake follows from the lines."""
    rng, known, judge = Random(4), dict[str, int](), Reviewer(solver(rules), lambda: 0.0)
    lost = told = 0
    for _ in range(6):
        boards, pits = random_game(rules, rng)
        found = judge.review(boards, pits, time_s=ENOUGH_S)
        review = compose(ReviewedGame("g", boards, pits, None), ReviewWork(found, 2, "test", 0.0))
        for ply in review.plies:
            if not ply.loss:
                assert ply.reason is None
                continue
            lost += 1
            told += ply.reason is not None
            board = boards[ply.ply]
            for pit in found[ply.ply].line:
                board = board.sow(pit).board
                assert naive(board, known) == ply.value
            assert board.is_over
    assert lost
    assert told == lost
