"""The 95 % interval of a mean loss: small, skewed and mostly zero.

Most moves of a good player lose nothing, and a few lose much. The normal interval of such a mean
holds the truth in far fewer than 95 of 100 samples, and is 0 ± 0 where nothing was lost. Here the
seeds lost, ``L`` with variance ``V``, are counted in units of ``V / L``: then their number
``L² / V`` varies as that of independent rare events does, and has the exact interval of Garwood
("Fiducial limits for the Poisson distribution", Biometrika 28, 1936), whose ends are quantiles of
chi-square. For the upper end one further error of a usual size is assumed. So where nothing was
lost in ``n`` moves, at most 3.69 such errors in ``n`` are possible: the exact bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, variance
from typing import Any, Final, NamedTuple

from .rules import Board, Rules

NORMAL_95: Final = 1.96
WRONG_MOVE: Final = 7.0
"""Seeds that a wrong move loses on average, if it is any one of them."""


class LossInterval(NamedTuple):
    """Where a mean loss lies with 95 % certainty, in seeds a move."""

    low: float
    high: float

    @property
    def error(self) -> float:
        """Half of its width; never 0."""
        return (self.high - self.low) / 2


def loss_interval(moves: int, lost: float, spread: float) -> LossInterval:
    """Return the interval of a mean loss of some moves, of whose sum ``spread`` is the variance."""
    low = _ends(lost, spread)[0] if lost else 0.0
    high = _ends(lost + WRONG_MOVE, spread + WRONG_MOVE**2)[1]
    return LossInterval(low / moves, high / moves)


def _ends(lost: float, spread: float) -> tuple[float, float]:
    if not spread:
        return lost, lost
    unit = spread / lost
    events = lost / unit
    low, high = (_chi_square(deviate, 2 * events) / 2 for deviate in (-NORMAL_95, NORMAL_95))
    return unit * low, unit * high


def _chi_square(deviate: float, freedom: float) -> float:
    """Return a quantile of chi-square by a normal deviate.

    To a hundredth from one degree of freedom on: E. B. Wilson and M. M. Hilferty, "The
    distribution of chi-square", Proceedings of the National Academy of Sciences 17, 1931.
    """
    part = 2 / (9 * freedom)
    return freedom * max(0.0, 1 - part + deviate * sqrt(part)) ** 3


class Loss(NamedTuple):
    """What answers lose, in seeds a move; no valid answer counts as the worst move.

    ``best_share`` is the share of answers that lose nothing, ``share`` that of what the worst moves
    lose, both 0..1; the latter is 0 where it is unknown.
    """

    positions: int
    loss: float
    interval: LossInterval
    best_share: float
    share: float = 0.0


def mean_loss(losses: Sequence[int], most: Sequence[int] = ()) -> Loss | None:
    """Return what answers lose, each of ``most`` at the worst; None without any."""
    if not losses:
        return None
    share = sum(losses) / sum(most) if any(most) else 0.0
    spread = variance(losses) if len(losses) > 1 else float(losses[0] ** 2)
    interval = loss_interval(len(losses), sum(losses), len(losses) * spread)
    return Loss(len(losses), fmean(losses), interval, losses.count(0) / len(losses), share)


def one_ply_greed(board: Board) -> tuple[int, ...]:
    """Return the pits that put most seeds into the mover's store by their sowing alone."""
    gains = {pit: board.sow(pit).board.stores[board.player] for pit in board.legal()}
    return tuple(pit for pit, gain in gains.items() if gain == max(gains.values()))


class PositionPhase(NamedTuple):
    """A part of the game, by the fewest and the most seeds left in the pits."""

    name: str
    fewest: int
    most: int


OPENING: Final = PositionPhase("opening", 45, 66)
"""The first third of a game, whose positions are kept with their proofs and stated apart."""
PHASES: Final = (
    PositionPhase("early", 34, 40),
    PositionPhase("middle", 27, 33),
    PositionPhase("late", 20, 26),
)


class ProvenPosition(NamedTuple):
    """A position, the mover first, and what its moves are worth.

    It has a number among the positions of its seed. Values are proven store differences at the end
    for the mover, by pit; choices are the pits that a baseline would sow, equally likely, by its
    name. Rules are the text of `mancala.protocol.rules.Rules`.
    """

    number: int
    phase: str
    board: str
    values: dict[int, int]
    choices: dict[str, tuple[int, ...]] = {}  # noqa: RUF012  # of a tuple, which is never changed
    rules: str = "kalah"

    @classmethod
    def from_dict(cls, line: Mapping[str, Any]) -> ProvenPosition:
        """Read what `to_dict` returned; KeyError, TypeError or ValueError for anything else."""
        values = {int(pit): int(value) for pit, value in line["values"].items()}
        return cls(line["number"], line["phase"], line["board"], values, rules=line["rules"])

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values, without choices: a line of a file of such positions."""
        return {
            "id": self.id,
            "rules": self.rules,
            "number": self.number,
            "phase": self.phase,
            "board": self.board,
            "values": {str(pit): value for pit, value in self.values.items()},
        }

    def to_board(self) -> Board:
        """Return its board; player 0 is to move."""
        return Board.from_text(self.board, Rules.of(self.rules))

    @property
    def id(self) -> str:
        """Its rules and number."""
        return f"{self.rules}/{self.number}"

    def loss(self, pit: int | None) -> int:
        """Return the seeds that a move loses; None stands for no answer, the worst move."""
        value = min(self.values.values()) if pit is None else self.values[pit]
        return max(self.values.values()) - value

    @property
    def best(self) -> list[int]:
        """The pits that lose nothing, ascending."""
        return [pit for pit in sorted(self.values) if not self.loss(pit)]

    @property
    def most_loss(self) -> int:
        """The seeds that the worst move loses."""
        return self.loss(None)

    def mean_loss(self, baseline: str) -> float:
        """Return the seeds that a baseline loses on average."""
        return fmean(self.loss(pit) for pit in self.choices[baseline])

    def best_share(self, baseline: str) -> float:
        """Return how likely a baseline sows a best pit."""
        return fmean(self.loss(pit) == 0 for pit in self.choices[baseline])
