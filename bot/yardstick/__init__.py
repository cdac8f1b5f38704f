"""An exact yardstick for language models: hard positions, their questions, and what answers lose.

`mancala.yardstick` has its names; nothing of it needs an engine, the client or the compiler. The
harnesses of others load the same questions with the extra ``eval``: see
``docs/language-models.md``.
"""

from pathlib import Path
from typing import Final

LM_EVAL: Final = Path(__file__).parent / "lm_eval_task"
"""The folder with the task for lm-eval."""
