"""The positions that games of an environment begin from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from mancala.engine.openings import shipped
from mancala.protocol.rules import Board, InvalidPositionError, Rules
from mancala.protocol.text import quantity

Openings: TypeAlias = str | Iterable[str]
"""``start`` for the standard start, ``fair`` for the proven openings that come with the program,
or boards as text (``<m,store,other store,pits…,other pits…>``, the mover first)."""


def boards_of(openings: Openings, rules: Rules) -> tuple[Board, ...]:
    """Return the boards that openings name.

    Raises:
        ValueError: when there are no fair openings for the rules, or a text is no board of them
            that can be played.
    """
    if openings == "start":
        return (Board.start(rules),)
    if openings == "fair":
        book = shipped(rules)
        if book is None:
            raise ValueError(f"no fair openings come with the program for {rules}")
        openings = [opening.board for opening in book.openings]
    boards = tuple(_board(text, rules) for text in openings)
    if not boards or isinstance(openings, str):
        raise ValueError(f"openings are 'start', 'fair' or boards, not {openings!r}")
    return boards


def drawn(
    boards: tuple[Board, ...], rng: np.random.Generator, options: Mapping[str, Any] | None
) -> Board:
    """Return the board that a game begins from: the one asked for, else one of ``boards``.

    Args:
        boards: what is drawn from.
        rng: used only where there is a choice.
        options: as given to ``reset``; ``opening`` is a board, or its text.

    Raises:
        ValueError: when the opening asked for is no board of these rules, or over already.
    """
    asked = (options or {}).get("opening")
    if asked is None:
        return boards[0] if len(boards) == 1 else boards[int(rng.integers(len(boards)))]
    rules = boards[0].rules
    return _playable(asked, rules) if isinstance(asked, Board) else _board(asked, rules)


def _board(text: str, rules: Rules) -> Board:
    return _playable(Board.from_text(text, rules), rules)


def _playable(board: Board, rules: Rules) -> Board:
    if board.rules.pits != rules.pits:
        raise InvalidPositionError(
            f"{board.text} has {quantity(board.rules.pits, 'pit')} a row, the rules"
            f" have {rules.pits}"
        )
    if board.is_over:
        raise InvalidPositionError(f"the game is over: {board.text}")
    return board
