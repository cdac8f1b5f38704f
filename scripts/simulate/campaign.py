"""Many seeds, one after another or spread over workers, and what they saw together."""

from __future__ import annotations

import gc
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from scripts.simulate.loop import BEGIN_S, StuckError, VirtualLoop, run
from scripts.simulate.plan import Plan
from scripts.simulate.promises import BrokenPromiseError
from scripts.simulate.story import CONSEQUENCES, Event
from scripts.simulate.tokens import reserve
from scripts.simulate.world import World
from server.store.database import connect

if TYPE_CHECKING:
    from scripts.simulate.box.world import BoxWorld

MEMORY: Final = Path("/dev/shm")  # noqa: S108  # folders in it have names of their own
"""Files here cost no disk; where there is none, the usual place for temporary files is used."""
LONG: Final = 200
"""A campaign of this many seeds sees every event."""
WAITING_A_WORKER: Final = 2
"""Worlds submitted for each worker: the current one and the next."""
BOX_EVENTS: Final = frozenset(
    {
        *(Event.KILL, Event.KILL_BEFORE_COMMIT, Event.KILL_BEFORE_ANNOUNCEMENT, Event.RESTART),
        Event.RESTART_IN_PLAY,
        *(Event.DROP, Event.CRASH, Event.HALF_OPEN, Event.RESUME, Event.LATE, Event.SILENT),
        *(Event.LIE, Event.DEAF),
        *(Event.DEPARTURE, Event.ABSENCE, Event.RESIGNED, Event.FLAG, Event.FORCED),
        *(Event.ABORTED, Event.QUARANTINED, Event.SUSPENDED, Event.BROKER_AWAY),
        *(Event.BROKER_FROZEN, Event.ACK_LOST, Event.REPEATED, Event.OVER),
    }
)
"""What can happen in circle two, where the real client says nothing out of place."""
EVENTS: Final = {1: frozenset(Event) - {Event.CRASH, Event.DEAF}, 2: BOX_EVENTS}
"""What can happen in each circle; in circle one a bot is no process, and nothing is unread."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to.

    Attributes:
        plan: what was to happen.
        seconds: virtual seconds that passed.
        counts: how often each event happened.
        lines: the log, if it was kept.
        fault: what went wrong, as text; None if every promise was kept.
        kind: the broken promise, or the type of the error; likewise.
    """

    plan: Plan
    seconds: float
    counts: Counter[Event]
    lines: tuple[str, ...]
    fault: str | None = None
    kind: str | None = None


@dataclass(slots=True)
class Summary:
    """What many runs came to.

    Attributes:
        seeds: how many there were.
        seconds: virtual seconds in all.
        counts: how often each event happened.
        circles: the circles that were run.
        broken: the runs in which a promise was broken.
    """

    seeds: int = 0
    seconds: float = 0.0
    counts: Counter[Event] = field(default_factory=Counter)
    circles: set[int] = field(default_factory=set)
    broken: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Add a run."""
        self.seeds += 1
        self.seconds += outcome.seconds
        self.counts += outcome.counts
        self.circles.add(outcome.plan.circle)
        if outcome.fault is not None:
            self.broken.append(outcome)

    @property
    def never(self) -> list[Event]:
        """The events that no run saw."""
        possible = frozenset[Event]().union(*(EVENTS[circle] for circle in self.circles or {1}))
        return [event for event in Event if event in possible and not self.counts[event]]

    @property
    def missing(self) -> list[Event]:
        """The events that a campaign of this length should have seen."""
        return self.never if self.seeds >= LONG else []

    @property
    def has_failed(self) -> bool:
        """Whether a promise was broken, or what should have happened never did."""
        return bool(self.broken or self.missing)

    @property
    def faults(self) -> int:
        """How many faults happened."""
        return sum(count for event, count in self.counts.items() if event not in CONSEQUENCES)


def temporary() -> TemporaryDirectory[str]:
    """Return a new folder for stores, in memory where possible."""
    return TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None, prefix="mancala-sim-")


def make_template(folder: Path) -> Path:
    """Create a store with nothing but reserved names; each world begins with a copy."""
    path = folder / "template.sqlite3"
    connection = connect(str(path))
    engine = connection.engine
    connection.close()
    engine.dispose()
    reserve(path)
    return path


def simulate(plan: Plan, template: Path, *, trace: bool = False) -> Outcome:
    """Run one world; what goes wrong in it is part of the outcome.

    Args:
        plan: what happens in it.
        template: a store with nothing but reserved names.
        trace: whether the log is kept.
    """
    with temporary() as place, _uncollected():
        folder = Path(place)
        if plan.circle == 1:
            return _run_world(plan, template, folder, trace=trace)
        from scripts.simulate.box.loop import BoxLoop
        from scripts.simulate.box.world import BoxWorld

        return run(lambda loop: _play(BoxWorld(loop, plan, template, folder), trace=trace), BoxLoop)


def _run_world(plan: Plan, template: Path, folder: Path, *, trace: bool) -> Outcome:
    try:
        return run(
            lambda loop: _play(World(loop, plan, template, folder), trace=trace), VirtualLoop
        )
    except StuckError as error:
        return Outcome(plan, 0.0, Counter(), (), f"StuckError: {error}", "StuckError")


async def _play(world: World | BoxWorld, *, trace: bool) -> Outcome:
    story = world.story
    story.is_kept = trace
    fault = kind = None
    try:
        await world.play()
    except BrokenPromiseError as error:
        fault, kind = f"BrokenPromiseError: {error}", str(error.promise)
    except Exception as error:  # noqa: BLE001  # the run's outcome
        fault, kind = f"{type(error).__name__}: {error}", type(error).__name__
    seconds = story.now() - BEGIN_S
    return Outcome(world.plan, seconds, story.counts, tuple(story.lines), fault, kind)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Collect garbage only afterwards: what that runs would fall anywhere into the run."""
    gc.disable()
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of servers that were killed
            gc.collect(0)
        gc.enable()


def simulate_from(plan: Plan, template: bytes, *, trace: bool = False) -> Outcome:
    """Run one world, given the content of a new store: what a worker does."""
    with temporary() as folder:
        path = Path(folder) / "template.sqlite3"
        path.write_bytes(template)
        return simulate(plan, path, trace=trace)


def spread(
    plans: Iterable[Plan], template: bytes, executor: Executor, *, workers: int, trace: bool = False
) -> Iterator[Outcome]:
    """Run worlds on an executor; yield each outcome as it comes, in any order.

    Args:
        plans: what happens in them; may be endless.
        template: the content of a new store, as :func:`make_template` makes it.
        executor: its workers.
        workers: how many worlds run in parallel.
        trace: whether logs are kept.
    """
    waiting, work = iter(plans), partial(simulate_from, trace=trace)
    running: set[Future[Outcome]] = set()
    try:
        while True:
            while len(running) < WAITING_A_WORKER * workers:
                plan = next(waiting, None)
                if plan is None:
                    break
                running.add(executor.submit(work, plan, template))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    finally:
        for future in running:
            future.cancel()
