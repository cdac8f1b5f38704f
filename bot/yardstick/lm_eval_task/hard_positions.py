"""What the task for lm-eval beside this file is made of; lm-eval loads it from its path."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from datasets import Dataset

from mancala.bot.yardstick.positions import SPLITS
from mancala.bot.yardstick.questions import Question, questions


def splits(contract: str = "arena", *, track: bool = False, **_more: Any) -> dict[str, Dataset]:  # noqa: ANN401  # lm-eval's
    """Return the questions of each split."""
    return {
        split: Dataset.from_list(
            [
                {"id": each.id, "prompt": each.prompt, "question": json.dumps(each.to_dict())}
                for each in questions(split, contract=contract, track=track)
            ]
        )
        for split in SPLITS
    }


def results(doc: dict[str, str], answers: Sequence[str]) -> dict[str, float]:
    """Return what an answer is worth."""
    return Question.from_dict(json.loads(doc["question"])).mark(answers[0]).metrics
