"""Players that search the game tree to a fixed depth: minimax, alpha-beta, expectimax and maxⁿ.

All four search the same tree and differ only in how a position's value follows from the values of
its successors:

- *minimax* takes the greatest: each side plays its best move.
- *alpha-beta* computes the same value and skips branches that cannot change it.
- *expectimax* takes the greatest for its own side and the mean for the opponent, who is expected
  to sow any legal pit with equal probability.
- *maxⁿ* keeps two values a position, one for each player; the mover takes the successor that is
  best for itself.

Values are for the player to move (the "negamax" form). When the turn passes, the sign changes and
the remaining depth drops by one. After a re-turn the same player moves again, so neither changes:
depth counts turns, not sowings. At depth 0 the evaluation stands in for the search. A finished
game is worth its final difference of stores; under an evaluation that counts more than stores, a
win is worth `WIN` more, so that it is above every position that is still open.

``nodes`` counts every position visited, the root and the leaves included. From the start of
Kalah(6, 4), plain minimax visits 160,971 positions at depth 5, the count printed in the notebook.

Each search rates the pits of the root; `RatingPlayer` breaks ties there at random. Inside the tree
a tie needs no breaking, except in maxⁿ, where successors that are equal for the mover may differ
for the other player: there the lowest pit is taken.
"""

from __future__ import annotations

from abc import abstractmethod
from operator import itemgetter
from statistics import fmean
from typing import TYPE_CHECKING, Final

from engine.classics.evaluation import margin, stores
from engine.classics.game import Game, Position, Sown, lead, position_of
from engine.classics.rating import RatingPlayer
from protocol.messages import Info
from protocol.rules import KALAH, MAX_SEEDS_IN_ALL

if TYPE_CHECKING:
    from engine.classics.evaluation import Evaluation, Utilities, Utility
    from protocol.rules import Board

DEFAULT_DEPTH: Final = 3
WIN: Final = 4 * MAX_SEEDS_IN_ALL
"""Greater than any evaluation of an open position."""
BOUND: Final = 10 * MAX_SEEDS_IN_ALL
"""Greater than any value of any board."""
ORDERS: Final = ("best", "none", "worst")
"""How alpha-beta sorts the moves of a position: by promise, from pit 0 on, or the wrong way."""


class TreePlayer(RatingPlayer[float]):
    """A depth-limited search.

    Args:
        depth: turns to look ahead, 1 or more.
        seed: decides between equal pits; see `RatingPlayer`.
        evaluate: the value, for its mover, of a position in which the search stops.

    Attributes:
        nodes: positions visited by the last search.
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        depth: int = DEFAULT_DEPTH,
        evaluate: Evaluation = stores,
    ) -> None:
        super().__init__(seed=seed)
        self.nodes = 0
        self._depth = depth
        self._evaluate = evaluate
        self._game = Game(KALAH)

    def rate(self, board: Board) -> dict[int, float]:
        """Return the value that the search finds for each legal pit, for the player to move."""
        self._game = Game(board.rules)
        self.nodes = 1
        return self._rate(position_of(board))

    def info(self) -> Info:
        """Return the depth, and the positions that the last search visited."""
        return Info(depth=self._depth, nodes=self.nodes)

    def _rate(self, position: Position) -> dict[int, float]:
        return {
            pit: self._after(self._game.sow(position, pit), self._depth)
            for pit in self._game.moves(position)
        }

    def _final(self, position: Position) -> int:
        """Return the value of a finished game for its mover."""
        result = lead(position)
        if self._evaluate is stores or not result:
            return result
        return result + (WIN if result > 0 else -WIN)

    @abstractmethod
    def _after(self, sown: Sown, depth: int) -> float:
        """Return the value of a sowing for the player who sowed."""


class MinimaxPlayer(TreePlayer):
    """Minimax: the best move against an opponent who also plays the best; visits the whole tree.

    The value of a position is the greatest value of its successors for the mover. It is the
    definition that the other searches are compared with.
    """

    def _after(self, sown: Sown, depth: int) -> float:
        if sown.again:
            return self._value(sown.position, depth)
        return -self._value(sown.position, depth - 1)

    def _value(self, position: Position, depth: int) -> float:
        self.nodes += 1
        moves = self._game.moves(position)
        if not moves:
            return self._final(position)
        if depth == 0:
            return self._evaluate(position)
        return max(self._after(self._game.sow(position, pit), depth) for pit in moves)


class AlphaBetaPlayer(TreePlayer):
    """Minimax without the branches that cannot change the result; chooses as minimax does.

    The search carries a window: ``alpha``, the value the mover is sure of already, and ``beta``,
    the value above which the opponent would have avoided this position. As soon as one successor
    is worth ``beta`` or more, the others need not be searched (a cutoff). When the turn passes,
    the window is turned round: ``(-beta, -alpha)``.

    The earlier a good move is searched, the more is cut off. So re-turns come first, then
    captures by size, then pits from the store outwards. Ratings of pits that are not the best are
    upper bounds only.

    Args:
        depth: turns to look ahead, 1 or more.
        seed: decides between equal pits; see `RatingPlayer`.
        evaluate: the value, for its mover, of a position in which the search stops.
        order: one of `ORDERS`; the choice is the same, the positions visited are not.
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        depth: int = DEFAULT_DEPTH,
        evaluate: Evaluation = stores,
        order: str = "best",
    ) -> None:
        super().__init__(seed=seed, depth=depth, evaluate=evaluate)
        if order not in ORDERS:
            raise ValueError(f"order must be one of {', '.join(ORDERS)}, not {order!r}")
        self._order = order

    def _rate(self, position: Position) -> dict[int, float]:
        ratings: dict[int, float] = {}
        best = -BOUND
        for pit, sown in self._ordered(position):
            # alpha is one below the best, so that an equal value is exact and shares the choice.
            rating = self._bounded_after(sown, self._depth, best - 1, BOUND)
            ratings[pit] = rating
            best = max(best, rating)
        return dict(ratings)

    def _after(self, sown: Sown, depth: int) -> float:
        return self._bounded_after(sown, depth, -BOUND, BOUND)

    def _bounded_after(self, sown: Sown, depth: int, alpha: int, beta: int) -> int:
        if sown.again:
            return self._bounded(sown.position, depth, alpha, beta)
        return -self._bounded(sown.position, depth - 1, -beta, -alpha)

    def _bounded(self, position: Position, depth: int, alpha: int, beta: int) -> int:
        """Return a position's value if it lies between alpha and beta, otherwise a bound.

        A result of ``alpha`` or less is an upper bound of the value, one of ``beta`` or more a
        lower bound ("fail-soft").
        """
        self.nodes += 1
        if not self._game.moves(position):
            return self._final(position)
        if depth == 0:
            return self._evaluate(position)
        best = -BOUND
        for _, sown in self._ordered(position):
            best = max(best, self._bounded_after(sown, depth, max(alpha, best), beta))
            if best >= beta:
                break
        return best

    def _ordered(self, position: Position) -> list[tuple[int, Sown]]:
        moves = [(pit, self._game.sow(position, pit)) for pit in self._game.moves(position)]
        if self._order != "none":
            moves.sort(key=_promise, reverse=self._order == "best")
        return moves


def _promise(move: tuple[int, Sown]) -> tuple[bool, int, int]:
    pit, sown = move
    return sown.again, sown.captured, pit


class ExpectimaxPlayer(TreePlayer):
    """The best on average against an opponent who sows each legal pit with equal probability.

    Where the opponent moves, minimax takes the greatest value and expectimax the mean (a chance
    node). Each single sowing of the opponent is a chance node, also after a re-turn. Values are
    still for the mover, so the sign changes with the turn as in minimax.
    """

    def _after(self, sown: Sown, depth: int) -> float:
        return self._expected_after(sown, depth, mine=True)

    def _expected_after(self, sown: Sown, depth: int, *, mine: bool) -> float:
        if sown.again:
            return self._expected(sown.position, depth, mine=mine)
        return -self._expected(sown.position, depth - 1, mine=not mine)

    def _expected(self, position: Position, depth: int, *, mine: bool) -> float:
        self.nodes += 1
        moves = self._game.moves(position)
        if not moves:
            return self._final(position)
        if depth == 0:
            return self._evaluate(position)
        sowings = (self._game.sow(position, pit) for pit in moves)
        values = [self._expected_after(sown, depth, mine=mine) for sown in sowings]
        return max(values) if mine else fmean(values)


class MaxNPlayer(TreePlayer):
    """Maxⁿ: each player maximises its own utility and expects the other to do the same.

    Where one player's gain is the other's loss, this is minimax. With other utilities, a move may
    be good for both players (a general-sum game), and nothing can be pruned.

    Args:
        depth: turns to look ahead, 1 or more.
        seed: decides between equal pits; see `RatingPlayer`.
        utility: what a position is worth to its mover and to the other player.
    """

    def __init__(
        self, *, seed: int | None = None, depth: int = DEFAULT_DEPTH, utility: Utility = margin
    ) -> None:
        super().__init__(seed=seed, depth=depth)
        self._utility = utility

    def _after(self, sown: Sown, depth: int) -> float:
        return self._utilities_after(sown, depth)[0]

    def _utilities_after(self, sown: Sown, depth: int) -> Utilities:
        if sown.again:
            return self._utilities(sown.position, depth)
        theirs, mine = self._utilities(sown.position, depth - 1)
        return mine, theirs

    def _utilities(self, position: Position, depth: int) -> Utilities:
        self.nodes += 1
        moves = self._game.moves(position)
        if depth == 0 or not moves:
            return self._utility(position)
        sowings = (self._game.sow(position, pit) for pit in moves)
        return max((self._utilities_after(sown, depth) for sown in sowings), key=itemgetter(0))
