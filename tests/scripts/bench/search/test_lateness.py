"""What a timed search costs besides searching is counted from searches that measure it."""

from __future__ import annotations

import time

from mancala.engine.search.engine import Engine, EngineOptions
from mancala.protocol.rules import Board
from mancala.scripts.bench.search.lateness import SearchTiming, summary, timed


def test_proven_and_preempted_searches_are_counted_and_left_out() -> None:
    """They say nothing about how late a search ends."""
    met = SearchTiming(setup=0.2, late=0.1, reports=3, nodes=100, exact=False, preempted=False)
    proven = met._replace(late=-4.0, exact=True)
    preempted = met._replace(late=50.0, preempted=True)
    figures = summary([met, proven, preempted])
    assert (figures["searches"], figures["proven"], figures["preempted"]) == (3, 1, 1)
    assert (figures["late_mean_ms"], figures["nodes_mean"]) == (0.1, 100)


def test_a_search_is_timed_from_its_start_to_its_end() -> None:
    """The set-up ends with the first report, and a search without time is all lateness."""
    engine = Engine(options=EngineOptions(table_bits=16, cache=None, book=False))
    timing = timed(engine, Board.start(), 0.0)
    assert 0 < timing.setup <= timing.late
    assert timing.reports >= 1


def test_processor_time_is_not_lost_to_others() -> None:
    """A search that is timed by the processor counts, however often it was interrupted."""
    options = EngineOptions(table_bits=16, cache=None, book=False)
    engine = Engine(options=options, clock=time.thread_time)
    timing = timed(engine, Board.start(), 1.0, time.thread_time)
    assert timing.nodes > 0
    assert not timing.preempted
