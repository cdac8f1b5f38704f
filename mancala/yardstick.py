"""An exact yardstick for language models, under the one name to import.

See `mancala.bot.yardstick`, where it is. ``python -m mancala.yardstick`` prints the folder that
lm-eval takes by ``--include_path``.
"""

import sys

from mancala.bot.yardstick import (
    LM_EVAL,
    RULE_SETS,
    SPLITS,
    AnswerError,
    Mark,
    Question,
    board_of,
    loss,
    positions,
    prompt,
    questions,
    read,
    read_positions,
    summary,
)

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
