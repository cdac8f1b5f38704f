"""What a Kalah Game Protocol conversation asks of whoever holds its socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from protocol.kgp.lines import Argument, Command, Word, write
from protocol.messages import ClientMessage, Reason


@dataclass(frozen=True, slots=True)
class Policy:
    """How clients are treated.

    Attributes:
        ladder: the ladder they join; without one they seek matches, one after the other.
        rated: whether the matches they seek count.
        games: games of a match they seek.
        stop_delay_s: from a ``yield`` to its ``stop``; 50 ms were enough in 8,437 moves.
        ping_s: how often a client that waits is asked whether it is there.
        pong_s: how long its answer may take.
    """

    ladder: str | None = None
    rated: bool = True
    games: int = 2
    stop_delay_s: float = 0.05
    ping_s: float = 20.0
    pong_s: float = 2.0


class Say(NamedTuple):
    """Send the client a line."""

    line: str


class Relay(NamedTuple):
    """Tell the arena what the client said."""

    message: ClientMessage


class Fault(NamedTuple):
    """Tell the arena that the client can play no more, through its own doing."""

    reason: Reason
    detail: str
    received: str = ""


class Close(NamedTuple):
    """Close the connection."""


Action = Say | Relay | Fault | Close


class Speaker:
    """Numbers the server's lines: fresh, even and rising.

    Attributes:
        last_id: the number of the line said last; 0 before the first.
    """

    def __init__(self) -> None:
        self.last_id = 0

    def say(self, name: str, *arguments: Argument, ref: int | None = None) -> Say:
        """Write a line under the next number."""
        self.last_id += 2
        return Say(write(Command(name, arguments, self.last_id, ref)))

    def set(self, option: str, value: Argument) -> Say:
        """Write a ``set``: the option bare, a string quoted, as the Java client wants it."""
        return self.say("set", Word(option), value)
