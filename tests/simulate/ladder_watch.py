"""Who is in a ladder, who waits there for a match, and who may not be in it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from mancala.protocol.messages import Error, Joined, Left, MatchOver, Message
from tests.simulate.promises import NOTICED_S, Promise, broken
from tests.simulate.seats import Seats
from tests.simulate.trace import RareEvent, Trace

PAIRED_S: Final = 30.0
"""Two members of a ladder that are free and present for longer were forgotten."""
UNTIL: Final = re.compile(r" until (?P<at>\S+): ")
"""The end of a quarantine, in the words of its refusal."""


@dataclass(slots=True)
class LadderWatch:
    """The members of the ladder, over all restarts.

    Attributes:
        house: the organiser's bots, which need not be given one another.
    """

    trace: Trace
    seats: Seats
    house: frozenset[str] = frozenset()
    is_season_over: bool = False
    _members: dict[str, float | None] = field(default_factory=dict)
    """Since when each waits for a match; None while it plays one."""
    _matches: dict[str, frozenset[str]] = field(default_factory=dict)
    """The matches that each plays, in the ladder or not."""
    _paused: set[str] = field(default_factory=set)
    _versions: dict[str, str] = field(default_factory=dict)
    """As which version each said hello last."""
    _barred: dict[tuple[str, str], str] = field(default_factory=dict)
    """By bot and version, the end of a quarantine."""
    _began_at: float = 0.0
    _held: frozenset[str] = frozenset()
    """Who plays in an event, which goes first."""

    def told(self, name: str, message: Message) -> None:
        match message:
            case Joined():
                self.joined(name)
            case Left():
                self.left(name)
            case MatchOver():
                matches = self._matches.get(name, frozenset()) - {message.match}
                self.came(name, matches)

    def hold(self, names: frozenset[str]) -> None:
        """Note who plays in an event now; those who did wait anew."""
        for name in self._held - names:
            if self._members.get(name) is not None:
                self._members[name] = self.trace.now()
        self._held = names

    def greeted(self, name: str, version: str) -> None:
        self._versions[name] = version

    def _version(self, name: str) -> tuple[str, str]:
        return name, self._versions.get(name, "")

    def joined(self, name: str) -> None:
        """Note a new member; it may not be in quarantine."""
        until = self._barred.get(self._version(name), "")
        if self.seats.utc() < until:
            broken(Promise.BARRED, f"{name} may join before {until}")
        self._members.setdefault(name, self.trace.now())

    def left(self, name: str) -> None:
        self._members.pop(name, None)

    def paused(self, name: str) -> None:
        """Note a bot that has to wait, since it left matches early."""
        self._paused.add(name)

    def quarantined(self, name: str, error: Error) -> None:
        """Note that a bot may not play; the quarantine must not be over."""
        self.trace.count(RareEvent.QUARANTINED, name)
        self.left(name)
        until = UNTIL.search(error.message)
        if until is None or until["at"] <= self.seats.utc():
            broken(Promise.BARRED, f"{name} at {self.seats.utc()}: {error.message}")
        self._barred[self._version(name)] = until["at"]

    def barred(self, entrant: str, text: str) -> None:
        """Note that the organiser put a version of a bot in quarantine.

        Args:
            entrant: the bot, and after an ``@`` its version.
            text: until when, and why.
        """
        name, _, version = entrant.partition("@")
        until = text.removeprefix("until ").partition(": ")[0]
        self._barred[name, version] = until

    def released(self) -> None:
        """Forget the quarantines, some of which the organiser lifts."""
        self._barred.clear()

    def restarted(self) -> None:
        self._began_at = self.trace.now()
        for name, since in self._members.items():
            self._members[name] = None if since is None else self._began_at

    def came(self, name: str, matches: Iterable[str] = ()) -> None:
        """Note what a bot plays that came back, or from a match; a free member waits for one."""
        self._matches[name] = frozenset(matches)
        if name in self._members:
            self._members[name] = None if self._matches[name] else self.trace.now()

    def match_began(self, match: str, names: tuple[str, str]) -> None:
        """Check a new match; one that is restored, or waited for the server, may lack a bot."""
        if self.is_season_over:
            broken(Promise.WILLING, f"{names} in {match}")
        for name in names:
            self._matches[name] = self._matches.get(name, frozenset()) | {match}
        now = self.trace.now()
        if now - max(self._began_at, self.seats.calm_since) >= PAIRED_S:
            self._check_presence(match, names)
        self._members |= {name: None for name in names if name in self._members}

    def _check_presence(self, match: str, names: tuple[str, str]) -> None:
        for name in names:
            is_away = self.seats.present_since(name) is None
            if is_away and self.trace.now() - self.seats.away_since(name) > NOTICED_S:
                broken(Promise.MET, f"{name} in {match}")

    def watch(self) -> None:
        """Check that no two members wait for longer than they should."""
        now = self.trace.now()
        if now - self.seats.calm_since <= PAIRED_S:
            return
        forgotten = [
            name
            for name, since in self._members.items()
            if since is not None
            and name not in self._paused
            and name not in self._held
            and now - since > PAIRED_S
            and now - (self.seats.present_since(name) or now) > PAIRED_S
        ]
        if len(forgotten) > 1 and not self.house.issuperset(forgotten):
            broken(Promise.PAIRED, f"{forgotten} have waited for {PAIRED_S:g} s")
