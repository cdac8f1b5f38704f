"""The messages of a client."""

from typing import Annotated, Final

from msgspec import Meta

from ..clock import TimeControl
from ..rules import Rules
from .base import (
    Games,
    Goodbye,
    Identifier,
    Matches,
    Message,
    Name,
    Pit,
    Player,
    Ply,
    Secret,
    ShortText,
)
from .parts import ASSESSMENTS, Agent, Assessment, Info, Listable

SUBMISSION_PART: Final = 3500
"""The most characters of a submission in one message, which then fits into a frame."""


class Hello(Message, frozen=True):
    """The first message: who the client is; ``resume`` takes back the seats of a session.

    ``swap`` says that it knows the pie rule; the server asks no other client to swap.
    """

    protocol: ShortText
    name: Name
    token: Secret | None = None
    agent: Agent | None = None
    resume: Secret | None = None
    challenges: bool = False
    swap: bool = False


class Seek(Message, frozen=True):
    """Ask for a match with any bot that asks for the same; ``rules`` may be text or fields."""

    rules: Rules | ShortText | None = None
    clock: TimeControl | None = None
    rated: bool = True
    opponent: Name | None = None
    games: Games = 2


class Unseek(Message, frozen=True):
    """Withdraw the seek."""


class Join(Message, frozen=True):
    """Join a ladder, to be paired in it until ``leave``.

    Attributes:
        ladder: its name.
        matches: after how many matches the server takes the bot out of it; None for never.
    """

    ladder: Name
    matches: Matches | None = None


class Leave(Message, frozen=True):
    """Leave a ladder."""

    ladder: Name


class Enter(Message, frozen=True):
    """Enter an event, or confirm an entry: while it checks in, or on a new connection.

    Attributes:
        event: its name.
        password: the word that the event asks for, if it does.
    """

    event: Name
    password: ShortText = ""


class Withdraw(Message, frozen=True):
    """Withdraw from an event, after the match of its present round."""

    event: Name


class Challenge(Message, frozen=True):
    """Challenge an opponent to a match."""

    opponent: Name
    rules: Rules | ShortText | None = None
    clock: TimeControl | None = None
    rated: bool = True
    games: Games = 2
    seat: Player = 0
    opening: ShortText | None = None
    code: ShortText = ""


class Accept(Message, frozen=True):
    """Accept a challenge."""

    challenge: Identifier


class Decline(Message, frozen=True):
    """Decline a challenge, or withdraw one's own."""

    challenge: Identifier
    reason: ShortText = ""


class Move(Message, frozen=True):
    """Answer the ``turn`` with this ``ply``; a ``provisional`` answer may be replaced.

    Pit 16 swaps under the pie rule.
    """

    game: Identifier
    ply: Ply
    pit: Pit
    provisional: bool = False
    info: Info | None = None


class Resign(Message, frozen=True):
    """Resign a game; the cause is shown with its end."""

    game: Identifier
    cause: ShortText = ""


class Watch(Message, frozen=True):
    """Watch a game, or every game of a ladder: exactly one of the two."""

    game: Identifier | None = None
    ladder: Name | None = None


class Unwatch(Message, frozen=True):
    """Stop watching a game or a ladder; without either, stop watching all."""

    game: Identifier | None = None
    ladder: Name | None = None


class List(Message, frozen=True):
    """Ask for a list: ladders, connected bots or running games, by pages.

    Attributes:
        what: which list.
        after: the `next` of the page before; None for the first page.
    """

    what: Listable
    after: Identifier | None = None


class Schedule(Message, frozen=True):
    """Ask when a bot plays next; without a name, when the client itself does."""

    bot: Name | None = None


class OfferReviews(Message, frozen=True, tag="offer_reviews"):
    """Offer to review finished games, up to ``games`` at a time; 0 takes the offer back."""

    version: Annotated[int, Meta(ge=1, le=1_000_000)]
    games: Annotated[int, Meta(ge=0, le=16)] = 1


class Review(Message, frozen=True):
    """Answer a ``review_wanted``, some plies at a time; ``more`` says that others follow."""

    game: Identifier
    plies: Annotated[tuple[Assessment, ...], Meta(max_length=ASSESSMENTS)] = ()
    engine: ShortText = ""
    seconds: Annotated[float, Meta(ge=0, le=1e6)] = 0.0
    more: bool = False


class Submit(Message, frozen=True):
    """Bring an event that was played elsewhere, some text at a time; ``more`` says what follows.

    Attributes:
        submission: its id, chosen by the client; a later one with the same id takes its place.
        text: the next part of the document.
        more: whether further parts follow.
    """

    submission: Identifier
    text: Annotated[str, Meta(max_length=SUBMISSION_PART)]
    more: bool = False


ClientMessage = (
    Hello
    | Seek
    | Unseek
    | Join
    | Leave
    | Enter
    | Withdraw
    | Challenge
    | Accept
    | Decline
    | Move
    | Resign
    | Watch
    | Unwatch
    | List
    | Schedule
    | OfferReviews
    | Review
    | Submit
    | Goodbye
)
