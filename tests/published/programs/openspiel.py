"""OpenSpiel's ``mancala``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

pyspiel: Any = import_module("pyspiel")


def replay(moves: list[tuple[int, int]], _folder: str) -> list[object]:
    state = pyspiel.load_game("mancala").new_initial_state()
    shown = [_position(state)]
    for player, pit in moves:
        if pit + 1 + 7 * player not in state.legal_actions():
            break
        state.apply_action(pit + 1 + 7 * player)
        shown.append(_position(state))
    return shown


def _position(state: Any) -> object:  # noqa: ANN401  # pyspiel.State
    seeds = [int(each) for each in state.observation_tensor(0)[:14]]
    is_over = state.is_terminal()
    return (
        *(seeds[1:7], seeds[8:14], (seeds[7], seeds[0])),
        *(None if is_over else state.current_player(), state.returns()[0] if is_over else None),
    )
