"""Who holds the places of the house bots, who waits for one, and whether they are lent in turns."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mancala.protocol.messages import Challenged, GameStart, MatchOver, Message
from mancala.server.config.settings import Play
from mancala.server.lobby.house import LONGEST_LEASES, longest_turn_s
from tests.simulate.promises import NOTICED_S, Promise, broken
from tests.simulate.seats import Seats
from tests.simulate.trace import RareEvent, Trace

SETTLED_S: Final = 2 * NOTICED_S
"""A place that is free for longer, while a challenge waits, is not lent."""


class Wanted(NamedTuple):
    """A challenge of a house bot."""

    by: str
    to: str
    at: float


class Held(NamedTuple):
    """A match of a house bot.

    Attributes:
        is_lent: whether it came from a challenge; a match of a ladder is not interrupted.
    """

    names: tuple[str, str]
    since: float
    game: str
    is_lent: bool


@dataclass(slots=True)
class LeaseWatch:
    """The places of the house bots, over all restarts."""

    trace: Trace
    seats: Seats
    house: frozenset[str]
    play: Play
    _waiting: dict[str, Wanted] = field(default_factory=dict)
    """Challenges that wait for a place, by id."""
    _passed: dict[str, Wanted] = field(default_factory=dict)
    """Those that have one, until their match begins."""
    _held: dict[str, Held] = field(default_factory=dict)
    _free_since: dict[str, float] = field(default_factory=dict)
    _began_at: float = 0.0

    def told(self, name: str, message: Message) -> None:
        match message:
            case Challenged():
                self._challenged(name, message)
            case MatchOver():
                self._held.pop(message.match, None)

    def _challenged(self, name: str, message: Challenged) -> None:
        """Note a challenge as one of its sides hears of it; it must be within bounds."""
        if message.to not in self.house:
            return
        play = self.play
        if message.games > play.games or longest_turn_s(message.clock) > play.longest_turn_s:
            broken(Promise.LENT, f"{message} is beyond {play}")
        if name == message.to:
            now = self.trace.now()
            waited = self._waiting.pop(message.challenge, None)
            if waited is not None and now > waited.at:
                self.trace.count(RareEvent.PLACE_WANTED, message.by)
            self._passed[message.challenge] = Wanted(message.by, message.to, now)
        elif message.challenge not in self._passed:
            wanted = Wanted(message.by, message.to, self.trace.now())
            self._waiting.setdefault(message.challenge, wanted)

    def declined(self, challenge: str) -> None:
        """Note that a challenge is over without a match."""
        self._waiting.pop(challenge, None)
        self._passed.pop(challenge, None)

    def shown(self, start: GameStart) -> None:
        """Note a game; a match that others wait for may not go on with one for too long."""
        known = self._held.get(start.match)
        if known is None:
            self._begin(start)
        elif known.game != start.game:
            self._held[start.match] = known._replace(game=start.game)
            self._check_yields(start.match)

    def restarted(self) -> None:
        """Forget the challenges: none outlives its server."""
        self._waiting.clear()
        self._passed.clear()
        self._free_since.clear()
        self._began_at = self.trace.now()

    def watch(self, running: Collection[str]) -> None:
        self._forget_absent()
        if self.trace.now() - max(self._began_at, self.seats.calm_since) <= SETTLED_S:
            self._free_since.clear()
            return
        for bot in sorted({wanted.to for wanted in self._waiting.values()}):
            self._check_longest(bot, running)
            self._check_free(bot, running)

    def _begin(self, start: GameStart) -> None:
        if self.house.isdisjoint(start.names):
            return
        pairs = {challenge: {wanted.by, wanted.to} for challenge, wanted in self._passed.items()}
        mine = [challenge for challenge, pair in pairs.items() if pair == set(start.names)]
        now = self.trace.now()
        self._held[start.match] = Held(start.names, now, start.game, bool(mine))
        for challenge in mine[:1]:
            del self._passed[challenge]

    def _lent(self, bot: str) -> list[tuple[str, Held]]:
        """Return the matches that a house bot was challenged to, the longest held first."""
        lent = [(key, held) for key, held in self._held.items() if bot in held.names]
        return sorted((each for each in lent if each[1].is_lent), key=lambda each: each[1].since)

    def _has_waiter(self, bot: str) -> bool:
        """Return whether a challenge has waited for long enough to be served in turn."""
        served = self.trace.now() - NOTICED_S
        return any(wanted.to == bot and wanted.at < served for wanted in self._waiting.values())

    def _check_yields(self, match: str) -> None:
        """Check that a match whose turn it is to yield does not go on with another game."""
        held, now = self._held[match], self.trace.now()
        if now - max(self._began_at, self.seats.calm_since) <= SETTLED_S:
            return
        for bot in self.house.intersection(held.names):
            is_first = bool(lent := self._lent(bot)) and lent[0][0] == match
            if is_first and self._has_waiter(bot) and now - held.since > self._lease_s(1.0):
                broken(Promise.LENT, f"{match} of {held} goes on, while {self._waiting} wait")

    def _check_longest(self, bot: str, running: Collection[str]) -> None:
        lent = [held for _, held in self._lent(bot) if held.game in running]
        is_late = bool(lent) and self.trace.now() - lent[0].since > self._lease_s(LONGEST_LEASES)
        if is_late and self._has_waiter(bot):
            broken(Promise.LENT, f"{lent[0]} is held, while {self._waiting} wait")

    def _check_free(self, bot: str, running: Collection[str]) -> None:
        now, since = self.trace.now(), self.seats.present_since(bot)
        taken = sum(bot in held.names and held.game in running for held in self._held.values())
        taken += sum(wanted.to == bot for wanted in self._passed.values())
        is_settled = since is not None and now - since > SETTLED_S
        if not is_settled or taken >= self.play.challenges or not self._has_waiter(bot):
            self._free_since.pop(bot, None)
        elif now - self._free_since.setdefault(bot, now) > SETTLED_S:
            broken(Promise.LENT, f"{bot} has {taken} matches, while {self._waiting} wait")

    def _lease_s(self, leases: float) -> float:
        return leases * self.play.lease_s + SETTLED_S

    def _forget_absent(self) -> None:
        """Forget the challenges of bots whose connections are gone: they are withdrawn."""
        for book in (self._waiting, self._passed):
            for challenge, wanted in tuple(book.items()):
                ends = [self.seats.present_since(name) for name in (wanted.by, wanted.to)]
                if any(since is None or since > wanted.at for since in ends):
                    del book[challenge]
