"""Which games each reviewer has, and whether they are handed out in turns."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from mancala.protocol.messages import OfferReviews, Review, ReviewWanted
from mancala.server.reviews.dispatcher import PAUSE_S
from tests.simulate.promises import NOTICED_S, Promise, broken
from tests.simulate.seats import Seats
from tests.simulate.trace import RareEvent, Trace

APART: Final = 2
"""Games that one may have more than another: those on their way are not seen yet."""


def _as_named(name: str) -> str:
    return name


@dataclass(slots=True)
class ReviewWatch:
    """The reviewers of the present server."""

    trace: Trace
    seats: Seats
    patience_s: float
    address_of: Callable[[str], str] = _as_named
    _offers: dict[str, tuple[OfferReviews, float]] = field(default_factory=dict)
    """By reviewer, its last offer, and when it came, or counts again after a false review."""
    _has: defaultdict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    """By reviewer, its games, and when each was handed out."""
    _known: set[str] = field(default_factory=set)
    """Games that were handed out before: a better review of them is another matter."""
    _late: set[str] = field(default_factory=set)

    def offered(self, name: str, offer: OfferReviews) -> None:
        self._offers[name] = offer, self.trace.now()

    def refused(self, name: str) -> None:
        """Note that a bot has no right to something; if it offered reviews, to those."""
        self._offers.pop(name, None)

    def found_false(self, name: str) -> None:
        """Note that a review was refused: for a while its reviewer gets no game."""
        if name in self._offers:
            self._offers[name] = self._offers[name][0], self.trace.now() + PAUSE_S

    def reviewed(self, name: str, review: Review) -> None:
        self._note_late()
        if not review.more:
            self._has[name].pop(review.game, None)

    def restarted(self) -> None:
        self._offers.clear()
        self._has.clear()

    def wanted(self, name: str, wanted: ReviewWanted) -> None:
        """Note that a reviewer gets a game; no other may be waiting that has far fewer."""
        self._forget_absent()
        for games in self._has.values():
            games.pop(wanted.game, None)
        if wanted.game not in self._known:
            for other in sorted(self._waiting_beside(name)):
                self._compare(name, other)
        self._known.add(wanted.game)
        self._has[name][wanted.game] = self.trace.now()

    def _compare(self, name: str, other: str) -> None:
        """Check that a reviewer has not many more games than one whose turn is not before its."""
        self.trace.count(RareEvent.REVIEWERS_IN_TURN, other)
        held, others = len(self._has[name]), len(self._has[other])
        if held >= others + APART and self._at_address(name) >= self._at_address(other) + APART:
            broken(Promise.IN_TURN, f"{name} has {held} games and gets one, {other} has {others}")

    def _waiting_beside(self, name: str) -> set[str]:
        """Return the other reviewers of the same version that have had a hand free for a while."""
        own, settled = self._offers.get(name), self.trace.now() - NOTICED_S
        if own is None:
            return set()
        return {
            other
            for other, (offer, at) in self._offers.items()
            if other != name
            and other not in self._late
            and offer.version == own[0].version
            and at < settled
            and len(self._has[other]) < offer.games
        }

    def _at_address(self, name: str) -> int:
        address = self.address_of(name)
        return sum(len(it) for each, it in self._has.items() if self.address_of(each) == address)

    def _forget_absent(self) -> None:
        self._note_late()
        for name, (_, at) in tuple(self._offers.items()):
            since = self.seats.present_since(name)
            if since is None or since > at:
                del self._offers[name]
                self._has.pop(name, None)

    def _note_late(self) -> None:
        """Note the reviewers that were late, before what they bring too late is noted."""
        now = self.trace.now()
        self._late |= {
            name
            for name, games in self._has.items()
            if any(now - at > self.patience_s - NOTICED_S for at in games.values())
        }
