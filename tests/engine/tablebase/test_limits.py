"""Tables that cannot be, or do not fit the machine, are refused by name."""

from pathlib import Path

import pytest

from mancala.engine import tablebase
from mancala.engine.tablebase import limits
from mancala.protocol.rules import Rules
from tests.engine.tablebase.positions import KALAH


@pytest.mark.parametrize("name", ["article", "kalah:pits=8"])
def test_there_are_no_tables_where_values_need_the_stores(name: str) -> None:
    """Majority rules and boards of more than seven pits a row are refused by name."""
    with pytest.raises(tablebase.NoTablesError):
        tablebase.check(Rules.parse(name), 8)


@pytest.mark.parametrize("scarce", ["memory", "disk"])
def test_tables_that_do_not_fit_are_refused(
    scarce: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a build needs, and what the machine has, is said before it begins."""
    if scarce == "memory":
        monkeypatch.setattr(limits, "memory_available", lambda: 1 << 30)
    else:
        monkeypatch.setattr(limits, "memory_available", lambda: None)
        monkeypatch.setattr(limits, "disk_free", lambda _directory: 1 << 30)
    tablebase.check_room(KALAH, 20, tmp_path)
    with pytest.raises(tablebase.NoTablesError, match=rf"28 seeds take \d\.\d GB of {scarce}"):
        tablebase.make(KALAH, 28, tmp_path)
    assert not list(tmp_path.iterdir())


def test_sixteen_seeds_are_the_default_of_six_pits() -> None:
    """The tables built on first use hold 31 million positions at most."""
    assert [tablebase.default_seeds(pits) for pits in (5, 6, 7)] == [20, 16, 13]
