"""Which endgame tables would make the engine stronger, and a word about it on stderr."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from mancala.protocol.rules import Rules

from .. import output as console
from ..compiling import compile_engine_for, plays_engine, say_what_is_not_kept

BOUND: Final = {"tables", "level", "nodes"}
"""Options with which a player of the engine gains nothing, or is to play as it did before."""
FEW_KERNELS: Final = {"level", "nodes"}
"""Options with which the engine compiles other kernels, and fewer."""


def advise_tables(rules: Rules, specs: Iterable[str], *, tables: int | None = None) -> None:
    """Compile the engine if it plays, and say which command builds larger tables that would pay.

    Of tables nothing is said where the engine does not play, where its tables were chosen, or where
    memory and disk leave no room for larger ones. Where nothing can be kept, that is said first.
    """
    specs = list(specs)
    compile_engine_for(*(spec for spec in specs if not FEW_KERNELS & _options(spec)))
    if plays_engine(specs):
        say_what_is_not_kept(rules)
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
    return plays_engine([spec]) and not BOUND & _options(spec)


def _options(spec: str) -> set[str]:
    return {each.partition("=")[0] for each in spec.partition(":")[2].split(",")}
