"""A learner that teaches itself an evaluation: TD(λ) on self-play, as TD-Gammon did.

The value of a position is linear: a weight for the lead, 1 at first, and one for each feature of
`weighted`. The learner plays against itself, and after each sowing moves the weights so that the
value before it comes closer to the value after it (the temporal difference). At the end of a game
the value is the final lead, so the truth enters there and travels backwards; each sowing passes the
share ``trace`` of a difference on to the one before it. Sources: Sutton, "Learning to predict by
the methods of temporal differences", Machine Learning 3, 1988; Tesauro, "Temporal difference
learning and TD-Gammon", Communications of the ACM 38, 1995. TD-Gammon's value is a neural net, this
one a sum.

What is learnt are weights by the engine's names, so `alphabeta` plays with them, and so does the
engine.
"""

from collections import defaultdict
from dataclasses import dataclass
from random import Random
from typing import Final

from mancala.protocol.rules import KALAH, Board, Rules

from ..evaluation.features import FACTORS, NAMES, RANGES, SIZES, STORES, counts
from .game import FINITE, ClassicGame, Position, Sown, lead, position_of
from .rating import RatingPlayer

LEARNT: Final = {**RANGES, STORES: FACTORS[STORES]}
"""What is learnt, with its least and greatest."""
LEARNT_SIZES: Final = {**SIZES, STORES: 10}
"""How large each usually is."""
HALVED_AFTER: Final = 300
"""Games after which the weights move half as far; three times as many, a quarter."""


class Learner:
    """Weights that improve with self-play, in seeds by feature; only the lead has one at first.

    The seed decides the games. ``step`` is how far the weights move with each difference in the
    first games, later less; ``trace`` is λ, the share of a difference that is passed on to the
    sowing before; ``explore`` the share of sowings that are made at random.
    """

    def __init__(
        self,
        rules: Rules = KALAH,
        *,
        seed: int,
        step: float = 0.001,
        trace: float = 0.8,
        explore: float = 0.1,
    ) -> None:
        self.weights = {STORES: 1.0} | dict.fromkeys(NAMES, 0.0)
        rules.require_known(FINITE, "the classic players")
        self._game, self._start = ClassicGame(rules), position_of(Board.start(rules))
        self._rng = Random(seed)  # noqa: S311  # games need no cryptography
        self._step, self._trace, self._explore = step, trace, explore
        self.games = 0

    def play(self) -> None:
        """Play one game against itself and learn from it."""
        traces: dict[str, float] = defaultdict(float)
        position, sign = self._start, 1  # the sign is -1 while player 1 moves
        while self._game.moves(position):
            before = sign * self.value(position)
            for name, count in self._counts(position).items():
                traces[name] = self._trace * traces[name] + sign * count / LEARNT_SIZES[name]
            sown = self._choose(position)
            position, sign = sown.position, sign if sown.again else -sign
            is_over = not self._game.moves(position)
            after = sign * (lead(position) if is_over else self.value(position))
            self._learn(after - before, traces)
        self.games += 1

    def value(self, position: Position) -> float:
        """Return what the mover is expected to win by."""
        return sum(self.weights[name] * count for name, count in self._counts(position).items())

    def worth(self, game: ClassicGame, sown: Sown) -> float:
        """Return the value of a sowing for the player who sowed."""
        over = not game.moves(sown.position)
        value = lead(sown.position) if over else self.value(sown.position)
        return value if sown.again else -value

    def _counts(self, position: Position) -> dict[str, int]:
        return {STORES: lead(position), **counts(position)}

    def _choose(self, position: Position) -> Sown:
        sowings = [sown for _, sown in self._game.sowings(position)]
        if self._rng.random() < self._explore:
            return self._rng.choice(sowings)
        return max(sowings, key=lambda sown: self.worth(self._game, sown))

    def _learn(self, difference: float, traces: dict[str, float]) -> None:
        step = self._step / (1 + self.games / HALVED_AFTER)
        for name, trace in traces.items():
            low, high = LEARNT[name]
            moved = self.weights[name] + step * difference * trace / LEARNT_SIZES[name]
            self.weights[name] = min(high, max(low, moved))


@dataclass(kw_only=True, eq=False)
class LearnerPlayer(RatingPlayer[float]):
    """Sows what the learner values most after one sowing, as it is then; looks no further."""

    learner: Learner

    def rate(self, board: Board) -> dict[int, float]:
        """Return the value of each legal pit's sowing."""
        game = ClassicGame(board.rules)
        sowings = game.sowings(position_of(board))
        return {pit: self.learner.worth(game, sown) for pit, sown in sowings}
