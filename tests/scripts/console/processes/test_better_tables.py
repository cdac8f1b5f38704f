"""Better endgame tables are built beside a bot, once, and only where there is room."""

import asyncio
from pathlib import Path

import pytest

from mancala.engine import tablebase
from mancala.engine.tablebase import limits
from mancala.protocol.rules import Rules
from mancala.scripts.console.processes import better_tables
from mancala.scripts.console.processes.table_advice import advise_tables, missing_seeds
from tests.scripts.commands.results import mancala

RULES = Rules(pits=2)
SEEDS = 9


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tablebase, "better_seeds", lambda _rules, _directory: SEEDS)
    return tablebase.default_cache()


async def test_better_tables_are_built_once(cache: Path) -> None:
    """A child process builds them; once they are there, there is nothing to build."""
    await better_tables.build_better(RULES, 0.0)
    assert tablebase.largest(RULES, cache) == SEEDS
    assert missing_seeds(RULES) is None


async def test_nothing_is_built_for_a_short_stay(cache: Path) -> None:
    """A bot that ends within the first minute has started no build."""
    rules = Rules(pits=1)
    await better_tables.with_better_tables(asyncio.sleep(0), rules)
    assert tablebase.largest(rules, cache) == 0


def test_rules_without_tables_want_none() -> None:
    """With majority rules nothing is built."""
    assert missing_seeds(Rules.parse("article")) is None


def test_the_size_depends_on_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with 8 GB free builds 24 seeds, one with 2 GB 21, a tiny one the usual 16."""
    sizes = []
    for free in (8, 2, 0):
        monkeypatch.setattr(limits, "memory_available", lambda free=free: free * 10**9)
        sizes.append(limits.better_seeds(Rules(), tmp_path))
    assert sizes == [24, 21, 16]


@pytest.mark.parametrize(
    ("specs", "rules", "said"),
    [
        (["greedy", "engine:movetime=0.1"], RULES, True),
        (["engine"], Rules.parse("article"), False),
        (["greedy", "minimax:depth=3"], RULES, False),
        (["engine:tables=9", "engine:level=4", "engine:nodes=500"], RULES, False),
    ],
)
def test_who_would_gain_by_larger_tables_is_told(
    cache: Path, capsys: pytest.CaptureFixture[str], specs: list[str], rules: Rules, *, said: bool
) -> None:
    """On stderr, with the command that builds them; not where tables or nodes were chosen."""
    assert tablebase.largest(rules, cache) == 0
    advise_tables(rules, specs)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert ("mancala endgame build --seeds 9 --rules kalah:pits=2" in shown.err) is said


def test_nobody_is_told_of_tables_that_are_there(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Or where --tables or the environment chose some."""
    advise_tables(RULES, ["engine"], tables=4)
    tablebase.obtain(RULES, SEEDS, cache)
    advise_tables(RULES, ["engine"])
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(("board", "said"), [("<2,0,0,1,1,1,1>", False), ("<2,0,0,9,9,9,9>", True)])
def test_an_ending_gains_nothing_by_larger_tables(board: str, *, said: bool) -> None:
    """The usual ones have it; its analysis advised to build 625 MB."""
    shown = mancala("analyze", board, "--depth", "1").stderr
    assert ("larger endgame tables" in shown) is said
