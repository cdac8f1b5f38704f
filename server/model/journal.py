"""Journal entries: what must outlive the server, as plain data.

Each change is handed to a :class:`Journal` as a batch of entries; ``done`` is called once they are
durable, all of them or none. Only then is anything announced. Batches become durable in the order
in which they were handed in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, Self

from msgspec import Struct

from mancala.protocol.messages import Agent, Info, Outcome
from mancala.protocol.referee import LedgerEntry
from mancala.protocol.results import Payload
from mancala.protocol.submission import Submission

from .entrant import Entrant
from .game import Seats, Tally
from .match import EventContext, LadderContext, Match, Terms
from .orders import AdminAct, Ban, BanKind, Switch, SwitchKind
from .pair_counts import NO_PAIRS, PairCounts
from .review.reviews import FinishedReview, QueuedReview

NOTHING_PLAYED: Final[Mapping[Seats, Tally]] = MappingProxyType({})
NO_OPPONENTS: Final[Mapping[str, str]] = MappingProxyType({})


class Announcement(NamedTuple):
    """A payload that must reach the broker; the store gives it its number."""

    topic: str
    event_id: str
    payload: Payload
    is_retained: bool = False

    @classmethod
    def of(cls, topic: str, payload: Payload) -> Self:
        """Return the announcement of a payload, retained where its kind is."""
        return cls(topic, payload.event_id, payload, payload.retain)


class JournalEntry(Struct, frozen=True):
    """An entry; three kinds are no structs: the most frequent one, and those with secrets."""


ENDED: Final = "the connection ended behind it"
"""Begins the reason of rows that were put aside because they end connections."""


class OutboxRow(NamedTuple):
    """A payload to be published, and why the broker refused it before, if it did."""

    seq: int
    topic: str
    payload: str
    is_retained: bool
    refused: str | None = None

    @property
    def ends_connections(self) -> bool:
        """Whether a connection ended behind it when it was tried before."""
        return self.refused is not None and self.refused.startswith(ENDED)


class RowRefused(NamedTuple):
    """A row of the outbox that the broker did not accept, and why."""

    seq: int
    why: str


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """A bot came; the hash of its secret takes its seats back.

    Attributes:
        token: the token that it has; None for a guest. It is not stored, but checked again: the
            organiser may have revoked it since the bot was admitted.
    """

    secret_hash: str
    name: str
    agent: Agent | None
    token: str | None = field(default=None, repr=False)
    is_own: bool = False


class SessionClosed(JournalEntry, frozen=True):
    """A bot left for good."""

    secret_hash: str


class MatchOpened(JournalEntry, frozen=True):
    match: str
    names: tuple[str, str]
    terms: Terms
    at: str
    ladder_context: LadderContext | None = None
    event_context: EventContext | None = None


class GameOpened(JournalEntry, frozen=True):
    """A game of a match begins; one that is hidden is in no list until it is revealed."""

    game: str
    match: str
    number: int
    at: str
    is_hidden: bool = False


class MovePlayed(NamedTuple):
    """A move was accepted; by far the most frequent entry."""

    game: str
    ply: int
    entry: LedgerEntry
    info: Info | None
    forced: bool


class GameClosed(JournalEntry, frozen=True):
    """A game ended; its result is announced."""

    game: str
    ended: Outcome
    at: str
    result: Announcement


class MatchClosed(JournalEntry, frozen=True):
    """A match ended; its result is announced."""

    match: str
    points: tuple[float, float]
    at: str
    result: Announcement


class Announced(JournalEntry, frozen=True):
    """An announcement that follows from other entries."""

    announcement: Announcement


class LadderJoined(JournalEntry, frozen=True):
    """A bot joined a ladder; it is in until it leaves, or its session is over."""

    ladder: str
    secret_hash: str


class LadderLeft(JournalEntry, frozen=True):
    ladder: str
    secret_hash: str


class EntrantRated(JournalEntry, frozen=True):
    """An entrant of a ladder has a new rating, penalty count or quarantine."""

    ladder: str
    entrant: Entrant


class RatingNoted(JournalEntry, frozen=True):
    """The rating of an entrant for its history, in which the last one of each day stays.

    ``error`` is half the width of its 95 % interval.
    """

    ladder: str
    name: str
    at: str
    elo: float
    error: float
    games: int


class SeatsTallied(JournalEntry, frozen=True):
    """The tally of two seats in a ladder has changed."""

    ladder: str
    seats: Seats
    tally: Tally


class PairsCounted(JournalEntry, frozen=True):
    """Two entrants of a ladder have played another side-swapped pair of games."""

    ladder: str
    seats: Seats
    counts: PairCounts


class ReviewQueued(JournalEntry, frozen=True):
    """A finished game waits for a review; the entrants are in seat order."""

    waiting: QueuedReview
    entrants: tuple[str, str]
    ladder: str | None


class ReviewDropped(JournalEntry, frozen=True):
    """A game is not to be reviewed after all."""

    game: str


class ReviewStored(JournalEntry, frozen=True):
    """A game was reviewed; announced, with accuracies, unless there is a review that is as good."""

    game: str
    finished: FinishedReview
    at: str
    reviewer: str
    result: Announcement


SealableEnd = GameClosed | MatchClosed | ReviewQueued
"""What comes of a game or a match, as an event may hide it."""


class Sealed(JournalEntry, frozen=True):
    """An end that an event hides; it is as if it had not come until the event reveals it.

    Attributes:
        number: the number in the event of the first game of its match.
        place: the place of the game in its match.
        subject: the id of the game or the match.
    """

    event: str
    number: int
    place: int
    subject: str
    entry: SealableEnd


class Revealed(JournalEntry, frozen=True):
    """What an event hid of its games with lower numbers happens now; of all if it is None."""

    event: str
    until: int | None


class StandingsAnnounced(JournalEntry, frozen=True):
    """A ladder's standings changed; the store adds the accuracies to their announcement."""

    ladder: str
    result: Announcement


class Banned(JournalEntry, frozen=True):
    """The operator keeps someone out; a ban of the same key takes the place of the former."""

    ban: Ban


class Unbanned(JournalEntry, frozen=True):
    kind: BanKind
    key: str


class SwitchedOn(JournalEntry, frozen=True):
    """The operator set a state, which holds until it is taken back."""

    switch: Switch


class SwitchedOff(JournalEntry, frozen=True):
    """The operator took a state back."""

    kind: SwitchKind
    subject: str


class AdminLogged(JournalEntry, frozen=True):
    """The operator did something: what the other entries of the batch say."""

    act: AdminAct
    announcement: Announcement | None = None


class GamesMarked(JournalEntry, frozen=True):
    """Games do not count any more, or count again; the totals and accuracies follow.

    Attributes:
        games: the ids of finished games, none of which is marked so already.
        annulled_at: since when they do not count; None if they count again.
    """

    games: tuple[str, ...]
    annulled_at: str | None


class Recounted(JournalEntry, frozen=True):
    """The operator has all tables made anew, from the games alone."""


class EntrantForgotten(JournalEntry, frozen=True):
    """An entrant of a ladder has no game left, and no quarantine."""

    ladder: str
    name: str


class BotRenamed(JournalEntry, frozen=True):
    """All that is known of a bot is that of another name, beside what is known of that."""

    old: str
    new: str
    at: str


class LadderMoved(JournalEntry, frozen=True):
    """All that was played in a ladder was played in another one, of which nothing is known."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class SubmissionStored:
    """An event that was played elsewhere was submitted, or submitted again."""

    key: str
    author: str
    at: str
    submission: Submission = field(repr=False)
    document: str = field(repr=False)


Entry = JournalEntry | SessionOpened | MovePlayed | SubmissionStored


class Along(NamedTuple):
    """What happens together with the beginning of a match."""

    entries: tuple[Entry, ...] = ()
    done: Callable[[], None] = lambda: None


NOTHING_ELSE: Final = Along()


class Journal(Protocol):
    """Where entries become durable."""

    def commit(
        self,
        entries: Sequence[Entry],
        done: Callable[[], None],
        refused: Callable[[], None] = lambda: None,
    ) -> None:
        """Make the entries durable together, then call ``done`` on the event loop.

        Call ``refused`` instead when these entries can't be stored, while others can: what depends
        on them must end, and must not be announced.
        """


class KeptSession(NamedTuple):
    """A session as the journal knows it."""

    secret_hash: str
    name: str
    agent: Agent | None
    is_guest: bool = True


class KeptMatch(NamedTuple):
    """A match that is not over, as the journal knows it; if ``running``, its last game goes on."""

    match: Match
    running: bool
    began_at: str
    moves: tuple[LedgerEntry, ...]


class KeptLadder(NamedTuple):
    """A ladder as the journal knows it."""

    entrants: tuple[Entrant, ...] = ()
    tallies: Mapping[Seats, Tally] = NOTHING_PLAYED
    members: tuple[str, ...] = ()
    met: Mapping[str, str] = NO_OPPONENTS
    pairs: Mapping[Seats, PairCounts] = NO_PAIRS
