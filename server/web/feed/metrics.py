"""Prometheus metrics, measured by wrapping the journal and ``call_at``.

All events of a match go through the journal, and all its timers through ``call_at``; both are
wrapped here, so that matches do not know of metrics. Gauges (connections, running games) are read
when the metrics are requested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from typing import Final, TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from ...health.log import Log
from ...match.context import Background
from ...model.journal import Entry, GameClosed, GameOpened, Journal, MovePlayed
from ...model.timers import CallAt

disable_created_metrics()  # type: ignore[no-untyped-call]  # without annotations of its own

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
DELAYS_S: Final = (
    *(0.0002, 0.0005, 0.001, 0.002, 0.005),
    *(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0),
)
"""From a commit on a fast disk to unacceptable delays."""
OF_LADDERS: Final = {
    "members": "Members of a ladder that are connected.",
    "waiting": "Members of a ladder that wait for a match.",
    "games_running": "Games of a ladder under way.",
    "entrants": "Versions that a ladder ranks.",
}
REFUSED: Final = frozenset({"login refused", "join refused"})
T = TypeVar("T")


class Metrics:
    """A server's counters, gauges and histograms, in a registry of its own.

    Attributes:
        connections: websocket connections, those without a ``hello`` yet included.
        games_running: games under way.
        loop_lag: how late the event loop runs what is due.
        outbox_dropped: payloads deleted before they were published, since the outbox was too large.
        broker_connected: whether the publisher is connected to the broker.
        house_up: the server's own programs that are connected.
        house_wanted: those that should be.
        store_bytes: the size of the store's file; none for PostgreSQL.
        store_queue: work that the store's writer has not done yet.
        reviewers: reviewers that are connected.
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
        self.outbox_dropped = named(
            "outbox_dropped", "Payloads deleted before they were published."
        )
        self.connections = level("connections", "Websocket connections open.")
        self.games_running = level("games_running", "Games under way.")
        self._fit = delay("ladder_fit_seconds", "Duration of a ladder's joint fit.")
        self._refused = named("refusals", "Logins and joins refused, by reason.", ["reason"])
        self._warnings = named("log_warnings", "Warnings logged, by event.", ["event"])
        self._ladder = {
            name: level(f"ladder_{name}", meaning, ["ladder"])
            for name, meaning in OF_LADDERS.items()
        }
        self.broker_connected = level("broker_connected", "Whether the broker is connected.")
        self.house_up = level("house_up", "The server's own programs that are connected.")
        self.house_wanted = level("house_wanted", "The server's own programs that should be.")
        self.store_bytes = level("store_bytes", "Size of the store's file and its log.")
        self.store_queue = level("store_queue", "Work that the writer has not done yet.")
        self.reviewers = level("reviewers", "Reviewers that are connected.")
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        build = Info("build", "The program.", namespace="mancala", registry=self._registry)
        build.info({"version": version("mancala-arena")})

    def note_ladder(self, ladder: str, **levels: float) -> None:
        """Set the gauges of a ladder, by their names in :data:`OF_LADDERS`."""
        for name, value in levels.items():
            self._ladder[name].labels(ladder).set(value)

    def counting(self, log: Log) -> Log:
        """Return a log that counts refusals and warnings."""
        return _CountingLog(log, self._refused, self._warnings)

    def timing(self, background: Background, now: Callable[[], float]) -> Background:
        """Return what runs long computations, and measures them: each is a ladder's fit."""

        def run(work: Callable[[], T], done: Callable[[T], None]) -> None:
            began = now()

            def finish(result: T) -> None:
                self._fit.observe(now() - began)
                done(result)

            background(work, finish)

        return run

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


class _CountingLog:
    def __init__(self, log: Log, refused: Counter, warnings: Counter) -> None:
        self._log = log
        self._refused = refused
        self._warnings = warnings

    def debug(self, event: str, **facts: object) -> None:
        """Log an event that there are many of."""
        self._log.debug(event, **facts)

    def info(self, event: str, **facts: object) -> None:
        """Log an event; count a refusal by its code."""
        if event in REFUSED:
            self._refused.labels(str(facts.get("code") or event)).inc()
        self._log.info(event, **facts)

    def warning(self, event: str, **facts: object) -> None:
        """Log a warning, and count it."""
        self._warnings.labels(event).inc()
        self._log.warning(event, **facts)


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
