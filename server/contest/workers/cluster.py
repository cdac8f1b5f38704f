"""Watched processes that make calls: on this machine, or on the workers of a Dask cluster.

What a call may do to its process, hang or stop it, no thread beside it can end. So a worker of the
cluster hands each call to a child process of its own, under the same watchdog as on one machine
(`mancala.server.contest.workers.pool`); its owner learns which game was lost. A call whose worker
died is made by another one; what a call raises is raised once. Each call says of which version its
owner is, since workers may come at any time. All of it travels by pickle: files
that a call reads have to be on the worker's machine, and it writes none.
"""

import logging
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, NamedTuple, TypeVar

from .pool import WorkerPool, by_position

T = TypeVar("T")

CONNECT_S: Final = 10
PACKAGE: Final = "mancala-arena"
_STARTING: Final = threading.Lock()
"""Held while the children of a worker are started, whose calls come in threads."""


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
        ClusterError: when it cannot be reached, has no workers or some of another version, or when
            the block waits for a call that killed one worker after the other, or that went with
            the scheduler.
        ModuleNotFoundError: when Dask is not installed.
    """
    import distributed  # noqa: PLC0415  # of the extra `dask`

    with _silent(logging.getLogger("distributed")), _team(address, distributed) as team:
        yield team


@contextmanager
def _silent(logger: logging.Logger) -> Iterator[None]:
    """Let a logger write nothing but what is critical: our errors say the same."""
    levels = [(handler, handler.level) for handler in logger.handlers]
    for handler, _ in levels:
        handler.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for handler, level in levels:
            handler.setLevel(level)


@contextmanager
def _team(address: str, distributed: Any) -> Iterator[Team]:  # noqa: ANN401  # it has no annotations
    connect = distributed.Client
    try:
        client = connect(address, set_as_default=False, timeout=CONNECT_S)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no cluster at {address}: {error}") from None
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise ClusterError(f"the cluster at {address} has no workers")
        expect_our_version(address, client.run(version, PACKAGE, on_error="return"))
        executor = client.get_executor(pure=False)
        yield Team(_Sending(executor, _of_version, version(PACKAGE)), threads)
        executor.shutdown(wait=False)  # the workers stay with their owner
    except distributed.KilledWorker as error:
        raise ClusterError(f"the workers of the cluster at {address} died: {error}") from None
    except CancelledError:
        raise ClusterError(f"the cluster at {address} is gone") from None
    finally:
        client.close()


def expect_our_version(address: str, found: dict[str, str | Exception]) -> None:
    """Refuse workers of other versions, whose results may be others."""
    ours = version(PACKAGE)
    for worker, theirs in found.items():
        if theirs != ours:
            if isinstance(theirs, Exception) and not isinstance(theirs, PackageNotFoundError):
                raise ClusterError(f"the cluster at {address}: {worker}: {theirs}")
            has = f"no {PACKAGE}" if isinstance(theirs, Exception) else f"{PACKAGE} {theirs}"
            raise ClusterError(f"the cluster at {address}: {worker} has {has}, not {ours}")


def _of_version(ours: str, call: Callable[..., T], *arguments: object) -> T:
    """Call a function on a worker, if it is of the owner's version."""
    if (theirs := version(PACKAGE)) != ours:
        raise ClusterError(f"a worker of the cluster has {PACKAGE} {theirs}, not {ours}")
    return call(*arguments)


class _Sending(Executor):
    """Has calls made by a function that takes something, the call and its arguments."""

    def __init__(self, executor: Executor, by: Callable[..., Any], *first: object) -> None:
        self._executor, self._by, self._first = executor, by, first

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401  # as Executor's
        """Make a call when a thread of the cluster is free."""
        by_position(kwargs)
        return self._executor.submit(self._by, *self._first, fn, *args)


@contextmanager
def open_pool(workers: int | None = None, cluster: str | None = None) -> Iterator[Team]:
    """Start watched processes for as long as the block lasts.

    Args:
        workers: how many on this machine; None or 0 for one per core.
        cluster: address of a Dask scheduler, with a process for each thread of its workers.

    Raises:
        ValueError: when there would be fewer than none.
        ClusterError: as `on_cluster`, and ModuleNotFoundError.
    """
    if workers is not None and workers < 0:
        raise ValueError(f"{workers} processes cannot work: ask for 1 or more, or 0 for all")
    if cluster is not None:
        with on_cluster(cluster) as team:
            yield Team(_Sending(team.executor, _in_child), workers or team.size)
        return
    size = workers or os.cpu_count() or 1
    with WorkerPool(size) as pool:
        yield Team(pool, size)


@cache
def _children() -> WorkerPool:
    """Return the watched processes of this worker of a cluster, one for each of its threads."""
    import distributed  # noqa: PLC0415  # of the extra `dask`

    get_worker: Any = distributed.get_worker  # it has no annotations
    _allow_children()
    return WorkerPool(get_worker().state.nthreads)


def _in_child(call: Callable[..., T], *arguments: object) -> T:
    """Call a function in a watched child of this worker."""
    with _STARTING:
        pool = _children()
    result: T = pool.submit(call, *arguments).result()
    return result


def _allow_children() -> None:
    """Allow this process to have children.

    Dask marks its workers as daemons, which `multiprocessing` forbids children, since it would not
    end them. Those of a pool end with their owner by themselves.
    """
    vars(multiprocessing.current_process())["_config"].pop("daemon", None)
