"""What the operator has ordered, as the lobby asks for it: bans, the notice, what is on hold."""

import hashlib
from collections.abc import Callable

from mancala.protocol.messages import Hello, Notice

from ..model.orders import (
    WHOLE_SERVER,
    Ban,
    BanKind,
    EndedSeason,
    HeldOrder,
    KeptOrders,
    Replay,
    Season,
    Switch,
    SwitchKind,
    Visitor,
    ban_of,
)
from ..net.seat import Seat

NO_NOTICE = Notice("")


def token_hash(token: str) -> str:
    """Return the hash under which a banned token is kept."""
    return hashlib.sha256(token.encode()).hexdigest()


class Orders:
    def __init__(self, utc: Callable[[], str]) -> None:
        """Begin without any; ``utc`` returns the time of day, RFC 3339."""
        self._utc = utc
        self._bans: dict[tuple[BanKind, str], Ban] = {}
        self._switches: dict[tuple[SwitchKind, str], Switch] = {}

    def restore(self, kept: KeptOrders) -> None:
        self._bans = {(ban.kind, ban.key): ban for ban in kept.bans}
        self._switches = {(switch.kind, switch.subject): switch for switch in kept.switches}

    # Bans

    @property
    def bans(self) -> tuple[Ban, ...]:
        """The bans that hold now, the oldest first."""
        now = self._utc()
        return tuple(ban for ban in self._bans.values() if ban.holds(now))

    def ban(self, ban: Ban) -> None:
        """Keep someone out; the ban takes the place of one with the same key."""
        self._bans[ban.kind, ban.key] = ban

    def unban(self, kind: BanKind, key: str) -> None:
        self._bans.pop((kind, key), None)

    def refusal(self, seat: Seat, hello: Hello) -> str | None:
        """Return why a client may not come in, or None; the server's own programs always may."""
        return None if seat.is_own else self.ban_on(hello.name, hello.token, seat.address)

    def ban_on(self, name: str, token: str | None, address: str = "") -> str | None:
        """Return why a ban keeps out who comes with a name and perhaps a token, or None."""
        if not self._bans:
            return None
        hashed = token_hash(token) if token is not None else None
        ban = ban_of(self._bans.values(), Visitor(name, hashed, address), self._utc())
        return None if ban is None else refused(ban)

    # Switches

    def switch(self, kind: SwitchKind, subject: str = WHOLE_SERVER) -> Switch | None:
        """Return a state that the operator has set and that holds now, or None."""
        found = self._switches.get((kind, subject))
        if found is None or (found.until is not None and found.until <= self._utc()):
            return None
        return found

    def switches(self, kind: SwitchKind) -> list[Switch]:
        found = [subject for of, subject in self._switches if of is kind]
        return [each for name in found if (each := self.switch(kind, name)) is not None]

    def switch_on(self, switch: Switch) -> None:
        self._switches[switch.kind, switch.subject] = switch

    def switch_off(self, kind: SwitchKind, subject: str = WHOLE_SERVER) -> None:
        self._switches.pop((kind, subject), None)

    @property
    def is_drained(self) -> bool:
        """Whether the operator lets no new match begin."""
        return self.switch(SwitchKind.DRAINED) is not None

    @property
    def notice(self) -> Notice:
        """The notice that holds, as clients get it; without text if there is none."""
        found = self.switch(SwitchKind.NOTICE)
        return NO_NOTICE if found is None else Notice(found.text, found.until)

    @property
    def seasons(self) -> tuple[EndedSeason, ...]:
        """The seasons that are over, the earliest first."""
        found = (
            EndedSeason(each.subject, Season.of(each.text), each.at)
            for each in self.switches(SwitchKind.SEASON)
        )
        return tuple(sorted(found, key=lambda each: (each.at, each.name)))

    def owed(self, ladder: str) -> tuple[Replay, ...]:
        """Return the matches of a ladder that are to be played again, the earliest order first."""
        switches = sorted(self.switches(SwitchKind.REPLAY), key=lambda each: each.at)
        replays = (Replay.of(each.text) for each in switches)
        return tuple(replay for replay in replays if replay.ladder == ladder)

    @property
    def held_orders(self) -> tuple[HeldOrder, ...]:
        """The orders that wait to be confirmed, the earliest first."""
        found = (HeldOrder.of(each.text) for each in self.switches(SwitchKind.HELD))
        return tuple(sorted(found, key=lambda each: (each.at, each.id)))

    def settle(self, match: str) -> None:
        """Note that a match is being played again."""
        self.switch_off(SwitchKind.REPLAY, match)

    def held(self, ladder: str) -> str | None:
        """Return why a ladder begins no match, or None."""
        if self.switch(SwitchKind.SEASON, ladder) is not None:
            return f"the season {ladder} is over"
        if (closed := self.switch(SwitchKind.CLOSED, ladder)) is not None:
            return f"the ladder {ladder} is closed{_because(closed.text)}"
        if (paused := self.switch(SwitchKind.PAUSED, ladder)) is not None:
            return f"the ladder {ladder} is paused{_because(paused.text)}"
        return None

    def is_closed(self, ladder: str) -> bool:
        """Return whether a ladder takes no members any more."""
        kinds = SwitchKind.CLOSED, SwitchKind.SEASON
        return any(self.switch(kind, ladder) is not None for kind in kinds)


def refused(ban: Ban) -> str:
    """Return the sentence that one who is kept out reads."""
    until = f" until {ban.until}" if ban.until is not None else ""
    return f"banned{until}{_because(ban.reason)}"


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""
