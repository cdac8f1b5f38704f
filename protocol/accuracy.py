"""How strong a bot plays on an absolute scale: proven seeds lost a move, by phase of the game.

A rating compares bots with one another; this compares them with perfect play. Only moves with a
choice and a proven loss count. The moves of one game are not independent, so the variance is that
of a ratio of sums over games: with ``n`` moves and ``l`` seeds lost in each of ``G`` games and
``r = Σl / Σn``, the variance of ``r`` is ``G / (G - 1) · Σ(l - r n)² / (Σn)²`` (W. G. Cochran,
*Sampling Techniques*, 3rd edition, 1977, section 6.3). Few games show it badly, so it is enlarged
by two games in ``G - 1``, and is at least that of ``k`` independent errors whose sizes vary as
much as their mean. The interval is that of `mancala.protocol.loss`.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Final, NamedTuple

from msgspec import Meta, Struct

from .loss import LossInterval, loss_interval
from .review import GameReview
from .rules import Board

DIGITS: Final = 3


class Phase(StrEnum):
    """A part of the game, by the seeds that are still in the pits, or the whole of it."""

    ALL = "all"
    OPENING = "opening"
    MIDDLE = "middle"
    END = "end"


class Sums(NamedTuple):
    """What adds up over games: see the head of the module.

    Games with moves that count, their moves, how many of these lost nothing, and the seeds lost;
    then sums over games of squared moves, of moves times seeds lost, and of squared seeds lost.
    """

    games: int = 0
    moves: int = 0
    best: int = 0
    lost: int = 0
    moves_squared: int = 0
    moves_lost: int = 0
    lost_squared: int = 0

    @classmethod
    def of_game(cls, moves: int, best: int, lost: int) -> Sums:
        """Return what one game with moves that count adds."""
        return cls(1, moves, best, lost, moves**2, moves * lost, lost**2)

    def plus(self, other: Sums, sign: int = 1) -> Sums:
        """Return the sums with others added, or taken away with ``sign`` -1."""
        return Sums(*(mine + sign * its for mine, its in zip(self, other, strict=True)))


class PhaseAccuracy(Struct, frozen=True):
    """How well a bot's version plays in one phase.

    Attributes:
        phase: the part of the game.
        games: reviewed games with moves that count.
        moves: moves with a choice and a proven loss.
        best: share of them that lost nothing, 0..1.
        loss: seeds lost a move.
        loss_error: half the width of the 95 % interval of ``loss``; None with fewer than two games.
        loss_interval: its ends, which do not lie evenly about ``loss``; None with fewer than two
            games.
    """

    phase: Phase
    games: int
    moves: int
    best: Annotated[float, Meta(ge=0, le=1)]
    loss: float
    loss_error: float | None
    loss_interval: tuple[float, float] | None = None


def phase_of(board: Board) -> Phase:
    """Return the phase of a position: more than two thirds, or one third, of the seeds in play."""
    if 3 * board.in_play > 2 * board.total:
        return Phase.OPENING
    return Phase.MIDDLE if 3 * board.in_play > board.total else Phase.END


def sums_of(
    review: GameReview, boards: Iterable[Board]
) -> tuple[dict[Phase, Sums], dict[Phase, Sums]]:
    """Return what a review adds to the sums by seat; there is a board before each move."""
    losses: list[dict[Phase, list[int]]] = [{}, {}]
    for ply, board in zip(review.plies, boards, strict=False):
        if ply.loss_proven and not ply.forced:
            for phase in (Phase.ALL, phase_of(board)):
                losses[ply.player].setdefault(phase, []).append(round(ply.loss))
    first, second = ({phase: _sums(lost) for phase, lost in each.items()} for each in losses)
    return first, second


def figures(phase: Phase, sums: Sums) -> PhaseAccuracy | None:
    """Return the accuracy that the sums of a phase make; None without moves."""
    if not sums.moves:
        return None
    loss, interval = sums.lost / sums.moves, _interval(sums)
    return PhaseAccuracy(
        phase=phase,
        games=sums.games,
        moves=sums.moves,
        best=round(sums.best / sums.moves, DIGITS),
        loss=round(loss, DIGITS),
        loss_error=round(interval.error, DIGITS) if interval else None,
        loss_interval=(round(interval.low, DIGITS), round(interval.high, DIGITS))
        if interval
        else None,
    )


def _sums(lost: list[int]) -> Sums:
    return Sums.of_game(len(lost), lost.count(0), sum(lost))


def _interval(total: Sums) -> LossInterval | None:
    if total.games < 2:
        return None
    loss, errors = total.lost / total.moves, total.moves - total.best
    residual = total.lost_squared - 2 * loss * total.moves_lost + loss**2 * total.moves_squared
    others = total.games - 1
    between = (1 + 2 / others) * total.games / others * max(residual, 0.0)
    within = total.lost**2 / errors * (2 - errors / total.moves) if errors else 0.0
    return loss_interval(total.moves, total.lost, max(between, within))
