"""Play games in chunks on an executor: local processes, or a cluster.

A chunk is sized to take half a second, so that its overhead is negligible; longer games go one by
one. A chunk lost with its worker is submitted again, and finished games are kept: a worker's death
costs at most a chunk's time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from typing import Final, NamedTuple

from server.headless.game import PlayedGame, Task

CHUNK_S: Final = 0.5
FIRST_CHUNK: Final = 2
MOST_DEATHS: Final = 3
WAITING_A_WORKER: Final = 2
"""Chunks submitted for each worker: the current one and the next."""


class Batch(NamedTuple):
    """A finished chunk.

    Attributes:
        games: in the order of the tasks.
        seconds: how long the worker took.
    """

    games: tuple[PlayedGame, ...]
    seconds: float


class WorkersDiedError(RuntimeError):
    """Workers keep dying without finishing a game."""


PlayChunk = Callable[[tuple[Task, ...]], Batch]


class GameExecutor:
    """Plays tasks on an executor, and replaces it when it breaks.

    Args:
        make_executor: makes an executor; called again when it breaks.
        work: plays a chunk, in a worker; must be picklable.
        workers: number of chunks played in parallel.
    """

    def __init__(
        self, make_executor: Callable[[], Executor], work: PlayChunk, *, workers: int
    ) -> None:
        self._make_executor = make_executor
        self._work = work
        self._workers = workers
        self._executor = make_executor()
        self._game_s: float | None = None
        self._deaths = 0

    def play(self, tasks: Iterable[Task], work: PlayChunk | None = None) -> Iterator[Batch]:
        """Play all tasks; yield each chunk as it finishes, in any order.

        Args:
            tasks: the games.
            work: plays a chunk in this call; None for the default.

        Raises:
            WorkersDiedError: when workers keep dying.
        """
        waiting = deque(tasks)
        running: dict[Future[Batch], tuple[Task, ...]] = {}
        try:
            while waiting or running:
                self._submit(waiting, running, work or self._work)
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield from self._collect(future, running, waiting)
        finally:
            for future in running:
                future.cancel()

    def close(self) -> None:
        """Shut the executor down; the caller that made its workers ends them."""
        self._executor.shutdown(wait=False)

    def _submit(
        self, waiting: deque[Task], running: dict[Future[Batch], tuple[Task, ...]], work: PlayChunk
    ) -> None:
        while waiting and len(running) < WAITING_A_WORKER * self._workers:
            size = min(self._chunk(len(waiting)), len(waiting))
            chunk = tuple(waiting.popleft() for _ in range(size))
            try:
                running[self._executor.submit(work, chunk)] = chunk
            except BrokenExecutor:
                waiting.extendleft(reversed(chunk))
                self._replace()

    def _chunk(self, waiting: int) -> int:
        """Return a chunk size: half a second of games, fewer near the end to finish together."""
        if self._game_s is None:
            return FIRST_CHUNK
        fair = -(-waiting // (WAITING_A_WORKER * self._workers))
        return max(1, min(fair, int(CHUNK_S / max(self._game_s, 1e-6))))

    def _collect(
        self,
        future: Future[Batch],
        running: dict[Future[Batch], tuple[Task, ...]],
        waiting: deque[Task],
    ) -> Iterator[Batch]:
        chunk = running.pop(future)
        try:
            batch = future.result()
        except BrokenExecutor:
            waiting.extendleft(reversed(chunk))  # the next submit replaces the executor
            return
        self._deaths = 0
        self._game_s = batch.seconds / len(batch.games)
        yield batch

    def _replace(self) -> None:
        self._deaths += 1
        if self._deaths > MOST_DEATHS:
            raise WorkersDiedError(f"workers died {self._deaths} times without finishing a game")
        self._executor.shutdown(wait=False)
        self._executor = self._make_executor()
