"""An iteration in one call is the iteration that asks about each move by itself."""

from itertools import pairwise
from random import Random

import pytest

from mancala.engine import kernels
from mancala.engine.evaluation.search_options import SearchOptions
from mancala.engine.evaluation.weights import shipped
from mancala.engine.kernels import root, state
from mancala.engine.knowledge import Bounds
from mancala.engine.search.worker import RootSearch, Worker
from mancala.protocol.rules import Board, Rules

DEEPEST = 7
EVEN = SearchOptions(futility_plies=0, probe_from=64)
OPEN = (-kernels.INFINITY, kernels.INFINITY)


def worker(rules: Rules, options: SearchOptions | None = None) -> Worker:
    search = state.new_search(rules, shipped().compiled(rules), bits=12)
    return Worker(search, parameters=options)


def answer(by: Worker, board: Board, pit: int, depth: int, window: tuple[int, int]) -> int:
    question = by.move(board, pit, depth, window)
    while True:
        try:
            next(question)
        except StopIteration as end:
            return int(end.value)


def asked(by: Worker, board: Board, depth: int, guess: float | None) -> dict[int, float]:
    """Value the moves with one question after another, as the kernel should."""
    wide, alpha, found = kernels.INFINITY, -kernels.INFINITY, {}
    for pit in board.legal():
        if guess is None:
            value = answer(by, board, pit, depth, (-wide, wide))
        else:
            low, high = alpha + root.LEAD, alpha + root.LEAD + 1
            if alpha == -wide:
                middle = round(guess * kernels.UNIT)
                low, high = middle - root.ASPIRATION, middle + root.ASPIRATION
            value = answer(by, board, pit, depth, (low, high))
            if value >= high:
                value = answer(by, board, pit, depth, (high - 1, wide))
            elif value <= low and alpha == -wide:
                value = answer(by, board, pit, depth, (-wide, low + 1))
            if value <= alpha + root.LEAD:
                value = min(value, alpha)
        alpha = max(alpha, value)
        found[pit] = value / kernels.UNIT
    return found


def boards(rules: Rules, seed: int) -> list[Board]:
    rng, board, all_boards = Random(seed), Board.start(rules), []
    while not board.is_over:
        all_boards.append(board)
        board = board.sow(rng.choice(board.legal())).board
    return all_boards[::4] + all_boards[-3:]


@pytest.mark.parametrize("rules", [Rules(), Rules(seeds=6), Rules(pits=9, seeds=3)], ids=str)
def test_an_iteration_asks_what_single_questions_would(rules: Rules) -> None:
    """In one call or move by move: the same values by the same number of nodes."""
    for board in boards(rules, seed=11):
        one, other = worker(rules), worker(rules)
        moves, guess = RootSearch(one), None
        moves.open(board)
        for depth in range(DEEPEST):
            one.pause_after(13 * depth + 1)  # a pause loses nothing
            for _ in moves.search(board.legal(), depth, guess):
                one.pause_after(100)
            assert moves.values == asked(other, board, depth, guess), board.text
            assert one.nodes == other.nodes, board.text
            best = max(moves.values.values())
            assert moves.values[moves.best] == best
            guess = moves.values[board.legal()[0]]


def test_a_move_takes_the_first_place_only_with_a_lead() -> None:
    """Searched after another one, a move worth little more stays second unless that is proven."""
    behind = 0
    for board in boards(Rules(seeds=6), seed=13):
        by = worker(board.rules, EVEN)
        worth = {pit: answer(by, board, pit, 3, OPEN) for pit in board.legal()}
        for first, second in pairwise(sorted(worth, key=worth.__getitem__)):
            moves = RootSearch(by)
            moves.open(board)
            for _ in moves.search([first, second], 3, worth[first] / kernels.UNIT):
                pass
            ahead = worth[second] - worth[first]
            assert moves.best == (second if ahead > root.LEAD else first), board.text
            if 0 < ahead <= root.LEAD:
                behind += 1
                assert moves.values[first] == moves.values[second], board.text
                low = worth[first] // kernels.UNIT + 1  # proven to be worth more at all
                worst, most = -board.total, board.total
                moves.rank(
                    (0, Bounds(low if pit == second else worst, most)) for pit in board.legal()
                )
                for _ in moves.search([first, second], 3, worth[first] / kernels.UNIT):
                    pass
                assert moves.best == second, board.text
    assert behind


def test_a_pause_shows_the_moves_that_are_done() -> None:
    """Halfway through an iteration the best of the moves searched so far is known."""
    board = Board.start()
    one = worker(board.rules)
    moves, seen = RootSearch(one), []
    moves.open(board)
    one.pause_after(1)
    for _ in moves.search(board.legal(), 6, 0.0):
        one.pause_after(20)
        seen.append(len(moves.values))
        assert moves.best in moves.values or not moves.values
    assert seen == sorted(seen)
    assert seen[0] == 0 < seen[-1] < len(board.legal())


@pytest.mark.parametrize("all_moves", [False, True])
def test_many_iterations_in_one_call_are_those_of_single_calls(*, all_moves: bool) -> None:
    """The same order of the moves, values, best move and nodes, also with bounds and ranks."""
    for number, board in enumerate(boards(Rules(seeds=6), seed=12)):
        found, calls = [], 0
        ranks = [(pit % 2 if number % 2 else 0, Bounds(-number, 9)) for pit in board.legal()]
        for at_once in (False, True):
            one = worker(board.rules)
            moves = RootSearch(one, all_moves=all_moves)
            moves.open(board)
            moves.rank(ranks)
            for deepest in (DEEPEST,) if at_once else range(1, DEEPEST + 1):
                one.pause_after(100)
                while moves.depth < deepest:  # a budget may end with an iteration
                    calls += at_once
                    for _ in moves.deepen(deepest):
                        one.pause_after(100_000)
                    one.pause_after(100_000)
            found.append((moves.depth, moves.best, moves.values, one.nodes))
        assert found[0] == found[1], board.text
        assert found[0][0] == DEEPEST
        assert calls <= 2, board.text
