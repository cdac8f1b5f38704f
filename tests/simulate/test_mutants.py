"""The simulation finds faults that are put into the server on purpose."""

from pathlib import Path

import pytest

from tests.simulate.campaign import make_template
from tests.simulate.mutants import CHAPTER, PAGE, Mutant, catalogue, hunt, known_seeds
from tests.simulate.promises import Promise
from tests.sources import ROOT


@pytest.mark.parametrize("mutant", catalogue(), ids=lambda mutant: mutant.name)
def test_each_mutant_is_one_change_of_the_present_source(mutant: Mutant) -> None:
    """A fault whose place is gone would be found by no seed."""
    assert (ROOT / mutant.path).read_text().count(mutant.old) == 1
    assert mutant.old != mutant.new


@pytest.mark.parametrize(
    ("name", "is_known"),
    [("the winner is stored as the other", True), ("a move is stored under another pit", False)],
)
def test_a_fault_is_found(
    name: str, *, is_known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a known seed in a fork of this process, else in a copy; the long form hunts them all."""
    monkeypatch.chdir(tmp_path)
    (mutant,) = (mutant for mutant in catalogue() if mutant.name == name)
    known = known_seeds(PAGE.read_text())[name] if is_known else None
    found = hunt(mutant, make_template(tmp_path), seed=1, seeds=20, known=known)
    assert found is not None
    assert found.detail in {*Promise, "IllegalMoveError"}


def test_the_page_has_a_row_of_each_fault_and_of_no_other() -> None:
    """One that was renamed, or whose code is gone, left its row there; new ones had none."""
    chapter = PAGE.read_text().partition(f"## {CHAPTER}\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in chapter.splitlines()]
    named = [name for name in rows[rows.index("---") + 1 :] if name]
    assert sorted(named) == sorted(mutant.name for mutant in catalogue())
