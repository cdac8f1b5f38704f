"""Prometheus metrics of the web itself: what it was asked, and what it can see of the server."""

from __future__ import annotations

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.exposition import generate_latest


class WebMetrics:
    """Counters and gauges of one web, in a registry of its own.

    Attributes:
        game_server_up: 1 if the game server gave a sign of life a moment ago.
        outbox_depth: payloads that the broker has yet to get.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        named = partial(Counter, namespace="mancala", registry=self._registry)
        level = partial(Gauge, namespace="mancala", registry=self._registry)
        self._responses = named("http_responses", "HTTP responses, by status.", ["status"])
        self.game_server_up = level("game_server_up", "Whether the game server answers.")
        self.outbox_depth = level("outbox_depth", "Payloads that the broker has yet to get.")

    def count(self, status: int) -> None:
        """Count a response."""
        self._responses.labels(str(status)).inc()

    def text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self._registry)
