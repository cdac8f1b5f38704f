"""Which bots have a session: who may take one back, who may not, and what each missed meanwhile."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from mancala.protocol.messages import Welcome
from mancala.server.app.housekeeping import HOUSEKEEPING_S
from tests.simulate.promises import NOTICED_S, Promise, broken
from tests.simulate.seats import Seats
from tests.simulate.trace import Trace


@dataclass(slots=True)
class SessionWatch:
    """The sessions of all bots, over all restarts."""

    trace: Trace
    grace_s: float
    seats: Seats
    _open: set[str] = field(default_factory=set)
    _gone: set[str] = field(default_factory=set)
    _put_out: set[str] = field(default_factory=set)
    """Bots that were banned while they had a session."""
    _greeted: dict[str, float] = field(default_factory=dict)
    _revoked: dict[str, float] = field(default_factory=dict)
    _missed: dict[str, set[str]] = field(default_factory=dict)
    """By bot, the games whose results it has not heard."""
    _opened_at: dict[str, float] = field(default_factory=dict)
    _shown_at: dict[str, float] = field(default_factory=dict)
    """By game, when it was first shown."""
    _began_at: float = 0.0

    @property
    def coming(self) -> frozenset[str]:
        """The bots that have just said hello; each is welcome as soon as its session is stored."""
        recent = self.trace.now() - NOTICED_S
        return frozenset(name for name, at in self._greeted.items() if at > recent)

    @property
    def has_revoked(self) -> bool:
        return bool(self._revoked)

    def is_revoked(self, name: str) -> bool:
        return name in self._revoked

    def greeted(self, name: str) -> None:
        self._greeted[name] = self.trace.now()

    def welcomed(self, name: str, welcome: Welcome) -> None:
        """Note a welcome; a session that was left with a goodbye may not be taken back."""
        if welcome.resumed and name in self._gone:
            broken(Promise.ENDED, name)
        if welcome.resumed and name in self._put_out:
            broken(Promise.BANNED, f"{name} took back the session that it had")
        self._gone.discard(name)
        self._put_out.discard(name)
        if not welcome.resumed:
            self._opened_at[name] = self.trace.now()
        if name not in self._revoked:
            self._open.add(name)

    def refused(self, name: str) -> None:
        """Note that a bot is not given its session back; it must have been over."""
        self._forget_absent()
        if name in self._open:
            broken(Promise.RESUMED, name)

    def ended(self, name: str) -> None:
        self._open.discard(name)
        self._missed.pop(name, None)

    def said_goodbye(self, name: str) -> None:
        self.ended(name)
        self._gone.add(name)

    def banned(self, name: str) -> None:
        """Note that a bot is banned: its session is over for good."""
        self.ended(name)
        self._put_out.add(name)

    def revoked(self, name: str) -> None:
        """Note that a bot's name is taken from it: its session ends, and no other begins."""
        self.ended(name)
        self._revoked[name] = self.trace.now()

    def restarted(self) -> None:
        """Forget what only the former server knew; a kill may undo a goodbye."""
        self._missed.clear()
        self._gone.clear()
        self._began_at = self.trace.now()

    def shown(self, game: str) -> None:
        self._shown_at.setdefault(game, self.trace.now())

    def over(self, game: str, names: Iterable[str]) -> None:
        """Note that a game is over; those of its bots that are away have to hear of it later."""
        for name in names:
            is_away = name in self._open and self.seats.present_since(name) is None
            if is_away and self._shown_at[game] >= self._opened_at[name]:
                self._missed.setdefault(name, set()).add(game)

    def heard_of(self, name: str, game: str) -> None:
        self._missed.get(name, set()).discard(game)

    def watch(self) -> None:
        self._forget_absent()
        now = self.trace.now()
        for name, games in self._missed.items():
            since = self.seats.present_since(name)
            if games and since is not None and now - since > NOTICED_S:
                broken(Promise.TOLD, f"{name}: {sorted(games)}")
        for name, at in self._revoked.items():
            is_present = self.seats.present_since(name) is not None
            if is_present and now - max(at, self._began_at) > HOUSEKEEPING_S + NOTICED_S:
                broken(Promise.REVOKED, f"{name}, revoked {now - at:.1f} s ago")

    def _forget_absent(self) -> None:
        """Forget the sessions of bots that are away for about as long as their seats are kept."""
        ends = self.trace.now() - self.grace_s + NOTICED_S
        self._open -= {
            name
            for name in self._open
            if self.seats.present_since(name) is None and self.seats.away_since(name) < ends
        }
