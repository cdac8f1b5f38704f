"""Which endgame tables would make the engine stronger, and a word about it on stderr."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from mancala.protocol.rules import Rules

from .. import output as console
from ..compiling import compile_engine_for_games, options_of, plays_engine

if TYPE_CHECKING:
    from mancala.server.contest.headless.event import Contender

BOUND: Final = {"tables", "level", "nodes"}
"""Options with which a player of the engine gains nothing, or is to play as it did before."""


def advise_tables(rules: Rules, specs: Iterable[str], *, tables: int | None = None) -> None:
    """Name the command that builds larger tables, where there is room and a player would gain."""
    if tables is not None or "MANCALA_TABLES" in os.environ or not any(map(_gains, specs)):
        return
    from mancala.engine.kernels.state import table_bytes

    seeds = missing_seeds(rules)
    if seeds is None:
        return
    named = "" if rules == Rules() else f" --rules {rules}"
    size = table_bytes(rules.pits, seeds) / 1e6
    console.say(
        f"larger endgame tables ({size:.0f} MB) make the engine stronger: "
        f"mancala endgame build --seeds {seeds}{named}",
        err=True,
    )


def ready_engine(rules: Rules, contenders: Iterable[Contender]) -> None:
    """Compile what players need of the engine without a server; say which tables would pay."""
    specs = [each.spec for each in contenders]
    compile_engine_for_games(rules, specs)
    advise_tables(rules, specs)


def missing_seeds(rules: Rules) -> int | None:
    """Return the seeds of tables worth building here; None where there are, or can be, none."""
    from mancala.engine import tablebase

    directory = tablebase.default_cache()
    try:
        seeds = tablebase.better_seeds(rules, directory)
    except tablebase.NoTablesError:
        return None
    if tablebase.refusal(rules, directory) is not None:
        return None
    return seeds if seeds > tablebase.largest(rules, directory) else None


def _gains(spec: str) -> bool:
    return plays_engine([spec]) and not BOUND & options_of(spec)
