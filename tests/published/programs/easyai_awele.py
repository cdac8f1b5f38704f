"""The game Awele among easyAI's examples."""

from __future__ import annotations

from importlib import import_module
from typing import Any

Game: Any = import_module("easyAI.games.Awele").Awele
Human: Any = import_module("easyAI").Human_Player


def replay(moves: list[tuple[int, int]], _folder: str) -> list[object]:
    game = Game([Human(), Human()])
    shown = [_position(game)]
    for player, pit in moves:
        move = "abcdefghijkl"[pit + 6 * player]
        if game.is_over() or move not in game.possible_moves():
            break
        game.play_move(move)
        shown.append(_position(game))
    return shown


def _position(game: Any) -> object:  # noqa: ANN401  # Awele
    scores = [each.score for each in game.players]
    sign = (scores[0] > scores[1]) - (scores[0] < scores[1])
    return (
        *(game.board[:6], game.board[6:], scores),
        *((None, sign) if game.is_over() else (game.current_player - 1, None)),
    )
