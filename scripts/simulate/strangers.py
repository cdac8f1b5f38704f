"""Strangers that ask for the names of others."""

from __future__ import annotations

from typing import Final

from protocol.messages import VERSION, Hello, Message, Welcome
from scripts.simulate.ledger import Ledger
from scripts.simulate.promises import Promise, broken
from scripts.simulate.scene import Scene
from scripts.simulate.story import Event
from scripts.simulate.wire import Line, Server

DELAY_S: Final = 0.02
GUESS: Final = "a guess"


class Stranger:
    """One that says hello with a name that is another's, once.

    Attributes:
        name: the name.
        ledger: what is said to it, apart from what is said to the name's holder.
    """

    def __init__(self, world: Scene, name: str) -> None:
        self.name = name
        self.ledger = Ledger(world.story, world.grace_s, world)
        self._world = world

    def knock(self, server: Server) -> None:
        """Ask for the name: without a token, or with a guess."""
        story = self._world.story
        story.count(Event.STRANGER, self.name)
        line = Line(self, server, story, self._world.later, delay_s=DELAY_S)
        hellos = (
            Hello(VERSION, self.name),
            Hello(VERSION, self.name, token=GUESS),
            Hello(VERSION, self.name, resume=GUESS),
        )
        line.say(story.chance.choice(hellos))

    def heard(self, _line: Line, message: Message) -> None:
        """Take a message of the server: it must be no welcome."""
        if isinstance(message, Welcome):
            broken(Promise.OWN_NAME, f"a stranger is {self.name}")

    def lost(self, _line: Line) -> None:
        """Leave."""
