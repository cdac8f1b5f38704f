"""What an engine keeps for one set of rules, and where its endgame tables come from."""

import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock, Thread
from typing import Final

from mancala.protocol.rules import Rules

from .. import tablebase
from ..evaluation.weights import Weights
from ..kernels import state

QUICK_TABLE_SEEDS: Final = 10
"""Seeds of the tables that are built in a tenth of a second and serve until the full ones are."""
LOOK_S: Final = 60.0
"""Seconds between two looks for larger tables."""


class EngineResources:
    """Sowing table, weights and endgame tables for one set of rules.

    Where the endgame tables are not on disk yet, small ones serve while a thread builds them.
    Without a cache directory, small ones are kept in memory only. ``seeds`` is what they reach;
    None for the largest file there is, or the usual size where there is none as large.
    """

    def __init__(
        self, rules: Rules, *, weights: Weights, cache: Path | None, seeds: int | None
    ) -> None:
        self.variant = state.variant(rules)
        self.weights = weights.compiled(rules)
        self._rules = rules
        self._cache = cache
        self._asked = seeds
        self._seeds = seeds or tablebase.default_seeds(rules.pits)
        self._building = Lock()
        self._look_at = time.monotonic() + LOOK_S
        self.tables = self._at_once()

    def leave_cut_file(self) -> None:
        """Take other tables where the file of these was cut short since it was mapped."""
        if tablebase.is_cut(self.tables):
            self.tables = self._at_once()

    def complete(self, progress: tablebase.Progress | None = None) -> None:
        """Load or build the full tables now, in memory where no file can be kept.

        The small ones serve on where the memory does not suffice; NoTablesError if full ones were
        asked for by their seeds.
        """
        with self._building:
            if self._cache is not None and self._wanting:
                try:
                    self.tables = tablebase.obtain(
                        self._rules, self._seeds, self._cache, progress=progress
                    )
                except tablebase.NoTablesError:
                    if self._asked is not None:
                        raise

    def complete_behind(self) -> None:
        """Build the full tables in the background if needed and not already running."""
        if self._cache is not None and self._wanting and not self._building.locked():
            Thread(target=self._complete_quietly, name="endgame tables", daemon=True).start()

    def _complete_quietly(self) -> None:
        with suppress(tablebase.NoTablesError):
            self.complete()

    def look_behind(self) -> None:
        """Look in the background, once a minute, for larger tables that were finished meanwhile."""
        if time.monotonic() >= self._look_at and not self._building.locked():
            self._look_at = time.monotonic() + LOOK_S
            Thread(target=self.take_larger, name="larger endgame tables", daemon=True).start()

    def take_larger(self) -> None:
        """Take the largest tables there are, unless others were asked for; they serve when read."""
        if self._cache is None or self._asked is not None or self._none:
            return
        with self._building:
            if tablebase.largest(self._rules, self._cache) > self.tables.seeds:
                found = tablebase.find(self._rules, self._cache)
                if found is not None and found.seeds > self.tables.seeds:
                    tablebase.preload(found)
                    self.tables = found

    @property
    def _wanting(self) -> bool:
        return self.tables.seeds < self._seeds and not self._none

    @property
    def _none(self) -> bool:
        return not tablebase.may_have(self._rules)

    def _at_once(self) -> state.ExactTables:
        if self._none:
            return state.no_tables(self._rules.pits)
        if self._cache is not None:
            found = tablebase.find(self._rules, self._cache, seeds=self._asked)
            if found is not None and found.seeds >= self._seeds:
                return found
        return tablebase.build(self.variant, min(self._seeds, QUICK_TABLE_SEEDS))


def tables_for(
    rules: Rules, *, seeds: int | None = None, progress: tablebase.Progress | None = None
) -> state.ExactTables:
    """Return the endgame tables for these rules, building them if needed.

    Some rules have none, see `mancala.engine.tablebase.may_have`; ``seeds`` as above.
    """
    resources = _resources(rules, tablebase.default_cache(), seeds)
    resources.complete(progress)
    return resources.tables


@lru_cache(maxsize=1)
def _resources(rules: Rules, cache: Path, seeds: int | None) -> EngineResources:
    """Keep the last one: a process may hold dozens of players, and small tables are copied."""
    return EngineResources(rules, weights=Weights(), cache=cache, seeds=seeds)
