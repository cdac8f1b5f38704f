"""OpenSpiel's ``oware``, whose positions are read from their text."""

from __future__ import annotations

from importlib import import_module
from typing import Any

pyspiel: Any = import_module("pyspiel")


def replay(moves: list[tuple[int, int]], _folder: str) -> list[object]:
    """Replay a game."""
    state = pyspiel.load_game("oware").new_initial_state()
    shown = [_position(state)]
    for player, pit in moves:
        if player != state.current_player() or pit not in state.legal_actions():
            break
        state.apply_action(pit)
        shown.append(_position(state))
    return shown


def _position(state: Any) -> object:  # noqa: ANN401  # pyspiel.State
    score1, _, north, south, _, score0, *_ = str(state).splitlines()
    rows = [int(each) for each in south.split()], [int(each) for each in north.split()[::-1]]
    scores = [int(each.split("=")[1].split()[0]) for each in (score0, score1)]
    is_over = state.is_terminal()
    return (
        *(*rows, scores),
        *(None if is_over else state.current_player(), state.returns()[0] if is_over else None),
    )
