"""The yardstick as a task of Inspect: ``inspect eval mancala/hard_positions --model …``.

Inspect finds it by the entry point ``inspect_ai``; options are those of `hard_positions`, as
``-T contract=kaggle``.
"""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from .questions import Question, questions

__all__ = ["exact", "hard_positions"]


@task
def hard_positions(
    split: str = "test", contract: str = "arena", *, track: bool = False, limit: int | None = None
) -> Task:
    """Ask for a pit in each position of a split, or for the board after some sowings."""
    samples = [
        Sample(each.prompt, id=each.id, metadata=each.to_dict())
        for each in questions(split, contract=contract, track=track, limit=limit)
    ]
    return Task(dataset=samples, solver=generate(), scorer=exact())


@scorer(metrics={"*": [mean(), stderr()]})
def exact() -> Scorer:
    """Score an answer by the seeds that it loses."""

    async def score(state: TaskState, _target: Target) -> Score:
        mark = Question.from_dict(state.metadata).mark(state.output.completion)
        answer = None if mark.pit is None else str(mark.pit)
        return Score(value=dict(mark.metrics), answer=answer, explanation=mark.fault or None)

    return score
