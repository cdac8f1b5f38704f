"""The engine against its limits: the short form of the bench."""

import shutil
from pathlib import Path

import pytest

from mancala.engine.perft import perft
from mancala.engine.search.engine import tables_for
from mancala.protocol.rules import Board
from mancala.scripts.bench.search import engine

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")


@needs_gcc
def test_the_twin_in_c_counts_what_the_kernels_count() -> None:
    """Leaves of perft, and every node of a proof, far above the tables and near them."""
    twin, tables = engine.compiled(), tables_for(engine.KALAH)
    board = Board.from_text("<6,8,8,1,0,3,5,2,5,0,5,5,0,4,2>")
    assert engine.perft_against(twin, 7)["count"] == perft(engine.START, 7)
    assert engine.search_against(twin, tables, board)["count"] > 1000


def test_a_build_states_its_rate_and_its_probes() -> None:
    """On one core and on all."""
    found = engine.build_rate(6)
    assert found["threads_1"]["rate_a_core"] > 0
    assert found["probe_ns"] > 0


def test_a_folder_without_an_engine_is_not_compared(tmp_path: Path) -> None:
    """The checkout was compared with itself."""
    with pytest.raises(ValueError, match="has no mancala/engine"):
        engine.searching(tmp_path)
    (tmp_path / "mancala" / "engine").mkdir(parents=True)
    with pytest.raises(ValueError, match=r"runs .*mancala.engine"):
        engine.searching(tmp_path)
