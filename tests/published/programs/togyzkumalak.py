"""PyPI's ``gym-togyzkumalak``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

Board: Any = import_module("gym_togyzkumalak.togyzkumalak.board").Board


def replay(moves: list[tuple[int, int]], _folder: str) -> list[object]:
    """Replay a game."""
    board = Board()
    shown = [_position(board, is_over=False)]
    for player, pit in moves:
        if player != ("white", "black").index(board.run.name) or not board.run.check_action(pit):
            break
        shown.append(_position(board, is_over=board.move(pit)[2]))
    return shown


def _position(board: Any, *, is_over: bool) -> object:  # noqa: ANN401  # Board
    both = board.gamers["white"], board.gamers["black"]
    return (
        *([hole.kumalaks for hole in each.home.values()] for each in both),
        [each.kazan.score for each in both],
        *((None, board.reward) if is_over else (both.index(board.run), None)),
    )
