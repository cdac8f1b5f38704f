"""Who is in a ladder now, who of them is free, and who meets whom next. Pure.

The organiser's own bots are there for others to meet. Among themselves they meet only until their
ratings are known well enough to mean something to a newcomer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from server.ladder.game import Encounter
from server.ladder.glicko import Live
from server.ladder.pairing import Waiting, next_look, pair

SETTLED_DEVIATION: Final = 60.0
"""The standard error, in Elo, at which house bots know enough of each other."""


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


class Roster:
    """The members of one ladder."""

    def __init__(self, *, patience_s: float, house: Iterable[str] = ()) -> None:
        """Open the roster.

        Args:
            patience_s: how long to look for somebody new before a rematch.
            house: names of the organiser's bots.
        """
        self._patience_s = patience_s
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

    def pair(self, rate: Callable[[str], Live], now: float) -> list[Encounter]:
        """Choose encounters among the free, by name.

        Args:
            rate: gives an entrant's number.
            now: the time, in seconds.
        """
        return pair(self._waiting(rate), now, patience_s=self._patience_s)

    def next_look(self, rate: Callable[[str], Live], now: float) -> float:
        """Tell when :meth:`pair` could find more without any news; infinity for never."""
        return next_look(self._waiting(rate), now, patience_s=self._patience_s)

    def _waiting(self, rate: Callable[[str], Live]) -> list[Waiting]:
        free = [member for member in self._members.values() if member.is_free]
        has_others = self.present > 2  # or nobody else could come free
        settled = frozenset(
            name
            for name in self._house & self._members.keys()
            if rate(self._members[name].entrant).deviation <= SETTLED_DEVIATION
        )
        return [self._wait_of(member, rate, settled, has_others=has_others) for member in free]

    def _wait_of(
        self,
        member: Member,
        rate: Callable[[str], Live],
        settled: frozenset[str],
        *,
        has_others: bool,
    ) -> Waiting:
        live = rate(member.entrant)
        return Waiting(
            name=member.name,
            elo=live.elo,
            deviation=live.deviation,
            since=member.since,
            last_opponent=self._last_opponent.get(member.name, "") if has_others else "",
            never=settled if member.name in settled else frozenset(),
        )
