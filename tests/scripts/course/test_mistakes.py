"""Answers in proven positions, judged."""

import runpy
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest
from msgspec import structs

from mancala.bot import starters
from mancala.protocol.loss import ProvenPosition
from mancala.protocol.rules import Board
from mancala.scripts.course.mistakes import (
    AnswerMistake,
    JudgedAnswer,
    PositionKind,
    judged,
    most_costly,
    starters_pit,
)
from mancala.server.contest.rate.answers import PositionAnswer

START = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"
CAPTURE = "<6,0,0,1,0,0,1,0,0,0,0,0,0,5,1>"
HANGING = "<6,0,0,1,0,0,0,1,1,1,0,0,0,0,2>"


def answers_with(mistakes: Iterable[tuple[AnswerMistake | None, int]]) -> tuple[JudgedAnswer, ...]:
    """Return an answer for each mistake and the seeds that it lost, None for a good one."""
    answer = JudgedAnswer(
        position=0, phase="late", kind=PositionKind.QUIET, pit=0, loss=0, best=(1,), mistake=None
    )
    return tuple(
        structs.replace(answer, position=number, loss=loss, mistake=mistake)
        for number, (mistake, loss) in enumerate(mistakes)
    )


@pytest.mark.parametrize(
    ("board", "values", "pit", "kind", "mistake"),
    [
        (START, {0: 0, 2: 3}, 2, PositionKind.RETURN, None),
        (START, {0: 0, 2: 3}, 0, PositionKind.RETURN, AnswerMistake.RETURN),
        (CAPTURE, {0: 5, 3: 0}, 3, PositionKind.CAPTURE, AnswerMistake.CAPTURE),
        (CAPTURE, {0: 0, 3: 5}, 0, PositionKind.QUIET, AnswerMistake.GREED),
        (START, {2: 0, 0: 3}, 2, PositionKind.QUIET, AnswerMistake.GREED),
        (START, {0: 0, 1: 3}, 0, PositionKind.QUIET, AnswerMistake.QUIET),
        (START, {0: 0, 1: 3}, None, PositionKind.QUIET, AnswerMistake.NO_ANSWER),
    ],
)
def test_an_answer_is_named_by_what_the_best_moves_do(
    board: str,
    values: dict[int, int],
    pit: int | None,
    kind: PositionKind,
    mistake: AnswerMistake | None,
) -> None:
    """A move that loses nothing is no mistake."""
    found = judged(PositionAnswer(ProvenPosition(3, "late", board, values), pit))
    assert (found.position, found.kind, found.mistake) == (3, kind, mistake)
    assert found.best == (max(values, key=values.__getitem__),)
    assert found.loss == max(values.values()) - values.get(pit if pit is not None else -1, 0)


def test_a_move_that_lets_the_reply_capture_is_told_from_a_quiet_one() -> None:
    """The reply to the best move captures less."""
    found = judged(PositionAnswer(ProvenPosition(1, "late", HANGING, {0: 0, 4: 4}), 0))
    assert found.mistake is AnswerMistake.REPLY


def test_the_costliest_mistakes_come_first() -> None:
    """They are counted by the seeds that they lost, not by how often they were made."""
    quiet = (AnswerMistake.QUIET, 1)
    made = [quiet, quiet, (AnswerMistake.RETURN, 5), (None, 0)]
    answers = answers_with(made)
    assert most_costly(answers) == [(AnswerMistake.RETURN, 1, 5), (AnswerMistake.QUIET, 2, 2)]
    assert most_costly(answers, most=1) == [(AnswerMistake.RETURN, 1, 5)]


def test_all_starters_play_what_likeness_leaves_out() -> None:
    """The starter in Python is asked; those of other languages play the same."""
    file = Path(starters.__file__).parent / "python" / "play.py"
    best = runpy.run_path(str(file))["best"]
    rng = Random(5)
    for _ in range(20):
        board = Board.start()
        while not board.is_over:
            assert starters_pit(board) == best(board)
            board = board.sow(rng.choice(board.legal())).board
