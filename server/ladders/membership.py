"""The members of a ladder, which of them are free, and the next pairings; pure.

House bots, the organiser's own, are there for others to play. Among themselves they play a limited
number of games, so that their ratings mean something to a newcomer. After that the ladder is idle
without others, but for a slow pulse: one match of two house bots at a time, so that there is
something to watch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from mancala.protocol.text import quantity

from ..model.game import Encounter
from ..rating.pairing import Waiting, next_look, pair
from .state import LadderState

HOUSE_MEETINGS: Final = 20
"""Most games of two house bots; they fix the difference to within about 150 Elo."""


@dataclass(slots=True)
class Member:
    """A bot that joined.

    Attributes:
        name: the bot.
        entrant: the version of it that is rated.
        since: when it became free, in seconds on the caller's clock.
        is_present: whether its connection stands.
        is_playing: whether a match of the ladder is under way.
        is_guest: whether it came without a token.
        address: what guests of its address count under; None for a bot with a token.
        not_before: when it may be given a match again, in seconds on the same clock.
        matches_left: how many further matches it wants; None for any number.
    """

    name: str
    entrant: str
    since: float
    is_present: bool = True
    is_playing: bool = False
    is_guest: bool = False
    address: str | None = None
    not_before: float = 0.0
    matches_left: int | None = None

    @property
    def is_free(self) -> bool:
        """Whether it could be given a match, now or after its pause."""
        return self.is_present and not self.is_playing


class PairingWait(NamedTuple):
    """What a member waits for.

    Attributes:
        why: what it is, in words.
        until: when it can be paired, in seconds on the caller's clock; infinity if not known.
    """

    why: str
    until: float = float("inf")


def _always(_name: str) -> bool:
    return True


class Membership:
    """The members of one ladder."""

    def __init__(
        self,
        *,
        patience_s: float,
        house: Iterable[str] = (),
        pulse_s: float = 0.0,
        parts_guests: bool = False,
        has_time: Callable[[str], bool] = _always,
    ) -> None:
        """Create an empty membership.

        Args:
            patience_s: seconds to look for a new opponent before a rematch.
            house: names of the house bots.
            pulse_s: seconds between two matches of house bots while nothing else goes on, however
                often they have met; 0 for never.
            parts_guests: whether guests play only one another and house bots.
            has_time: returns whether a bot may play one more match on this server.
        """
        self._patience_s = patience_s
        self._has_time = has_time
        self._house = frozenset(house)
        self._pulse_s = pulse_s
        self._parts_guests = parts_guests
        self._begun_at = float("-inf")
        self._members: dict[str, Member] = {}
        self._last_opponent: dict[str, str] = {}

    def __contains__(self, name: object) -> bool:
        """Return whether a bot is a member."""
        return name in self._members

    def entrant(self, name: str) -> str:
        """Return the entrant that a member plays as.

        Raises:
            KeyError: when it is no member.
        """
        return self._members[name].entrant

    def address(self, name: str) -> str | None:
        """Return what guests of a member's address count under; None for a bot with a token.

        Raises:
            KeyError: when it is no member.
        """
        return self._members[name].address

    @property
    def present(self) -> int:
        """The number of members whose connection stands."""
        return sum(member.is_present for member in self._members.values())

    @property
    def free(self) -> int:
        """The number of members that could be given a match, now or after a pause."""
        return sum(member.is_free for member in self._members.values())

    def join(
        self,
        name: str,
        entrant: str,
        now: float,
        *,
        is_playing: bool = False,
        is_guest: bool = False,
        address: str | None = None,
    ) -> None:
        """Add a bot.

        Args:
            name: the bot.
            entrant: the version of it that is rated.
            now: the time, in seconds.
            is_playing: whether a match from before it last left is still under way.
            is_guest: whether it came without a token.
            address: what guests of its address count under; None for a bot with a token.
        """
        self._members[name] = Member(
            name, entrant, now, is_playing=is_playing, is_guest=is_guest, address=address
        )

    def is_free(self, name: str, now: float) -> bool:
        """Return whether a bot is a member that could be given a match now."""
        member = self._members.get(name)
        return member is not None and self._is_ready(member, now)

    def _is_ready(self, member: Member, now: float) -> bool:
        is_rested = member.is_free and member.not_before <= now
        return is_rested and self._has_time(member.name)

    def reconfigure(self, *, patience_s: float, pulse_s: float, parts_guests: bool) -> None:
        """Take new settings for the next pairings."""
        self._patience_s = patience_s
        self._pulse_s = pulse_s
        self._parts_guests = parts_guests

    def pause(self, name: str, until: float) -> None:
        """Pair a member with no other before then."""
        if name in self._members:
            self._members[name].not_before = until

    def bound(self, name: str, matches: int | None) -> None:
        """Set after how many further matches a member leaves; None for never."""
        if name in self._members:
            self._members[name].matches_left = matches

    def has_finished(self, name: str) -> bool:
        """Return whether a member has played as many matches as it wanted."""
        member = self._members.get(name)
        return member is not None and member.matches_left == 0

    def restore_opponents(self, met: Mapping[str, str]) -> None:
        """Restore the last opponents, by name, from the journal."""
        self._last_opponent.update(met)

    def leave(self, name: str) -> None:
        """Remove a bot."""
        self._members.pop(name, None)
        self._last_opponent.pop(name, None)

    def on_connect(self, name: str, entrant: str, now: float, address: str | None = None) -> None:
        """Note that a member's connection stands, the version it is now, and its address."""
        member = self._members.get(name)
        if member is None:
            return
        member.entrant, member.address = entrant, address
        if not member.is_present:
            member.is_present, member.since = True, now

    def on_disconnect(self, name: str) -> None:
        """Note that a member's connection is gone."""
        if name in self._members:
            self._members[name].is_present = False

    def begun(self, first: str, second: str) -> None:
        """Note that two members play each other."""
        for name, other in ((first, second), (second, first)):
            self._last_opponent[name] = other
            member = self._members.get(name)
            if member is not None:
                member.is_playing = True
                if member.matches_left:
                    member.matches_left -= 1

    def on_match_end(self, name: str, now: float) -> None:
        """Note that a member's match is over."""
        member = self._members.get(name)
        if member is not None and member.is_playing:
            member.is_playing, member.since = False, now

    def pair(self, state: LadderState, now: float) -> list[Encounter]:
        """Return encounters among the free members, by name.

        Args:
            state: their ratings, and how often they have met.
            now: the time, in seconds.
        """

        def meetings(one: str, two: str) -> int:
            return state.meetings(self._members[one].entrant, self._members[two].entrant)

        waiting = self._waiting(state, now)
        encounters = pair(waiting, now, patience_s=self._patience_s, meetings=meetings)
        if encounters:
            self._begun_at = now
        elif now >= self._pulse_due() and len(idle := self._idle_house(now)) > 1:
            self._begun_at = now
            return [Encounter(*idle[:2])]
        return encounters

    def next_look(self, state: LadderState, now: float) -> float:
        """Return when :meth:`pair` could next find more without news; infinity for never."""
        pauses = (member.not_before for member in self._members.values() if member.is_free)
        ends = min((end for end in pauses if end > now), default=float("inf"))
        look = next_look(self._waiting(state, now), now, patience_s=self._patience_s)
        pulse = self._pulse_due() if len(self._idle_house(now)) > 1 else float("inf")
        return min(ends, look, max(pulse, now))

    def wait_of(self, name: str, state: LadderState, now: float) -> PairingWait:
        """Return what a member waits for until it is given a match.

        Args:
            name: the member.
            state: the ratings, and how often members have met.
            now: the time, in seconds.
        """
        member = self._members[name]
        if not member.is_present:
            return PairingWait(f"{name} to connect")
        if member.is_playing:
            return PairingWait("its present match to end")
        if member.not_before > now:
            return PairingWait("its pause to end", member.not_before)
        if not self._has_time(name):
            return PairingWait("its matches elsewhere to end")
        return self._wait_for_others(member, state, now)

    def _wait_for_others(self, member: Member, state: LadderState, now: float) -> PairingWait:
        others = [it for it in self._members.values() if it is not member and it.is_present]
        if any(self._is_ready(other, now) for other in others):
            return PairingWait("a new opponent, or a rematch", self.next_look(state, now))
        if len(others) == 1:
            return PairingWait("the other bot to be free")
        if others:
            return PairingWait(f"one of {quantity(len(others), 'other bot')} to be free")
        return PairingWait("another bot to join")

    def _pulse_due(self) -> float:
        """Return when two house bots may play on; infinity while anything else goes on."""
        if not self._pulse_s or any(member.is_playing for member in self._members.values()):
            return float("inf")
        return self._begun_at + self._pulse_s

    def _idle_house(self, now: float) -> list[str]:
        """Return the free house bots, the one that has waited longest first."""
        free = [
            member
            for member in self._members.values()
            if member.name in self._house and self._is_ready(member, now)
        ]
        free.sort(key=lambda member: (member.since, member.name))
        return [member.name for member in free]

    def _waiting(self, state: LadderState, now: float) -> list[Waiting]:
        has_others = self.present > 2  # otherwise only a rematch is possible
        waiting = []
        for member in self._members.values():
            if not self._is_ready(member, now):
                continue
            live = state.entrant(member.entrant).live
            waiting.append(
                Waiting(
                    name=member.name,
                    elo=live.elo,
                    deviation=live.deviation,
                    since=member.since,
                    last_opponent=self._last_opponent.get(member.name, "") if has_others else "",
                    never=self._well_known(member, state) | self._parted(member),
                )
            )
        return waiting

    def _parted(self, member: Member) -> frozenset[str]:
        """Return the bots with a token that a guest is kept from."""
        if not (self._parts_guests and member.is_guest):
            return frozenset()
        return (
            frozenset(other.name for other in self._members.values() if not other.is_guest)
            - self._house
        )

    def _well_known(self, member: Member, state: LadderState) -> frozenset[str]:
        """Return the house bots that a house bot has met often enough."""
        if member.name not in self._house:
            return frozenset()
        return frozenset(
            other.name
            for name in self._house - {member.name}
            if (other := self._members.get(name)) is not None
            and state.meetings(member.entrant, other.entrant) >= HOUSE_MEETINGS
        )
