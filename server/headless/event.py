"""An event: who plays whom, from which opening, and what comes next.

The plan is a function of the event and the games played so far, and of nothing else. So a resumed
event continues exactly where it was, and ends as it would have without interruption. Games are
numbered through the whole event; games ``2k`` and ``2k + 1`` play the same opening with the seats
swapped, and each opening is used once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from msgspec import Struct

from server.headless.game import Conditions, Task
from server.model.game import Encounter, Game, Round
from server.rating import schedule
from server.rating.standings import SWISS_TIE_BREAKS, standings
from server.rating.swiss import rounds_for, swiss_round

BYE_POINTS_A_GAME: Final = 1.0


class Format(StrEnum):
    """The format of an event."""

    ROUND_ROBIN = "rr"
    """Every player meets every other."""
    GAUNTLET = "gauntlet"
    """The first player meets every other."""
    SWISS = "swiss"
    """Players with equal scores meet, round by round; rematches are avoided."""
    KNOCKOUT = "knockout"
    """The loser is out; players are seeded in the order given."""


class Contender(Struct, frozen=True):
    """A player of an event: its name in the standings, and its spec."""

    name: str
    spec: str


class Event(Struct, frozen=True):
    """The definition of an event.

    Attributes:
        format: the pairing system.
        contenders: the players, in order of seeding.
        games: games per encounter; even.
        rounds: rounds of a Swiss event; laps of a round robin or gauntlet.
        conditions: rules, clock and seed of every game.
        openings: positions as text, one per pair of games, in order of use; after the last, the
            standard start is played.
        disable_after: forfeits in a row after which a player's later games are lost without
            being played; 0 for never.

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

    def __post_init__(self) -> None:
        if len(self.contenders) < 2:
            raise ValueError("an event needs two players or more")
        if self.games < 2 or self.games % 2:
            raise ValueError(f"games come in pairs with the seats swapped, not {self.games}")
        if self.rounds < 1:
            raise ValueError(f"an event has a round or more, not {self.rounds}")
        if self.disable_after < 0:
            raise ValueError(f"forfeits in a row are counted from 0, not {self.disable_after}")
        if twice := [name for name, count in Counter(self.names).items() if count > 1]:
            raise ValueError(f"named twice: {', '.join(twice)}")

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names, in order of seeding."""
        return tuple(contender.name for contender in self.contenders)


class Plan(NamedTuple):
    """The rounds and games of an event decided so far.

    Attributes:
        rounds: the rounds paired so far.
        tasks: all games of those rounds, played or not, by number.
        is_complete: whether no further round follows.
    """

    rounds: tuple[Round, ...]
    tasks: tuple[Task, ...]
    is_complete: bool


def usual_rounds(format_: Format, players: int) -> int:
    """Return the default rounds: as a Swiss event needs, one lap for the others."""
    return rounds_for(players) if format_ is Format.SWISS else 1


def pairs_in_all(event: Event) -> int:
    """Return the number of game pairs of a whole event: the openings it uses."""
    players = len(event.contenders)
    encounters = {
        Format.ROUND_ROBIN: event.rounds * players * (players - 1) // 2,
        Format.GAUNTLET: event.rounds * (players - 1),
        Format.SWISS: event.rounds * (players // 2),
        Format.KNOCKOUT: players - 1,
    }[event.format]
    return encounters * event.games // 2


def plan(event: Event, played: Mapping[int, Game]) -> Plan:
    """Return the rounds and games decided by the games played.

    Args:
        event: the event.
        played: the finished games, by number.
    """
    if event.format is Format.ROUND_ROBIN:
        return _settled(event, schedule.round_robin(event.names, laps=event.rounds))
    if event.format is Format.GAUNTLET:
        first, *others = event.names
        return _settled(event, schedule.gauntlet([first], others, laps=event.rounds))
    return _round_by_round(event, played)


def byes(event: Event, rounds: Iterable[Round]) -> dict[str, float]:
    """Return the points for byes; none in a knockout, where a bye already advances the player."""
    if event.format is not Format.SWISS:
        return {}
    count = Counter(name for past in rounds for name in past.byes)
    return {name: BYE_POINTS_A_GAME * event.games * times for name, times in count.items()}


def _settled(event: Event, rounds: Sequence[Round]) -> Plan:
    return Plan(tuple(rounds), tuple(_tasks(event, rounds)), is_complete=True)


def _round_by_round(event: Event, played: Mapping[int, Game]) -> Plan:
    rounds: list[Round] = []
    while (further := _next_round(event, rounds, played)) is not None:
        rounds.append(further)
        tasks = tuple(_tasks(event, rounds))
        if any(task.number not in played for task in tasks):
            return Plan(tuple(rounds), tasks, is_complete=False)
    return Plan(tuple(rounds), tuple(_tasks(event, rounds)), is_complete=True)


def _next_round(event: Event, rounds: Sequence[Round], played: Mapping[int, Game]) -> Round | None:
    """Pair the round after those that have been played in full; None after the last."""
    if event.format is Format.SWISS:
        return _next_swiss(event, rounds, played) if len(rounds) < event.rounds else None
    places = schedule.bracket(event.names)
    number = 0
    for past in rounds:
        winners = []
        for encounter in past.encounters:
            games = [played[number + game] for game in range(event.games)]
            winners.append(schedule.winner(encounter, games, event.names))
            number += event.games
        places = schedule.next_bracket(places, winners)
    return schedule.knockout_round(places) if len(places) > 1 else None


def _next_swiss(event: Event, rounds: Sequence[Round], played: Mapping[int, Game]) -> Round:
    if not rounds:
        return swiss_round(event.names, {}, [])
    games = [played[task.number] for task in _tasks(event, rounds)]
    table = standings(
        games, players=event.names, byes=byes(event, rounds), tie_breaks=SWISS_TIE_BREAKS
    )
    order = [line.name for line in table]
    return swiss_round(order, {line.name: line.points for line in table}, rounds)


def _tasks(event: Event, rounds: Iterable[Round]) -> Iterable[Task]:
    encounters = (encounter for round_ in rounds for encounter in round_.encounters)
    pairs = (encounter for encounter in encounters for _ in range(event.games // 2))
    for pair, encounter in enumerate(pairs):
        opening = event.openings[pair] if pair < len(event.openings) else ""
        for leg, seats in enumerate(Encounter(*encounter).games):
            yield Task(2 * pair + leg, seats, opening)
