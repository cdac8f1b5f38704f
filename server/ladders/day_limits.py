"""What bots may do a few times in 24 hours in a ladder: leave early, and bring newcomers.

A name is held to what it did itself:

* Leaving a match before the first move costs nothing a few times a day: programs crash and lines
  break. After that it is a loss, and the bot is paired again only after a pause that doubles each
  time, so that it cannot pick its opponents, nor keep others from theirs. The model is lichess'
  playban.
* Every entrant costs a row of the standings and a parameter of the joint fit, for good, and a bot
  without a record escapes what its former record would bring it. So a name may bring only a few new
  versions a day.

A guest can take a new name, so guests count by address as well. But behind one address there may be
a school, so what an address has used up slows its new names, and never refuses or punishes one:

* After many departures from an address, its new names are paired one after another.
* After many new names from an address, the next ones play unrated until it is their turn: no row
  without a rated game.

A name is new until it has finished a rated game of the ladder. All counts become durable, so that
no stranger gains by a restart.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from mancala.protocol.text import quantity

from ..config.ladders import LadderSettings
from ..match.context import Context
from ..match.participant import Participant
from ..model.day_counts import DAY_S, Counted, CountKind, DailyLimit
from ..model.leases import Turns

MOST_DOUBLINGS: Final = 64
"""The pause is at its longest long before."""
PAIRED_APART_S: Final = 2.0
"""Between the first pairings of new names of an address that many matches were left from."""
LONGEST_WAIT_S: Final = 60.0
"""The longest wait of a new name for its first pairing."""
RATED_APART_S: Final = 60.0
"""Between further new names of an address that become rated: 1,440 rows a day at most, and less
than an author waits for a first table."""
LONGEST_UNRATED_S: Final = 1800.0
"""The longest time that a new name plays unrated."""


class Pause(NamedTuple):
    """A time without a match, until an instant of the loop's clock, and what the bot reads."""

    until: float
    reason: str


class Newcomer(NamedTuple):
    """A guest that has not finished a rated game of the ladder, and its address' key."""

    name: str
    address: str


class DayLimits:
    """The counts of one ladder; :meth:`restore_count` brings those of a former server."""

    def __init__(self, settings: Callable[[], LadderSettings], context: Context) -> None:
        self._settings = settings
        self._context = context
        ladder = settings().name
        self._departures = DailyLimit(CountKind.DEPARTURE, ladder)
        self._newcomers = DailyLimit(CountKind.NEWCOMER, ladder)
        self._pairings = Turns(apart_s=PAIRED_APART_S, longest_s=LONGEST_WAIT_S)
        self._ratings = Turns(apart_s=RATED_APART_S, longest_s=LONGEST_UNRATED_S)

    def restore_count(self, counted: Counted, since: float) -> None:
        """Count again what a former server counted; ``since`` is when, on the loop's clock."""
        is_departure = counted.kind is CountKind.DEPARTURE
        (self._departures if is_departure else self._newcomers).restore_count(counted, since)

    # Departures

    def left_early(self, player: Participant, match: str) -> int:
        """Count an early departure, once a match; return how many the bot itself has."""
        self._note(self._departures, [(key, match) for key in player.count_keys])
        return self._departures.count(player.own_key, self._context.now())

    def pause(self, player: Participant) -> Pause:
        """Return the pause that follows from a bot's own departures."""
        now = self._context.now()
        latest = self._departures.latest(player.own_key, now)
        count = self._departures.count(player.own_key, now)
        until = now if latest is None else latest + pause_s(count, self._settings())
        reason = (
            f"you left {quantity(count, 'match')} before your first move: "
            f"paused for {until - now:.0f} s; leaving another one loses it"
        )
        return Pause(until, reason)

    def wait(self, newcomer: Newcomer) -> Pause:
        """Return how long a new name waits for its first pairing."""
        now = self._context.now()
        count = self._departures.count(newcomer.address, now)
        if count < self._settings().address_departures:
            return Pause(now, "")
        until = self._pairings.turn(newcomer.address, newcomer.name, now)
        reason = (
            f"guests of your address left {quantity(count, 'match')} today before their first move:"
            f" your first match begins in about {until - now:.0f} s; stay connected"
        )
        return Pause(until, reason)

    # Newcomers

    def excess_of(self, player: Participant, entrant: str) -> str | None:
        """Return why a new version of a bot is one too many, or count it and return None."""
        now, most = self._context.now(), self._settings().versions_a_day
        if not self._newcomers.has_room(player.own_key, entrant, now, most=most):
            return f"a bot may have at most {quantity(most, 'new version')} a day"
        self._note(self._newcomers, [(player.own_key, entrant)])
        return None

    def may_be_rated(self, newcomers: Iterable[Newcomer]) -> bool:
        """Return whether a match of new names may count; if so, they are new no longer."""
        new = tuple(newcomers)
        have_places = [self._has_place(each) for each in new]
        if not all(have_places):
            return False
        self._note(self._newcomers, [(each.address, each.name) for each in new])
        return True

    def _has_place(self, newcomer: Newcomer) -> bool:
        (name, address), now = newcomer, self._context.now()
        if self._newcomers.has_room(address, name, now, most=self._settings().guests_a_day):
            return True
        return now >= self._ratings.turn(address, name, now)

    def release(self, name: str) -> None:
        """Forget the turns of a bot that has left the ladder."""
        self._pairings.release(name)
        self._ratings.release(name)

    def _note(self, limit: DailyLimit, items: Sequence[tuple[str, str]]) -> None:
        if new := limit.note(items, self._context.now(), self._context.utc()):
            self._context.journal.commit(new, lambda: None)


def pause_s(count: int, settings: LadderSettings) -> float:
    """Return how long a bot pauses after its latest of ``count`` early departures, in seconds."""
    excess = min(count - settings.early_departures, MOST_DOUBLINGS)
    if excess <= 0:
        return 0.0
    return min(DAY_S, settings.departure_pause_s * 2.0 ** (excess - 1))
