"""Helpers change how fast the engine is, and nothing of what it says is proven."""

import json
import threading

from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.engine.search.worker import SLICE_NODES
from mancala.protocol.rules import Board
from tests.sources import ROOT

DATA = ROOT / "tests" / "data"
EXACT = [json.loads(line) for line in (DATA / "exact_kalah.jsonl").read_text().splitlines()][:6]


def with_helpers(*, all_moves: bool = False) -> Engine:
    options = EngineOptions(table_bits=16, cache=None, book=False, threads=3, all_moves=all_moves)
    return Engine(options=options)


def test_threads_find_what_one_thread_finds() -> None:
    """With helpers, proven values are the same, and the nodes of all threads are counted."""
    engine = with_helpers(all_moves=True)
    for entry in EXACT:
        report = engine.analyse(Board.from_text(entry["board"]), Limit())
        assert (report.exact, report.value) == (True, entry["value"])
        assert {str(move.pit): move.value for move in report.moves} == entry["moves"]
    report = engine.analyse(Board.start(), Limit(nodes=40_000))
    assert report.nodes >= 40_000


def test_helpers_end_with_the_think() -> None:
    """However a search ends (spent, stopped or dropped), none of its threads goes on."""
    engine = with_helpers()
    before = threading.active_count()
    assert len(list(engine.think(Board.start(), Limit(depth=6)))) > 1
    assert threading.active_count() == before
    assert next(engine.think(Board.start(), Limit())).depth == 0
    assert threading.active_count() == before  # no helper starts for the first few plies
    for give_up in (engine.stop, lambda: None):
        reports = engine.think(Board.start(), Limit())
        assert next(report for report in reports if report.nodes > 4 * SLICE_NODES).pv
        assert threading.active_count() > before
        give_up()
        reports.close()  # type: ignore[attr-defined]  # it is a generator
        assert threading.active_count() == before
