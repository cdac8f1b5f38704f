"""An event without sockets: its terms, the conditions of its games, and the games that follow.

Which rounds there are is decided by `mancala.server.contest.events.plan`. Games ``2k`` and ``2k +
1`` play the same opening with the seats swapped, and each opening is used once.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from ...config.events import Format, TieBreak
from ...model.game import Encounter, RatedGame, Round
from ..events import plan as planning
from ..events.terms import Attendance, Plan, Terms
from .game import Conditions, Task


class Contender(Struct, frozen=True):
    """A player of an event: its name in the standings, and its spec."""

    name: str
    spec: str


class Event(Struct, frozen=True):
    """The definition of an event.

    Attributes:
        contenders: the players, in order of seeding.
        games: games per encounter; even.
        rounds: rounds of a Swiss event; laps of a round robin, gauntlet or match.
        openings: positions as text, one per pair of games, in order of use; after the last, the
            standard start is played.
        disable_after: forfeits in a row after which a player's later games are lost without
            being played; 0 for never.
        tie_breaks: what decides between equal points; empty for what suits the format.

    Raises:
        ValueError: when the values are inconsistent.
    """

    format: Format
    contenders: tuple[Contender, ...]
    games: int
    rounds: int
    conditions: Conditions
    openings: tuple[str, ...] = ()
    disable_after: int = 3
    tie_breaks: tuple[TieBreak, ...] = ()
    accelerated: bool = False
    replays: int = 0
    attendance: dict[str, Attendance] = {}
    leave_out_unusual: bool = False

    def __post_init__(self) -> None:
        if self.games < 2 or self.games % 2:  # a pair
            raise ValueError(f"games come in pairs with the seats swapped, not {self.games}")
        if self.disable_after < 0:
            raise ValueError(f"forfeits in a row are counted from 0, not {self.disable_after}")
        _ = self.terms

    @property
    def terms(self) -> Terms:
        return Terms(
            self.format,
            self.names,
            self.games,
            self.rounds,
            self.conditions.seed,
            self.accelerated,
            self.replays,
            self.attendance,
        )

    @property
    def order_of_tie_breaks(self) -> tuple[TieBreak, ...]:
        """The tie-breaks asked for, or those that suit the format."""
        return self.tie_breaks or planning.usual_tie_breaks(self.format)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names, in order of seeding."""
        return tuple(contender.name for contender in self.contenders)


class EventPlan(NamedTuple):
    """The rounds of an event decided so far, and all their games, played or not, by number."""

    decided: Plan
    tasks: tuple[Task, ...]


def most_pairs(event: Event) -> int:
    """Return the number of game pairs of a whole event, with all replays: the openings it needs."""
    return planning.most_encounters(event.terms) * event.games // 2


def plan(event: Event, played: Mapping[int, RatedGame]) -> EventPlan:
    """Return the rounds and games decided by the finished games, which are by number."""
    decided = planning.plan(event.terms, played)
    return EventPlan(decided, tuple(_tasks(event, decided.rounds)))


def _tasks(event: Event, rounds: Iterable[Round]) -> Iterable[Task]:
    encounters = (encounter for round_ in rounds for encounter in round_.encounters)
    pairs = (encounter for encounter in encounters for _ in range(event.games // 2))
    for pair, encounter in enumerate(pairs):
        opening = event.openings[pair] if pair < len(event.openings) else ""
        for leg, seats in enumerate(Encounter(*encounter).games):
            yield Task(2 * pair + leg, seats, opening)
