"""Who is in a ladder now, who of them is free, and who meets whom next. Pure.

The organiser's own bots are there for others to meet. Among themselves they meet some times, so
that their ratings mean something to a newcomer, and then no more: a ladder without guests is idle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from server.ladders.state import Books
from server.rating.game import Encounter
from server.rating.pairing import Waiting, next_look, pair

HOUSE_MEETINGS: Final = 20
"""After so many games, two house bots know enough of each other: some 150 Elo, give or take."""


@dataclass(slots=True)
class Member:
    """A bot that joined.

    Attributes:
        name: the bot.
        entrant: the version of it that plays.
        since: when it became free, in seconds on the caller's clock.
        is_present: whether its connection stands.
        is_playing: whether a match of the ladder is under way.
    """

    name: str
    entrant: str
    since: float
    is_present: bool = True
    is_playing: bool = False

    @property
    def is_free(self) -> bool:
        """Whether it may be given a match."""
        return self.is_present and not self.is_playing


def _always(_name: str) -> bool:
    return True


class Roster:
    """The members of one ladder."""

    def __init__(
        self,
        *,
        patience_s: float,
        house: Iterable[str] = (),
        has_time: Callable[[str], bool] = _always,
    ) -> None:
        """Open the roster.

        Args:
            patience_s: how long to look for somebody new before a rematch.
            house: names of the organiser's bots.
            has_time: tells whether a bot may play one more match, whatever else it plays.
        """
        self._patience_s = patience_s
        self._has_time = has_time
        self._house = frozenset(house)
        self._members: dict[str, Member] = {}
        self._last_opponent: dict[str, str] = {}

    def __contains__(self, name: object) -> bool:
        """Tell whether a bot is a member."""
        return name in self._members

    def entrant(self, name: str) -> str:
        """Tell which version of a member plays.

        Raises:
            KeyError: when it is no member.
        """
        return self._members[name].entrant

    @property
    def present(self) -> int:
        """How many members are here."""
        return sum(member.is_present for member in self._members.values())

    def join(self, name: str, entrant: str, now: float, *, is_playing: bool = False) -> None:
        """Take a bot in.

        Args:
            name: the bot.
            entrant: the version of it that plays.
            now: the time, in seconds.
            is_playing: whether a match from before it last left is still under way.
        """
        self._members[name] = Member(name, entrant, now, is_playing=is_playing)

    def recall(self, met: Mapping[str, str]) -> None:
        """Take over from a former server whom its members met last, by name."""
        self._last_opponent.update(met)

    def leave(self, name: str) -> None:
        """Let a bot go."""
        self._members.pop(name, None)
        self._last_opponent.pop(name, None)

    def came(self, name: str, entrant: str, now: float) -> None:
        """Note that a member's connection stands, and which version it is now."""
        member = self._members.get(name)
        if member is None:
            return
        member.entrant = entrant
        if not member.is_present:
            member.is_present, member.since = True, now

    def went(self, name: str) -> None:
        """Note that a member's connection is gone."""
        if name in self._members:
            self._members[name].is_present = False

    def begun(self, first: str, second: str) -> None:
        """Note that two members play each other."""
        for name, other in ((first, second), (second, first)):
            self._last_opponent[name] = other
            if name in self._members:
                self._members[name].is_playing = True

    def done(self, name: str, now: float) -> None:
        """Note that a member's match is over."""
        member = self._members.get(name)
        if member is not None and member.is_playing:
            member.is_playing, member.since = False, now

    def pair(self, books: Books, now: float) -> list[Encounter]:
        """Choose encounters among the free, by name.

        Args:
            books: tell how strong they are, and how often they have met.
            now: the time, in seconds.
        """
        return pair(self._waiting(books), now, patience_s=self._patience_s)

    def next_look(self, books: Books, now: float) -> float:
        """Tell when :meth:`pair` could find more without any news; infinity for never."""
        return next_look(self._waiting(books), now, patience_s=self._patience_s)

    def _waiting(self, books: Books) -> list[Waiting]:
        has_others = self.present > 2  # or nobody else could come free
        waiting = []
        for member in self._members.values():
            if not (member.is_free and self._has_time(member.name)):
                continue
            live = books.entrant(member.entrant).live
            waiting.append(
                Waiting(
                    name=member.name,
                    elo=live.elo,
                    deviation=live.deviation,
                    since=member.since,
                    last_opponent=self._last_opponent.get(member.name, "") if has_others else "",
                    never=self._well_known(member, books),
                )
            )
        return waiting

    def _well_known(self, member: Member, books: Books) -> frozenset[str]:
        """Name the house bots that a house bot has met often enough."""
        if member.name not in self._house:
            return frozenset()
        return frozenset(
            other.name
            for name in self._house - {member.name}
            if (other := self._members.get(name)) is not None
            and books.meetings(member.entrant, other.entrant) >= HOUSE_MEETINGS
        )
