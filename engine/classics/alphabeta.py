"""Alpha-beta, its orders of moves, and the textbooks' remedies against the horizon effect.

A search that stops at a fixed depth takes what the evaluation says there for the truth. What
happens one move later lies beyond its *horizon*: a capture that is just about to be answered counts
in full, and a loss that can be put off by a turn seems avoided. Three remedies may be switched on,
alone or together:

- *Quiescence* (Strong, "The Minimax Algorithm", 2011, section 4): at depth 0 the captures and
  re-turns are searched on until the position is quiet. The mover may also leave it at that ("stand
  pat"), so the evaluation is a lower bound.
- *Secondary search* (the same): before a move is made, the position at the end of its expected line
  is searched some turns deeper. A move that turns out worse than the next best must compete again.
- *Singular extension* (Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to
  brute-force searching", Artificial Intelligence 43, 1990; used by Deep Blue): a move that is
  better than all others by a margin decides the value alone, so it is searched one turn deeper.
"""

from dataclasses import dataclass, replace
from math import inf
from typing import Final, NamedTuple

from mancala.protocol.rules import Board

from .game import ClassicGame, Position, Sown, position_of
from .trees import BOUND, TreePlayer, promise

ORDERS: Final = ("promise", "none", "worst", "evaluation", "perfect")
"""How the moves of a position are sorted: by promise, from pit 0 on, by promise the wrong way
round, by the evaluation of the positions that they lead to, or by the values that a search of the
same depth finds, the best first, as no search can know beforehand."""


class Remedies(NamedTuple):
    """What a search does against the horizon effect.

    ``quiescence`` is the most sowings that captures and re-turns are searched on at depth 0,
    ``secondary`` the turns that the end of the chosen move's line is searched on, 0 for not at all,
    ``singular`` the seeds by which a move must be better than all others to be searched a turn
    deeper, once a line; None for not at all.
    """

    quiescence: int = 0
    secondary: int = 0
    singular: float | None = None


NO_REMEDIES: Final = Remedies()


@dataclass(kw_only=True, eq=False)
class AlphaBetaPlayer(TreePlayer):
    """Minimax without the branches that cannot change the result; chooses as minimax does.

    The search carries a window: ``alpha``, the value the mover is sure of already, and ``beta``,
    the value above which the opponent would have avoided this position. As soon as one successor
    is worth ``beta`` or more, the others need not be searched (a cutoff). When the turn passes,
    the window is turned round: ``(-beta, -alpha)``.

    The earlier a good move is searched, the more is cut off. So re-turns come first, then
    captures by size, then pits from the store outwards; another of `ORDERS` makes the same choice
    with other positions visited. Ratings of pits that are not the best are upper bounds only.

    At the root a textbook's search cuts off what is no better than the best. A bound that equals
    the best then seems a tie, and a choice among ties may fall on it. So where ``false_ties`` are
    not wanted, the window at the root is wider, and an equal rating is a value.
    """

    order: str = "promise"
    remedies: Remedies = NO_REMEDIES
    false_ties: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.order not in ORDERS:
            raise ValueError(f"order must be one of {', '.join(ORDERS)}, not {self.order!r}")
        self._is_extending = False

    def values(self, board: Board) -> dict[int, float]:
        """Return the value of each legal pit, where `rate` has bounds of those not the best."""
        self._game, self.nodes = ClassicGame(board.rules), 1
        return super()._rate(position_of(board))

    def _rate(self, position: Position) -> dict[int, float]:
        if self.remedies.secondary:
            return self._verified(position, super()._rate(position))
        ratings: dict[int, float] = {}
        best: float = -BOUND
        for pit, sown in self._ordered(position, self.depth):
            alpha = best if self.false_ties else best - 1
            rating = self._bounded_after(sown, self.depth, alpha, BOUND)
            ratings[pit] = rating
            best = max(best, rating)
        return ratings

    def _after(self, sown: Sown, depth: int) -> float:
        return self._bounded_after(sown, depth, -BOUND, BOUND)

    def _bounded_after(self, sown: Sown, depth: int, alpha: float, beta: float) -> float:
        left = self._left(sown, depth)
        if sown.again:
            return self._bounded(sown.position, left, alpha, beta)
        return -self._bounded(sown.position, left, -beta, -alpha)

    def _bounded(self, position: Position, depth: int, alpha: float, beta: float) -> float:
        """Return a position's value if it lies between alpha and beta, otherwise a bound.

        A result of ``alpha`` or less is an upper bound of the value, one of ``beta`` or more a
        lower bound ("fail-soft").
        """
        self.nodes += 1
        if not self._game.moves(position):
            return self._final(position)
        if depth == 0:
            return self._quiet(position, self.remedies.quiescence, alpha, beta)
        best, second, favourite = -inf, -inf, None
        for _, sown in self._ordered(position, depth):
            value = self._bounded_after(sown, depth, max(alpha, best), beta)
            second = max(second, min(best, value))
            if value > best:
                best, favourite = value, sown
            if best >= beta:
                return best
        if favourite is not None and best > alpha and self._is_singular(best, second):
            return max(second, self._extended(favourite, depth, alpha, beta))
        return best

    def _quiet(self, position: Position, sowings: int, alpha: float, beta: float) -> float:
        """Return the value once captures and re-turns have been played (quiescence)."""
        best = self.evaluate(position)
        if sowings == 0 or best >= beta:
            return best
        for _, sown in self._ordered(position, 0):
            if not (sown.again or sown.captured):
                continue
            self.nodes += 1
            low, high = max(alpha, best), beta
            if not self._game.moves(sown.position):
                value = -self._final(sown.position)
            elif sown.again:
                value = self._quiet(sown.position, sowings - 1, low, high)
            else:
                value = -self._quiet(sown.position, sowings - 1, -high, -low)
            best = max(best, value)
            if best >= beta:
                break
        return best

    def _is_singular(self, best: float, second: float) -> bool:
        margin = self.remedies.singular
        return margin is not None and not self._is_extending and best - second >= margin

    def _extended(self, sown: Sown, depth: int, alpha: float, beta: float) -> float:
        self._is_extending = True
        value = self._bounded_after(sown, depth + 1, alpha, beta)
        self._is_extending = False
        return value

    def _verified(self, position: Position, ratings: dict[int, float]) -> dict[int, float]:
        """Search past the end of the best move's line, until the best is a move so verified."""
        verified: set[int] = set()
        while True:
            best = max(ratings.values())
            unverified = [
                pit for pit, rating in ratings.items() if rating == best and pit not in verified
            ]
            if not unverified:
                return ratings
            pit = unverified[0]
            verified.add(pit)
            ratings[pit] = min(ratings[pit], self._second_look(self._game.sow(position, pit)))

    def _second_look(self, sown: Sown) -> float:
        depth, mine = self._left(sown, self.depth), sown.again
        while self._game.moves(sown.position) and depth > 0:
            sown = self._best_reply(sown.position, depth)
            depth, mine = self._left(sown, depth), mine == sown.again
        value = self._bounded(sown.position, self.remedies.secondary, -BOUND, BOUND)
        return value if mine else -value

    def _best_reply(self, position: Position, depth: int) -> Sown:
        replies = [sown for _, sown in self._ordered(position, depth)]
        return max(replies, key=lambda sown: self._after(sown, depth))

    def _ordered(self, position: Position, depth: int) -> list[tuple[int, Sown]]:
        if self.order == "promise":
            return self._promising(position)
        moves = self._game.sowings(position)
        if self.order == "perfect" and depth:
            values = self._searched_anew(moves, depth)
            moves.sort(key=lambda move: values[move[0]], reverse=True)
        elif self.order == "evaluation":
            moves.sort(key=self._looks, reverse=True)
        elif self.order == "worst":
            moves.sort(key=promise)
        return moves

    def _searched_anew(self, moves: list[tuple[int, Sown]], depth: int) -> dict[int, float]:
        """Return the value of each move, by a search whose positions are not counted."""
        oracle = replace(self, order="promise")
        oracle._game = self._game  # noqa: SLF001  # of the same class
        return {pit: oracle._after(sown, depth) for pit, sown in moves}  # noqa: SLF001

    def _looks(self, move: tuple[int, Sown]) -> float:
        _, sown = move
        value = self.evaluate(sown.position)
        return value if sown.again else -value
