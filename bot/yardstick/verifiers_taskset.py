"""The yardstick as a taskset of verifiers: ``vf-eval mancala-arena``.

verifiers takes a taskset's name for that of a module, so `mancala_arena` hands this one on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

from .questions import Mark, Question, questions

__all__ = ["HardPositions"]


class HardPositionsConfig(vf.TasksetConfig):
    """The options, as ``--env.taskset.split test``."""

    split: str = "train"
    contract: str = "arena"
    track: bool = False


class HardPositionData(vf.TaskData):
    """A question; the values of its pits stand in it, and are not shown."""

    question: dict[str, Any]


class HardPositionTask(vf.Task[HardPositionData]):
    """A position to answer; the reward is 1 for a best pit and 0 for the worst."""

    @vf.reward
    async def score(self, trace: vf.Trace) -> float:
        """Return the score of the last reply."""
        return self._mark(trace).score

    @vf.metric
    async def loss(self, trace: vf.Trace) -> float:
        """Return the seeds that it loses."""
        return self._mark(trace).metrics["loss"]

    @vf.metric
    async def legal(self, trace: vf.Trace) -> float:
        """Return 1 where it names a legal pit."""
        return self._mark(trace).metrics["legal"]

    def _mark(self, trace: vf.Trace) -> Mark:
        return Question.from_dict(self.data.question).mark(trace.last_reply)


class HardPositions(vf.Taskset[HardPositionTask, HardPositionsConfig]):
    """The positions of a split."""

    def load(self) -> Iterator[HardPositionTask]:
        """Yield a task for each position."""
        config = self.config
        for each in questions(config.split, contract=config.contract, track=config.track):
            data = HardPositionData(id=each.id, prompt=each.prompt, question=each.to_dict())
            yield HardPositionTask(data, config.task)
