"""A pool of worker processes under a watchdog: one that is lost costs no more than its own task.

Each worker has a pipe, and a thread of the owner that feeds it; so no lock is shared, and a worker
may be killed at any moment without harm to the others. The watchdog looks at all workers every
`LOOK_S` and kills one

- whose player has not answered `GRACE_S` after its limit: the player hangs;
- that has not counted a beat for `SILENCE_S` though it does not run either: the process was
  stopped, or hangs as a whole. One that compiles counts no beat and runs, or waits for a processor;
  then its own processor time counts towards the limit, so that a busy machine makes no hang of it.

Its call fails with :class:`~mancala.server.contest.headless.executor.WorkerLostError`, and another
worker takes its place. A call in which no player was being asked is made again there, since what
ended the worker, or let none begin, came from outside; after `MOST_DEATHS` it fails as well. Time
is counted in looks of the owner, so the suspension of both (Ctrl-Z) costs nothing.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

from mancala.protocol.text import quantity

from ..headless.executor import WorkerLostError, WorkersDiedError
from .worker import NO_GAME, Slot, work

LOOK_S: Final = 0.5
GRACE_S: Final = 10.0
SILENCE_S: Final = 15.0
START_S: Final = 60.0
"""Seconds that a process may take to count its first beat."""
PATIENCE_S: Final = 2.0
"""Seconds that a worker has to end by itself."""
MOST_DEATHS: Final = 3
"""How many workers may be lost with a call that asked no player."""
RUNNABLE: Final = "RD"
"""States of a process that runs or waits for a processor, or for a disk: see proc(5)."""
_SPAWN: Final = multiprocessing.get_context("spawn")
_MAIN_LOCK: Final = threading.Lock()
"""Held while the main module is without its file: pools share that module."""


class ProcessActivity(NamedTuple):
    """Whether a thread of a process runs or waits for a processor, and its processor time."""

    runs: bool
    cpu_s: float


IDLE: Final = ProcessActivity(runs=False, cpu_s=0.0)


def activity_of(pid: int | None) -> ProcessActivity:
    """Return what a process does; a process that is gone, or cannot be looked at, is idle."""
    states, ticks = "", 0
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            fields = (thread / "stat").read_text().rpartition(")")[2].split()
            states += fields[0]
            ticks += int(fields[11]) + int(fields[12])
    except (OSError, IndexError, ValueError):
        return IDLE
    return ProcessActivity(
        any(map(RUNNABLE.__contains__, states)), ticks / os.sysconf("SC_CLK_TCK")
    )


def by_position(named: Mapping[str, object]) -> None:
    """Refuse arguments of a call by name: TypeError."""
    if named:
        raise TypeError("a worker takes arguments by position only")


class _Call(NamedTuple):
    future: Future[Any]
    call: Callable[..., Any]
    arguments: tuple[object, ...]


@dataclass(eq=False, slots=True)
class _Worker:
    """A process, its pipe and its slot, and what the watchdog has seen of it."""

    process: SpawnProcess
    pipe: Connection
    slot: Slot
    verdict: str = ""
    hung: bool = False
    _seen: tuple[int, int] = (0, 0)
    _cpu_s: float = 0.0
    _silent_s: float = 0.0
    _stalled_s: float = 0.0

    def watch(self, seconds: float, grace_s: float, silence_s: float) -> None:
        """Take ``seconds`` more of what is seen now into account; kill the process if it is lost.

        While no beat is counted and the process does not run, its player's time stands still.
        """
        beats, steps = self._seen
        self._seen = self.slot.beats, self.slot.steps
        activity = activity_of(self.process.pid)
        used_s, self._cpu_s = activity.cpu_s - self._cpu_s, activity.cpu_s
        if self.slot.beats == beats:
            self._silent_s = 0.0 if activity.runs else self._silent_s + seconds
            seconds = min(seconds, used_s)
        else:
            self._silent_s = 0.0
        self._stalled_s = self._stalled_s + seconds if self.slot.steps == steps else 0.0
        if self._silent_s > (silence_s if self.slot.beats else START_S):
            self._kill("the worker process stopped running", hung=False)
        elif self.slot.game != NO_GAME and self._stalled_s > self.slot.limit_s + grace_s:
            self._kill("the player hung", hung=True)

    def loss(self) -> WorkerLostError:
        self.process.join(PATIENCE_S)
        code = self.process.exitcode
        end = "the worker process died" + (f" with exit code {code}" if code is not None else "")
        return WorkerLostError(self.verdict or end, self.slot.unfinished(), is_hung=self.hung)

    def _kill(self, verdict: str, *, hung: bool) -> None:
        self.verdict, self.hung = verdict, hung
        self.process.kill()


class _Queue(Executor):
    """Calls that wait for what makes them."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Call | None] = SimpleQueue()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401  # as Executor's
        """Make a call after those before it; in a worker all of it travels by pickle."""
        by_position(kwargs)
        future: Future[Any] = Future()
        self._jobs.put(_Call(future, fn, args))
        return future


class WorkerPool(_Queue):
    """Worker processes that make the calls submitted.

    Args:
        size: most workers; each is started when it is first needed.
        grace_s: how long the watchdog waits for an answer after its limit, in seconds.
        silence_s: the same for a beat.
    """

    def __init__(
        self, size: int, *, grace_s: float = GRACE_S, silence_s: float = SILENCE_S
    ) -> None:
        super().__init__()
        self._grace_s, self._silence_s = grace_s, silence_s
        self._present: set[_Worker] = set()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        resource_tracker.ensure_running()  # not by a thread with blocked signals
        self._threads = [
            threading.Thread(target=self._feed, name=f"worker {number}", daemon=True)
            for number in range(size)
        ]
        for thread in [*self._threads, threading.Thread(target=self._watch, daemon=True)]:
            thread.start()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002  # as Executor's
        """End all workers, whether they work or not; kill one that hangs."""
        self._closing.set()
        for _ in self._threads:
            self._jobs.put(None)
        with self._lock:
            processes = [worker.process for worker in self._present]
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(PATIENCE_S)
            process.kill()
            process.join()
        for thread in self._threads:
            thread.join(PATIENCE_S)

    def _feed(self) -> None:
        """Hand one call after the other to a worker; hire another when it is lost."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # inherited by what is started
        worker: _Worker | None = None
        while (job := self._jobs.get()) is not None and not self._closing.is_set():
            if job.future.set_running_or_notify_cancel():
                worker = self._do(job, worker)

    def _do(self, job: _Call, worker: _Worker | None, deaths: int = 0) -> _Worker | None:
        try:
            worker = worker or self._hire()
            worker.pipe.send((job.call, job.arguments))
            is_result, outcome = worker.pipe.recv()
        except (EOFError, OSError) as error:
            deaths += 1
            if worker is None:
                loss = WorkerLostError(f"no worker process: {error}")
                self._closing.wait(LOOK_S)  # a machine that is full may have room then
            else:
                self._dismiss(worker)
                loss = worker.loss()
            if loss.game is None and not self._closing.is_set():
                if deaths < MOST_DEATHS:
                    return self._do(job, None, deaths)
                loss = WorkersDiedError(f"{quantity(deaths, 'worker')} died; the last: {loss}")
            job.future.set_exception(loss)
            return None
        except Exception as error:  # noqa: BLE001  # what cannot be pickled fails alone
            job.future.set_exception(error)
            return worker
        if is_result:
            job.future.set_result(outcome)
        else:
            job.future.set_exception(outcome)
        return worker

    def _hire(self) -> _Worker:
        slot = _SPAWN.RawValue(Slot)
        slot.game = NO_GAME
        pipe, other = _SPAWN.Pipe()
        process = _SPAWN.Process(target=work, args=(other, slot), daemon=True)
        with self._lock:
            if self._closing.is_set():
                raise OSError("the pool is closed")
            with _without_main():
                process.start()
            other.close()
            worker = _Worker(process, pipe, slot)
            self._present.add(worker)
        return worker

    def _dismiss(self, worker: _Worker) -> None:
        with self._lock:
            self._present.discard(worker)
        worker.pipe.close()

    def _watch(self) -> None:
        looked_at = time.monotonic()
        while not self._closing.wait(LOOK_S):
            now = time.monotonic()
            seconds, looked_at = min(now - looked_at, 2 * LOOK_S), now
            with self._lock:
                present = tuple(self._present)
            for worker in present:
                worker.watch(seconds, self._grace_s, self._silence_s)


class Here(_Queue):
    """Makes calls one after the other in a thread of this process, for objects that live here."""

    def __init__(self) -> None:
        super().__init__()
        threading.Thread(target=self._work, name="players", daemon=True).start()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002  # as Executor's
        """End after the running call, for which nothing waits: it may hang; cancel the others."""
        with suppress(Empty):
            while (job := self._jobs.get_nowait()) is not None:
                job.future.cancel()
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if job.future.set_running_or_notify_cancel():
                try:
                    job.future.set_result(job.call(*job.arguments))
                except BaseException as error:  # noqa: BLE001  # raised where the result is asked for
                    job.future.set_exception(error)


@contextmanager
def _without_main() -> Iterator[None]:
    """Start processes that do not run the program's main file again: they need nothing of it."""
    with _MAIN_LOCK:
        main = sys.modules["__main__"]
        file, spec = vars(main).pop("__file__", None), main.__spec__
        main.__spec__ = None
        try:
            yield
        finally:
            main.__spec__ = spec
            if file is not None:
                main.__file__ = file
