"""The actions that a Kalah Game Protocol conversation asks of the code that owns its socket."""

from dataclasses import dataclass
from typing import NamedTuple

from ..messages import ClientMessage, Reason
from .lines import Argument, Command, Word, write


@dataclass(frozen=True, slots=True)
class Policy:
    """The server's settings for its clients.

    Without a ladder and an event they seek one match of some games after another. ``stop_delay_s``
    lies between a ``yield`` and its ``stop``; 0.05 was enough in 8,437 moves. Pings of a waiting
    client are ``ping_s`` apart, and their answers may take ``pong_s``.
    """

    ladder: str | None = None
    event: str | None = None
    rated: bool = True
    games: int = 2
    stop_delay_s: float = 0.05
    ping_s: float = 20.0
    pong_s: float = 2.0


class Say(NamedTuple):
    line: str


class Relay(NamedTuple):
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
    """Numbers the server's lines: even and ascending."""

    def __init__(self) -> None:
        self.last_id = 0

    def say(self, name: str, *arguments: Argument, ref: int | None = None) -> Say:
        self.last_id += 2
        return Say(write(Command(name, arguments, self.last_id, ref)))

    def set(self, option: str, value: Argument) -> Say:
        """Return a ``set``: the option bare and a string quoted, as the Java client requires."""
        return self.say("set", Word(option), value)
