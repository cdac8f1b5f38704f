"""The actions that a Kalah Game Protocol conversation asks of the code that owns its socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..messages import ClientMessage, Reason
from .lines import Argument, Command, Word, write


@dataclass(frozen=True, slots=True)
class Policy:
    """The server's settings for its clients.

    Attributes:
        ladder: the ladder that clients join; without one they seek one match after another.
        event: the event that clients enter, besides the ladder or instead of seeking.
        rated: whether the matches they seek are rated.
        games: the games of a match they seek.
        stop_delay_s: seconds from a ``yield`` to its ``stop``; 0.05 was enough in 8,437 moves.
        ping_s: seconds between pings of a waiting client.
        pong_s: seconds that the answer to a ping may take.
    """

    ladder: str | None = None
    event: str | None = None
    rated: bool = True
    games: int = 2
    stop_delay_s: float = 0.05
    ping_s: float = 20.0
    pong_s: float = 2.0


class Say(NamedTuple):
    """Send a line to the client."""

    line: str


class Relay(NamedTuple):
    """Pass a message of the client on to the arena."""

    message: ClientMessage


class Fault(NamedTuple):
    """Report to the arena that the client cannot go on, through a fault of its own."""

    reason: Reason
    detail: str
    received: str = ""


class Close(NamedTuple):
    """Close the connection."""


Action = Say | Relay | Fault | Close


class Speaker:
    """Numbers the server's lines: even and ascending.

    Attributes:
        last_id: the number of the last line; 0 before the first.
    """

    def __init__(self) -> None:
        self.last_id = 0

    def say(self, name: str, *arguments: Argument, ref: int | None = None) -> Say:
        """Return a line under the next number."""
        self.last_id += 2
        return Say(write(Command(name, arguments, self.last_id, ref)))

    def set(self, option: str, value: Argument) -> Say:
        """Return a ``set``: the option bare and a string quoted, as the Java client requires."""
        return self.say("set", Word(option), value)
