"""Searches that take means: expectimax and expectiminimax.

*Expectimax* plans for its own best move and takes the opponent for a part of the environment: a
belief says with which probability each of its pits is sown. The belief here is the lecture's: with
some probability the opponent plays the best move that it finds by minimax, otherwise any legal pit.
With probability 0 it plays at random; with probability 1 and enough foresight, expectimax is
minimax.

*Expectiminimax* has chance as a third party, which moves after each player. Kalah has no dice, so
the chance is a slip: with some probability a hand takes any legal pit in place of the chosen one.

Means need utilities whose size has a meaning: any growing function of the utilities leaves the
choice of minimax as it is, and may change that of expectimax (`UTILITY_SCALES`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import copysign, inf
from statistics import fmean
from typing import Final, NamedTuple

from mancala.protocol.rules import Board

from .alphabeta import AlphaBetaPlayer
from .evaluation import stores
from .game import Position, Sown, lead
from .trees import MinimaxPlayer, TreePlayer

DEFAULT_SLIP: Final = 0.1
_TIE: Final = 1e-9
"""Values of means that differ by less are equal but for rounding."""


def _linear(value: float) -> float:
    return value


def _square(value: float) -> float:
    return copysign(value * value, value)


UTILITY_SCALES: Final[dict[str, Callable[[float], float]]] = {"linear": _linear, "square": _square}
"""What a difference of stores is worth: itself, or x² with its sign, as in the lecture."""


class Belief(NamedTuple):
    """A belief about the opponent.

    With probability ``minimax`` it plays its best move, as far as it sees: ``foresight`` turns, 1
    or more, but never beyond those that we look ahead.
    """

    minimax: float = 0.0
    foresight: int = 1


AT_RANDOM: Final = Belief()


@dataclass(kw_only=True, eq=False)
class ExpectimaxPlayer(TreePlayer):
    """The best on average against an opponent of whom one has a belief.

    Where the opponent moves, minimax takes the least value for us and expectimax the mean (a chance
    node). Each single sowing of the opponent is a chance node, also after a re-turn. Unlike in the
    other searches, all values are for the player who searches. The utility is one of
    `UTILITY_SCALES`.

    All children count in a mean, so a chance node cannot be pruned, unless values are bounded: with
    ``s`` seeds in play neither side can gain more than ``s``. With ``prune`` the search uses that
    (Star1: Ballard, "The *-minimax search procedure for trees containing chance nodes", Artificial
    Intelligence 21, 1983) and chooses the same with fewer positions visited. The bounds of other
    evaluations than `stores` are not known: ValueError.
    """

    opponent: Belief = AT_RANDOM
    utility: str = "linear"
    prune: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prune and self.evaluate is not stores:
            raise ValueError("prune goes with evaluation=stores only, whose values are bounded")
        self._utility = UTILITY_SCALES[self.utility]

    def _rate(self, position: Position) -> dict[int, float]:
        ratings: dict[int, float] = {}
        best = -inf
        for pit, sown in self._promising(position):
            ratings[pit] = self._mine_after(sown, self.depth, best - _TIE, inf)
            best = max(best, ratings[pit])
        return ratings

    def best(self, board: Board) -> list[int]:
        """Return the pits rated best, equal but for rounding; none when the game is over."""
        ratings = self.rate(board)
        greatest = max(ratings.values(), default=0.0)
        return sorted(pit for pit, rating in ratings.items() if rating >= greatest - _TIE)

    def _after(self, sown: Sown, depth: int) -> float:
        return self._mine_after(sown, depth, -inf, inf)

    def _mine_after(self, sown: Sown, depth: int, alpha: float, beta: float) -> float:
        after = self._mine if sown.again else self._theirs
        return after(sown.position, self._left(sown, depth), alpha, beta)

    def _mine(self, position: Position, depth: int, alpha: float, beta: float) -> float:
        """Return the value of a position in which we move: the greatest."""
        value = self._stop(position, depth)
        if value is not None:
            return self._utility(value)
        best = -inf
        for _, sown in self._promising(position):
            best = max(best, self._mine_after(sown, depth, max(alpha, best), beta))
            if best >= beta:
                break
        return best

    def _theirs(self, position: Position, depth: int, alpha: float, beta: float) -> float:
        """Return the value of a position in which the opponent moves: the mean, by the belief."""
        value = self._stop(position, depth)
        if value is not None:
            return -self._utility(value)
        low, high = self._bounds(position)
        seen, unseen = 0.0, 1.0
        for pit, share in self._belief(position, depth).items():
            unseen = max(0.0, unseen - share)
            sown = self._game.sow(position, pit)
            window = (
                (alpha - seen - unseen * high) / share if self.prune else -inf,
                (beta - seen - unseen * low) / share if self.prune else inf,
            )
            after = self._theirs if sown.again else self._mine
            seen += share * after(sown.position, self._left(sown, depth), *window)
            if unseen and self.prune and seen + unseen * high <= alpha:
                return seen + unseen * high
            if unseen and self.prune and seen + unseen * low >= beta:
                return seen + unseen * low
        return seen

    def _belief(self, position: Position, depth: int) -> dict[int, float]:
        """Return how likely each of the opponent's pits is; the likeliest first, none with 0."""
        moves = self._game.moves(position)
        belief = dict.fromkeys(moves, (1 - self.opponent.minimax) / len(moves))
        if self.opponent.minimax:
            best = self._opponents_best(position, depth)
            for pit in best:
                belief[pit] += self.opponent.minimax / len(best)
        likely = sorted(belief, key=lambda pit: -belief[pit])
        return {pit: belief[pit] for pit in likely if belief[pit] > 0}

    def _opponents_best(self, position: Position, depth: int) -> list[int]:
        foresight = min(self.opponent.foresight, depth)
        opponent = AlphaBetaPlayer(
            depth=foresight, evaluate=self.evaluate, in_sowings=self.in_sowings, seed=0
        )
        ratings = opponent.search(self._game, position)
        self.nodes += opponent.nodes
        greatest = max(ratings.values())
        return [pit for pit, rating in ratings.items() if rating == greatest]

    def _bounds(self, position: Position) -> tuple[float, float]:
        """Return the least and greatest value, for us, of a position in which they move."""
        left = sum(position) - position[len(position) // 2 - 1] - position[-1]
        return self._utility(-lead(position) - left), self._utility(-lead(position) + left)


@dataclass(kw_only=True, eq=False)
class ExpectiminimaxPlayer(MinimaxPlayer):
    """Minimax in a game in which chance has a part: every hand slips now and then.

    After a player has chosen, chance moves: with probability ``slip`` any legal pit is sown, each
    with equal probability. So a position is worth ``(1 - slip)`` times the greatest value of its
    successors and ``slip`` times their mean. With ``slip=0`` this is minimax.
    """

    slip: float = DEFAULT_SLIP

    def _joined(self, values: list[float]) -> float:
        return (1 - self.slip) * max(values) + self.slip * fmean(values)
