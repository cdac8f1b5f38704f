"""The yardstick as an environment of OpenEnv: ``uvicorn mancala.bot.yardstick.openenv_app:app``.

An episode is one question: its observation holds the prompt, the action is the model's answer, and
the reward is 1 for a best pit and 0 for the worst. ``reset`` takes ``seed``, the number of the
question, ``split``, ``contract`` and ``track``; without a seed the questions come in order.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final
from uuid import uuid4

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

from .questions import Question, questions

__all__ = ["AskedPosition", "HardPositionsEnvironment", "ModelReply", "app"]


_asked: Final = cache(questions)
"""The questions of a split, which are the same in each episode."""


class ModelReply(Action):
    """A model's answer, with all that it said."""

    text: str


class AskedPosition(Observation):
    """A question, and once it is answered what the answer is worth."""

    id: str
    prompt: str
    loss: float | None = None
    legal: bool | None = None
    fault: str = ""


class HardPositionsEnvironment(Environment):
    """One question an episode."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State(episode_id=str(uuid4()), step_count=0)
        self._next = 0
        self._question: Question | None = None

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        *,
        split: str = "train",
        contract: str = "arena",
        track: bool = False,
        **_more: Any,  # noqa: ANN401  # a client's
    ) -> AskedPosition:
        """Ask a question."""
        asked = _asked(split, contract=contract, track=track)
        number = self._next if seed is None else seed
        self._next = number + 1
        self._question = asked[number % len(asked)]
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return AskedPosition(id=self._question.id, prompt=self._question.prompt)

    def step(self, action: ModelReply, **_more: Any) -> AskedPosition:  # noqa: ANN401  # a client's
        """Take the answer, which ends the episode; ValueError without a question."""
        if self._question is None:
            raise ValueError("there is one answer to a question; reset() asks the next one")
        self._state.step_count += 1
        mark, question = self._question.mark(action.text), self._question
        self._question = None
        return AskedPosition(
            id=question.id,
            prompt=question.prompt,
            done=True,
            reward=mark.score,
            loss=mark.metrics["loss"],
            legal=not mark.fault,
            fault=mark.fault,
        )

    @property
    def state(self) -> State:
        """The episode and its steps."""
        return self._state


app = create_app(HardPositionsEnvironment, ModelReply, AskedPosition, env_name="mancala-arena")
