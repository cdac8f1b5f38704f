"""The workers of a Dask cluster, and the watched processes in which each of them plays.

What a chunk of games may do to its process, hang or stop it, no thread beside it can end. So a
worker of the cluster hands each chunk to a child process of its own, under the same watchdog as on
one machine (`mancala.server.contest.workers.pool`); its owner learns which game was lost.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from .pool import WorkerPool

if TYPE_CHECKING:
    from concurrent.futures import Executor

T = TypeVar("T")

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
    """Use the workers of a Dask cluster, by its scheduler's address, during the block.

    Raises:
        ClusterError: when it cannot be reached or has no workers, or when the block waits for a
            call that killed one worker after the other, or that went with the scheduler.
        ModuleNotFoundError: when Dask is not installed.
    """
    import distributed  # noqa: PLC0415  # of the extra `dask`

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


class _Children:
    """The watched processes of this worker of a cluster, made when they are first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: WorkerPool | None = None

    def pool(self, before_exit: Callable[[], None]) -> WorkerPool:
        """Return the pool, with a process for each thread of the worker."""
        import distributed  # noqa: PLC0415  # of the extra `dask`

        with self._lock:
            if self._pool is None:
                get_worker: Any = distributed.get_worker  # it has no annotations
                _allow_children()
                self._pool = WorkerPool(get_worker().state.nthreads, before_exit=before_exit)
            return self._pool


_children = _Children()


def in_child(before_exit: Callable[[], None], call: Callable[..., T], *arguments: object) -> T:
    """Call a function in a watched child of this worker; all of it travels by pickle."""
    result: T = _children.pool(before_exit).submit(call, *arguments).result()
    return result


def _allow_children() -> None:
    """Allow this process to have children.

    Dask marks its workers as daemons, which `multiprocessing` forbids children, since it would not
    end them. Those of a pool end with their owner by themselves.
    """
    vars(multiprocessing.current_process())["_config"].pop("daemon", None)
