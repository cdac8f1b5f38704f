"""What every room of a running server is handed: clock, journal, ids, log and event factory."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from mancala.protocol.messages import Moved

from ..config.settings import LiveConfig
from ..health.fairness import Fairness
from ..health.log import Log
from ..model.events import EventFactory
from ..model.journal import Journal
from ..model.timers import CallAt
from .orders import Orders

T = TypeVar("T")
SwissPairs = Callable[[str, int, tuple[int, ...]], tuple[tuple[int, int], ...] | None]


class Background(Protocol):
    """Runs long computations beside the event loop."""

    def __call__(self, work: Callable[[], T], done: Callable[[T], None]) -> None:
        """Run ``work`` on a thread, then call ``done`` with its result on the event loop."""


def run_inline(work: Callable[[], T], done: Callable[[T], None]) -> None:
    """Run ``work`` in the caller's thread and pass its result to ``done``."""
    done(work())


def ignore_move(_moved: Moved) -> None:
    """Publish no live moves."""


@dataclass(frozen=True, slots=True)
class Context:
    """What every room of a running server is handed.

    Attributes:
        now: the event loop's clock, in seconds.
        utc: the time of day, RFC 3339.
        live: called with every move when it is announced.
        swiss_pairs: pairs a Swiss round from its report, its number and who is not paired; None for
            what does so in this process.
    """

    config: LiveConfig
    orders: Orders
    journal: Journal
    events: EventFactory
    now: Callable[[], float]
    call_at: CallAt
    utc: Callable[[], str]
    new_id: Callable[[], str]
    new_secret: Callable[[], str]
    pick: Callable[[tuple[int, ...]], int]
    log: Log
    fairness: Fairness
    in_background: Background = run_inline
    swiss_pairs: SwissPairs | None = None
    live: Callable[[Moved], None] = ignore_move
