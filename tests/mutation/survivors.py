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
        constants: constants, each change of which survives for this reason: the module in the
            folder, and the name, as in ``web/api/stage.py: KEPT_S``.
    """

    why: str
    changes: Sequence[str] = ()
    equivalent: bool = False
    constants: Sequence[str] = ()

    def holds(self, module: str, change: str) -> bool:
        name = change.partition(": Final = ")[0].removeprefix("<module>: ")
        constants = tuple(f"/{constant}" for constant in self.constants)
        return change in self.changes or f"{module}: {name}".endswith(constants)


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


def reasons_of(module: str) -> list[SurvivalReason]:
    """Return the reasons that are listed for a module, or for a folder around it."""
    return [
        reason
        for place, reasons in listed().items()
        if f"{module}/".startswith(f"{place}/")
        for reason in reasons
    ]


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
        [each for each in changes if not any(reason.holds(module, each) for reason in reasons)],
        sorted(known.difference(changes)),
    )


def summed(name: str, scores: Sequence[Score]) -> Score:
    return Score(
        name,
        sum(score.mutants for score in scores),
        sum(score.survived for score in scores),
        sum(score.equivalent for score in scores),
        [],
        [],
    )


def table(scores: Sequence[Score]) -> str:
    head = ["| module | changes | noticed | survived | of these equivalent | score | adjusted |"]
    rows = [
        f"| {score.module} | {score.mutants} | {score.killed} | {score.survived} "
        f"| {score.equivalent} | {score.raw:.1%} | {score.adjusted:.1%} |"
        for score in (*scores, summed("all", scores))
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
