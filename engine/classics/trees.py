"""Players that search a tree to a fixed depth: minimax, alpha-beta, expectimax and maxⁿ.

All values are for the player to move. A re-turn leaves the mover, the sign and the depth as they
are: depth counts turns, not sowings. ``nodes`` counts every position visited, the root and the
leaves included; from the start of Kalah(6, 4) plain minimax visits 160,971 of them at depth 5, the
count printed in the notebook. An ended game is worth its final lead, whatever the evaluation says.

Each search rates the pits of the root; ties there are broken at random, by `RatingAgent`. Inside
the tree a tie needs no breaking, except in maxⁿ, where equal for the mover may differ for the
other: there the lowest pit stands.
"""

from __future__ import annotations

from abc import abstractmethod
from operator import itemgetter
from statistics import fmean
from typing import TYPE_CHECKING, Final

from engine.classics.agent import RatingAgent
from engine.classics.evaluation import margin, stores
from engine.classics.game import Game, Position, Sown, lead, position_of
from protocol.rules import KALAH, MAX_SEEDS_IN_ALL

if TYPE_CHECKING:
    from random import Random

    from engine.classics.evaluation import Evaluation, Utilities, Utility
    from protocol.rules import Board

DEFAULT_DEPTH: Final = 3
BOUND: Final = 10 * MAX_SEEDS_IN_ALL
"""Greater than any evaluation of any board."""


class TreeAgent(RatingAgent[float]):
    """A depth-limited search.

    Args:
        depth: turns to look ahead, 1 or more.
        rng: decides between equals.
        evaluate: the worth of a position in which the search stops, for its mover.

    Attributes:
        nodes: positions visited by the last search.
    """

    def __init__(
        self, *, rng: Random, depth: int = DEFAULT_DEPTH, evaluate: Evaluation = stores
    ) -> None:
        super().__init__(rng=rng)
        self.nodes = 0
        self._depth = depth
        self._evaluate = evaluate
        self._game = Game(KALAH)

    def rate(self, board: Board) -> dict[int, float]:
        """Rate each legal pit by what the search finds behind it, for the player to move."""
        self._game = Game(board.rules)
        self.nodes = 1
        return self._rate(position_of(board))

    def _rate(self, position: Position) -> dict[int, float]:
        return {
            pit: self._after(self._game.sow(position, pit), self._depth)
            for pit in self._game.moves(position)
        }

    @abstractmethod
    def _after(self, sown: Sown, depth: int) -> float:
        """Value a sowing for the player who sowed."""


class MinimaxAgent(TreeAgent):
    """Minimax: the best against a perfect opponent, visiting everything."""

    def _after(self, sown: Sown, depth: int) -> float:
        if sown.again:
            return self._value(sown.position, depth)
        return -self._value(sown.position, depth - 1)

    def _value(self, position: Position, depth: int) -> float:
        self.nodes += 1
        moves = self._game.moves(position)
        if not moves:
            return lead(position)
        if depth == 0:
            return self._evaluate(position)
        return max(self._after(self._game.sow(position, pit), depth) for pit in moves)


class AlphaBetaAgent(TreeAgent):
    """Minimax without the branches that cannot matter; chooses as minimax does.

    Pits that move again come first, then captures, then from the store outwards: the sooner a
    good move is seen, the more is pruned. Ratings of pits that are not the best are upper bounds.
    """

    def _rate(self, position: Position) -> dict[int, float]:
        ratings: dict[int, float] = {}
        best = -BOUND
        for pit, sown in self._ordered(position):
            # One below the best: an equal value is still told exactly, and shares the choice.
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
        """Value a position exactly if between alpha and beta, else bound it on their far side."""
        self.nodes += 1
        if not self._game.moves(position):
            return lead(position)
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
        moves.sort(key=_promise, reverse=True)
        return moves


def _promise(move: tuple[int, Sown]) -> tuple[bool, int, int]:
    pit, sown = move
    return sown.again, sown.captured, pit


class ExpectimaxAgent(TreeAgent):
    """The best on average against an opponent who sows any legal pit, each as likely as the next.

    Every single sowing of the opponent is a chance node, those after a re-turn included. A node is
    valued for its mover all the same, so a chance node averages where minimax takes the best.
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
            return lead(position)
        if depth == 0:
            return self._evaluate(position)
        sowings = (self._game.sow(position, pit) for pit in moves)
        values = [self._expected_after(sown, depth, mine=mine) for sown in sowings]
        return max(values) if mine else fmean(values)


class MaxNAgent(TreeAgent):
    """Maxⁿ: each player maximises a utility of its own, and expects the other to do the same.

    With utilities that cancel out it is minimax; with others, players may help each other by
    looking after themselves.

    Args:
        depth: turns to look ahead, 1 or more.
        rng: decides between equals.
        utility: what a position is worth to its mover and to the other player.
    """

    def __init__(
        self, *, rng: Random, depth: int = DEFAULT_DEPTH, utility: Utility = margin
    ) -> None:
        super().__init__(rng=rng, depth=depth)
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
