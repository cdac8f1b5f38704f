"""What an engine keeps for one set of rules."""

import os
from pathlib import Path

import pytest

from mancala.engine import tablebase
from mancala.engine.evaluation.weights import Weights
from mancala.engine.search.resources import EngineResources
from mancala.engine.tablebase import limits
from mancala.protocol.rules import Rules
from tests.engine.full_disk import full_disk

RULES = Rules(pits=1)


def resources(cache: Path | None, seeds: int | None = None) -> EngineResources:
    made = EngineResources(RULES, weights=Weights(), cache=cache, seeds=seeds)
    made.complete()
    return made


def test_larger_tables_that_were_finished_meanwhile_are_taken(tmp_path: Path) -> None:
    """They serve later searches; until they are there, nothing changes."""
    held = resources(tmp_path)
    usual = held.tables.seeds
    held.take_larger()
    assert held.tables.seeds == usual
    tablebase.make(RULES, usual + 2, tmp_path)
    held.take_larger()
    assert held.tables.seeds == usual + 2


@pytest.mark.parametrize("home", ["full", "no folder"])
def test_tables_that_cannot_be_kept_are_built_in_memory(home: str, tmp_path: Path) -> None:
    """They are the same, and a sentence says that each process builds its own."""
    cache = tmp_path / "cache" if home == "full" else Path(os.devnull)
    with full_disk():
        held, refused = resources(cache), tablebase.refusal(RULES, cache)
    assert held.tables.seeds == tablebase.default_seeds(RULES.pits)
    assert refused is not None
    assert "each process builds its own" in refused
    assert not list(cache.glob("*"))
    assert tablebase.refusal(RULES, tmp_path) is None


def test_without_memory_for_full_tables_the_small_ones_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine plays on; only tables that were asked for by their seeds are refused."""
    monkeypatch.setattr(limits, "memory_available", lambda: 0)
    assert 0 < resources(tmp_path).tables.seeds < tablebase.default_seeds(RULES.pits)
    refused = tablebase.refusal(RULES, tmp_path)
    assert refused is not None
    assert refused.startswith("small endgame tables serve: ")
    with pytest.raises(tablebase.NoTablesError, match="of memory"):
        resources(tmp_path, seeds=12)


def test_a_file_that_was_cut_short_since_it_was_mapped_is_left(tmp_path: Path) -> None:
    """Looking up what is gone would end the process by a signal (SIGBUS)."""
    held = resources(tmp_path)
    held.leave_cut_file()
    mapped = held.tables
    assert not tablebase.is_cut(mapped)
    os.truncate(tablebase.path_of(RULES, mapped.seeds, tmp_path), 4096)
    held.leave_cut_file()
    assert held.tables.seeds < mapped.seeds
    held.complete()
    assert (held.tables.seeds, tablebase.is_cut(held.tables)) == (mapped.seeds, False)


def test_tables_that_were_chosen_stay(tmp_path: Path) -> None:
    """By their number of seeds, or by having no directory at all."""
    chosen, alone = resources(tmp_path, seeds=6), resources(None)
    tablebase.make(RULES, 30, tmp_path)
    for each in (chosen, alone):
        before = each.tables.seeds
        each.take_larger()
        assert each.tables.seeds == before
