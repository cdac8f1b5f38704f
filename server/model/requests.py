"""What a bot asks the lobby for, as data."""

from __future__ import annotations

from typing import NamedTuple

from .match import Terms


class OpenSeek(NamedTuple):
    """A seek that waits for an opponent.

    Attributes:
        name: the bot that seeks.
        terms: what it wants to play.
        opponent: the only opponent it accepts, or None for any.
    """

    name: str
    terms: Terms
    opponent: str | None = None

    def suits(self, other: OpenSeek) -> bool:
        """Return whether the two seeks can be matched."""
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
    """A challenge that waits for its answer.

    Attributes:
        id: its id.
        by: the bot that made it.
        to: the bot that may accept it.
        terms: what is offered.
        seat: the seat of the bot that made it, in the first game.
    """

    id: str
    by: str
    to: str
    terms: Terms
    seat: int = 0


class Pairing(NamedTuple):
    """Two bots that are to play a match.

    Attributes:
        names: the first has seat 0 in the first game.
        terms: what they agreed on.
    """

    names: tuple[str, str]
    terms: Terms
