"""Scores count what survived, and the list of survivors is about code that exists."""

import pytest

from tests.mutation.mutants import SourceChange, StatementLines
from tests.mutation.survivors import Score, SurvivalReason, listed, score_of, scores_in, table
from tests.mutation.targets import TARGETS
from tests.sources import ROOT


def mutant(number: int) -> SourceChange:
    return SourceChange("f", f"return {number}", f"return {number + 1}", StatementLines(1, 1), "")


def test_a_survivor_without_a_reason_is_named() -> None:
    """Equivalent changes count against the score, and not against the adjusted one."""
    reasons = [
        SurvivalReason("it is the same", [mutant(1).change], equivalent=True),
        SurvivalReason(
            "it would take an hour", [mutant(2).change, mutant(3).change], equivalent=False
        ),
    ]
    score = score_of("m.py", 10, [mutant(1), mutant(2), mutant(4)], reasons)
    assert score == Score("m.py", 10, 3, 1, [mutant(4).change], [mutant(3).change])
    assert score.raw == pytest.approx(7 / 10)
    assert score.adjusted == pytest.approx(7 / 9)


def test_a_change_of_a_listed_constant_has_its_reason() -> None:
    """Whatever step it takes; another constant that begins like it has none."""
    reason = SurvivalReason("it is patience", constants=["WAIT"])
    assert reason.holds("<module>: WAIT: Final = 3 => WAIT: Final = 4")
    assert not reason.holds("<module>: WAIT_S: Final = 3 => WAIT_S: Final = 4")


def test_the_last_row_of_the_table_is_the_sum_and_the_others_are_read_back() -> None:
    """Sums are made of counts, not of percentages; a run of one module keeps the other rows."""
    scores = [Score("a.py", 10, 3, 1, [], []), Score("b.py", 90, 0, 0, [], [])]
    assert table(scores).splitlines()[-1] == "| all | 100 | 97 | 3 | 1 | 97.0% | 98.0% |"
    assert list(scores_in(table(scores)).values()) == scores


@pytest.mark.parametrize("module", listed())
def test_listed_survivors_change_lines_that_exist(module: str) -> None:
    """A change of a line that was edited since is no longer what the list says."""
    path = ROOT / module
    modules = path.rglob("*.py") if path.is_dir() else [path]
    text = " ".join(" ".join(each.read_text().split()) for each in modules)
    before = [f" {name}: Final = " for each in listed()[module] for name in each.constants]
    changes = [change for reason in listed()[module] for change in reason.changes]
    before += [change.split(": ", maxsplit=1)[1].split(" => ")[0] for change in changes]
    assert [line for line in before if line not in text] == []


def test_the_page_names_no_module_that_is_gone() -> None:
    """One that was divided left its old name there."""
    named = scores_in((ROOT / "docs" / "mutation.md").read_text())
    assert [module for module in named if module not in TARGETS] == []
