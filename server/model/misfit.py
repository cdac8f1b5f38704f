"""How well ratings on one line explain what was scored; pure."""

from msgspec import Struct

from mancala.protocol.text import quantity


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

    def sentence(self) -> str:
        one, two = self.players
        return (
            f"Unusual pair: {one} has {self.points:g} of {quantity(self.games, 'point')} against "
            f"{two}; their games with others let expect {self.expected:.1f}."
        )


class Misfit(Struct, frozen=True):
    """How far results lie from what ratings on one line let expect.

    Attributes:
        chi_square: squared residuals of all pairs of players, each in its variance, added up.
        degrees: degrees of freedom: its mean, if the players lie on one line.
        chance: the chance that it is as great if they do, 0..1.
        on_one_line: whether that chance is at least 1 %.
        widening: the factor of every interval; 1 where the players lie on one line, and on ladders.
        residuals: the pairs that differ most, at most twenty, in that order.
        left_out: the unusual pairs whose games the ratings leave out, by the rule of the organiser,
            in the order in which they were found; all other figures are those of the other games.
    """

    chi_square: float
    degrees: float
    chance: float
    on_one_line: bool
    widening: float
    residuals: tuple[PairResidual, ...]
    left_out: tuple[PairResidual, ...] = ()

    def sentences(self) -> list[str]:
        """Return what to say of players off the line, of unusual pairs and of those left out."""
        unusual = [each for each in (*self.left_out, *self.residuals) if each.unusual]
        without = ", ".join(" against ".join(each.players) for each in self.left_out)
        left_out = [f"All ratings leave out the games of {without}."] if without else []
        return [*self._off_the_line(), *(each.sentence() for each in unusual), *left_out]

    def _off_the_line(self) -> list[str]:
        if self.on_one_line:
            return []
        figures = f"chi-square {self.chi_square:.1f} on {self.degrees:.1f} degrees of freedom"
        off = (
            "These players do not lie on one line: they score differently against each other than "
            f"one number each explains ({figures})."
        )
        return [f"{off} All intervals are {self.widening:.2f} times as wide for it."]


NOTHING_TO_COMPARE = Misfit(0.0, 0.0, 1.0, on_one_line=True, widening=1.0, residuals=())
"""That of results of which no other ones say what to expect."""
