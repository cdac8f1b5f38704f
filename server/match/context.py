"""What every table stands on, handed in: time, chance, the journal, and the house around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from protocol.messages import Moved
from protocol.referee import Ended
from server.health.fairness import Fairness
from server.model.journal import Announcement, Entry, Journal
from server.model.match import Match
from server.model.timers import Timer
from server.publish.events import Herald

if TYPE_CHECKING:
    from server.match.table import Table


class House(Protocol):
    """Who is told how a table's games come and go."""

    @property
    def is_draining(self) -> bool:
        """Whether no further game may begin."""

    def game_began(self, table: Table) -> None:
        """Note a game; ``table.game`` is its id."""

    def game_over(self, table: Table) -> None:
        """Note that the game is over."""

    def match_over(self, table: Table) -> None:
        """Note that the table is free."""

    def book(self, match: Match, ended: Ended, result: Announcement) -> Sequence[Entry]:
        """Count the present game where it counts; gives what becomes durable with its end."""

    def ratings(self, match: Match) -> dict[str, float] | None:
        """Tell both bots' ratings, where the match counts for any."""


@dataclass(frozen=True, slots=True)
class Floor:
    """What every table stands on.

    Attributes:
        house: who is told how games come and go.
        journal: makes things durable.
        herald: words the results.
        grace_s: how long a dropped seat is kept.
        now: the clock, in seconds.
        call_at: calls back at an instant on that clock.
        utc: the time of day, RFC 3339.
        new_id: names games.
        pick: chooses a legal pit for a player out of time.
        fairness: tells whether games can be kept fair, and were.
        live: told of every move as it is announced.
    """

    house: House
    journal: Journal
    herald: Herald
    grace_s: float
    now: Callable[[], float]
    call_at: Callable[[float, Callable[[], None]], Timer]
    utc: Callable[[], str]
    new_id: Callable[[], str]
    pick: Callable[[tuple[int, ...]], int]
    fairness: Fairness
    live: Callable[[Moved], None]
