"""A match as data: what bots ask for, who plays whom on what terms, and how it stands. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Reason
from mancala.protocol.rules import Board, Rules, State


class Terms(NamedTuple):
    """What two bots agree on.

    Attributes:
        opening: the position that every game starts from; None for the standard start, or where a
            ladder or an event sets it.
    """

    rules: Rules
    clock: TimeControl
    rated: bool
    games: int
    opening: Board | None = None


class LadderContext(NamedTuple):
    """The ladder that a match is played in.

    Attributes:
        entrants: the rated versions of the bots, ``bot@version``, first-named first.
        openings: positions that the pairs of games start from, in turn; empty for the standard
            start.
    """

    ladder: str
    entrants: tuple[str, str]
    openings: tuple[Board, ...] = ()


class EventContext(NamedTuple):
    """The event that a match is played in.

    Attributes:
        game: the number in the event of the match's first game; the others follow it.
        openings: positions that the pairs of games start from, in turn; empty for the standard
            start.
    """

    event: str
    game: int
    openings: tuple[Board, ...] = ()


@dataclass(slots=True)
class Match:
    """A number of games between two bots, who swap seats after each.

    Attributes:
        names: the bots; the first has seat 0 in game 0, seat 1 in game 1, and so on.
        points: of each side; a win is one, a draw half a point, an aborted game nothing.
    """

    id: str
    names: tuple[str, str]
    terms: Terms
    began_at: str
    games: list[str] = field(default_factory=list)
    points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    ladder_context: LadderContext | None = None
    event_context: EventContext | None = None
    pair: list[float] = field(default_factory=list)

    @property
    def game(self) -> str:
        return self.games[-1]

    @property
    def number(self) -> int:
        """The number of the present game, from 0."""
        return len(self.games) - 1

    @property
    def ladder(self) -> str | None:
        return self.ladder_context.ladder if self.ladder_context is not None else None

    @property
    def entrants(self) -> tuple[str, str]:
        """The versions that its ladder rates, by side; the bots without a ladder."""
        return self.names if self.ladder_context is None else self.ladder_context.entrants

    @property
    def opening(self) -> Board:
        """The position that the present game starts from."""
        openings = openings_in(self.terms, self.ladder_context or self.event_context)
        return opening_of(openings, self.terms.rules, max(0, self.number))

    @property
    def score(self) -> dict[str, float]:
        """Points by name."""
        return dict(zip(self.names, self.points, strict=True))

    @property
    def has_more(self) -> bool:
        return len(self.games) < self.terms.games

    @property
    def seat_names(self) -> tuple[str, str]:
        """The names in the seat order of the present game."""
        first, second = self.side(0), self.side(1)
        return self.names[first], self.names[second]

    def side(self, seat: int) -> int:
        return seat ^ (self.number % 2)

    def count(self, winner: int | None, reason: Reason) -> None:
        """Add the present game's result to the points."""
        if self.number % 2 == 0:
            self.pair.clear()
        if winner is not None:
            self.points[self.side(winner)] += 1
            self.pair.append(float(self.side(winner) == 0))
        elif reason is not Reason.ABORTED:
            self.points = [points + 0.5 for points in self.points]
            self.pair.append(0.5)

    @property
    def counted_pair(self) -> tuple[float, float] | None:
        """The first side's points in a pair of games that just ended; None if one didn't count."""
        if self.number % 2 == 0 or len(self.pair) < 2:
            return None
        return self.pair[0], self.pair[1]


def openings_in(terms: Terms, context: LadderContext | EventContext | None) -> tuple[Board, ...]:
    """Return the positions that the pairs of a match start from; none for the standard start."""
    if context is not None:
        return context.openings
    return () if terms.opening is None else (terms.opening,)


def opening_of(openings: Sequence[Board], rules: Rules, number: int) -> Board:
    """Return the position that game ``number`` starts from; both games of a pair share one."""
    return openings[number // 2 % len(openings)] if openings else Board.start(rules)


def nonstandard(opening: Board) -> State | None:
    """Return the opening, or None for the standard start."""
    return None if opening == Board.start(opening.rules) else opening.state


class OpenSeek(NamedTuple):
    """A seek that waits for an opponent, or for one opponent only."""

    name: str
    terms: Terms
    opponent: str | None = None

    def suits(self, other: OpenSeek) -> bool:
        return (
            self.name != other.name
            and self.terms == other.terms
            and self.opponent in (None, other.name)
            and other.opponent in (None, self.name)
        )

    def differences(self, other: OpenSeek) -> dict[str, int]:
        """Return the fields that keep this seek from suiting another one, each with 1."""
        found = {
            name: 1
            for name, mine, theirs in zip(Terms._fields, self.terms, other.terms, strict=True)
            if mine != theirs
        }
        wants_another = self.opponent not in (None, other.name)
        if wants_another or other.opponent not in (None, self.name):
            found["opponent"] = 1
        return found


class OpenChallenge(NamedTuple):
    """A challenge that waits for its answer."""

    id: str
    by: str
    to: str
    terms: Terms
    seat: int = 0
    code: str = ""


class Pairing(NamedTuple):
    """Two bots that are to play a match; the first has seat 0 in the first game."""

    names: tuple[str, str]
    terms: Terms
