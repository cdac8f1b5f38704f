"""The workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from concurrent.futures import Executor

CONNECT_S: Final = 10
DEATHS_A_CALL: Final = 3
"""How often a cluster repeats a call whose worker died."""


class ClusterError(RuntimeError):
    """The cluster cannot be used; the message says why."""


class Team(NamedTuple):
    """Workers, and how many there are."""

    executor: Executor
    size: int


@contextmanager
def on_cluster(address: str) -> Iterator[Team]:
    """Use the workers of a Dask cluster for as long as the block lasts.

    Args:
        address: its scheduler.

    Raises:
        ClusterError: when it cannot be reached or has no workers, or when the block waits for a
            call that killed one worker after the other, or that went with the scheduler.
        ModuleNotFoundError: when Dask is not installed.
    """
    import distributed

    connect: Any = distributed.Client  # it has no annotations
    try:
        client = connect(address, set_as_default=False, timeout=CONNECT_S)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no cluster at {address}: {error}") from None
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise ClusterError(f"the cluster at {address} has no workers")
        executor = client.get_executor(pure=False, retries=DEATHS_A_CALL)
        yield Team(executor, threads)
        executor.shutdown(wait=False)  # the workers stay with their owner
    except distributed.KilledWorker as error:
        raise ClusterError(f"the workers of the cluster at {address} died: {error}") from None
    except CancelledError:
        raise ClusterError(f"the cluster at {address} is gone") from None
    finally:
        client.close()
