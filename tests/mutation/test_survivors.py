"""Scores count what survived, and the list of survivors is about code that exists."""

from functools import cache

import pytest

from tests.mutation.mutants import SourceChange, StatementLines
from tests.mutation.survivors import (
    Score,
    SurvivalReason,
    listed,
    reasons_of,
    score_of,
    scores_in,
    table,
)
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
    """Whatever step it takes; another one that begins like it has none, nor has its namesake."""
    reason = SurvivalReason("it is patience", constants=["web/a.py: WAIT"])
    change = "<module>: WAIT: Final = 3 => WAIT: Final = 4"
    assert reason.holds("server/web/a.py", change)
    assert not reason.holds("server/web/a.py", change.replace("WAIT", "WAIT_S"))
    assert not reason.holds("server/web/b.py", change)


def test_a_module_has_the_reasons_of_the_folders_around_it() -> None:
    """As survivors of ``server`` are listed for all of its rooms, and for no folder beside it."""
    [of_server] = listed()["server"]
    for module in ("server/store/rows/tokens.py", "server/web/api/stage.py"):
        assert of_server in reasons_of(module)
    assert reasons_of("server/store/rows/tokens.py")[0] in listed()["server/store/rows/tokens.py"]
    assert of_server not in reasons_of("servers/tokens.py")


def test_the_last_row_of_the_table_is_the_sum_and_the_others_are_read_back() -> None:
    """Sums are made of counts, not of percentages; a run of one module keeps the other rows."""
    scores = [Score("a.py", 10, 3, 1, [], []), Score("b.py", 90, 0, 0, [], [])]
    assert table(scores).splitlines()[-1] == "| all | 100 | 97 | 3 | 1 | 97.0% | 98.0% |"
    assert list(scores_in(table(scores)).values()) == scores


@pytest.mark.parametrize("module", listed())
def test_listed_survivors_change_lines_that_exist(module: str) -> None:
    """A change of a line that was edited since is no longer what the list says."""
    reasons = listed()[module]
    before = [
        (module, change.split(": ", maxsplit=1)[1].split(" => ")[0])
        for reason in reasons
        for change in reason.changes
    ]
    constants = [constant.split(": ") for reason in reasons for constant in reason.constants]
    before += [(f"{module}/{path}", f" {name}: Final = ") for path, name in constants]
    assert [it for it in before if it[1] not in _text(it[0])] == []


@cache
def _text(module: str) -> str:
    return " ".join((ROOT / module).read_text().split())


def test_the_page_names_no_module_that_is_gone() -> None:
    """One that was divided left its old name there."""
    named = scores_in((ROOT / "docs" / "mutation.md").read_text())
    assert [module for module in named if module not in TARGETS] == []
