"""Dask clusters on loopback."""

import logging
from typing import Any, Final

PASSING: Final = ("seconds", "time")
"""What differs from run to run."""


def local_cluster(workers: int, *, threads: int) -> Any:  # noqa: ANN401  # Dask has no annotations
    """Start a scheduler and workers with threads each; end them by leaving the result's block."""
    import distributed  # noqa: PLC0415  # it takes half a second to load

    cluster_of: Any = distributed.LocalCluster
    return cluster_of(
        n_workers=workers,
        threads_per_worker=threads,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    )


def lasting(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON without what differs from run to run."""
    return {key: value for key, value in pairs if key not in PASSING}
