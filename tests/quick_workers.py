"""Workers that play, as forks of one process that has loaded what they need: a second less each.

The workers themselves, and commands in processes of their own, are tested as they are.
"""

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess
from typing import Any, Final

_FORKS: Final = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        *("mancala.server.contest.workers.players", "mancala.bot.players.registry"),
        *("mancala.engine.batches.games", "mancala.engine.search.engine", "mancala.headless"),
    ]
)


class QuickWorkers:
    """Makes the processes of a pool."""

    RawValue = staticmethod(_FORKS.RawValue)
    Pipe = staticmethod(_FORKS.Pipe)

    @staticmethod
    def Process(  # noqa: N802  # as multiprocessing calls it
        *, target: Callable[..., None], args: tuple[Any, ...], daemon: bool
    ) -> ForkServerProcess:
        given = (dict(os.environ), target, args)
        return _FORKS.Process(target=_in_environment, args=given, daemon=daemon)


def _in_environment(
    environment: dict[str, str], target: Callable[..., None], args: tuple[Any, ...]
) -> None:
    os.environ.clear()
    os.environ.update(environment)
    target(*args)
