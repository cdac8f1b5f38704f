"""The members of a ladder, which of them are free, and the next pairings; pure.

House bots, the organiser's own, are there for others to play. Among themselves they play a limited
number of games, so that their ratings mean something to a newcomer. After that the ladder is idle
without others, but for a slow pulse: one match of two house bots at a time, so that there is
something to watch.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

from mancala.protocol.text import quantity

from ..config.ladders import LadderSettings
from ..model.game import Encounter
from ..rating.pairing import Waiting, next_look, pair
from .state import LadderState

HOUSE_MEETINGS: Final = 20
"""Most games of two house bots; they fix the difference to within about 150 Elo."""


@dataclass(slots=True)
class Member:
    """A bot that joined; times are seconds on the caller's clock.

    Attributes:
        address: what guests of its address count under; None for a bot with a token.
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
    """What a member waits for, and when it can be paired; infinity if that is not known."""

    why: str
    until: float = inf


class Membership:
    """The members of one ladder, by name."""

    def __init__(
        self,
        settings: Callable[[], LadderSettings],
        has_time: Callable[[str], bool],
        parts_guests: Callable[[], bool],
    ) -> None:
        """Create an empty membership."""
        self._settings = settings
        self._parts_guests = parts_guests
        self._has_time = has_time
        self._begun_at = -inf
        self._members: dict[str, Member] = {}
        self._last_opponent: dict[str, str] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __getitem__(self, name: str) -> Member:
        return self._members[name]

    def get(self, name: str) -> Member | None:
        return self._members.get(name)

    @property
    def present(self) -> int:
        """The number of members whose connection stands."""
        return sum(member.is_present for member in self._members.values())

    @property
    def free(self) -> int:
        """The number of members that could be given a match, now or after a pause."""
        return sum(member.is_free for member in self._members.values())

    def join(self, member: Member) -> None:
        self._members[member.name] = member

    def leave(self, name: str) -> None:
        self._members.pop(name, None)
        self._last_opponent.pop(name, None)

    def is_free(self, name: str, now: float) -> bool:
        """Return whether a bot is a member that could be given a match now."""
        member = self._members.get(name)
        return member is not None and self._is_ready(member, now)

    def _is_ready(self, member: Member, now: float) -> bool:
        is_rested = member.is_free and member.not_before <= now
        return is_rested and self._has_time(member.name)

    def restore_opponents(self, met: Mapping[str, str]) -> None:
        """Restore the last opponents, by name, from the journal."""
        self._last_opponent.update(met)

    def on_connect(self, name: str, entrant: str, now: float, address: str | None = None) -> None:
        """Note that a member's connection stands, the version it is now, and its address."""
        member = self._members[name]
        member.entrant, member.address = entrant, address
        if not member.is_present:
            member.is_present, member.since = True, now

    def on_disconnect(self, name: str) -> None:
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
        member = self._members.get(name)
        if member is not None and member.is_playing:
            member.is_playing, member.since = False, now

    # Pairing

    def pair(self, state: LadderState, now: float) -> list[Encounter]:
        """Return encounters among the free members, by what the state knows of them."""

        def meetings(one: str, two: str) -> int:
            return state.meetings(self._members[one].entrant, self._members[two].entrant)

        waiting, patience_s = self._waiting(state, now), self._settings().patience_s
        encounters = pair(waiting, now, patience_s=patience_s, meetings=meetings)
        if encounters:
            self._begun_at = now
        elif now >= self._pulse_due() and len(idle := self._idle_house(now)) > 1:
            self._begun_at = now
            return [Encounter(*idle[:2])]
        return encounters

    def next_look(self, state: LadderState, now: float) -> float:
        """Return when :meth:`pair` could next find more without news; infinity for never."""
        pauses = (member.not_before for member in self._members.values() if member.is_free)
        ends = min((end for end in pauses if end > now), default=inf)
        look = next_look(self._waiting(state, now), now, patience_s=self._settings().patience_s)
        pulse = self._pulse_due() if len(self._idle_house(now)) > 1 else inf
        return min(ends, look, max(pulse, now))

    def wait_of(self, name: str, state: LadderState, now: float) -> PairingWait:
        """Return what a member waits for until it is given a match."""
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
        ready = [other for other in others if self._is_ready(other, now)]
        if (
            ready
            and self._parts_guests()
            and all(self._keeps_apart(member, other) for other in ready)
        ):
            return PairingWait("an opponent; guests and bots with a token play apart here")
        if ready:
            return PairingWait("a new opponent, or a rematch", self.next_look(state, now))
        if len(others) == 1:
            return PairingWait("the other bot to be free")
        if others:
            return PairingWait(f"one of {quantity(len(others), 'other bot')} to be free")
        return PairingWait("another bot to join")

    def _pulse_due(self) -> float:
        """Return when two house bots may play on; infinity while anything else goes on."""
        pulse_s = self._settings().pulse_s
        if not pulse_s or any(member.is_playing for member in self._members.values()):
            return inf
        return self._begun_at + pulse_s

    def _idle_house(self, now: float) -> list[str]:
        free = [
            (member.since, member.name)
            for member in self._members.values()
            if member.name in self._settings().house and self._is_ready(member, now)
        ]
        return [name for _since, name in sorted(free)]

    def _waiting(self, state: LadderState, now: float) -> list[Waiting]:
        has_others = self.present > 2  # otherwise only a rematch is possible
        waiting = []
        for member in self._members.values():
            if not self._is_ready(member, now):
                continue
            live = state.entrant(member.entrant).live
            last_opponent = self._last_opponent.get(member.name, "") if has_others else ""
            never = frozenset((*self._well_known(member, state), *self._parted(member)))
            facts = member.name, live.elo, live.deviation, member.since, last_opponent, never
            waiting.append(Waiting(*facts))
        return waiting

    def _parted(self, member: Member) -> Iterator[str]:
        """Yield the bots with a token that a guest is kept from."""
        if member.is_guest and self._parts_guests():
            for other in self._members.values():
                if self._keeps_apart(member, other):
                    yield other.name

    def _keeps_apart(self, one: Member, two: Member) -> bool:
        """Return whether one of two is a guest and the other a bot with a token."""
        is_mixed = one.is_guest is not two.is_guest
        return is_mixed and (two if one.is_guest else one).name not in self._settings().house

    def _well_known(self, member: Member, state: LadderState) -> Iterator[str]:
        """Yield the house bots that a house bot has met often enough."""
        house = self._settings().house
        others = (each for each in self._members.values() if each is not member)
        for other in others if member.name in house else ():
            is_known = other.name in house
            if is_known and state.meetings(member.entrant, other.entrant) >= HOUSE_MEETINGS:
                yield other.name
