"""What the hall takes from the world, handed in: time, chance, names, the journal and the door."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from protocol.messages import Moved
from server.health.fairness import Fairness
from server.health.log import Log
from server.ladders.room import Arena, Background, World
from server.match.context import Floor, House
from server.model.journal import Journal
from server.model.timers import Timer
from server.publish.events import Herald
from server.rating.ratings import Ratings


def at_once(work: Callable[[], Ratings | None], done: Callable[[Ratings | None], None]) -> None:
    """Do the work here and now, and hand on what it gave."""
    done(work())


def to_nobody(_moved: Moved) -> None:
    """Tell nobody of a move."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the hall takes from the world.

    Attributes:
        journal: makes things durable.
        herald: words the results.
        now: the clock, in seconds.
        call_at: calls back at an instant on that clock.
        utc: the time of day, RFC 3339.
        new_id: names games, matches and challenges.
        pick: chooses a legal pit for a player out of time.
        log: where events are told.
        in_background: does the first without holding up the loop, then hands the second what it
            gave.
        fairness: tells whether games can be kept fair, and were.
        live: told of every move as it is announced.
    """

    journal: Journal
    herald: Herald
    now: Callable[[], float]
    call_at: Callable[[float, Callable[[], None]], Timer]
    utc: Callable[[], str]
    new_id: Callable[[], str]
    pick: Callable[[tuple[int, ...]], int]
    log: Log
    in_background: Background = at_once
    fairness: Fairness = field(default_factory=Fairness)
    live: Callable[[Moved], None] = to_nobody

    def of_tables(self, house: House, grace_s: float) -> Floor:
        """Give what the tables take of it."""
        return Floor(
            house=house,
            journal=self.journal,
            herald=self.herald,
            grace_s=grace_s,
            now=self.now,
            call_at=self.call_at,
            utc=self.utc,
            new_id=self.new_id,
            pick=self.pick,
            fairness=self.fairness,
            live=self.live,
        )

    def of_ladders(self, arena: Arena) -> World:
        """Give what the ladders take of it."""
        return World(
            arena=arena,
            journal=self.journal,
            herald=self.herald,
            now=self.now,
            call_at=self.call_at,
            utc=self.utc,
            new_id=self.new_id,
            in_background=self.in_background,
            log=self.log,
        )


class Doorkeeper(Protocol):
    """Who checks tokens."""

    def check(self, name: str, token: str | None, answer: Callable[[str | None], None]) -> None:
        """Call ``answer`` with None when the bot may come in, or with what is wrong."""

    def recall(self, secret_hash: str, answer: Callable[[bool], None]) -> None:
        """Call ``answer`` with whether a session is still good: its token wasn't revoked."""
