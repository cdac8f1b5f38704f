"""Rating systems that see a game once, beside which the joint fit is measured."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import Final, Protocol

from mancala.server.model.entrant import LiveRating
from mancala.server.rating.glicko import after_game
from mancala.server.rating.scale import score_of_elo

CENTRE: Final = 1500.0
DEVIATION: Final = 350.0
_NORMAL: Final = NormalDist()


class Rival(Protocol):
    """A rating system."""

    def play(self, first: int, second: int, score: float) -> None:
        """Rate a game; the score is that of the player that moved first, 1, ½ or 0."""

    def elo(self, player: int) -> float:
        """Return a player's rating."""

    def deviation(self, player: int) -> float | None:
        """Return the rating's standard error, or None where the system has none."""


class Elo:
    """A. Elo's own update with ``K = 8``, as ladders of bots use it."""

    def __init__(self, players: int) -> None:
        """Begin with equal ratings."""
        self._elo = [CENTRE] * players

    def play(self, first: int, second: int, score: float) -> None:
        """Rate a game."""
        change = 8 * (score - score_of_elo(self._elo[first] - self._elo[second]))
        self._elo[first] += change
        self._elo[second] -= change

    def elo(self, player: int) -> float:
        """Return a player's rating."""
        return self._elo[player]

    def deviation(self, _player: int) -> None:
        """Return None: the system has no errors."""


class Glicko:
    """Glicko-2, a game a period, as ``server/rating/glicko.py`` has it."""

    def __init__(self, players: int, advantage: float) -> None:
        """Begin with newcomers; ``advantage`` is what moving first is worth, in Elo."""
        self._live, self._advantage = [LiveRating()] * players, advantage

    def play(self, first: int, second: int, score: float) -> None:
        """Rate a game."""
        self._live[first], self._live[second] = after_game(
            self._live[first], self._live[second], score, advantage=self._advantage
        )

    def elo(self, player: int) -> float:
        """Return a player's rating."""
        return self._live[player].elo

    def deviation(self, player: int) -> float:
        """Return the rating's standard error."""
        return self._live[player].deviation


class TrueSkill:
    """TrueSkill for two players (R. Herbrich, T. Minka, T. Graepel, NIPS 2006).

    Its deviations are chosen in Elo: ``β`` so that its curve is next to the logistic one, the first
    deviation as with Glicko, the dynamics ``τ`` a hundredth of it, which is TrueSkill's own ratio.
    """

    BETA: Final = 1.702 * 173.7178 / sqrt(2)
    TAU: Final = DEVIATION / 100

    def __init__(self, players: int, draws: float) -> None:
        """Begin with equal ratings; ``draws`` is the chance of a draw between equals."""
        self._mean, self._variance = [CENTRE] * players, [DEVIATION**2] * players
        self._margin = _NORMAL.inv_cdf((draws + 1) / 2) * sqrt(2) * self.BETA

    def play(self, first: int, second: int, score: float) -> None:
        """Rate a game."""
        winner, loser = (second, first) if score == 0 else (first, second)
        for player in (first, second):
            self._variance[player] += self.TAU**2
        scale = sqrt(2 * self.BETA**2 + self._variance[first] + self._variance[second])
        lead, margin = (self._mean[winner] - self._mean[loser]) / scale, self._margin / scale
        move, shrink = _drawn(lead, margin) if score == 0.5 else _won(lead - margin)
        for player, sign in ((winner, 1), (loser, -1)):
            self._mean[player] += sign * self._variance[player] / scale * move
            self._variance[player] *= 1 - self._variance[player] / scale**2 * shrink

    def elo(self, player: int) -> float:
        """Return a player's rating."""
        return self._mean[player]

    def deviation(self, player: int) -> float:
        """Return the rating's standard error."""
        return sqrt(self._variance[player])


def _won(ahead: float) -> tuple[float, float]:
    """Return the paper's ``v`` and ``w`` of a win."""
    move = _NORMAL.pdf(ahead) / max(_NORMAL.cdf(ahead), 1e-12)
    return move, move * (move + ahead)


def _drawn(lead: float, margin: float) -> tuple[float, float]:
    """Return the paper's ``v`` and ``w`` of a draw."""
    above, below = margin - lead, -margin - lead
    chance = max(_NORMAL.cdf(above) - _NORMAL.cdf(below), 1e-12)
    move = (_NORMAL.pdf(below) - _NORMAL.pdf(above)) / chance
    return move, move**2 + (above * _NORMAL.pdf(above) - below * _NORMAL.pdf(below)) / chance
