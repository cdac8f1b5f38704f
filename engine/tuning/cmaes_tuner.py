"""Tuning by play: numbers that are varied, games that judge them, and a search for better ones.

Regression sees what a position is worth. It does not see what a search makes of an evaluation:
which errors cancel a few plies later, what having the move is worth once captures have been
searched on, how deep that pays. Games do. `CmaEsTuner` is CMA-ES (N. Hansen, "The CMA Evolution
Strategy: A Tutorial", arXiv 1604.00772), with a margin for whole numbers (R. Hamano and others,
"CMA-ES with Margin", GECCO 2022): it proposes a population of candidates, takes their
fitness, and updates its distribution. It is pure; the caller plays the games.

**Fitness.** A candidate meets the start, which stays as it is, from openings that the whole
generation shares, each played twice with the seats swapped. What a game brings is
``tanh(margin / 12)``. Its sign is the result's, and near a draw every seed counts. Measured on
twelve variations of the shipped weights (400 pairs each, 300 nodes a move, ``mean / deviation`` of
a pair): the same certainty takes 24 % fewer games than with results alone, for small variations
30 %, while the bare margin gains nothing, because won games that go on being won drown the close
ones.

**What is found** is the mean of the distribution, averaged over the last quarter of the
generations: every game is noisy, so the mean wanders, and its average wanders less.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from math import floor
from random import Random
from typing import Final, NamedTuple

import numpy as np
from cmaes import CMAwM
from numpy.typing import NDArray

from ..evaluation.features import FACTORS, NAMES, RANGES, SCALE, STORES
from ..evaluation.search_options import SearchOptions
from ..evaluation.weights import Weights

Reals = NDArray[np.float64]

Values = tuple[float, ...]
"""A number for each parameter, in their order."""

REACH: Final = 1.0
"""Seeds to either side of where a named weight starts: a tenth of it costs games already."""
SCALES: Final = (0.75, 1.25)
"""Least and greatest factor, of all tables together and of the store difference."""
WHOLE_REACH: Final = 4
"""A whole number may double, fall to zero, or change at least by this."""
WEIGHT_GRAIN: Final = 1 / 64
SCALE_GRAIN: Final = 1 / 128
UNSEEN: Final = ("proof_share",)
"""Parameters of the search that make no difference with a handful of nodes a move."""
STEP: Final = 0.05
"""Standard deviation of the first candidates, as a share of each parameter's range."""
SEEDS_A_RESULT: Final = 12.0
LAST_SHARE: Final = 4
"""The result is the mean over the last quarter of the generations."""
Z95: Final = 1.96


class ParameterPlace(StrEnum):
    """Where a parameter goes."""

    WEIGHTS = "weights"
    """A weight by its name, or the common factor of the tables (`Weights.varied`)."""
    SEARCH = "search"
    """A number of `SearchOptions`."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that is tuned, by its name in a player's text, from ``low`` to ``high``.

    It is a multiple of ``grain``, 1 for whole numbers, and ``start`` at first.
    """

    name: str
    low: float
    high: float
    start: float
    grain: float
    place: ParameterPlace

    @property
    def span(self) -> float:
        return self.high - self.low

    def nearest(self, value: float) -> float:
        whole = floor(min(max(value, self.low), self.high) / self.grain + 0.5)
        return whole * self.grain

    def text(self, value: float) -> str:
        """Write a value as a player's text has it."""
        return str(int(value)) if self.place is ParameterPlace.SEARCH else str(value)


def parameters_of(
    weights: Weights,
    search: SearchOptions,
    places: Iterable[ParameterPlace] = tuple(ParameterPlace),
) -> tuple[Parameter, ...]:
    """List what can be tuned by play, beginning from these weights and this search."""
    chosen = tuple(places)
    everything = (*_weighed(weights), *_searched(search))
    return tuple(parameter for parameter in everything if parameter.place in chosen)


def _weighed(weights: Weights) -> Iterator[Parameter]:
    for name in NAMES:
        start = round(weights[name] / WEIGHT_GRAIN) * WEIGHT_GRAIN
        least, most = RANGES[name]
        low, high = max(least, start - REACH), min(most, start + REACH)
        yield Parameter(name, low, high, start, WEIGHT_GRAIN, ParameterPlace.WEIGHTS)
    least, most = FACTORS[STORES]
    low, high = (min(max(factor * weights.stores, least), most) for factor in SCALES)
    yield Parameter(STORES, low, high, weights.stores, SCALE_GRAIN, ParameterPlace.WEIGHTS)
    if weights.pits or weights.pairs:
        yield Parameter(SCALE, *SCALES, 1.0, SCALE_GRAIN, ParameterPlace.WEIGHTS)


def _searched(search: SearchOptions) -> Iterator[Parameter]:
    for name, start in asdict(search).items():
        low, high = search.ranges()[name]
        reach = max(WHOLE_REACH, start)
        if name not in UNSEEN:
            low, high = max(low, start - reach), min(high, start + reach)
            yield Parameter(name, low, high, start, 1, ParameterPlace.SEARCH)


def options_text(parameters: Sequence[Parameter], values: Values) -> str:
    """Write what differs from the start as options of an engine, such as ``tempo=0.5``."""
    pairs = zip(parameters, values, strict=True)
    return ",".join(
        f"{each.name}={each.text(value)}" for each, value in pairs if value != each.start
    )


def installed(
    weights: Weights, parameters: Sequence[Parameter], values: Values, *, provenance: str
) -> Weights:
    """Put values where they go; what was not tuned stays."""
    given = {place: _placed(parameters, values, place) for place in ParameterPlace}
    search = weights.search
    if given[ParameterPlace.SEARCH]:
        whole = {name: int(value) for name, value in given[ParameterPlace.SEARCH].items()}
        search = replace(search or SearchOptions(), **whole)
    varied = weights.varied(given[ParameterPlace.WEIGHTS])
    return replace(varied, search=search, provenance=provenance)


def _placed(
    parameters: Sequence[Parameter], values: Values, place: ParameterPlace
) -> dict[str, float]:
    pairs = zip(parameters, values, strict=True)
    return {each.name: value for each, value in pairs if each.place is place}


@dataclass(frozen=True, slots=True)
class Trial:
    """A candidate and its games.

    The margins are the seeds by which it won (negative: lost) as first and as second player, an
    opening each.
    """

    values: Values
    margins: tuple[tuple[int, int], ...]

    @property
    def worths(self) -> Reals:
        """What each opening brought, f64[openings], -1..1."""
        games = np.tanh(np.array(self.margins, dtype=np.float64) / SEEDS_A_RESULT)
        return np.asarray(games.mean(axis=1), dtype=np.float64)

    @property
    def fitness(self) -> float:
        """How well it did against the start, -1..1; as good is 0."""
        return float(self.worths.mean())

    @property
    def score(self) -> float:
        """Its share of the points, 0..1."""
        return float(np.sign(self.margins).mean()) / 2 + 0.5


class Interval(NamedTuple):
    """A number and half the width of its 95 % interval."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Generation:
    """A population that has been tried, in the order in which it was asked for; numbered from 0."""

    number: int
    trials: tuple[Trial, ...]

    @property
    def fitness(self) -> Interval:
        """The population's mean fitness; openings are its sample, as all candidates share them."""
        openings = np.mean([trial.worths for trial in self.trials], axis=0)
        spread = float(openings.std(ddof=1)) if len(openings) > 1 else 1.0
        return Interval(float(openings.mean()), Z95 * spread / len(openings) ** 0.5)

    @property
    def score(self) -> float:
        """The population's share of the points, 0..1."""
        return float(np.mean([trial.score for trial in self.trials]))

    def course(self, parameter: int) -> Interval:
        """Return the mean of a parameter over the population, and its standard deviation."""
        values = [trial.values[parameter] for trial in self.trials]
        return Interval(float(np.mean(values)), float(np.std(values)))


class CmaEsTuner:
    """Asks for candidates and learns from how they did; chance comes from the seed alone.

    So a run that is interrupted is taken up by asking and telling again what was told before. A
    generation has 4 candidates or more.
    """

    def __init__(self, parameters: Sequence[Parameter], *, population: int, seed: int) -> None:
        self._parameters = tuple(parameters)
        self._low = np.array([each.low for each in parameters])
        self._span = np.array([each.span for each in parameters])
        whole = [
            1 / each.span if each.place is ParameterPlace.SEARCH else 0.0 for each in parameters
        ]
        start = np.array([each.start for each in parameters])
        self._cma = CMAwM(
            mean=(start - self._low) / self._span,
            sigma=STEP,
            bounds=np.tile([0.0, 1.0], (len(parameters), 1)),
            steps=np.array(whole),
            seed=Random(f"{seed}/evolution").getrandbits(32),  # noqa: S311  # no secret
            population_size=population,
        )
        self._asked: list[Reals] = []
        self._means: list[Reals] = []

    def ask(self) -> list[Values]:
        pairs = [self._cma.ask() for _ in range(self._cma.population_size)]
        self._asked = [raw for _, raw in pairs]
        return [self._values(shown) for shown, _ in pairs]

    def tell(self, fitness: Sequence[float]) -> None:
        """Update the distribution with the fitness of the candidates asked for last."""
        self._cma.tell([(raw, -worth) for raw, worth in zip(self._asked, fitness, strict=True)])
        self._means.append(np.array(self._cma.mean))

    @property
    def found(self) -> Values:
        """The best guess by now."""
        last = self._means[-max(1, len(self._means) // LAST_SHARE) :]
        return self._values(np.mean(last, axis=0) if last else np.array(self._cma.mean))

    def _values(self, units: Reals) -> Values:
        scaled = self._low + units * self._span
        pairs = zip(self._parameters, scaled, strict=True)
        return tuple(each.nearest(float(value)) for each, value in pairs)
