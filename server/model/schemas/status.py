"""The server, how it is, and what its operator does."""

from enum import StrEnum

from mancala.protocol.results import ActChange, Timestamp

from .views import View


class ServerView(View, frozen=True):
    """The server, and the way to it.

    Attributes:
        server: its name.
        protocol: what it speaks over the websocket.
        websocket: where bots and spectators connect, when the organiser has said so.
        websocket_port: the port for them on this host otherwise.
        games_running: games being played.
        guests: whether spectators may come without a token.
        notice: what the organiser lets all know at the moment.
        public_log: whether ``/log`` tells what the organiser does.
    """

    server: str
    protocol: str
    websocket: str | None
    websocket_port: int
    games_running: int
    guests: bool
    notice: str | None = None
    public_log: bool = False


class BrokerState(StrEnum):
    """How things stand with the MQTT broker."""

    CONNECTED = "connected"
    AWAY = "away"
    NONE = "none"


class Delivery(StrEnum):
    """How far it is known that payloads arrive at the broker."""

    CONFIRMED = "confirmed"
    """The broker speaks MQTT 5, and says what it refuses."""
    READ_BACK = "read back"
    """It speaks MQTT 3.1.1, and the first payload of each kind came back."""
    UNVERIFIED = "unverified"
    """It speaks MQTT 3.1.1, and one did not: the publisher may not read there, or not write."""


class Health(View, frozen=True):
    """Whether the process is alive."""

    status: str


class Delivered(View, frozen=True, kw_only=True):
    """How things stand beside the server: the broker, its surroundings and its fronts.

    Attributes:
        broker: how things stand with the broker; results wait for it, games don't.
        delivery: how far it is known that payloads arrive there.
        put_aside: payloads that it does not accept; they are tried again from time to time.
        put_aside_since: since when the oldest of them is put aside.
        put_aside_topic: its topic.
        put_aside_why: why.
        findings: what of its store and surroundings will do harm, as ``mancala doctor`` says it;
            empty on the page's port, which strangers reach.
        fronts_s: for how long each front has been running, in seconds.
        remote_fronts_s: for how long each front on another machine has held bots' sockets for this
            server, in seconds.
    """

    broker: BrokerState
    delivery: Delivery | None = None
    put_aside: int = 0
    put_aside_since: Timestamp | None = None
    put_aside_topic: str | None = None
    put_aside_why: str | None = None
    findings: tuple[str, ...] = ()
    fronts_s: tuple[float, ...] = ()
    remote_fronts_s: tuple[float, ...] = ()


class Readiness(Delivered, frozen=True, kw_only=True):
    """Whether the server can do its work.

    Attributes:
        ready: whether it can: the store takes writes, and a front runs if there are to be any.
        store: ``ok``, or what is wrong with it.
    """

    ready: bool
    store: str


class LogLineView(View, frozen=True):
    """A line of the operator's log.

    Attributes:
        number: its number.
        at: when.
        by: who.
        action: what was done.
        changed: what it changed, at most twenty things.
        changes: how many things.
        why: the reason given; may be empty.
    """

    number: int
    at: Timestamp
    by: str
    action: str
    changed: tuple[ActChange, ...]
    changes: int
    why: str


class LogView(View, frozen=True):
    """The operator's log.

    Attributes:
        log: the last hundred lines, the latest first.
    """

    log: tuple[LogLineView, ...]
