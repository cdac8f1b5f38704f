"""Matches that the operator wants played again, once both bots are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from msgspec import Struct

from mancala.protocol import codec

from .journal import Entry


class Replay(Struct, frozen=True):
    """A match of a ladder that is to be played again.

    Attributes:
        match: the id of the match as it was played.
        ladder: its ladder, whose rules and clock hold.
        names: the bots; the first moves first in the first game.
        openings: positions that its pairs of games start from, as text.
    """

    match: str
    ladder: str
    names: tuple[str, str]
    openings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The replay as the journal keeps it."""
        return codec.to_json(self).decode()


def replay_of(text: str) -> Replay:
    """Return the replay that a text of the journal states."""
    return codec.from_json(text, Replay)


class Along(NamedTuple):
    """What happens together with the beginning of a match.

    Attributes:
        entries: what becomes durable with it.
        done: called once that is durable.
    """

    entries: tuple[Entry, ...] = ()
    done: Callable[[], None] = lambda: None


NOTHING_ELSE: Final = Along()
