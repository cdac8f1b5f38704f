"""Agents as they are written for Kaggle's environments: ``agent(observation, configuration)``.

The observation is that of Kaggle's ``open_spiel_mancala``: pits are OpenSpiel's actions, and
``observationString`` is a JSON object with the board. Fields can be read as keys and as attributes.
``serializedGameAndState`` is left out, since OpenSpiel cannot hold a position without its history.
The answer is an action, or ``{"submission": action}``.

Written ``kaggle:FILE.py:NAME``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any, Final

from mancala.protocol.rules import Board

from ..client.bot import Bot, FunctionBot, Turn
from .openspiel import action_of, counts, pit_of

SUBMISSION: Final = "submission"


class KaggleFields(dict[str, Any]):
    """A dictionary whose keys are attributes as well."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # whatever stands there
        """Return the value of a key."""
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def bot_of(agent: Callable[..., Any]) -> Bot:
    """Return a bot that asks an agent of up to two arguments.

    Raises:
        TypeError: when it is no function.
    """
    arguments = _arguments(agent)

    def choose(turn: Turn) -> int:
        given = (observation(turn.board, turn.ply), configuration(turn))[:arguments]
        answer = agent(*given)
        action = answer[SUBMISSION] if isinstance(answer, dict) else answer
        return pit_of(turn.rules, turn.board.player, int(action))

    return FunctionBot(choose)


def observation(board: Board, step: int) -> KaggleFields:
    """Return a position as Kaggle's environment shows it to the player to move."""
    legal = [action_of(board.rules, board.player, pit) for pit in board.legal()]
    return KaggleFields(
        observationString=json.dumps(_state(board, step)),
        legalActions=legal,
        legalActionStrings=[str(action) for action in legal],
        currentPlayer=board.player,
        playerId=board.player,
        isTerminal=False,
        step=step,
        remainingOverageTime=0.0,
    )


def configuration(turn: Turn) -> KaggleFields:
    """Return the terms of a game: the time for a move, and what is played."""
    return KaggleFields(
        actTimeout=turn.budget_s,
        runTimeout=turn.deadline_s,
        openSpielGameName="mancala",
        openSpielGameString="mancala()",
        includeLegalActions=True,
    )


def _state(board: Board, step: int) -> dict[str, Any]:
    return {
        "board": counts(board),
        "pits": {str(player): list(row) for player, row in enumerate(board.pits)},
        "stores": {str(player): store for player, store in enumerate(board.stores)},
        "scores": list(board.stores),
        "current_player": board.player,
        "move_number": step,
        "last_action": None,
        "is_terminal": False,
        "winner": None,
    }


def _arguments(agent: Callable[..., Any]) -> int:
    """Return how many positional arguments a function takes, two at most."""
    positional = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    found = inspect.signature(agent).parameters.values()
    if any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in found):
        return 2
    return min(2, sum(each.kind in positional for each in found))
