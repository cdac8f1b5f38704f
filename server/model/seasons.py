"""Seasons of a ladder that are over; each is a ladder of its own, which takes no game any more."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl


class Season(Struct, frozen=True):
    """A season that is over.

    Attributes:
        ladder: the ladder whose season it was.
        rules: the rules of its games.
        clock: their time control.
        games: games of a match.
        anchors: the fixed ratings.
        house: the names of the house bots.
        seeds: whether bots begin the next season at the strength they had in this one.
    """

    ladder: str
    rules: str
    clock: TimeControl
    games: int
    anchors: dict[str, float] = {}
    house: tuple[str, ...] = ()
    seeds: bool = False

    @property
    def text(self) -> str:
        """The season as the journal keeps it."""
        return codec.to_json(self).decode()


class EndedSeason(NamedTuple):
    """A season with its own name.

    Attributes:
        name: the name of the ladder that it is now.
        season: the season.
        at: when it ended, RFC 3339.
    """

    name: str
    season: Season
    at: str


def season_of(text: str) -> Season:
    """Return the season that a text of the journal states."""
    return codec.from_json(text, Season)
