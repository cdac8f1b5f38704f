"""Prometheus metrics: of a server, by wrapping its journal and ``call_at``, and of the web itself.

All events of a match go through the journal, and all its timers through ``call_at``; both are
wrapped here, so that matches do not know of metrics. Gauges (connections, running games) are set
when the metrics are requested.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from importlib.metadata import version
from itertools import accumulate
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
from prometheus_client.core import HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from ...health.log import Log, PassingLog
from ...match.context import Background
from ...model.journal import Entry, GameClosed, GameOpened, Journal, MovePlayed
from ...model.timers import CallAt
from ...store.rows.outbox import PutAside

disable_created_metrics()  # type: ignore[no-untyped-call]  # without annotations of its own

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
DELAYS_S: Final = (
    *(0.0002, 0.0005, 0.001, 0.002, 0.005),
    *(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0),
)
"""From a commit on a fast disk to unacceptable delays."""
OF_SERVER: Final = {
    "connections": "Websocket connections open.",
    "games_running": "Games under way.",
    "broker_connected": "Whether the broker is connected.",
    "house_up": "The server's own programs that are connected.",
    "house_wanted": "The server's own programs that should be.",
    "fronts_up": "Fronts that run.",
    "fronts_wanted": "Fronts that should.",
    "remote_fronts_up": "Fronts on other machines that are there.",
    "remote_fronts_wanted": "Fronts on other machines that have a token.",
    "store_bytes": "Size of the store's file and its log.",
    "store_queue": "Work that the writer has not done yet.",
    "reviewers": "Reviewers that are connected.",
}
OF_WEB: Final = {
    "game_server_up": "Whether the game server answers.",
    "outbox_depth": "Payloads that the broker has yet to get.",
    "outbox_bytes": "Bytes of all payloads that are kept.",
    "reviews_waiting": "Games that wait for a review.",
}
OF_LADDERS: Final = {
    "members": "Members of a ladder that are connected.",
    "waiting": "Members of a ladder that wait for a match.",
    "games_running": "Games of a ladder under way.",
    "entrants": "Versions that a ladder ranks.",
}
"""Gauges by name, each with its meaning."""
REFUSED: Final = frozenset({"login refused", "join refused"})
T = TypeVar("T")


class Registry:
    """Metrics in a registry of their own, with some gauges."""

    def __init__(self, gauges: Mapping[str, str]) -> None:
        self._registry = CollectorRegistry()
        self._counter = partial(Counter, namespace="mancala", registry=self._registry)
        self._gauge = partial(Gauge, namespace="mancala", registry=self._registry)
        self._histogram = partial(Histogram, namespace="mancala", registry=self._registry)
        self._gauges = {name: self._gauge(name, meaning) for name, meaning in gauges.items()}

    def set(self, **levels: float) -> None:
        for name, value in levels.items():
            self._gauges[name].set(value)

    def text(self) -> bytes:
        return generate_latest(self._registry)


class WebMetrics(Registry):
    """What the web was asked, how long the archive took, and what it can see of the server."""

    def __init__(self) -> None:
        super().__init__(OF_WEB)
        self._responses = self._counter("http_responses", "HTTP responses, by status.", ["status"])
        reads = "From a query of the archive to its rows."
        self.reads = self._histogram("store_read_seconds", reads)
        seconds = "From a request to the head of its response."
        self._seconds = self._histogram("http_request_seconds", seconds)
        ProcessCollector(namespace="mancala_web", registry=self._registry)

    def count(self, status: int, seconds: float) -> None:
        """Count a response, and the time until it began."""
        self._responses.labels(str(status)).inc()
        self._seconds.observe(seconds)


class DelayHistogram:
    """A histogram of delays in seconds, at a fifth of the package's price: each ply has one."""

    def __init__(self, name: str, meaning: str, registry: CollectorRegistry) -> None:
        self._name = f"mancala_{name}"
        self._meaning = meaning
        self._counts = [0] * (len(DELAYS_S) + 1)
        self._sum_s = 0.0
        registry.register(self)

    def observe(self, seconds: float) -> None:
        """Count a delay."""
        self._counts[bisect_left(DELAYS_S, seconds)] += 1
        self._sum_s += seconds

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """Yield what the registry shows."""
        bounds = (*map(str, DELAYS_S), "+Inf")
        buckets = [*zip(bounds, map(float, accumulate(self._counts)), strict=True)]
        yield HistogramMetricFamily(self._name, self._meaning, buckets, self._sum_s)

    describe = collect  # by which the registry refuses a name that is there already


class Metrics(Registry):
    """A server's counters, gauges and histograms."""

    def __init__(self) -> None:
        super().__init__(OF_SERVER)
        named, delay = self._counter, partial(DelayHistogram, registry=self._registry)
        self._plies, self._new_plies = named("plies", "Sowings accepted and durable."), 0
        self._started = named("games_started", "Games begun.")
        self._finished = named("games_finished", "Games ended, by reason.", ["reason"])
        self._commit = delay("commit_seconds", "From an event at a table until it is durable.")
        self._clock_error = delay("clock_error_seconds", "How late a clock's flag was acted on.")
        self.loop_lag = delay("loop_lag_seconds", "How late the event loop runs what is due.")
        dropped = "Payloads deleted before they were published."
        self.outbox_dropped = named("outbox_dropped", dropped)
        put_aside = "Payloads that the broker does not accept, by reason."
        self._put_aside = self._gauge("outbox_put_aside", put_aside, ["why"])
        aside_since = "When the oldest of them was put aside, in seconds since 1970; 0 for none."
        self._aside_since = self._gauge("outbox_put_aside_since_seconds", aside_since)
        self._fit = delay("ladder_fit_seconds", "Duration of a ladder's joint fit.")
        self._refused = named("refusals", "Logins and joins refused, by reason.", ["reason"])
        self._warnings = named("log_warnings", "Warnings logged, by event.", ["event"])
        self._ladder = {
            name: self._gauge(f"ladder_{name}", meaning, ["ladder"])
            for name, meaning in OF_LADDERS.items()
        }
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        build = Info("build", "The program.", namespace="mancala", registry=self._registry)
        build.info({"version": version("mancala-arena")})

    def set_ladder(self, ladder: str, **levels: float) -> None:
        for name, value in levels.items():
            self._ladder[name].labels(ladder).set(value)

    def set_put_aside(self, found: Sequence[PutAside]) -> None:
        """Set what the broker does not accept, by reason, beginning with the oldest."""
        self._put_aside.clear()
        for each in found:
            self._put_aside.labels(each.why).set(each.rows)
        since = datetime.fromisoformat(found[0].since).timestamp() if found else 0.0
        self._aside_since.set(since)

    def counting(self, log: Log) -> Log:
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

    def metered(self, journal: Journal, now: Callable[[], float]) -> Journal:
        """Return a journal that counts the entries it commits."""
        return _MeteredJournal(journal, self, now)

    def timed(self, call_at: CallAt, now: Callable[[], float]) -> CallAt:
        """Return a ``call_at`` that measures how late each call runs."""

        def call(when: float, action: Callable[[], None]) -> None:
            self._clock_error.observe(max(0.0, now() - when))
            action()

        return lambda when, action: call_at(when, partial(call, when, action))

    def text(self) -> bytes:
        """Return all figures; plies are an integer until then, as a counter has a lock for each."""
        self._plies.inc(self._new_plies)
        self._new_plies = 0
        return super().text()

    def note(self, entries: Sequence[Entry], commit_s: float) -> None:
        """Count committed entries, and the duration of their commit in seconds."""
        self._commit.observe(commit_s)
        for entry in entries:
            match entry:
                case MovePlayed():
                    self._new_plies += 1
                case GameOpened():
                    self._started.inc()
                case GameClosed():
                    self._finished.labels(str(entry.ended.reason)).inc()


class _CountingLog(PassingLog):
    def __init__(self, log: Log, refused: Counter, warnings: Counter) -> None:
        super().__init__(log)
        self._refused = refused
        self._warnings = warnings

    def info(self, event: str, **facts: object) -> None:
        """Log an event; count a refusal by its code."""
        if event in REFUSED:
            self._refused.labels(str(facts.get("code") or event)).inc()
        super().info(event, **facts)

    def warning(self, event: str, **facts: object) -> None:
        self._warnings.labels(event).inc()
        super().warning(event, **facts)


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
        self._journal.commit(entries, partial(self._done, entries, self._now(), done), refused)

    def _done(self, entries: Sequence[Entry], since: float, done: Callable[[], None]) -> None:
        self._metrics.note(entries, self._now() - since)
        done()
