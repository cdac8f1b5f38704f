"""An iteration in one call is the iteration that asks about each move by itself."""

from __future__ import annotations

from random import Random

import pytest

from mancala.engine import kernels
from mancala.engine.evaluation.search_options import SearchOptions
from mancala.engine.evaluation.weights import shipped
from mancala.engine.kernels import root, state
from mancala.engine.search.worker import RootSearch, Worker
from mancala.protocol.rules import Board, Rules

DEEPEST = 7


def worker(rules: Rules) -> Worker:
    """Return a worker with an empty table."""
    search = state.new_search(rules, shipped().compiled(rules), bits=12)
    return Worker(search, parameters=SearchOptions())


def answer(by: Worker, board: Board, pit: int, depth: int, window: tuple[int, int]) -> int:
    """Ask about one move."""
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
            low, high = alpha, alpha + 1
            if alpha == -wide:
                middle = round(guess * kernels.UNIT)
                low, high = middle - root.ASPIRATION, middle + root.ASPIRATION
            value = answer(by, board, pit, depth, (low, high))
            if value >= high:
                value = answer(by, board, pit, depth, (high - 1, wide))
            elif value <= low and alpha == -wide:
                value = answer(by, board, pit, depth, (-wide, low + 1))
        alpha = max(alpha, value)
        found[pit] = value / kernels.UNIT
    return found


def boards(rules: Rules, seed: int) -> list[Board]:
    """Return boards of a random game, the last ones nearly over."""
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
        moves, guess = RootSearch(one, board), None
        for depth in range(DEEPEST):
            one.pause_after(13 * depth + 1)  # a pause loses nothing
            for _ in moves.search(board.legal(), depth, guess):
                one.pause_after(100)
            assert moves.values == asked(other, board, depth, guess), board.text
            assert one.nodes == other.nodes, board.text
            best = max(moves.values.values())
            assert moves.best is not None
            assert moves.values[moves.best] == best
            guess = moves.values[board.legal()[0]]


def test_a_pause_shows_the_moves_that_are_done() -> None:
    """Halfway through an iteration the best of the moves searched so far is known."""
    board = Board.start()
    one = worker(board.rules)
    moves, seen = RootSearch(one, board), []
    one.pause_after(1)
    for _ in moves.search(board.legal(), 6, 0.0):
        one.pause_after(20)
        seen.append((len(moves.values), moves.best))
    counts = [count for count, _ in seen]
    assert counts == sorted(counts)
    assert counts[0] == 0 < counts[-1] < len(board.legal())
    assert all((best is None) == (count == 0) for count, best in seen)
