"""PyPI's ``mancala``; the player to move is the one that it names, who may have to pass."""

from __future__ import annotations

from importlib import import_module
from typing import Any

State: Any = import_module("mancala.mancala").MancalaState


def replay(moves: list[tuple[int, int]], _folder: str) -> list[object]:
    """Replay a game."""
    state = State()
    shown = [_position(state)]
    for player, pit in moves:
        if state.is_terminal():
            break
        if state.must_skip:
            state.proceed_action(None)
        if pit + 7 * player not in (state.legal_actions(state.turn) or ()):
            break
        state.proceed_action(pit + 7 * player)
        shown.append(_position(state))
    return shown


def _position(state: Any) -> object:  # noqa: ANN401  # MancalaState
    seeds, winner = [int(each) for each in state.board], state._winner
    return (
        *(seeds[:6], seeds[7:13], (seeds[6], seeds[13])),
        *((state.turn, None) if winner is None else (None, 1 - 2 * int(winner))),
    )
