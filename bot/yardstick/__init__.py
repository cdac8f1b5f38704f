"""An exact yardstick for language models: hard positions, their questions, and what answers lose.

It needs no engine, and loads neither the client nor the compiler::

    from mancala.yardstick import questions, summary

    marks = [question.mark(my_model(question.prompt)) for question in questions()]
    print(summary(marks))

The harnesses of others load the same questions with the extra ``eval``: see
``docs/language-models.md``.
"""

from pathlib import Path
from typing import Final

from ..players.models.contracts import AnswerError
from .positions import RULE_SETS, SPLITS, board_of, loss, positions, read_positions
from .questions import Mark, Question, prompt, questions, read, summary

__all__ = [
    "LM_EVAL",
    "RULE_SETS",
    "SPLITS",
    "AnswerError",
    "Mark",
    "Question",
    "board_of",
    "loss",
    "positions",
    "prompt",
    "questions",
    "read",
    "read_positions",
    "summary",
]

LM_EVAL: Final = Path(__file__).parent / "lm_eval_task"
"""The folder with the task for lm-eval."""
