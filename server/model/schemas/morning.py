"""What the organiser reads in the morning."""

from __future__ import annotations

from mancala.protocol.results import Timestamp

from .status import BrokerState
from .views import View


class VoidView(View, frozen=True):
    """A game that did not count.

    Attributes:
        game: its id.
        players: its bots.
        ended_at: when it ended.
        why: why it is void.
    """

    game: str
    players: tuple[str, str]
    ended_at: Timestamp
    why: str


class EventOrdersView(View, frozen=True):
    """An event that is not over, and what the organiser may order.

    Attributes:
        name: its name.
        format: its format.
        state: where it stands.
        round: the last round that was paired; 0 before.
        bots: the entrants that have not withdrawn.
        orders: the steps that can be taken now, as ``mancala event`` names them.
    """

    name: str
    format: str
    state: str
    round: int
    bots: tuple[str, ...]
    orders: tuple[str, ...]


class QuarantineView(View, frozen=True):
    """A version of a bot that may not play in a ladder.

    Attributes:
        ladder: the ladder.
        name: the version.
        until: until when.
        reason: why.
    """

    ladder: str
    name: str
    until: Timestamp
    reason: str


class RefusedView(View, frozen=True):
    """Logins that were refused since the server started.

    Attributes:
        code: the error's code.
        name: the name that asked.
        times: how often.
    """

    code: str
    name: str
    times: int


class FaultView(View, frozen=True):
    """A warning of the server's log.

    Attributes:
        at: when.
        event: what.
        facts: its facts.
    """

    at: Timestamp
    event: str
    facts: str


class ActView(View, frozen=True):
    """A line of the operator's log.

    Attributes:
        number: its number.
        at: when.
        by: the system user.
        action: what was done.
        why: the reason given.
    """

    number: int
    at: Timestamp
    by: str
    action: str
    why: str


class DiskView(View, frozen=True):
    """The store's room.

    Attributes:
        store: the store, without a password.
        store_bytes: the size of its file, or of its tables in PostgreSQL.
        free_bytes: what is free on its disk; none for PostgreSQL.
    """

    store: str
    store_bytes: int
    free_bytes: int | None


class MorningView(View, frozen=True):
    """How the last 24 hours went, and how things stand.

    Attributes:
        server: the server's name.
        at: when this was written.
        since: the beginning of what is counted.
        ready: whether the store takes writes.
        holds: what the operator has set: a notice, ladders on hold, draining.
        connections: open connections.
        games_running: games being played.
        endings: finished games, by reason.
        void: the last games that did not count.
        quarantines: those that hold.
        refused: refused logins since the last start.
        reviews_waiting: games that wait for a review.
        oldest_review: when the one that waits longest ended.
        reviewers: reviewers that are connected.
        house_up: the server's own programs that are connected.
        house_wanted: those that should be.
        broker: how things stand with the broker.
        unpublished: results that wait for it.
        disk: the store's room.
        starts: when the server started; more than one were restarts.
        warnings: warnings since the last start.
        faults: the last of them, the latest first.
        acts: the last lines of the operator's log.
        events: the events that are not over.
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
    broker: BrokerState
    unpublished: int
    disk: DiskView
    starts: tuple[Timestamp, ...]
    warnings: int
    faults: tuple[FaultView, ...]
    acts: tuple[ActView, ...]
    events: tuple[EventOrdersView, ...]
