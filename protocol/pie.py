"""Rules of a game's first turns for players that know only pits: by the values that they report.

Under the pie rule the second player swaps where its best move is worth less than nothing to it,
because the swap turns the value's sign. So the first player's turn is worth to it what is left
after that: minus the distance of the value from a draw. It plays the turn that is nearest to a
draw. Where the first sowing gives no further turn and no swap follows, it plays the best one.

Where neither is in force any more, and for players that answer swaps themselves, a question is put
as it is.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from .messages import Info
from .player import Budget, Choice, Player
from .rules import SWAP, Board

MOST_TURNS: Final = 64
"""Whole turns of the first player that are valued; (6,4) has 10."""


class _Turn(NamedTuple):
    first: int
    after: Board


def choose(player: Player, board: Board, budget: Budget) -> Choice:
    """Return a player's answer, `SWAP` only where the board allows it, or raise `PlayerError`."""
    if player.swaps or not board.rules.opens:
        return player.choose(board, budget)
    if board.may_swap:
        choice = player.choose(board.without_pie, budget)
        value = _value(choice)
        return choice if value is None or value >= 0 else Choice(SWAP, Info(value=-value))
    cut = _best_turn(player, board, budget) if player.anytime else None
    return cut or player.choose(board.without_pie, budget)


def _best_turn(player: Player, board: Board, budget: Budget) -> Choice | None:
    """Return the first sowing of the turn that leaves the least; None when values are missing."""
    turns = list(islice(_turns(board), MOST_TURNS))
    share = Budget(budget.time_s / len(turns), budget.deadline_s, is_cancelled=budget.is_cancelled)
    best: Choice | None = None
    most = float("-inf")
    for first, after in turns:
        if after.is_over:
            worth: float | None = float(after.score(board.player))
        else:
            value = _value(player.choose(after.without_pie, share))
            worth = None if value is None else -abs(value) if board.rules.pie else -value
        if worth is None:
            return None
        if worth > most:
            most, best = worth, Choice(first, Info(value=worth))
            budget.offer(best)
        if budget.is_cancelled():
            break
    return best


def _turns(board: Board, first: int | None = None) -> Iterator[_Turn]:
    """Yield the mover's whole turns: the first pit, and the board at the other's turn."""
    for pit in board.legal():
        begun, after = pit if first is None else first, board.sow(pit).board
        if after.player == board.player and not after.is_over:
            yield from _turns(after, begun)
        else:
            yield _Turn(begun, after)


def _value(choice: Choice) -> float | None:
    return choice.info.value if choice.info is not None else None
