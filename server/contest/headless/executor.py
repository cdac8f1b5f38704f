"""Play games in chunks on an executor: local processes, or a cluster.

A chunk is sized to take half a second, so that its overhead is negligible; longer games go one by
one. A chunk lost with its worker is submitted again, and finished games are kept: a worker's death
costs at most a chunk's time. A game that a player hung in, or that two workers were lost with, is
not played again: it ends as `wedged`.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Final, NamedTuple

from .game import Conditions, Task, Unfinished, wedged
from .played_game import PlayedGame

CHUNK_S: Final = 0.5
FIRST_CHUNK: Final = 2
WAITING_A_WORKER: Final = 2
"""Chunks submitted for each worker: the current one and the next."""


class Batch(NamedTuple):
    """A finished chunk: its games in the order of the tasks, and how long the worker took."""

    games: tuple[PlayedGame, ...]
    seconds: float


class WorkerLostError(RuntimeError):
    """A worker ended with its task undone: ``game``, if it was playing one."""

    def __init__(
        self, detail: str, game: Unfinished | None = None, *, is_hung: bool = False
    ) -> None:
        self.game = game
        self.is_hung = is_hung
        super().__init__(detail)


class WorkersDiedError(WorkerLostError):
    """Workers keep dying though no player is being asked."""


PlayChunk = Callable[[tuple[Task, ...]], Batch]


class GameExecutor:
    """Plays tasks on an executor, some chunks at a time."""

    def __init__(
        self, executor: Executor, work: PlayChunk, *, workers: int, conditions: Conditions
    ) -> None:
        self._executor = executor
        self._work = work
        self._workers = workers
        self._conditions = conditions
        self._game_s: float | None = None
        self._suspects: set[int] = set()

    def play(
        self, tasks: Iterable[Task], work: PlayChunk | None = None
    ) -> Generator[Batch, None, None]:
        """Play all tasks; yield each chunk as it finishes, in any order.

        ``work`` plays the chunks of this call; None for the usual.

        Raises:
            WorkerLostError: when a worker was lost between games.
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

    def _submit(
        self, waiting: deque[Task], running: dict[Future[Batch], tuple[Task, ...]], work: PlayChunk
    ) -> None:
        while waiting and len(running) < WAITING_A_WORKER * self._workers:
            size = min(self._chunk(len(waiting)), len(waiting))
            chunk = tuple(waiting.popleft() for _ in range(size))
            running[self._executor.submit(work, chunk)] = chunk

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
        except WorkerLostError as loss:
            closed = self._closed(loss, chunk)
            waiting.extendleft(task for task in reversed(chunk) if task.number not in closed)
            if closed:
                yield Batch(tuple(closed.values()), 0.0)
            return
        self._game_s = batch.seconds / len(batch.games)
        yield batch

    def _closed(self, loss: WorkerLostError, chunk: tuple[Task, ...]) -> dict[int, PlayedGame]:
        """Return the game that is lost with its worker, if it is not to be played again."""
        task = next((task for task in chunk if loss.game and task.number == loss.game.number), None)
        if loss.game is None or task is None:
            raise loss
        if not loss.is_hung and task.number not in self._suspects:
            self._suspects.add(task.number)
            return {}
        detail = f"{loss}" if loss.is_hung else f"{loss}, in this game for the second time"
        return {task.number: wedged(task, self._conditions, loss.game, detail)}
