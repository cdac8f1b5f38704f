"""The sequential test that says when a match may stop.

Games come in pairs: the same opening twice with the seats swapped, and the test sees pairs only
(see ``estimate.py``). Source: A. Wald, "Sequential Tests of Statistical Hypotheses", 1945.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import log, sqrt
from typing import Final, Literal, NamedTuple

from ..model.pair_counts import PairCounts
from .estimate import NELO_PER_SIGMA
from .scale import score_of_elo

Verdict = Literal["H0", "H1"]

MOST_ELO: Final = 2000.0
MOST_NELO: Final = 200.0


class EloModel(StrEnum):
    """What the bounds of a test are counted in."""

    LOGISTIC = "logistic"
    """Elo: the expected score."""
    NORMALIZED = "normalized"
    """Normalised Elo: the lead in standard deviations. The length of a test then depends on its
    bounds only, and not on how often the games are drawn or decided by the opening."""


class Judgement(NamedTuple):
    """The state of a sequential test; no verdict means that it must go on."""

    llr: float
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test of H0 (``elo0``) against H1 (``elo1``).

    Attributes:
        elo0: difference under H0, in the model's Elo.
        elo1: difference under H1, greater than ``elo0``.
        alpha: chance to accept H1 though H0 holds.
        beta: chance to accept H0 though H1 holds.

    Raises:
        ValueError: when the bounds or error rates make no test.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: EloModel = EloModel.LOGISTIC

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 must be less than elo1, not {self.elo0} and {self.elo1}")
        most = MOST_ELO if self.model is EloModel.LOGISTIC else MOST_NELO
        if max(abs(self.elo0), abs(self.elo1)) > most:
            raise ValueError(f"bounds beyond {most:.0f} {self.model} Elo can't be told apart")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ValueError(f"no error rates: alpha {self.alpha}, beta {self.beta}")

    @property
    def lower(self) -> float:
        """Log-likelihood ratio at which H0 is accepted: Wald's ``ln(beta / (1 - alpha))``."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """Log-likelihood ratio at which H1 is accepted: Wald's ``ln((1 - beta) / alpha)``."""
        return log((1 - self.beta) / self.alpha)

    def judge(self, counts: PairCounts) -> Judgement:
        llr = _llr(self, counts)
        if llr >= self.upper:
            return Judgement(llr, "H1")
        return Judgement(llr, "H0" if llr <= self.lower else None)

    def scores(self, deviation: float) -> tuple[float, float]:
        """Return the mean scores under H0 and H1, 0..1, by the deviation of half a pair's score."""
        if self.model is EloModel.LOGISTIC:
            return score_of_elo(self.elo0), score_of_elo(self.elo1)
        lead0, lead1 = self._leads
        return 0.5 + lead0 * deviation, 0.5 + lead1 * deviation

    @property
    def _leads(self) -> tuple[float, float]:
        """Both bounds of normalised Elo, in standard deviations of a pair."""
        return sqrt(2) * self.elo0 / NELO_PER_SIGMA, sqrt(2) * self.elo1 / NELO_PER_SIGMA

    def log_likelihood_ratio(self, counts: PairCounts) -> float:
        from .likelihood_ratio import (  # noqa: PLC0415  # numpy, which matches without a test need not have
            log_likelihood_ratio,
            normalized_log_likelihood_ratio,
        )

        if self.model is EloModel.NORMALIZED:
            return float(normalized_log_likelihood_ratio(counts.counts, *self._leads))
        scores = score_of_elo(self.elo0), score_of_elo(self.elo1)
        return float(log_likelihood_ratio(counts.counts, *scores))


@lru_cache(maxsize=256)
def _llr(sprt: Sprt, counts: PairCounts) -> float:
    """Return the ratio, which is asked for again and again while a pair is played."""
    return sprt.log_likelihood_ratio(counts)
