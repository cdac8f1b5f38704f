"""The watched processes in which the workers of a Dask cluster play.

What a chunk of games may do to its process, hang or stop it, no thread beside it can end. So a
worker of the cluster hands each chunk to a child process of its own, under the same watchdog as on
one machine (`mancala.scripts.tournament.workers.pool`); its owner learns which game was lost.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from .pool import WorkerPool

T = TypeVar("T")


class _Children:
    """The watched processes of this worker of a cluster, made when they are first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: WorkerPool | None = None

    def pool(self, before_exit: Callable[[], None]) -> WorkerPool:
        """Return the pool, with a process for each thread of the worker."""
        import distributed

        with self._lock:
            if self._pool is None:
                get_worker: Any = distributed.get_worker  # it has no annotations
                _allow_children()
                self._pool = WorkerPool(get_worker().state.nthreads, before_exit=before_exit)
            return self._pool


_children = _Children()


def in_child(before_exit: Callable[[], None], call: Callable[..., T], *arguments: object) -> T:
    """Call a function in a watched child of this worker of a cluster.

    Args:
        before_exit: called by a child that is terminated.
        call: the call; it, its arguments and its result travel by pickle.
        arguments: its arguments.

    Raises:
        WorkerLostError: when the child hung, stopped or died.
    """
    result: T = _children.pool(before_exit).submit(call, *arguments).result()
    return result


def _allow_children() -> None:
    """Allow this process to have children.

    Dask marks its workers as daemons, which `multiprocessing` forbids children, since it would not
    end them. Those of a pool end with their owner by themselves.
    """
    vars(multiprocessing.current_process())["_config"].pop("daemon", None)
