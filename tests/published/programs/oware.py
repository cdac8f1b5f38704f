"""OpenSpiel's ``oware``, whose observation is of shares of all seeds."""

from __future__ import annotations

from importlib import import_module
from typing import Any

pyspiel: Any = import_module("pyspiel")


def replay(moves: list[tuple[int, int]], _folder: str) -> list[object]:
    state = pyspiel.load_game("oware").new_initial_state()
    shown = [_position(state)]
    for player, pit in moves:
        if player != state.current_player() or pit not in state.legal_actions():
            break
        state.apply_action(pit)
        shown.append(_position(state))
    return shown


def _position(state: Any) -> object:  # noqa: ANN401  # pyspiel.State
    seeds = [round(48 * share) for share in state.observation_tensor(0)]
    is_over = state.is_terminal()
    return (
        *(seeds[:6], seeds[6:12], seeds[12:]),
        *(None if is_over else state.current_player(), state.returns()[0] if is_over else None),
    )
