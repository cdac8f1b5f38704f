"""Why a move loses: what differs between play to the end after the best move and after it.

All seeds end in the stores by three ways: sown there, captured, or left at the end to whom the
rules give it. Play to the end after the best move and after the move played, both proven, differ by
the loss; so it is the sum of what the mover and the opponent come to more or less by each way. The
greatest part is the reason. It is said only where both lines are known to the end of the game and
end with the proven values, so it is a fact of the rules, and of these two lines.
"""

from collections.abc import Sequence
from enum import StrEnum
from itertools import count
from typing import Annotated, Final, NamedTuple

from msgspec import Meta, Struct

from .messages import Player
from .rules import Board
from .text import quantity


class Way(StrEnum):
    """How seeds come into a store."""

    CAPTURED = "captured"
    SOWN = "sown"
    LEFT = "left"


class LossReason(Struct, frozen=True, omit_defaults=True):
    """The greatest part of what a move loses; all is proven.

    Attributes:
        way: how the seeds come into a store.
        player: whose store.
        seeds: how many fewer seeds come there after the move, if it is the mover's store, and how
            many more, if it is the opponent's; at least 1.
        pit: the pit that captures most at a time, in the line of play in which more is captured:
            after the best move for the mover, after the move played for the opponent. None for
            other ways.
        ply: the number of sowings in the game before it is sown.
        at_a_time: the seeds that it captures.
    """

    way: Way
    player: Player
    seeds: Annotated[int, Meta(ge=1)]
    pit: int | None = None
    ply: int | None = None
    at_a_time: int | None = None


class _Income(NamedTuple):
    """Seeds that came into a player's store by one sowing, or at the end."""

    player: int
    way: Way
    seeds: int
    pit: int | None
    ply: int | None


class PlayedLine(NamedTuple):
    """A position, the pits sown from there on, and the proven value, for seat 0."""

    board: Board
    ply: int
    pits: Sequence[int]
    value: float


_PARTS: Final = tuple((way, is_own) for way in Way for is_own in (True, False))


def reason_of(best: PlayedLine, played: PlayedLine, mover: int) -> LossReason | None:
    """Return why a move loses; None where a line does not lead to the end with its value."""
    wanted, found = _incomes(best), _incomes(played)
    if wanted is None or found is None:
        return None
    parts = [
        _part(way, mover if is_own else 1 - mover, mover, wanted, found) for way, is_own in _PARTS
    ]
    return max(parts, key=lambda part: part.seeds)


def reason_sentence(reason: LossReason, mover: int) -> str:
    """Return a reason as a sentence; pits count from 0, plies from 1."""
    lost = reason.player == mover
    seeds = quantity(
        reason.seeds, *(("fewer seed", "fewer seeds") if lost else ("more seed", "more seeds"))
    )
    who = f"player {reason.player}"
    if reason.way is Way.LEFT:
        return f"{seeds} are left to {who} at the end"
    if reason.way is Way.SOWN:
        return f"{who} sows {seeds} home"
    by = f"by pit {reason.pit} at ply {(reason.ply or 0) + 1}"
    return (
        f"{who} captures {seeds}: {'best play' if lost else 'it'} captures {reason.at_a_time} {by}"
    )


def _part(
    way: Way, player: int, mover: int, wanted: Sequence[_Income], found: Sequence[_Income]
) -> LossReason:
    more, less = (wanted, found) if player == mover else (found, wanted)
    own = [each for each in more if (each.player, each.way) == (player, way)]
    others = sum(each.seeds for each in less if (each.player, each.way) == (player, way))
    seeds = sum(each.seeds for each in own) - others
    most = max(own, key=lambda each: each.seeds, default=None)
    if most is None or way is not Way.CAPTURED:
        return LossReason(way, player, seeds)
    return LossReason(way, player, seeds, most.pit, most.ply, most.seeds)


def _incomes(line: PlayedLine) -> list[_Income] | None:
    """Return what comes into the stores to the end; None if the line does not lead to its value."""
    board, incomes = line.board, list[_Income]()
    for ply, pit in zip(count(line.ply), line.pits, strict=False):
        if pit not in board.legal():
            return None
        sowing, mover = board.sow(pit, sweeps=False), board.player
        gained = sowing.board.stores[mover] - board.stores[mover]
        if sowing.captured:
            incomes.append(_Income(mover, Way.CAPTURED, sowing.captured, pit, ply))
        if gained > sowing.captured:
            incomes.append(_Income(mover, Way.SOWN, gained - sowing.captured, pit, ply))
        board = sowing.board
        if board.is_over:
            swept = board.settled().stores
            for player in (0, 1):
                if left := swept[player] - board.stores[player]:
                    incomes.append(_Income(player, Way.LEFT, left, None, None))
            return incomes if board.score() == line.value else None
    return None
