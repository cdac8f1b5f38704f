"""What is published of events."""

from ..messages import Player
from .payloads import Payload, StandingCounts, Timestamp


class EventStatus(Payload, frozen=True, tag="mancala.event_status.v1"):
    """An event took a step; retained.

    Attributes:
        event: its name.
        format: its format, as in the settings.
        state: where it stands: ``draft``, ``open``, ``check-in``, ``pairing``, ``playing``,
            ``closed``, ``paused``, ``finished``, ``published`` or ``cancelled``.
        round: the last round that was paired, from 1; 0 before the first.
        entrants: how many play.
        at: when it took the step.
        starts: when it begins, if that is known and to come.
        why: the reason given for the step.
        ends: when an arena that is under way pairs no further wave.
        next_round: when the next round is paired, while the event rests between two of them.
    """

    retain = True

    event: str
    format: str
    state: str
    round: int
    entrants: int
    at: Timestamp
    starts: Timestamp | None = None
    why: str | None = None
    ends: Timestamp | None = None
    next_round: Timestamp | None = None


class EventRow(StandingCounts, frozen=True):
    """A row of an event's standings.

    Attributes:
        tie_breaks: the values that decide between equal points, by name; one that does not apply
            is missing.
    """

    tie_breaks: dict[str, float]


class EventTable(Payload, frozen=True, tag="mancala.event_standings.v1"):
    """The standings of an event after a round, best first; retained.

    Attributes:
        event: its name.
        round: the last round whose games count in it.
        at: when they were drawn up.
        tie_breaks: what decides between equal points, in order.
        standings: the best rows, at most 100.
        total: how many rows there are in all.
        more: the path of the whole event in the server's API.
    """

    retain = True

    event: str
    round: int
    at: Timestamp
    tie_breaks: tuple[str, ...]
    standings: tuple[EventRow, ...]
    total: int
    more: str


class EventRoundPaired(Payload, frozen=True, tag="mancala.event_round.v1"):
    """A round of an event was paired.

    Attributes:
        event: its name.
        round: which, from 1.
        encounters: who meets whom; the first-named moves first in the first game.
        byes: who has no opponent.
        inputs: the hash of what the pairings follow from; empty where that was forgotten,
            or results among it are hidden.
        at: when it was paired.
    """

    event: str
    round: int
    encounters: tuple[tuple[str, str], ...]
    byes: tuple[str, ...]
    inputs: str
    at: Timestamp


class EventGameResult(Payload, frozen=True, tag="mancala.event_game.v1"):
    """A game of an event has a result, or does not count and is played again.

    Attributes:
        event: its name.
        round: its round, from 1.
        number: its number in the event, from 0.
        names: both players, in seat order.
        winner: 0 or 1; null for a draw, for two absent players, and while there is no result.
        margin: seeds ahead of the player in seat 0.
        reason: how it ended; ``absent`` or ``lot`` if it was not played, ``arbiter`` if its result
            was set by hand.
        at: when it got its result.
        game: its id; missing if it was not played.
        note: the reason for a result that was set by hand.
    """

    event: str
    round: int
    number: int
    names: tuple[str, str]
    winner: Player | None
    margin: int
    reason: str
    at: Timestamp
    game: str | None = None
    note: str | None = None
