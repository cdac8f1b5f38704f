"""Players that search the game tree to a fixed depth: what they share, minimax, and maxⁿ.

All searches walk the same tree and differ only in how a position's value follows from the values
of its successors:

- *minimax* takes the greatest: each side plays its best move.
- *alpha-beta* (`alphabeta`) computes the same value and skips branches that cannot change it.
- *expectimax* and *expectiminimax* (`chance`) take means where chance or an imperfect opponent
  decides.
- *maxⁿ* keeps two values a position, one for each player; the mover takes the successor that is
  best for itself.

Values are for the player to move (the "negamax" form). When the turn passes, the sign changes and
the remaining depth drops by one. After a re-turn the same player moves again, so neither changes:
depth counts turns, unless it is said to count sowings. At depth 0 the evaluation stands in for the
search. A finished game is worth its final difference of stores; under an evaluation that counts
more than stores, a win is worth `WIN` more, so that it is above every position that is still open.

``nodes`` counts every position visited, the root and the leaves included. From the start of
Kalah(6, 4), plain minimax visits 160,971 positions at depth 5, the count printed in the notebook.

Each search rates the pits of the root; `RatingPlayer` breaks ties there at random. Inside the tree
a tie needs no breaking, except in maxⁿ, where successors that are equal for the mover may differ
for the other player: there the lowest pit is taken.
"""

from abc import abstractmethod
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from mancala.protocol.messages import Info
from mancala.protocol.player import PlayerError
from mancala.protocol.rules import KALAH, MAX_SEEDS_IN_ALL, Board, Rules

from .evaluation import Evaluation, Utilities, Utility, margin, stores
from .game import ClassicGame, Position, Sown, lead, position_of
from .rating import RatingPlayer

DEFAULT_DEPTH: Final = 3
WIN: Final = 4 * MAX_SEEDS_IN_ALL
"""Greater than any evaluation of an open position."""
BOUND: Final = 10 * MAX_SEEDS_IN_ALL
"""Greater than any value of any board."""


@dataclass(kw_only=True, eq=False)
class TreePlayer(RatingPlayer[float]):
    """A search to a depth, in turns to look ahead, 1 or more.

    ``evaluate`` is the value, for its mover, of a position in which the search stops; ``nodes``
    counts the positions that the last search visited. With ``in_sowings`` the depth counts these.
    """

    depth: int = DEFAULT_DEPTH
    in_sowings: bool = False
    evaluate: Evaluation = stores
    nodes: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._game = ClassicGame(KALAH)

    def warm_up(self, rules: Rules = KALAH) -> None:
        """Refuse what the rating players refuse, and evaluations that are for Kalah alone."""
        super().warm_up(rules)
        if rules.oware and self.evaluate is not stores:
            raise PlayerError("under the rule oware only the evaluation stores has a meaning")

    def rate(self, board: Board) -> dict[int, float]:
        """Return the value that the search finds for each legal pit, for the player to move."""
        return self.search(ClassicGame(board.rules), position_of(board))

    def search(self, game: ClassicGame, position: Position) -> dict[int, float]:
        """Return the same as `rate` for a position of a game; counts the positions visited."""
        self._game = game
        self.nodes = 1
        return self._rate(position)

    def info(self) -> Info:
        """Return the depth, and the positions that the last search visited."""
        return Info(depth=self.depth, nodes=self.nodes)

    def _rate(self, position: Position) -> dict[int, float]:
        return {pit: self._after(sown, self.depth) for pit, sown in self._game.sowings(position)}

    def _left(self, sown: Sown, depth: int) -> int:
        return depth if sown.again and not self.in_sowings else depth - 1

    def _stop(self, position: Position, depth: int) -> float | None:
        """Count a position; return its value if the search stops there."""
        self.nodes += 1
        if not self._game.moves(position):
            return self._final(position)
        return self.evaluate(position) if depth == 0 else None

    def _final(self, position: Position) -> float:
        """Return the value of a finished game for its mover."""
        result = lead(position)
        if self.evaluate is stores or not result:
            return result
        return result + (WIN if result > 0 else -WIN)

    def _promising(self, position: Position) -> list[tuple[int, Sown]]:
        """Return the sowings, the promising first, since that is what pruning lives on."""
        return sorted(self._game.sowings(position), key=promise, reverse=True)

    @abstractmethod
    def _after(self, sown: Sown, depth: int) -> float:
        """Return the value of a sowing for the player who sowed."""


def promise(move: tuple[int, Sown]) -> tuple[bool, int, int]:
    """Return how promising a move looks: re-turns, then captures by size, then late pits."""
    pit, sown = move
    return sown.again, sown.captured, pit


class MinimaxPlayer(TreePlayer):
    """Minimax: the best move against an opponent who also plays the best; visits the whole tree.

    The value of a position is the greatest value of its successors for the mover. It is the
    definition that the other searches are compared with.
    """

    def _after(self, sown: Sown, depth: int) -> float:
        value = self._value(sown.position, self._left(sown, depth))
        return value if sown.again else -value

    def _value(self, position: Position, depth: int) -> float:
        value = self._stop(position, depth)
        if value is not None:
            return value
        return self._joined([self._after(sown, depth) for _, sown in self._game.sowings(position)])

    def _joined(self, values: list[float]) -> float:
        return max(values)


@dataclass(kw_only=True, eq=False)
class MaxNPlayer(TreePlayer):
    """Maxⁿ: each player maximises its own utility and expects the other to do the same.

    Where one player's gain is the other's loss, this is minimax. With other utilities, a move may
    be good for both players (a general-sum game), and nothing can be pruned. ``utility`` says what
    a position is worth to its mover and to the other player.
    """

    utility: Utility = margin

    def _after(self, sown: Sown, depth: int) -> float:
        return self._utilities_after(sown, depth)[0]

    def _utilities_after(self, sown: Sown, depth: int) -> Utilities:
        theirs, mine = self._utilities(sown.position, self._left(sown, depth))
        return (theirs, mine) if sown.again else (mine, theirs)

    def _utilities(self, position: Position, depth: int) -> Utilities:
        self.nodes += 1
        sowings = self._game.sowings(position) if depth else []
        if not sowings:
            return self.utility(position)
        return max((self._utilities_after(sown, depth) for _, sown in sowings), key=itemgetter(0))
