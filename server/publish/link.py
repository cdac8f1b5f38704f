"""What the game server and its publisher's process say to each other: JSON lines.

The publisher asks for rows of the outbox and marks those that the broker has acknowledged; each
question has a number, which its answer repeats. The game server, besides its answers, says when
there are new rows and hands over live moves.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from mancala.protocol import codec

from ..config.settings import Mqtt
from ..model.outbox import OutboxRow

LONGEST_LINE: Final = 256 * 1024 * 1024
"""Ample for a chunk of rows that all hold standings of 20,000 bots."""


class PublisherHandover(Struct, frozen=True):
    """What the game server gives its publisher's process, on stdin.

    Attributes:
        url: the broker's URL.
        mqtt: the settings.
        server: the server's name.
        prefix: prefix of every topic.
        link: file descriptor of the connection to the game server.
        log_level: the least events that are logged.
    """

    url: str
    mqtt: Mqtt
    server: str
    prefix: str
    link: int
    log_level: str = "info"


class Fetch(Struct, frozen=True, tag="fetch"):
    """The publisher wants the next rows, at most ``limit``."""

    number: int
    limit: int


class Mark(Struct, frozen=True, tag="mark"):
    """The broker has acknowledged these rows."""

    number: int
    seqs: tuple[int, ...]
    at: str


class Connected(Struct, frozen=True, tag="connected"):
    """Whether the broker is connected has changed."""

    is_connected: bool


class Rows(Struct, frozen=True, tag="rows"):
    """The answer to :class:`Fetch`."""

    number: int
    rows: tuple[OutboxRow, ...]


class Marked(Struct, frozen=True, tag="marked"):
    """The answer to :class:`Mark`."""

    number: int


class Wake(Struct, frozen=True, tag="wake"):
    """The outbox has new rows."""


class Live(Struct, frozen=True, tag="live"):
    """A live payload, its JSON as text; sent at most once."""

    topic: str
    payload: str


class Stop(Struct, frozen=True, tag="stop"):
    """The game server ends: publish what can be published in a moment, and end."""


FromPublisher = Fetch | Mark | Connected
ToPublisher = Rows | Marked | Wake | Live | Stop


def from_publisher(text: bytes) -> FromPublisher:
    """Return a message from its line."""
    kind: Any = FromPublisher
    message: FromPublisher = codec.from_json(text, kind)
    return message


def to_publisher(text: bytes) -> ToPublisher:
    """Return a message from its line."""
    kind: Any = ToPublisher
    message: ToPublisher = codec.from_json(text, kind)
    return message


def line(message: FromPublisher | ToPublisher) -> bytes:
    """Return a message as a line."""
    return codec.to_json(message) + b"\n"
