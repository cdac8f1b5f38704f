"""What an organiser ordered by hand, and what an event hides: whether the server keeps to it."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mancala.protocol import codec
from mancala.protocol.messages import GameStart, Listing, Message, ReviewWanted, Withdrawn
from mancala.protocol.results import EventGameResult, Topics
from mancala.server.config.events import Format
from mancala.server.contest.events.lifecycle import EventState
from mancala.server.contest.live.contest import Contest
from mancala.server.contest.live.state import ARBITER, ContestState
from mancala.server.control.wire import Request
from mancala.server.model.contests import EventGameRow, PairingRow
from tests.simulate.promises import Promise, broken
from tests.simulate.seats import Seats
from tests.simulate.trace import Trace

SHOWN: Final = frozenset({EventState.PUBLISHED, EventState.CANCELLED})
"""The states in which an event hides nothing."""
PAIRED_S: Final = 5.0
"""Who has been there for this time when a round is seen was there when it was paired."""


@dataclass(slots=True)
class HandWatch:
    """The organiser's orders of one event, over all restarts.

    Attributes:
        received: the topics and payloads that reached the broker so far.
    """

    trace: Trace
    seats: Seats
    topics: Topics = field(default_factory=lambda: Topics.of_server("simulated"))
    received: Sequence[tuple[str, str]] = ()
    _ruled: dict[str, Request] = field(default_factory=dict)
    """The results that were asked for, by their reasons; a later one's is greater."""
    _settled: dict[int, str] = field(default_factory=dict)
    """By the number of a game, the reason of the last result that was answered."""
    _paired: set[tuple[int, str, str]] = field(default_factory=set)
    """Who meets whom by order in which round, as it was answered."""
    _back: dict[str, int] = field(default_factory=dict)
    """Who was reinstated and has not withdrawn again, with the last round paired before."""
    _seen: int = 0
    _read: int = 0
    _numbers: dict[str, int] = field(default_factory=dict)
    """The event's games and matches, by id, with the number of a game of them."""
    _contest: Contest | None = None

    # What is ordered

    def asked(self, request: Request) -> None:
        given = request.arguments
        if request.action == "event-result":
            self._ruled[request.why] = request
        elif given.get("take_back"):
            self._paired.discard((given["round"], given["bot"], given["opponent"]))

    def answered(self, request: Request, result: dict[str, Any], paired: int) -> None:
        """Note an order that is durable, and how many rounds were paired or are being paired."""
        given = request.arguments
        match request.action:
            case "event-result":
                self._settled |= {int(each.subject): request.why for each in result["changed"]}
            case "event-pair":
                note = self._paired.discard if given["take_back"] else self._paired.add
                note((given["round"], given["bot"], given["opponent"]))
            case "event-reinstate":
                self._back[given["bot"]] = paired

    def replayed(self, numbers: Collection[int]) -> None:
        """Note games that are played again, whatever they ended with."""
        for number in numbers:
            self._settled.pop(number, None)

    def withdrew(self, name: str) -> None:
        """Note an entrant that withdraws, or is withdrawn; before round 1 its pairings go, too."""
        self._back.pop(name, None)
        self._paired = {each for each in self._paired if name not in each}

    # While it runs

    def told(self, name: str, message: Message) -> None:
        """Note a message to a bot; none shows others what the event hides."""
        match message:
            case Withdrawn():
                self.withdrew(name)
            case GameStart(seat=None):
                self._expect_shown(f"{name} is shown", message.game)
            case ReviewWanted():
                self._expect_shown(f"{name} is to review", message.game)
            case Listing(games=games):
                for each in games:
                    self._expect_shown(f"{name} finds in a list", each.game)

    def watch(self, contest: Contest, matches: Iterable[tuple[str, str, int]]) -> None:
        """Check an event as it stands; its matches come with their present game and its number."""
        self._contest = contest
        if contest.settings.hides_results:
            for match, game, number in matches:
                self._numbers |= {match: number, game: number}
            for row in contest.state.rows.values():
                if row.game is not None:
                    self._numbers[row.game] = row.number
            self._check_broker()
        self._check_back(contest.state)
        self._check_paired(contest.state)

    def _expect_shown(self, what: str, which: str) -> None:
        if self._is_hidden(self._numbers.get(which, -1)):
            broken(Promise.HIDDEN, f"{what} {which}")

    def _is_hidden(self, number: int) -> bool:
        """Return whether a game is hidden now, which is given by its number."""
        contest = self._contest
        if contest is None or number < 0 or not contest.settings.hides_results:
            return False
        state = contest.state
        if state.phase.state in SHOWN:
            return False
        last = state.all_rounds - contest.settings.freeze_rounds + state.revealed
        frozen = [each for each in state.rounds if each.number > max(0, last)]
        return bool(frozen) and number >= frozen[0].first * state.regulations.games

    def _check_broker(self) -> None:
        new, self._read = self.received[self._read :], len(self.received)
        if not new:
            return
        topics = (self.topics.game_result, self.topics.match_result)
        shown = {topic_of(it): it for topic_of in topics for it in self._numbers}
        for topic, text in new:
            if which := shown.get(topic):
                self._expect_shown(topic, which)
            elif self._contest and topic == self.topics.event_games(self._contest.name):
                number = codec.from_json(text, EventGameResult).number
                if self._is_hidden(number):
                    broken(Promise.HIDDEN, f"{topic}: {number}")

    def _check_back(self, state: ContestState) -> None:
        entrants = {each.name: each for each in state.entrants}
        by_scores = state.regulations.format in {Format.SWISS, Format.ARENA}
        for name, before in self._back.items():
            since = self.seats.present_since(name)
            if since is None or self.trace.now() - since < PAIRED_S:
                continue
            if (entrant := entrants[name]).has_withdrawn:
                broken(Promise.REINSTATED, f"{entrant}")
            for paired in state.rounds[max(before, self._seen) :] if by_scores else ():
                names = paired.names.union(paired.round.byes, state.half_byes(paired.number))
                if paired.number >= entrant.joins and name not in names:
                    broken(Promise.REINSTATED, f"{name} in round {paired.number}: {paired}")
        self._seen = len(state.rounds)

    def _check_paired(self, state: ContestState) -> None:
        """Check that a pairing by hand is kept until its round, where the first was listed."""
        listed = (each for each in state.entrants if not (each.owner or each.has_withdrawn))
        meetings = {each.name: each.meetings for each in listed}
        for number, first, second in self._paired:
            is_due = number > len(state.rounds) and first in meetings
            if is_due and meetings[first].get(number) != second:
                broken(Promise.MET_BY_ORDER, f"{first} - {second} in round {number}: {meetings}")

    # What is kept

    def check(
        self, pairings: Sequence[PairingRow], games: Sequence[EventGameRow], *, is_spoilt: bool
    ) -> None:
        """Compare the event as it is stored at its end with what was ordered.

        It ``is_spoilt`` if an operator took out games, or took orders back.
        """
        by_number = {row.number: row for row in games}
        for row in games:
            if row.reason == ARBITER and not self._is_as_ruled(row):
                broken(Promise.RULED, f"{row} by {self._ruled.get(row.note)}")
        for number, why in () if is_spoilt else self._settled.items():
            found = by_number[number]
            if found.reason != ARBITER or _place(found.note) < _place(why):
                broken(Promise.RULED, f"{found} after {self._ruled[why]}")
        for number, first, second in self._paired:
            rows = [row for row in pairings if row.round == number]
            names = {name for row in rows for name in (row.first, row.second)}
            met = any((row.first, row.second) == (first, second) for row in rows)
            if {first, second} <= names and not met:
                broken(Promise.MET_BY_ORDER, f"{first} - {second} in round {number}: {rows}")

    def _is_as_ruled(self, row: EventGameRow) -> bool:
        """Return whether a result is the one that was asked for with its reason."""
        request = self._ruled.get(row.note)
        if request is None or request.arguments["bot"] not in (row.first, row.second):
            return False
        winner = None if row.winner is None else (row.first, row.second)[row.winner]
        is_own = winner == request.arguments["bot"]
        said = "draw" if winner is None else "win" if is_own else "loss"
        return said == str(request.arguments["result"])


def _place(why: str) -> int:
    """Return the place of an order among the organiser's, from its reason."""
    return int(why.rpartition(" ")[2]) if why else 0
