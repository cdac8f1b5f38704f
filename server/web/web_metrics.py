"""Prometheus metrics of the web itself: what it was asked, and what it can see of the server."""

from __future__ import annotations

from functools import partial

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import generate_latest

disable_created_metrics()  # type: ignore[no-untyped-call]  # without annotations of its own


class WebMetrics:
    """Counters and gauges of one web, in a registry of its own.

    Attributes:
        game_server_up: 1 if the game server gave a sign of life a moment ago.
        outbox_depth: payloads that the broker has yet to get.
        outbox_bytes: the bytes of all payloads that are kept, published or not.
        reviews_waiting: games that wait for a review.
        reads: the seconds that each query of the archive took.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        named = partial(Counter, namespace="mancala", registry=self._registry)
        level = partial(Gauge, namespace="mancala", registry=self._registry)
        self._responses = named("http_responses", "HTTP responses, by status.", ["status"])
        self.game_server_up = level("game_server_up", "Whether the game server answers.")
        self.outbox_depth = level("outbox_depth", "Payloads that the broker has yet to get.")
        self.outbox_bytes = level("outbox_bytes", "Bytes of all payloads that are kept.")
        self.reviews_waiting = level("reviews_waiting", "Games that wait for a review.")
        self.reads = Histogram(
            "store_read_seconds",
            "From a query of the archive to its rows.",
            namespace="mancala",
            registry=self._registry,
        )
        self._seconds = Histogram(
            "http_request_seconds",
            "From a request to the head of its response.",
            namespace="mancala",
            registry=self._registry,
        )
        ProcessCollector(namespace="mancala_web", registry=self._registry)

    def count(self, status: int, seconds: float) -> None:
        """Count a response, and the time until it began."""
        self._responses.labels(str(status)).inc()
        self._seconds.observe(seconds)

    def text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self._registry)
