"""What an engine keeps for one set of rules."""

from __future__ import annotations

from pathlib import Path

from mancala.engine import tablebase
from mancala.engine.evaluation.weights import Weights
from mancala.engine.search.resources import EngineResources
from mancala.protocol.rules import Rules

RULES = Rules(pits=1)


def resources(cache: Path | None, seeds: int | None = None) -> EngineResources:
    """Return those of a tiny game, with complete tables."""
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


def test_tables_that_were_chosen_stay(tmp_path: Path) -> None:
    """By their number of seeds, or by having no directory at all."""
    chosen, alone = resources(tmp_path, seeds=6), resources(None)
    tablebase.make(RULES, 30, tmp_path)
    for each in (chosen, alone):
        before = each.tables.seeds
        each.take_larger()
        assert each.tables.seeds == before
