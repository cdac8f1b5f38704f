"""The game as a notebook on minimax uses it: plain dictionaries and four functions.

A state is ``{"pits": [[…], […]], "stores": [n, n], "current_player": 0 | 1}``, row and store ``p``
belonging to player ``p``. `docs/minimax.ipynb` writes minimax on these functions, and a test runs
it. They are for reading and teaching; the players beside this file search flat tuples.
"""

from typing import TypedDict

from mancala.protocol.rules import KALAH, Board, Rules, State

from . import evaluation
from .game import position_of


class GameState(TypedDict):
    """A position: two rows, two stores, and whose turn it is."""

    pits: list[list[int]]
    stores: list[int]
    current_player: int


def new_game(rules: Rules = KALAH) -> GameState:
    """Return the state of a new game; player 0 begins."""
    return _state(Board.start(rules))


def legal_actions(state: GameState, rules: Rules = KALAH) -> list[int]:
    """Return the pits the current player may sow, ascending; none when the game is over."""
    return list(_board(state, rules).legal())


def step(state: GameState, action: int, rules: Rules = KALAH) -> tuple[GameState, int, bool]:
    """Sow a pit and return ``(next state, reward, done)``; the given state is not changed.

    The reward is the difference of the stores after the sowing, for the player who sowed.
    IllegalMoveError when the pit may not be sown.
    """
    board = _board(state, rules)
    after = board.sow(action).board
    return _state(after), after.stores[board.player] - after.stores[1 - board.player], after.is_over


def evaluate(state: GameState, rules: Rules = KALAH) -> int:
    """Return a state's value for the current player: `side`, or the score of a finished game."""
    board = _board(state, rules)
    return board.score(board.player) if board.is_over else evaluation.side(position_of(board))


def _board(state: GameState, rules: Rules) -> Board:
    south, north = (tuple(row) for row in state["pits"])
    mine, theirs = state["stores"]
    return Board.from_state(State((south, north), (mine, theirs), state["current_player"]), rules)


def _state(board: Board) -> GameState:
    return {
        "pits": [list(row) for row in board.pits],
        "stores": list(board.stores),
        "current_player": board.player,
    }
