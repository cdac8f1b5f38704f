"""What each move of a game has cost."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from random import Random

import pytest

from engine.review import Accuracy, Judged, accuracy, review
from engine.search import tables_for
from engine.solver import Solver
from protocol.messages import Reason
from protocol.record import GameRecord, Outcome, RecordedMove, outcome
from protocol.results import Contestant
from protocol.rules import PRESETS, Board, Rules

PLAYERS = (Contestant("ada"), Contestant("bob"))
EXACT = Path(__file__).parents[1] / "data" / "exact_kalah.jsonl"
SMALL = [Rules(pits=3, seeds=2), *(Rules.parse(f"{name}:pits=3,seeds=3") for name in PRESETS)]


def solver(rules: Rules) -> Solver:
    """Make one for small boards."""
    return Solver(rules, tables=tables_for(rules), table_bits=16)


def naive(board: Board, known: dict[str, int]) -> int:
    """Work a value out by trying everything: for the mover, at the end of the game."""
    if board.is_over:
        return board.score(board.player)
    if board.text not in known:
        known[board.text] = max(naive_move(board, pit, known) for pit in board.legal())
    return known[board.text]


def naive_move(board: Board, pit: int, known: dict[str, int]) -> int:
    """Work out what a move is worth to its mover."""
    after = board.sow(pit).board
    value = naive(after, known)
    return value if after.player == board.player else -value


def random_game(rules: Rules, rng: Random) -> GameRecord:
    """Play a game without sense."""
    board, moves = Board.start(rules), list[RecordedMove]()
    while not board.is_over:
        pit = rng.choice(board.legal())
        moves.append(RecordedMove(board.player, pit))
        board = board.sow(pit).board
    opening = Board.start(rules).state
    return GameRecord("1", rules, PLAYERS, opening, tuple(moves), outcome(board))


@pytest.mark.parametrize("rules", SMALL)
def test_losses_are_those_of_trying_everything(rules: Rules) -> None:
    """Every loss is the best move's value less the played one's, under all rules."""
    rng, known, judge = Random(1), dict[str, int](), solver(rules)
    for _ in range(10):
        record = random_game(rules, rng)
        board = Board.start(rules)
        for move in review(record, judge, time_s=60, clock=lambda: 0.0):
            assert move.value == naive(board, known)
            assert move.loss == move.value - naive_move(board, move.pit, known)
            assert move.forced == (len(board.legal()) == 1)
            board = board.sow(move.pit).board


def test_the_first_move_of_a_proven_position_is_judged() -> None:
    """A move from a position with a known value loses what its own value falls short of it."""
    case = json.loads(EXACT.read_text().splitlines()[0])
    board = Board.from_text(case["board"])
    for pit, value in case["moves"].items():
        move = RecordedMove(board.player, int(pit))
        record = GameRecord("1", board.rules, PLAYERS, board.state, (move,))
        (judged,) = review(record, solver(board.rules), time_s=60, clock=lambda: 0.0)
        assert judged.value == case["value"]
        assert judged.loss == case["value"] - value


def test_what_the_time_does_not_reach_is_unknown() -> None:
    """From some move on backwards nothing is claimed; the end of the game is known immediately."""
    rules = Rules(pits=6, seeds=4)
    record = random_game(rules, Random(2))
    ticks = count()
    judged = review(record, solver(rules), time_s=12, clock=lambda: float(next(ticks)))
    known = [move.loss is not None for move in judged]
    assert known[-1]
    assert not known[0]
    assert known == sorted(known)


def test_a_game_that_was_broken_off_is_judged_as_far_as_it_went() -> None:
    """A player that lost on time is reviewed, too."""
    rules = Rules(pits=3, seeds=3)
    whole = random_game(rules, Random(3))
    lost = Outcome(0, (0, 0), Reason.TIMEOUT)
    part = GameRecord("1", rules, PLAYERS, whole.opening, whole.moves[:3], lost)
    judge = solver(rules)
    full = review(whole, judge, time_s=60, clock=lambda: 0.0)
    assert review(part, judge, time_s=60, clock=lambda: 0.0) == full[:3]


def test_accuracy_counts_moves_that_are_known_and_had_a_choice() -> None:
    """Only moves say nothing of a player, and unknown ones nothing at all."""
    moves = [
        Judged(0, 0, 1, None, None, forced=False),
        Judged(1, 0, 1, 4, 0, forced=False),
        Judged(2, 0, 1, 4, 4, forced=False),
        Judged(3, 0, 1, 0, 0, forced=True),
    ]
    assert accuracy(moves) == Accuracy(2, 0.5, 2.0)
    assert accuracy(moves[:1]) == Accuracy(0, None, None)
