"""Strangers that ask for the names of others."""

from typing import Final

from mancala.protocol.messages import VERSION, Hello, Message, Welcome
from tests.simulate.ledger import Transcript
from tests.simulate.promises import Promise, broken
from tests.simulate.setup import Setup
from tests.simulate.tokens import RESERVED
from tests.simulate.trace import RareEvent
from tests.simulate.wire import SimulatedLine, SimulatedServerEnd

DELAY_S: Final = 0.02
PLACE: Final = "198.51.100.4"
GUESS: Final = "a guess"
OWN: Final = 0.1
"""The share that come by the way of the server's own programs."""
OTHER: Final = "mancala.v0"
"""A version of the protocol that the server does not speak."""


class Stranger:
    """One that says hello with a name that is another's, once.

    Attributes:
        ledger: what is said to it, apart from what is said to the name's holder.
    """

    def __init__(self, world: Setup, name: str) -> None:
        self.name = name
        self.address = PLACE
        self.ledger = Transcript(world.trace, world.grace_s, world)
        self._world = world

    def knock(self, server: SimulatedServerEnd) -> None:
        """Ask for the name: without a token, with a guess, or as what it is not."""
        trace = self._world.trace
        trace.count(RareEvent.STRANGER, self.name)
        line = SimulatedLine(self, server, trace, self._world.later, delay_s=DELAY_S)
        hellos = (
            Hello(VERSION, self.name),
            Hello(VERSION, self.name, token=GUESS),
            Hello(VERSION, self.name, resume=GUESS),
            Hello(OTHER, self.name),
            *((Hello(VERSION, self.name.upper()),) if self.name in RESERVED else ()),
        )
        line.seat.is_own = trace.happens(OWN)
        line.say(trace.rng.choice(hellos))

    def heard(self, _line: SimulatedLine, message: Message) -> None:
        """Take a message of the server: it must be no welcome."""
        if isinstance(message, Welcome):
            broken(Promise.OWN_NAME, f"a stranger is {self.name}")

    def lost(self, _line: SimulatedLine) -> None:
        """Leave."""
