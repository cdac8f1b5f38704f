"""Policies of learners: what was trained in the environments plays wherever a player can.

A policy is a function from observations and masks to pits, as `mancala.env` has it for many games,
or an object with ``predict``, such as a model of Stable-Baselines3; one that takes ``action_masks``
(sb3-contrib's MaskablePPO) is given them. It is asked about one game at a time.

Written ``policy:FILE.py:NAME``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..client.bot import Bot, FunctionBot, Turn

if TYPE_CHECKING:
    from numpy.typing import NDArray

MASKS: Final = "action_masks"
Predict: TypeAlias = Callable[["NDArray[Any]", "NDArray[Any]"], Any]


def bot_of(found: Any) -> Bot:  # noqa: ANN401  # the author's
    """Return a bot that asks a policy.

    Raises:
        TypeError: when it is neither a model nor a function.
    """
    import numpy as np  # noqa: PLC0415  # an extra brings it

    from .seen import mask, view  # noqa: PLC0415  # loads numpy

    predict = _predicting(found)

    def choose(turn: Turn) -> int:
        board = turn.board
        seen, legal = view(board, board.player), mask(board, board.player, turn.rules)
        pits = predict(seen[np.newaxis], legal[np.newaxis].astype(bool))
        return int(np.asarray(pits).reshape(-1)[0])

    return FunctionBot(choose)


def _predicting(found: Any) -> Predict:  # noqa: ANN401  # the author's
    predict = getattr(found, "predict", None)
    if predict is None:
        if not callable(found):
            raise TypeError("neither a function nor a model with predict()")
        asked: Predict = found
        return asked
    takes_masks = MASKS in inspect.signature(predict).parameters

    def call(seen: NDArray[Any], masks: NDArray[Any]) -> Any:  # noqa: ANN401  # the model's
        masked = {MASKS: masks} if takes_masks else {}
        pits, _state = predict(seen, deterministic=True, **masked)
        return pits

    return call
