"""Prometheus metrics, measured by wrapping the journal and ``call_at``.

All events of a match go through the journal, and all its timers through ``call_at``; both are
wrapped here, so that matches do not know of metrics. Gauges (connections, running games) are read
when the metrics are requested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from server.model.journal import Entry, GameClosed, GameOpened, Journal, MovePlayed
from server.model.timers import CallAt

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
DELAYS_S: Final = (
    *(0.0002, 0.0005, 0.001, 0.002, 0.005),
    *(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0),
)
"""From a commit on a fast disk to unacceptable delays."""


class Metrics:
    """A server's counters, gauges and histograms, in a registry of its own.

    Attributes:
        connections: websocket connections, those without a ``hello`` yet included.
        games_running: games under way.
        loop_lag: how late the event loop runs what is due.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        named = partial(Counter, namespace="mancala", registry=self._registry)
        level = partial(Gauge, namespace="mancala", registry=self._registry)
        delay = partial(Histogram, namespace="mancala", registry=self._registry, buckets=DELAYS_S)
        self._plies = named("plies", "Sowings accepted and durable.")
        self._started = named("games_started", "Games begun.")
        self._finished = named("games_finished", "Games ended, by reason.", ["reason"])
        self._commit = delay("commit_seconds", "From an event at a table until it is durable.")
        self._clock_error = delay("clock_error_seconds", "How late a clock's flag was acted on.")
        self.loop_lag = delay("loop_lag_seconds", "How late the event loop runs what is due.")
        self.connections = level("connections", "Websocket connections open.")
        self.games_running = level("games_running", "Games under way.")

    def text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self._registry)

    def metered(self, journal: Journal, now: Callable[[], float]) -> Journal:
        """Return a journal that counts the entries it commits."""
        return _MeteredJournal(journal, self, now)

    def timed(self, call_at: CallAt, now: Callable[[], float]) -> CallAt:
        """Return a ``call_at`` that measures how late each call runs."""

        def call(when: float, action: Callable[[], None]) -> None:
            self._clock_error.observe(max(0.0, now() - when))
            action()

        return lambda when, action: call_at(when, partial(call, when, action))

    def note(self, entries: Sequence[Entry], commit_s: float) -> None:
        """Count committed entries, and the duration of their commit in seconds."""
        self._commit.observe(commit_s)
        for entry in entries:
            match entry:
                case MovePlayed():
                    self._plies.inc()
                case GameOpened():
                    self._started.inc()
                case GameClosed():
                    self._finished.labels(str(entry.ended.reason)).inc()


class _MeteredJournal:
    def __init__(self, journal: Journal, metrics: Metrics, now: Callable[[], float]) -> None:
        self._journal = journal
        self._metrics = metrics
        self._now = now

    def commit(
        self,
        entries: Sequence[Entry],
        done: Callable[[], None],
        refused: Callable[[], None] = lambda: None,
    ) -> None:
        """Make the entries durable together, then count them and call ``done``."""
        self._journal.commit(entries, partial(self._done, entries, self._now(), done), refused)

    def _done(self, entries: Sequence[Entry], since: float, done: Callable[[], None]) -> None:
        self._metrics.note(entries, self._now() - since)
        done()
