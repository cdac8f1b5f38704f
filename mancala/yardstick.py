"""An exact yardstick for language models: hard positions, their questions, and what answers lose.

It needs no engine, and loads neither the client nor the compiler::

    from mancala.yardstick import questions, summary

    marks = [question.mark(my_model(question.prompt)) for question in questions()]
    print(summary(marks))

``python -m mancala.yardstick`` prints the folder that lm-eval takes by ``--include_path``.
"""

import sys

from mancala.bot.players.models.contracts import AnswerError
from mancala.bot.yardstick import LM_EVAL
from mancala.bot.yardstick.positions import (
    RULE_SETS,
    SPLITS,
    board_of,
    loss,
    positions,
    read_positions,
)
from mancala.bot.yardstick.questions import Mark, Question, prompt, questions, read, summary

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

if __name__ == "__main__":
    sys.stdout.write(f"{LM_EVAL}\n")
