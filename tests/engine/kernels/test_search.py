"""The compiled search is the same search without compilation."""

from tests.sources import run_python

SEARCH = """
import numpy as np
from mancala.engine.search.engine import analyse
from mancala.engine.search.engine import Engine, EngineOptions
from mancala.protocol.rules import Board
np.seterr(over="ignore")
options = EngineOptions(table_bits=16, cache=None, book=False, tables=2)
report = analyse(Board.start(), depth=3, engine=Engine(options=options))
print(report.pit, report.value, report.nodes, report.pv)
"""


def test_a_search_in_plain_python_visits_the_same_nodes() -> None:
    """Without compilation the same code finds the same move, value and line in as many nodes."""
    outcomes = {run_python("-c", SEARCH, NUMBA_DISABLE_JIT=jit).stdout for jit in ("0", "1")}
    assert len(outcomes) == 1
