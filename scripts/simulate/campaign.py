"""Many seeds, one after another, and what they saw together."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from scripts.simulate.loop import BEGIN_S, VirtualLoop, run
from scripts.simulate.promises import BrokenPromiseError
from scripts.simulate.story import CONSEQUENCES, Event, Story
from scripts.simulate.world import Plan, World
from server.store.database import connect

MEMORY: Final = Path("/dev/shm")  # noqa: S108  # folders in it have names of their own
"""Files here cost no disk; where there is none, the usual place for temporary files is used."""
LONG: Final = 200
"""A campaign of this many seeds sees every event."""


@dataclass(slots=True)
class Outcome:
    """What a seed's run came to.

    Attributes:
        seed: the seed.
        story: what happened.
        seconds: virtual seconds that passed.
        fault: what went wrong; None if every promise was kept.
    """

    seed: int
    story: Story
    seconds: float
    fault: BaseException | None = None


@dataclass(slots=True)
class Summary:
    """What many runs came to.

    Attributes:
        seeds: how many there were.
        seconds: virtual seconds in all.
        counts: how often each event happened.
        broken: the runs in which a promise was broken.
    """

    seeds: int = 0
    seconds: float = 0.0
    counts: Counter[Event] = field(default_factory=Counter)
    broken: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Add a run."""
        self.seeds += 1
        self.seconds += outcome.seconds
        self.counts += outcome.story.counts
        if outcome.fault is not None:
            self.broken.append(outcome)

    @property
    def never(self) -> list[Event]:
        """The events that no run saw."""
        return [event for event in Event if not self.counts[event]]

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
    """Create an empty store; each world begins with a copy."""
    path = folder / "template.sqlite3"
    connection = connect(str(path))
    engine = connection.engine
    connection.close()
    engine.dispose()
    return path


def simulate(plan: Plan, template: Path, *, trace: bool = False) -> Outcome:
    """Run one world; what goes wrong in it is part of the outcome."""
    worlds: list[World] = []

    async def play(loop: VirtualLoop) -> BaseException | None:
        world = World(loop, plan, template, Path(folder))
        world.story.is_kept = trace
        worlds.append(world)
        try:
            await world.play()
        except (BrokenPromiseError, Exception) as fault:  # noqa: BLE001  # the run's outcome
            return fault
        return None

    with temporary() as folder:
        fault = run(play)
    story = worlds[0].story
    gc.collect(0)
    return Outcome(plan.seed, story, story.now() - BEGIN_S, fault)


def simulate_all(seeds: Iterable[int], template: Path) -> Iterable[Outcome]:
    """Yield the outcome of each seed."""
    for seed in seeds:
        yield simulate(Plan.of(seed), template)
