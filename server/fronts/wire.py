"""What a server and its fronts say to each other.

A front numbers its connections, and tells of each that it is open, what it says, and that it is
closed, in this order. The server tells what to write to them. All of a turn of the event loop goes
as one line, since a line costs as much as a message.

What a connection has said and the server has not handled yet is bounded: after ``WINDOW`` bytes the
front reads no more of it, until the server has acknowledged some. So a slow server, and a peer that
rests, cost the kernel's buffers and at last the peer.
"""

from typing import Annotated, Any, Final, NamedTuple

from msgspec import Meta, Struct
from msgspec.structs import replace

from mancala.protocol import codec

from ..config.settings import Config, Limits
from ..health.child_process import Handover
from ..model.timers import Stall
from ..net.limits import costs as prices
from ..net.tls import Pem

WINDOW: Final = 16 * 1024
"""A hundred moves with what bots report about them."""
OVERHEAD: Final = 64
"""Bytes that each message counts besides, so that empty ones are bounded, too."""
LINE_BYTES: Final = 64 * 1024
"""Messages beyond this go as another line."""
MOST_HEARD: Final = LINE_BYTES // OVERHEAD + 1
"""The most messages of a line."""
LONGEST_LINE: Final = 512 * 1024
"""Ample for `LINE_BYTES` and the largest message, in base64."""
LONGEST_FROM_SERVER: Final = 256 * 1024 * 1024
"""Ample for what a turn of the loop writes to all connections."""

UP: Final = "up"
OPENED: Final = "opened"
HEARD: Final = "heard"
FLOODED: Final = "flooded"
CLOSED: Final = "closed"
CAUGHT_UP: Final = "caught up"
LATE: Final = "late"

WRITE: Final = "write"
READ: Final = "read"
PLAYS: Final = "plays"
CLOSE: Final = "close"
ABORT: Final = "abort"
CATCH_UP: Final = "catch up"
RELOAD: Final = "reload"
STOP: Final = "stop"
CLOCK: Final = "clock"

NUMBER: Final = 1
"""Of this wire, for fronts on other machines; one more when an older end would misread it."""
PUBLIC: Final = ("hosts", "limits", "origins", "public_url")
"""Settings that they get."""
SILENT_S: Final = 10
"""An end on another machine that tells nothing for so long is gone, in seconds."""


def reading_price(message: bytes) -> float:
    return prices.reading(len(message) + 8)


class FrontSettings(NamedTuple):
    """What a front goes by.

    The server hands over the certificate that it has loaded itself: the files may hold half of a
    renewed one by now. Without it, the front loads the files.
    """

    config: Config
    pem: Pem | None


class Opened(NamedTuple):
    """A connection is open, and whose it is."""

    number: int
    address: str


class Heard(Struct, frozen=True, array_like=True, omit_defaults=True):
    """A message of a connection.

    Attributes:
        read_at: when the front read it, in seconds on the clock of all processes here.
        lag_ms: the connection's lag.
        earliest: when it arrived at the earliest, if that is known.
        latest: when it arrived at the latest; None if that is when it was read.
        stall: one of the front that had just ended, if it is not known when the message arrived.
    """

    number: int
    message: bytes
    read_at: float
    lag_ms: Annotated[float, Meta(ge=0)]
    earliest: float | None = None
    latest: float | None = None
    stall: Stall | None = None


class Closed(NamedTuple):
    """A connection is gone; its peer sent something unreadable if it has a ``fault``."""

    number: int
    fault: str | None


class Writing(NamedTuple):
    numbers: list[int]
    frames: bytes


class Closing(NamedTuple):
    number: int
    code: int
    reason: str


class Handled(NamedTuple):
    """Bytes of a connection that the server has handled, with the overhead of its messages."""

    number: int
    size: int


class Plays(NamedTuple):
    """Whether the peer of a connection plays, so that its lag matters."""

    number: int
    plays: bool


ASKED: Final = {
    UP: None,
    OPENED: Opened,
    HEARD: Annotated[list[Heard], Meta(max_length=MOST_HEARD)],
    FLOODED: int,
    CLOSED: Closed,
    CAUGHT_UP: int,
    LATE: bool,
}
"""What a front tells. It is ``UP`` once it accepts connections; one of them that ``FLOODED`` has
overdrawn its budget there for too long, and ``CAUGHT_UP`` answers a ``CATCH_UP``. ``LATE`` says
whether its event loop is too late for games to begin."""
TOLD: Final = {
    WRITE: list[Writing],
    READ: Handled,
    PLAYS: Plays,
    CLOSE: Closing,
    ABORT: int,
    CATCH_UP: int,
    RELOAD: FrontSettings,
    STOP: None,
}
"""What it hears. ``CATCH_UP`` is answered once it has told all that had arrived by then, and
``STOP`` has it accept no more."""


class ClockReading(NamedTuple):
    """When a front asked for the time, on its own clock, and the time of the server's."""

    asked_at: float
    now: float


TOLD_FROM_FAR: Final = {**ASKED, CLOCK: float}
"""What a front on another machine tells; each second, the time of its own clock."""
TOLD_TO_FAR: Final = {**TOLD, CLOCK: ClockReading, RELOAD: dict[str, Any]}
"""What it hears."""


class FrontHello(Struct, frozen=True):
    """What a front on another machine says first."""

    token: str
    wire: int = NUMBER


class FrontWelcome(Struct, frozen=True, omit_defaults=True):
    """What the server answers: why it is not welcome, or what it goes by, and the time."""

    refused: str = ""
    settings: dict[str, Any] = {}
    now: float = 0.0


def public_settings(config: Config) -> dict[str, Any]:
    """Return what a front on another machine goes by; it has a certificate of its own."""
    return {name: getattr(config, name) for name in PUBLIC}


def taken_up(own: Config, told: dict[str, Any]) -> Config:
    """Return a front's settings with those of its server, which may know more of them.

    DecodeError when one has the wrong type.
    """
    known = {name: told[name] for name in PUBLIC if name in told}
    limits = known.get("limits")
    if isinstance(limits, dict):
        known["limits"] = {n: limits[n] for n in Limits.__struct_fields__ if n in limits}
    given = codec.from_json(codec.to_json(known), Config)
    return replace(own, **public_settings(given))


def settings_of(config: Config, pem: Pem | None) -> FrontSettings:
    """Return what a front gets of the settings: what it needs, and no password of the server's."""
    needed = Config(log_level=config.log_level, tls=config.tls, **public_settings(config))
    return FrontSettings(needed, pem)


class FrontHandover(Handover, frozen=True):
    """What a front gets first, with sockets that listen."""

    settings: FrontSettings
