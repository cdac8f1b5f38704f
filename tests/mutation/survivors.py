"""The changes that are known to survive, each with the reason."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tests.mutation.mutants import SourceChange

LIST: Final = Path(__file__).with_name("survivors.toml")


class SurvivalReason(NamedTuple):
    """Why some changes of a module, or of the modules of a folder, survive.

    Attributes:
        changes: the changes, as :attr:`SourceChange.change` has them.
        constants: names of constants, each change of which survives for this reason.
    """

    why: str
    changes: Sequence[str] = ()
    equivalent: bool = False
    constants: Sequence[str] = ()

    def holds(self, change: str) -> bool:
        named = tuple(f"<module>: {name}: Final = " for name in self.constants)
        return change in self.changes or change.startswith(named)


class Score(NamedTuple):
    """What the tests of a module noticed.

    Attributes:
        stale: listed changes that were tried and noticed, or that do not exist.
    """

    module: str
    mutants: int
    survived: int
    equivalent: int
    unlisted: list[str]
    stale: list[str]

    @property
    def killed(self) -> int:
        return self.mutants - self.survived

    @property
    def raw(self) -> float:
        """The share of all changes that the tests noticed."""
        return self.killed / self.mutants if self.mutants else 1.0

    @property
    def adjusted(self) -> float:
        """The share of those noticed that could be noticed."""
        noticeable = self.mutants - self.equivalent
        return self.killed / noticeable if noticeable else 1.0


def listed() -> dict[str, list[SurvivalReason]]:
    found = tomllib.loads(LIST.read_text())
    return {
        module: [SurvivalReason(**reason) for reason in reasons]
        for module, reasons in found.items()
    }


def score_of(
    module: str, tried: int, survived: list[SourceChange], reasons: list[SurvivalReason]
) -> Score:
    """Compare the survivors of a module with the listed ones."""
    changes = [mutant.change for mutant in survived]
    known = {change for reason in reasons for change in reason.changes}
    equivalent = {change for reason in reasons if reason.equivalent for change in reason.changes}
    return Score(
        module,
        tried,
        len(survived),
        sum(change in equivalent for change in changes),
        [each for each in changes if not any(reason.holds(each) for reason in reasons)],
        sorted(known.difference(changes)),
    )


def table(scores: list[Score]) -> str:
    total = Score(
        "all",
        sum(score.mutants for score in scores),
        sum(score.survived for score in scores),
        sum(score.equivalent for score in scores),
        [],
        [],
    )
    head = ["| module | changes | noticed | survived | of these equivalent | score | adjusted |"]
    rows = [
        f"| {score.module} | {score.mutants} | {score.killed} | {score.survived} "
        f"| {score.equivalent} | {score.raw:.1%} | {score.adjusted:.1%} |"
        for score in (*scores, total)
    ]
    return "\n".join([*head, "| --- | --- | --- | --- | --- | --- | --- |", *rows])


def scores_in(page: str) -> dict[str, Score]:
    """Return the scores of a page with such a table, by module, without the sum."""
    found = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].endswith(".py"):
            tried, _, survived, equivalent = map(int, cells[1:5])
            found[cells[0]] = Score(cells[0], tried, survived, equivalent, [], [])
    return found
