"""What happens in a simulated world: drawn from a seed, and changed where a run is shrunk."""

from __future__ import annotations

import random
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, Final

from tests.simulate.faults import MOST_BOTS, BotFaults

STALLED: Final = 0.4
"""The share of worlds whose server is held up at times."""
PLENTY: Final = 1000.0
APART: Final = 0.3
"""The share of worlds whose publisher is a process of its own."""
NIGHTS: Final = 0.15
"""The share of worlds with a second day."""
BROKER: Final = "broker"
DISK: Final = "disk"
FRONTS: Final = "fronts"
ORDERS: Final = "orders"
PAGE: Final = "page"
PUBLISHER: Final = "publisher"
WHOLE: Final = (BROKER, DISK, FRONTS, ORDERS, PAGE, PUBLISHER)
"""What happens to a server, or by its operator; all else is what bots do."""
FAULTS: Final = (
    *WHOLE,
    *(one.name for one in fields(BotFaults) if isinstance(one.default, float) and not one.default),
)
"""What may happen: those, and what bots do with a probability, 0 for a polite bot."""


class Mode(StrEnum):
    """How much of the product a world runs."""

    IN_PROCESS = "in-process"
    """The server's rooms, called directly: no sockets, and bots of the simulation's own."""
    FULL_STACK = "full-stack"
    """The whole server and the real clients, over TCP in memory."""
    TAKEOVER = "takeover"
    """Two servers of one store, of which one stands by, with work in place of games."""


class PlanError(ValueError):
    """The text of a plan is not valid."""


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """What happens in a world; all of it follows from the seed.

    Attributes:
        stalls: whether the server's loop is held up at times; in process only.
        has_night: whether the server is off for a day between two storms; in process only.
        without: the faults of bots, broker, disk, fronts and publisher that do not happen, or
            the operator's orders.
    """

    seed: int
    bots: int
    kills: int
    storm_s: float
    stalls: bool = False
    has_night: bool = False
    mode: Mode = Mode.IN_PROCESS
    without: tuple[str, ...] = ()

    @property
    def shown_per_s(self) -> float:
        """What spectators earn a second for what they are shown: little in some worlds."""
        return random.Random(f"shown {self.seed}").choice((0.5, 2.0, PLENTY))

    @property
    def publishes_apart(self) -> bool:
        """Whether the publisher is a process of its own, which may be killed or hang."""
        return random.Random(f"publisher {self.seed}").random() < APART

    @property
    def has_page(self) -> bool:
        """Whether a server of the full stack has a web process and an operator."""
        return random.Random(f"http {self.seed}").random() < APART

    @property
    def fronts(self) -> int:
        """How many processes hold the sockets of the full stack; 0 if the server does."""
        return random.Random(f"front {self.seed}").choice((0, 0, 0, 1, 2))

    @classmethod
    def of(cls, seed: int, mode: Mode = Mode.IN_PROCESS) -> FaultPlan:
        rng = random.Random(seed)
        return cls(
            seed=seed,
            bots=rng.randint(2, MOST_BOTS),
            kills=rng.choice((0, 1, 1, 2, 3)),
            storm_s=rng.uniform(20.0, 120.0),
            stalls=rng.random() < STALLED,
            has_night=rng.random() < NIGHTS and mode is Mode.IN_PROCESS,
            mode=mode,
        )

    def tamed(self, faults: BotFaults) -> BotFaults:
        changes: dict[str, Any] = dict.fromkeys(set(self.without) - {*WHOLE}, 0.0)
        return replace(faults, **changes)

    @property
    def changes(self) -> str:
        """What was changed in the plan of its seed, as :meth:`changed` takes it."""
        drawn = FaultPlan.of(self.seed, self.mode)
        parts = {
            "bots": str(self.bots),
            "kills": str(self.kills),
            "storm_s": f"{self.storm_s:g}",
            "stalls": str(int(self.stalls)),
            "has_night": str(int(self.has_night)),
            "without": "+".join(self.without),
        }
        return ",".join(
            f"{key}={text}"
            for key, text in parts.items()
            if getattr(self, key) != getattr(drawn, key)
        )

    def changed(self, text: str) -> FaultPlan:
        """Return the plan with changes, such as ``bots=2,without=drop+late``."""
        plan = self
        for part in filter(None, text.split(",")):
            key, _, value = part.partition("=")
            try:
                plan = replace(plan, **{key: _READ[key](value)})
            except (KeyError, ValueError):
                raise PlanError(f"{part!r}: known are {', '.join(_READ)}") from None
        return plan

    @property
    def command(self) -> str:
        changes = f" --plan {self.changes}" if self.changes else ""
        mode = f" --mode {self.mode}" if self.mode is not Mode.IN_PROCESS else ""
        return f"python -m tests.simulate --seed {self.seed}{mode}{changes} --trace"


def _faults(text: str) -> tuple[str, ...]:
    faults = tuple(filter(None, text.split("+")))
    if not set(faults) <= set(FAULTS):
        raise ValueError(text)
    return faults


def _bots(text: str) -> int:
    bots = int(text)
    if not 1 <= bots <= MOST_BOTS:
        raise ValueError(text)
    return bots


_READ: Final[dict[str, Any]] = {
    "bots": _bots,
    "kills": int,
    "storm_s": float,
    "stalls": lambda text: bool(int(text)),
    "has_night": lambda text: bool(int(text)),
    "without": _faults,
}
