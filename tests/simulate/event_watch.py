"""What a running event does to its entrants, checked while it runs."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from mancala.protocol.messages import Error
from mancala.server.contest.live.contest import Contest
from mancala.server.contest.live.state import ABSENT
from mancala.server.lobby.sessions import SessionRegistry
from mancala.server.net.limits.costs import network_of
from tests.simulate.hand_watch import HandWatch
from tests.simulate.ladder_watch import LadderWatch
from tests.simulate.promises import NOTICED_S, Promise, broken
from tests.simulate.scenario import STEP_S
from tests.simulate.seats import Seats
from tests.simulate.trace import RareEvent, Trace

SEEN_S: Final = STEP_S + NOTICED_S
"""A game that was forfeited is seen within this time."""


@dataclass(slots=True)
class EventWatch:
    """An event, over all restarts.

    Attributes:
        ladder: who waits in the ladder; no entrant does while rounds are played.
    """

    trace: Trace
    seats: Seats
    ladder: LadderWatch
    address_of: Callable[[str], str] = str
    hands: HandWatch = field(init=False)
    _contest: Contest | None = None
    _has_begun: bool = False
    """Whether it was seen with its first round."""
    _forfeited: set[int] = field(default_factory=set)
    """Numbers of games that are known to be forfeited."""
    _ordered: set[str] = field(default_factory=set)
    """Bots that forfeited by the organiser's order, or withdrew."""
    _held: frozenset[str] = frozenset()
    """The entrants that no ladder may give a match, as of the last look."""
    _ladder_matches: frozenset[str] = frozenset()
    """The matches of ladders that they played then."""

    def __post_init__(self) -> None:
        self.hands = HandWatch(self.trace, self.seats)

    def refused(self, name: str, error: Error) -> None:
        """Note that a bot may not enter; before the first round, the others hold no more places."""
        contest = self._contest
        if contest is None or " taken" not in error.message:
            return
        held = Counter(
            each.owner for each in contest.state.entrants if each.owner and not each.has_withdrawn
        )
        own = held[network_of(self.address_of(name))]
        if not contest.state.phase.has_begun and max(held.values()) > own + 1:
            broken(Promise.SHARED, f"{name} has {own} at its address: {held}")

    def forfeited_by_order(self, name: str) -> None:
        self._ordered.add(name)

    def restored(self, contest: Contest) -> None:
        """Note that a server was started; what the former one did not store is not seen."""
        if contest.holds_entrants:
            self.trace.count(RareEvent.EVENT_RESTORED, contest.name)
        self._contest = contest
        self._forfeited &= contest.state.rows.keys()
        self._held = frozenset()

    def watch(self, contest: Contest, registry: SessionRegistry) -> None:
        state = contest.state
        entrants = {each.name for each in state.entrants if not each.has_withdrawn}
        held = frozenset(entrants if contest.holds_entrants else ())
        self._check_ladders(held, registry)
        self._check_boards(contest, registry)
        if state.phase.has_begun and not self._has_begun:
            self._has_begun = True
            self._check_filled(contest)
        self.ladder.hold(held)
        self.hands.watch(contest, _matches(contest, registry))
        for number, row in state.rows.items():
            if row.reason != ABSENT:
                self._forfeited.discard(number)
            elif number not in self._forfeited:
                self._forfeited.add(number)
                self.trace.count(RareEvent.EVENT_ABSENT, contest.name)
                seats = row.first, row.second
                for name in seats if row.winner is None else (seats[1 - row.winner],):
                    self._check_absent(contest, name)

    def _check_ladders(self, held: frozenset[str], registry: SessionRegistry) -> None:
        playing = {
            name: {key for key, match in player.matches.items() if match.ladder is not None}
            for name in held
            if (player := registry.directory.find(name)) is not None
        }
        for name in self._held & playing.keys():
            if new := playing[name] - self._ladder_matches:
                broken(Promise.EVENT_FIRST, f"{name} plays {new} in the ladder")
        self._held = held
        self._ladder_matches = frozenset(key for keys in playing.values() for key in keys)

    def _check_boards(self, contest: Contest, registry: SessionRegistry) -> None:
        """Check that no one is in two encounters; the games of one are one match or follow it."""
        for each in contest.state.entrants:
            player = registry.directory.find(each.name)
            matches = () if player is None else player.matches.values()
            contexts = (match.event_context for match in matches)
            numbers = [it.game for it in contexts if it is not None and it.event == contest.name]
            if len(numbers) > 1:
                broken(Promise.ONE_BOARD, f"{each.name} plays the games {numbers}")

    def _check_filled(self, contest: Contest) -> None:
        """Check that who fills the event plays if the others are an odd number, and only then."""
        settings, fill = contest.settings, contest.settings.fill
        if fill is None:
            return
        first = {each.name: each for each in contest.state.entrants if each.joins == 1}
        playing = {name: each for name, each in first.items() if each.leaves != 0}
        entered = fill in settings.entrants or (fill in first and bool(first[fill].owner))
        is_odd = len(playing.keys() - {fill}) % 2 == 1
        fills = fill in playing and not entered
        since, now = self.seats.present_since(fill), self.trace.now()
        is_here = since is not None and now - since > SEEN_S
        if (fills and not is_odd) or (is_here and is_odd and not fills and not entered):
            broken(Promise.FILLED, f"{fill} to {sorted(playing)}")
        if fills:
            self.trace.count(RareEvent.FILLED, fill)

    def _check_absent(self, contest: Contest, name: str) -> None:
        since, now = self.seats.present_since(name), self.trace.now()
        is_here = since is not None and now - since > SEEN_S
        has_left = any(each.name == name and each.has_withdrawn for each in contest.state.entrants)
        if is_here and not has_left and name not in self._ordered:
            broken(Promise.AWAITED, f"{name} is there since {since:g} in {contest.name}")


def _matches(contest: Contest, registry: SessionRegistry) -> Iterator[tuple[str, str, int]]:
    """Yield the matches of an event under way, each with its present game and that one's number."""
    for table in registry.tables.by_game.values():
        context = table.match.event_context
        if context is not None and context.event == contest.name:
            yield table.match.id, table.game, context.game + table.match.number
