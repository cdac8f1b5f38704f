"""Kaggle's environment ``open_spiel_mancala``: what its agents are shown while it plays a game."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

make: Any = import_module("kaggle_environments").make


def replay(moves: list[tuple[int, int]], _folder: str) -> list[object]:
    """Replay a game; what is shown last is what the environment ends with."""
    shown: list[object] = []
    answers = iter(moves)

    def agent(observation: dict[str, Any]) -> dict[str, int]:
        if observation["step"] == 0:
            return {"submission": 0}
        shown.append(_position(observation["observationString"]))
        player, pit = next(answers, (0, -2))
        return {"submission": pit + 1 + 7 * player}

    environment = make("open_spiel_mancala")
    last = environment.run([agent, agent])[-1]
    return [*shown, _position(last[0]["observation"]["observationString"], last[0]["reward"])]


def _position(text: str, reward: float | None = None) -> object:
    seen = json.loads(text)
    return (
        *(seen["pits"]["0"], seen["pits"]["1"], (seen["stores"]["0"], seen["stores"]["1"])),
        *((None, reward) if seen["is_terminal"] else (seen["current_player"], None)),
    )
