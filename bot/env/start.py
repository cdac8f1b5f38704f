"""What every environment is set up with: rules, openings, a reward, and Gymnasium's spaces."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
from gymnasium import spaces

from mancala.engine.openings import shipped
from mancala.protocol.rules import MAX_SEEDS_IN_ALL, Board, InvalidPositionError, Rules
from mancala.protocol.text import quantity

from ..players.seen import actions

REWARDS: Final = ("result", "margin")
"""``result``: 1, 0 or -1. ``margin``: the difference of the stores, divided by all seeds."""

Openings: TypeAlias = str | Iterable[str]
"""``start`` for the standard start, ``fair`` for the proven openings that come with the program,
or boards as text (``<m,store,other store,pits…,other pits…>``, the mover first)."""


def boards_of(openings: Openings, rules: Rules) -> tuple[Board, ...]:
    """Return the boards that openings name; raise ValueError where they name none."""
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
    """Return the ``opening`` of reset's options, a board or its text, else one of ``boards``."""
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
    return board.as_opening


def check_reward(name: str) -> str:
    """Return the name of a reward; raise ValueError where there is none."""
    if name not in REWARDS:
        raise ValueError(f"the reward is one of {', '.join(REWARDS)}, not {name!r}")
    return name


def reward_for(name: str, board: Board, player: int) -> float:
    """Return what a position is worth to a player: 0 until the game is over."""
    margin = board.score(player) if board.is_over else 0
    if name == "margin":
        return margin / max(board.total, 1)
    return float((margin > 0) - (margin < 0))


def seeds_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of `mancala.bot.players.seen.view`."""
    return spaces.Box(0, MAX_SEEDS_IN_ALL, (2, rules.pits + 1), np.int16)


def mask_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of action masks: one number an action, 1 where it is legal."""
    return spaces.Box(0, 1, (actions(rules),), np.int8)


def pits_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of actions: a pit, counted in the mover's sowing direction, or a swap."""
    return spaces.Discrete(actions(rules))
