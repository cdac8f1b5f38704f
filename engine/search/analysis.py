"""One-shot analysis: a board in, one report out."""

from __future__ import annotations

from typing import Final

from mancala.protocol.rules import Board

from .engine import Engine
from .reports import Limit, Report

USUAL_TIME_S: Final = 1.0


def analyse(
    board: Board,
    *,
    time: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    engine: Engine | None = None,
) -> Report:
    """Search a board and return the last report.

    Args:
        board: not over.
        time: seconds; 1 when no limit is given. Loading or compiling the engine does not count.
        depth: plies of the deepening.
        nodes: positions whose sowings are generated.
        engine: which engine searches; None for a new one, warmed up outside the limit.

    Raises:
        ValueError: when the game is over.
    """
    if time is None and depth is None and nodes is None:
        time = USUAL_TIME_S
    if engine is None:
        engine = Engine()
        engine.warm_up(board.rules)
    return engine.analyse(board, Limit(time_s=time, depth=depth, nodes=nodes))
