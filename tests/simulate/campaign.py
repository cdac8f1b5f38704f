"""Many seeds, one after another or spread over workers, and what they saw together."""

import gc
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from mancala.server.contest.workers.pool import WorkerPool
from mancala.server.store.database.database import connect
from tests.simulate.full_stack.loop import FullStackLoop
from tests.simulate.full_stack.world import FullStackWorld
from tests.simulate.input_space import InputSpace
from tests.simulate.loop import BEGIN_S, StuckTimeError, VirtualLoop, run
from tests.simulate.plan import FaultPlan, Mode
from tests.simulate.promises import BrokenPromiseError
from tests.simulate.takeover import TROUBLES, TakeoverWorld
from tests.simulate.tokens import reserve
from tests.simulate.trace import CONSEQUENCES, RareEvent
from tests.simulate.unvaried import UNVARIED
from tests.simulate.world import World
from tests.sources import ROOT

MEMORY: Final = Path("/dev/shm")  # noqa: S108  # folders in it have names of their own
"""Files here cost no disk; where there is none, the usual place for temporary files is used."""
LONG: Final = 1000
"""A campaign of this many seeds sees every event.

The rarest ones happen in one world of forty; the probability that a thousand lack one of them is
(39/40)**1000 = 1e-11.
"""
WAITING_A_WORKER: Final = 2
"""Worlds submitted for each worker: the current one and the next."""
FULL_STACK_EVENTS: Final = frozenset(
    {
        *(
            RareEvent.KILL,
            RareEvent.KILL_BEFORE_COMMIT,
            RareEvent.KILL_BEFORE_ANNOUNCEMENT,
            RareEvent.RESTART,
        ),
        RareEvent.RESTART_IN_PLAY,
        *(
            RareEvent.DROP,
            RareEvent.CRASH,
            RareEvent.HALF_OPEN,
            RareEvent.RESUME,
            RareEvent.LATE,
            RareEvent.SILENT,
        ),
        *(RareEvent.LIE, RareEvent.DEAF, RareEvent.FRONT_KILLED, RareEvent.FRONT_HUNG),
        *(RareEvent.PUBLISHER_KILLED, RareEvent.PUBLISHER_HUNG),
        *(RareEvent.WEB_KILLED, RareEvent.WEB_HUNG, RareEvent.OPERATED),
        *(
            RareEvent.DEPARTURE,
            RareEvent.ABSENCE,
            RareEvent.RESIGNED,
            RareEvent.FLAG,
            RareEvent.FORCED,
        ),
        *(RareEvent.ABORTED, RareEvent.QUARANTINED, RareEvent.SUSPENDED, RareEvent.BROKER_AWAY),
        *(RareEvent.BROKER_FROZEN, RareEvent.ACK_LOST, RareEvent.REPEATED, RareEvent.OVER),
    }
)
"""What can happen over the full stack, where the real client says nothing out of place."""
TAKEOVER_EVENTS: Final = frozenset(TROUBLES) - {RareEvent.KILL, RareEvent.RESTART}
"""What happens only where a second server stands by."""
EVENTS: Final = {
    Mode.IN_PROCESS: frozenset(RareEvent)
    - {RareEvent.CRASH, RareEvent.DEAF, RareEvent.FRONT_KILLED, RareEvent.FRONT_HUNG}
    - {RareEvent.WEB_KILLED, RareEvent.WEB_HUNG}
    - TAKEOVER_EVENTS,
    Mode.TAKEOVER: frozenset(TROUBLES),
    Mode.FULL_STACK: FULL_STACK_EVENTS,
}
"""What can happen in each mode; in process no bot is a process, and there are no sockets."""
WORLDS: Final[Mapping[Mode, tuple[Callable[..., Any], Callable[[], VirtualLoop]]]] = {
    Mode.IN_PROCESS: (World, VirtualLoop),
    Mode.TAKEOVER: (TakeoverWorld, VirtualLoop),
    Mode.FULL_STACK: (FullStackWorld, FullStackLoop),
}
"""What makes a world of each mode, and its loop."""


@dataclass(frozen=True, slots=True)
class WorldOutcome:
    """What a run came to.

    Attributes:
        seconds: virtual seconds that passed.
        lines: the log, if it was kept.
        fault: what went wrong, as text; None if every promise was kept.
        kind: the broken promise, or the type of the error; None if every promise was kept.
    """

    plan: FaultPlan
    seconds: float
    counts: Counter[RareEvent]
    lines: tuple[str, ...]
    fault: str | None = None
    kind: str | None = None
    inputs: InputSpace = field(default_factory=InputSpace)


@dataclass(slots=True)
class Summary:
    """What many runs came to.

    Attributes:
        seconds: virtual seconds in all.
        inputs: what the servers were told, and how they refused.
    """

    seeds: int = 0
    seconds: float = 0.0
    counts: Counter[RareEvent] = field(default_factory=Counter)
    modes: set[Mode] = field(default_factory=set)
    broken: list[WorldOutcome] = field(default_factory=list)
    inputs: InputSpace = field(default_factory=InputSpace)

    def add(self, outcome: WorldOutcome) -> None:
        self.seeds += 1
        self.seconds += outcome.seconds
        self.counts += outcome.counts
        self.inputs.add(outcome.inputs)
        self.modes.add(outcome.plan.mode)
        if outcome.fault is not None:
            self.broken.append(outcome)

    @property
    def never(self) -> list[RareEvent]:
        possible = frozenset[RareEvent]().union(
            *(EVENTS[mode] for mode in self.modes or {Mode.IN_PROCESS})
        )
        return [event for event in RareEvent if event in possible and not self.counts[event]]

    @property
    def missing(self) -> list[str]:
        """The events and inputs that a campaign of this length should have seen."""
        if self.seeds < LONG:
            return []
        is_in_process = not self.modes or Mode.IN_PROCESS in self.modes
        return [*self.never, *(self.inputs.unexplained(UNVARIED) if is_in_process else ())]

    @property
    def has_failed(self) -> bool:
        """Whether a promise was broken, or what should have happened never did."""
        return bool(self.broken or self.missing)

    @property
    def faults(self) -> int:
        return sum(count for event, count in self.counts.items() if event not in CONSEQUENCES)


def temporary() -> TemporaryDirectory[str]:
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


def simulate(plan: FaultPlan, template: Path, *, trace: bool = False) -> WorldOutcome:
    """Run one world; what goes wrong in it is part of the outcome."""
    with temporary() as place, _uncollected():
        world, loop = WORLDS[plan.mode]
        try:
            return run(
                lambda loop: _play(world(loop, plan, template, Path(place)), trace=trace), loop
            )
        except StuckTimeError as error:
            return WorldOutcome(plan, 0.0, Counter(), (), f"StuckError: {error}", "StuckError")


async def _play(world: World | FullStackWorld | TakeoverWorld, *, trace: bool) -> WorldOutcome:
    world.trace.is_kept = trace
    fault = kind = None
    try:
        await world.play()
    except BrokenPromiseError as error:
        fault, kind = f"BrokenPromiseError: {error}", str(error.promise)
    except Exception as error:  # noqa: BLE001  # the run's outcome
        fault, kind = f"{type(error).__name__}: {error}", type(error).__name__
    seconds = world.trace.now() - BEGIN_S
    return WorldOutcome(
        world.plan,
        seconds,
        world.trace.counts,
        tuple(world.trace.lines),
        fault,
        kind,
        world.trace.inputs,
    )


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


def simulate_from(plan: FaultPlan, template: bytes, *, trace: bool = False) -> WorldOutcome:
    """Run one world, given the content of a new store: what a worker does."""
    with temporary() as folder:
        path = Path(folder) / "template.sqlite3"
        path.write_bytes(template)
        return simulate(plan, path, trace=trace)


def summary_of(seeds: Iterable[int], template: Path, mode: Mode = Mode.IN_PROCESS) -> Summary:
    """Run the world of each seed once, on all cores of this machine."""
    summary, workers = Summary(), os.cpu_count() or 1
    plans = (FaultPlan.of(seed, mode) for seed in dict.fromkeys(seeds))
    with WorkerPool(workers) as executor:
        for outcome in spread(plans, template.read_bytes(), executor, workers=workers):
            summary.add(outcome)
    return summary


def spread(
    plans: Iterable[FaultPlan],
    template: bytes,
    executor: Executor,
    *,
    workers: int,
    trace: bool = False,
) -> Iterator[WorldOutcome]:
    """Run worlds, perhaps endless, on an executor; yield each outcome as it comes."""
    waiting, work = iter(plans), partial(simulate_from, trace=trace)
    running: set[Future[WorldOutcome]] = set()
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


FOLDER = ROOT / "tests" / "data" / "seeds"


def kept_seeds(name: str) -> list[int]:
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    return [int(line.partition(" ")[0]) for line in lines if line and not line.startswith("#")]
