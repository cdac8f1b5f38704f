"""Changes of the server are tried in forks, with the worlds that everything else runs in."""

import ast
from pathlib import Path

import pytest

from tests.mutation.mutants import mutant_of
from tests.mutation.trial import ModuleChange
from tests.simulate.campaign import make_template
from tests.simulate.generated import IMPORTED, is_found
from tests.simulate.plan import FaultPlan

WRITER = "server/store/database/writer.py"
PLANS = (FaultPlan.of(1).changed("bots=2,kills=0,storm_s=5"),)


def change_of(old: str, new: str) -> ModuleChange:
    text = (IMPORTED / WRITER).read_text()
    line = text[: text.index(old)].count("\n") + 1
    return ModuleChange(WRITER, mutant_of(ast.parse(text), text, line, text.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("            begun.commit()", "            begun.rollback()", True),
        ("return len(self._submitted) + self._in_hand", "return len(self._submitted)", False),
    ],
)
def test_a_change_is_found_by_what_it_breaks(
    *, old: str, new: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that loses what was stored is; one of what no promise is about is not."""
    monkeypatch.chdir(tmp_path)
    assert is_found(change_of(old, new), PLANS, make_template(tmp_path)) is expected
