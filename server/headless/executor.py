"""Games handed out in chunks to whoever works: processes here, or a cluster elsewhere.

A chunk is sized to take half a second, so that handing it over costs nothing beside it; games
longer than that go one by one. What a worker had in hand when it died is handed out again, and
whatever came back before is safe: at the worst a death costs a chunk's time.
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
"""Chunks handed out for each worker: the one it works on, and the next."""


class Batch(NamedTuple):
    """A chunk that came back.

    Attributes:
        games: in the order of the tasks.
        seconds: how long the worker took.
    """

    games: tuple[PlayedGame, ...]
    seconds: float


class WorkersDiedError(RuntimeError):
    """Workers die and die again without bringing back a game."""


PlayChunk = Callable[[tuple[Task, ...]], Batch]


class GameExecutor:
    """Plays tasks with an executor, and replaces it when it breaks.

    Args:
        make_executor: makes an executor; called again when one is broken.
        work: plays a chunk, in a worker; it has to be picklable.
        workers: how many chunks are worked on at the same time.
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
        """Play all tasks; yields each chunk as it comes back, in any order.

        Args:
            tasks: the games.
            work: plays a chunk, this time; None for the usual.

        Raises:
            WorkersDiedError: when workers keep dying.
        """
        waiting = deque(tasks)
        running: dict[Future[Batch], tuple[Task, ...]] = {}
        try:
            while waiting or running:
                self._hand_out(waiting, running, work or self._work)
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield from self._taken_back(future, running, waiting)
        finally:
            for future in running:
                future.cancel()

    def close(self) -> None:
        """Hand out nothing more; whoever hired the workers sends them home."""
        self._executor.shutdown(wait=False)

    def _hand_out(
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
        """Size a chunk: half a second's, and towards the end smaller, so that all end together."""
        if self._game_s is None:
            return FIRST_CHUNK
        fair = -(-waiting // (WAITING_A_WORKER * self._workers))
        return max(1, min(fair, int(CHUNK_S / max(self._game_s, 1e-6))))

    def _taken_back(
        self,
        future: Future[Batch],
        running: dict[Future[Batch], tuple[Task, ...]],
        waiting: deque[Task],
    ) -> Iterator[Batch]:
        chunk = running.pop(future)
        try:
            batch = future.result()
        except BrokenExecutor:
            waiting.extendleft(reversed(chunk))  # handing it out again finds the crew broken
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
