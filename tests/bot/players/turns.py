"""Turns for players, without a server."""

from collections.abc import Callable

from mancala.bot import Game, Turn
from mancala.protocol.clock import Clock, TimeControl
from mancala.protocol.messages import Info
from mancala.protocol.rules import Board

CONTROL = TimeControl(move_ms=1000)


def question(
    board: Board | None = None,
    *,
    budget_s: float = 1.0,
    deadline_s: float | None = None,
    heard: Callable[[int, Info | None], None] = lambda _pit, _info: None,
) -> Turn:
    """Put a question; without a deadline of its own, the budget is all there is."""
    board = board or Board.start()
    return Turn(
        board=board,
        legal=board.legal(),
        game=Game("g1", "m1", board.player, board.rules, CONTROL, "rival", rated=False),
        ply=0,
        clock=Clock.set_up(CONTROL).state,
        deadline_s=budget_s if deadline_s is None else deadline_s,
        budget_s=budget_s,
        heard=heard,
    )
