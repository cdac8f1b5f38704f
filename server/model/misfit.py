"""How well ratings on one line explain what was scored; pure."""

from __future__ import annotations

from msgspec import Struct


class PairResidual(Struct, frozen=True):
    """What two players scored against each other, beside what their other games let expect.

    Attributes:
        players: the two; the one with more points than expected is named first.
        games: their games with each other.
        points: of the first-named in these games.
        expected: its points in as many games, by what both scored against all others.
        deviations: points beyond that, in standard deviations.
        chance: bound of the chance that any two players of the fit differ as much, if all lie on
            one line; 0..1.
        unusual: whether that chance is below 1 %.
    """

    players: tuple[str, str]
    games: int
    points: float
    expected: float
    deviations: float
    chance: float
    unusual: bool


class Misfit(Struct, frozen=True):
    """How far results lie from what ratings on one line let expect.

    Attributes:
        chi_square: squared residuals of all pairs of players, each in its variance, added up.
        degrees: degrees of freedom: its mean, if the players lie on one line.
        chance: the chance that it is as great if they do, 0..1.
        on_one_line: whether that chance is at least 1 %.
        widening: the factor of every interval; 1 where the players lie on one line, and on ladders.
        residuals: the pairs that differ most, at most twenty, in that order.
    """

    chi_square: float
    degrees: float
    chance: float
    on_one_line: bool
    widening: float
    residuals: tuple[PairResidual, ...]

    def sentence(self) -> str:
        """Return what there is to say of players that do not lie on one line, or nothing."""
        if self.on_one_line:
            return ""
        return (
            "These players do not lie on one line: they score differently against each other than "
            f"one number each explains (chi-square {self.chi_square:.1f} on {self.degrees:.1f} "
            f"degrees of freedom). All intervals are {self.widening:.2f} times as wide for it."
        )
