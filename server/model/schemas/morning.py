"""What the organiser reads in the morning."""

from mancala.protocol.results import Timestamp

from .status import Delivered
from .views import View


class VoidView(View, frozen=True):
    """A game that did not count."""

    game: str
    players: tuple[str, str]
    ended_at: Timestamp
    why: str


class EventOrdersView(View, frozen=True):
    """An event that is not over, and what the organiser may order.

    Attributes:
        round: the last round that was paired; 0 before.
        bots: the entrants, without those who have withdrawn.
        orders: the steps that can be taken now, as ``mancala event`` names them.
        shown: the rounds in the table that all see.
    """

    name: str
    format: str
    state: str
    round: int
    bots: tuple[str, ...]
    orders: tuple[str, ...]
    withdrawn: tuple[str, ...] = ()
    shown: int = 0


class QuarantineView(View, frozen=True):
    """A version of a bot that may not play in a ladder."""

    ladder: str
    name: str
    until: Timestamp
    reason: str


class RefusedView(View, frozen=True):
    """Logins that were refused since the server started."""

    code: str
    name: str
    times: int


class FaultView(View, frozen=True):
    """A warning of the server's log."""

    at: Timestamp
    event: str
    facts: str


class ActView(View, frozen=True):
    """A line of the operator's log."""

    number: int
    at: Timestamp
    by: str
    action: str
    why: str


class DiskView(View, frozen=True):
    """The store's room; of PostgreSQL that of its tables, since its disk is not seen."""

    store: str
    store_bytes: int
    free_bytes: int | None


class MorningView(Delivered, frozen=True, kw_only=True):
    """How the last 24 hours went, and how things stand.

    Attributes:
        holds: what the operator has set: a notice, ladders on hold, draining.
        starts: when the server started; more than one were restarts.
    """

    server: str
    at: Timestamp
    since: Timestamp
    ready: bool
    holds: tuple[str, ...]
    connections: int
    games_running: int
    endings: dict[str, int]
    void: tuple[VoidView, ...]
    quarantines: tuple[QuarantineView, ...]
    refused: tuple[RefusedView, ...]
    reviews_waiting: int
    oldest_review: Timestamp | None
    reviewers: int
    house_up: int
    house_wanted: int
    unpublished: int
    disk: DiskView
    starts: tuple[Timestamp, ...]
    warnings: int
    faults: tuple[FaultView, ...]
    acts: tuple[ActView, ...]
    events: tuple[EventOrdersView, ...]
    fronts_wanted: int = 0
