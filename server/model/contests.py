"""Events as the journal knows them: what is stored of their states, entrants, rounds and games."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from msgspec import Struct

from mancala.protocol.messages import Name
from mancala.protocol.record import GameRecord

from .journal import JournalEntry
from .schemas.views import View


class EntrantRow(NamedTuple):
    """A bot that entered an event.

    Attributes:
        joins: the first round that it is paired for.
        leaves: the last round that it is paired for; None while it has not withdrawn.
        absences: rounds in a row that it forfeited because it was absent.
        checked_in: whether it confirmed that it is there.
        owner: what it counts under among those who entered by themselves; empty for the listed.
        byes: the rounds of its half-point byes by order, such as ``2,4``.
        meets: whom it meets by order, moving first, by round, such as ``2:bob,4:cid``.
    """

    name: str
    joins: int
    leaves: int | None
    absences: int
    checked_in: bool = False
    owner: str = ""
    byes: str = ""
    meets: str = ""

    @classmethod
    def entering(cls, name: str, joins: int = 1, *, owner: str = "") -> EntrantRow:
        """Return a bot as it enters, to be paired from a round on."""
        return cls(name, joins, None, 0, owner=owner)

    @property
    def has_withdrawn(self) -> bool:
        """Whether it is not paired any more."""
        return self.leaves is not None

    @property
    def has_rounds(self) -> bool:
        """Whether there is a round for which it is paired."""
        return self.leaves is None or self.leaves >= self.joins

    @property
    def bye_rounds(self) -> tuple[int, ...]:
        """The rounds of a Swiss event for which it has a half-point bye."""
        return tuple(map(int, filter(None, self.byes.split(","))))

    @property
    def meetings(self) -> dict[int, str]:
        """Whom it meets by order, by round; it moves first."""
        found = (each.partition(":") for each in self.meets.split(",") if each)
        return {int(number): name for number, _, name in found}

    def is_entered(self, number: int) -> bool:
        """Return whether a round is between those in which it comes and goes."""
        return self.joins <= number and (self.leaves is None or number <= self.leaves)


def numbered(entrants: Iterable[EntrantRow]) -> tuple[EntrantRow, ...]:
    """Return entrants whose owners are numbers, the first 1: who shares an address, and not which.

    What is made of addresses, a hash too, tells them to those who try all that there are.
    """
    numbers: dict[str, str] = {"": ""}
    return tuple(
        each._replace(owner=numbers.setdefault(each.owner, f"{len(numbers)}")) for each in entrants
    )


class PairingRow(NamedTuple):
    """An encounter or a bye of a round.

    Attributes:
        round: the round, from 1.
        place: its place in the round, from 0.
        first: who moves first in the first game.
        second: the opponent; None for a bye.
        inputs: the hash of what the round follows from; empty where an upgrade forgot it.
    """

    round: int
    place: int
    first: str
    second: str | None
    inputs: str


class EventGameRow(NamedTuple):
    """What came of a game of an event.

    Attributes:
        number: its number in the whole event, from 0.
        first: who moves first.
        second: the opponent.
        winner: 0, 1, or None for a draw, for two absent players, and while there is no result.
        margin: seeds ahead of the one who moves first.
        reason: how it ended; ``absent`` or ``lot`` for one that was not played, ``aborted`` for one
            that does not count and is to be played again, ``arbiter`` for a result set by hand.
        game: the id of the game; None for one that was not played.
        annulled: whether the operator annulled it: the table leaves it out, and pairings that
            followed from it stand.
        note: the reason given for a result that was set by hand, which is published.
    """

    number: int
    first: str
    second: str
    winner: int | None
    margin: int
    reason: str
    game: str | None
    voids: int
    annulled: bool = False
    note: str = ""


class EventStepped(JournalEntry, frozen=True):
    """An event took a step.

    Attributes:
        regulations: what decides the pairings besides entrants and results, as JSON; None before
            the start.
        at: when, RFC 3339.
        by: the system user; empty for the server itself.
    """

    event: str
    step: str
    state: str
    round: int
    resumes: str | None
    regulations: str | None
    at: str
    by: str = ""
    why: str = ""


class EventEntrantsChanged(JournalEntry, frozen=True):
    """Entrants of an event are as these rows say.

    Attributes:
        first: the place of the first row in the order of seeding.
    """

    event: str
    entrants: tuple[EntrantRow, ...]
    first: int = 0
    gone: tuple[str, ...] = ()


class EventPaired(JournalEntry, frozen=True):
    event: str
    pairings: tuple[PairingRow, ...]


class EventGameCounted(JournalEntry, frozen=True):
    """A game of an event has a result, or is to be played again."""

    event: str
    row: EventGameRow


class EventMade(JournalEntry, frozen=True):
    """An event was made while the server ran; ``settings`` are JSON."""

    event: str
    settings: str


class EventEdited(JournalEntry, frozen=True):
    """An event that has not begun has other settings, as JSON."""

    event: str
    settings: str


class EventDeleted(JournalEntry, frozen=True):
    """An event that has not begun is gone, with its log."""

    event: str


class EventImported(JournalEntry, frozen=True):
    event: str
    archive: EventArchive


class KeptEvent(NamedTuple):
    """An event as the journal knows it.

    Attributes:
        regulations: what decides the pairings, as JSON; None before the start.
        settings: its settings, as JSON; None for one that the configuration has.
        closed: when its last round was closed; None before.
        revealed: how many of its frozen rounds were revealed.
    """

    state: str
    round: int
    resumes: str | None
    regulations: str | None
    entrants: tuple[EntrantRow, ...] = ()
    pairings: tuple[PairingRow, ...] = ()
    games: tuple[EventGameRow, ...] = ()
    settings: str | None = None
    origin: str | None = None
    closed: str | None = None
    revealed: int = 0


class EventStands(NamedTuple):
    """Where an event stands, for a list; ``settings`` is None for one of the configuration."""

    state: str
    round: int
    entrants: int
    settings: str | None = None
    steps: int = 0


class EventBoard(View, frozen=True):
    """A game of an event that is being played.

    Attributes:
        number: its number in the event, from 0.
        first: who moves first.
        second: the opponent.
    """

    number: int
    game: str
    first: Name
    second: Name


class EventLogLine(NamedTuple):
    """A step that an event took, as its log has it."""

    number: int
    at: str
    step: str
    by: str
    why: str


class EventArchive(Struct, frozen=True, kw_only=True):
    """An event that is over, as its archive file has it.

    Attributes:
        event_archive: the version of the format.
        server: the server that held the event.
        settings: its settings; ``name`` is the event's name.
        state: its state.
        round: the last round that was paired.
        regulations: what decided the pairings; None if it never began.
        entrants: its entrants, in order of seeding.
        pairings: its rounds.
        games: what came of its games.
        log: its steps.
        records: the records of the games that were played.
    """

    event_archive: int
    server: str
    settings: dict[str, Any]
    state: str
    round: int
    regulations: dict[str, Any] | None
    entrants: tuple[EntrantRow, ...]
    pairings: tuple[PairingRow, ...]
    games: tuple[EventGameRow, ...]
    log: tuple[EventLogLine, ...]
    records: tuple[GameRecord, ...]
