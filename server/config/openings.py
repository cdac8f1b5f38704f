"""Starting positions, as settings name them."""

from __future__ import annotations

from mancala.protocol.rules import Board, InvalidPositionError, Rules


def board_of(text: str, rules: Rules) -> Board:
    """Return a starting position.

    Raises:
        InvalidPositionError: when it is not a playable position of these rules.
    """
    board = Board.from_state(Board.from_text(text).state, rules)
    if board.is_over:
        raise InvalidPositionError(f"the game is over in {text}")
    return board
