"""What the server said and heard, kept outside of it, and held to its promises while it runs.

The ledger notes messages at the server's end of each connection, so no delay on the way blurs what
was in time. It outlives the server: what was announced before a kill still holds after it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from mancala.protocol import messages as wire
from mancala.server.config.settings import Config
from tests.simulate.day_watch import DayWatch
from tests.simulate.event_watch import EventWatch
from tests.simulate.faults import LADDER
from tests.simulate.hearing import Hearing
from tests.simulate.ladder_watch import LadderWatch
from tests.simulate.lease_watch import LeaseWatch
from tests.simulate.lists import check_list
from tests.simulate.order_watch import CLOSING, OrderWatch
from tests.simulate.promises import NOTICED_S, Promise, broken
from tests.simulate.questions import INSTANT_S, OpenQuestion, ProvisionalAnswer
from tests.simulate.review_watch import ReviewWatch
from tests.simulate.seats import Seats
from tests.simulate.session_watch import SessionWatch
from tests.simulate.spectator_watch import SpectatorWatch
from tests.simulate.submission_watch import SubmissionWatch
from tests.simulate.trace import RareEvent, Trace

OWN_FAULT: Final = frozenset(
    {
        wire.Reason.TIMEOUT,
        wire.Reason.ILLEGAL,
        wire.Reason.RESIGNED,
        wire.Reason.DISCONNECTED,
        wire.Reason.PROTOCOL,
    }
)
"""Reasons for which a game is lost by its loser's fault."""
HIDDEN_S: Final = 0.05
"""A stall that hides when an answer came has to be longer, and goes on this long after the flag."""
OF_A_RECORD: Final = frozenset({wire.ErrorCode.LIMIT, wire.ErrorCode.FORBIDDEN})
"""Refusals and pauses of a ladder that only a bot's own record may bring about."""
IN_TURN: Final = "your first match begins in about"
"""What a new name reads whose neighbours left early: it waits some seconds for its turn."""
GIVEN_UP_S: Final = 4.0
"""A seat is given up after its grace time: two seconds for a connection to close, two to notice."""


@dataclass(slots=True)
class Transcript:
    """What was said, on all connections and over all restarts.

    Attributes:
        moves: each announced move: by game and ply, its player and pit.
        asked: the questions of the present server, by game and ply.
    """

    trace: Trace
    grace_s: float
    seats: Seats
    config: Config = field(default_factory=Config)
    moves: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    results: dict[str, wire.GameOver] = field(default_factory=dict)
    asked: dict[tuple[str, int], OpenQuestion] = field(default_factory=dict)
    players: dict[str, tuple[str, str]] = field(default_factory=dict)
    deeds: dict[str, set[wire.Reason]] = field(default_factory=dict)
    polite: set[str] = field(default_factory=set)
    hearing: Hearing = field(default_factory=Hearing)
    submissions: SubmissionWatch = field(default_factory=SubmissionWatch)
    house: frozenset[str] = field(init=False)
    ladder: LadderWatch = field(init=False)
    sessions: SessionWatch = field(init=False)
    leases: LeaseWatch = field(init=False)
    events: EventWatch = field(init=False)
    orders: OrderWatch = field(init=False)
    days: DayWatch = field(init=False)
    spectators: SpectatorWatch = field(init=False)
    reviews: ReviewWatch = field(init=False)
    _matches: dict[str, str] = field(default_factory=dict)
    _last: dict[str, OpenQuestion] = field(default_factory=dict)
    _renounced: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.house = self.config.house_names
        self.ladder = LadderWatch(self.trace, self.seats, self.house)
        self.sessions = SessionWatch(self.trace, self.grace_s, self.seats)
        self.leases = LeaseWatch(self.trace, self.seats, self.house, self.config.play)
        self.events = EventWatch(self.trace, self.seats, self.ladder)
        self.orders = OrderWatch(self.trace, self.seats)
        self.spectators = SpectatorWatch(self.trace, self.seats)
        self.reviews = ReviewWatch(self.trace, self.seats, self.config.reviewers.patience_s)
        self.days = DayWatch(self.trace, self.config.limits.voids_per_day, self.house)

    # What bots do

    def did(self, name: str, *reasons: wire.Reason) -> None:
        """Note that a bot does something for which it may lose."""
        self.deeds.setdefault(name, set()).update(reasons)
        self.days.did(name)

    def answer(self, move: wire.Move, at: float, *, is_known: bool) -> None:
        asked = self.asked.get((move.game, move.ply))
        if asked is None or asked.answered is not None:
            return
        if move.provisional:
            asked.provisional.append(ProvisionalAnswer(move.pit, at, is_known))
        else:
            asked.answered, asked.is_known = at, is_known

    def renounced(self, name: str, games: Iterable[str], *, is_goodbye: bool) -> None:
        """Note that a resignation or a goodbye has arrived: these games have to end."""
        for game in games:
            if game not in self.results and name in self.players.get(game, ()):
                self._renounced.setdefault(game, self.trace.now())
        if is_goodbye:
            self.left(name)
            self.sessions.said_goodbye(name)

    def cut_off(self, questions: Iterable[tuple[str, int]]) -> None:
        """Note that the server lost the process between it and whom it has asked.

        Their answers may be lost, and their clocks stand until they are asked again.
        """
        for key in questions:
            if (asked := self.asked.get(key)) is not None:
                asked.cut_off()

    def left(self, name: str) -> None:
        self.sessions.ended(name)
        self.ladder.left(name)

    def revoked(self, name: str) -> None:
        """Note that a bot's token is revoked, or a guest's name reserved."""
        self.sessions.revoked(name)
        self.ladder.left(name)

    def put_out(self, name: str) -> None:
        """Note that the organiser ends a bot's session, and its games with it."""
        self.did(name, wire.Reason.DISCONNECTED)
        self.left(name)

    def two_seats(self, name: str) -> None:
        broken(Promise.ONE_SEAT, name)

    def greeted(self, name: str, hello: wire.Hello) -> None:
        self.sessions.greeted(name)
        self.submissions.greeted(name)
        self.ladder.greeted(name, hello.agent.version if hello.agent is not None else "")

    # What the server says

    def told(self, name: str, message: wire.Message, credit_s: float) -> None:
        """Note a message to a bot, at the moment of its sending."""
        self.trace.inputs.told(message)
        match message:
            case wire.Turn():
                self.hearing.asked(name, message)
                self._question(message, credit_s)
            case wire.Moved():
                self.hearing.moved(name, message)
                self._moved(message)
            case wire.GameOver():
                self.sessions.heard_of(name, message.game)
                self._over(message)
            case wire.GameStart():
                self.hearing.shown(name, message)
                self._shown(message)
            case wire.Welcome():
                self._welcome(name, message)
            case wire.Notice():
                self.orders.heard(name, message)
            case wire.Error():
                self._refused(name, message)
            case wire.Listing():
                self._check_list(message)
            case wire.ReviewWanted():
                self.reviews.wanted(name, message)
            case _:
                self.ladder.told(name, message)
                self.leases.told(name, message)
                self.orders.told(name, message)
        self.events.hands.told(name, message)
        self.spectators.told(name, message)
        self.submissions.told(name, message)

    def forget_questions(self) -> None:
        """Forget what only the former server knew: the next one asks anew."""
        self.asked.clear()
        self._last.clear()
        self._renounced.clear()
        self.sessions.restarted()
        self.ladder.restarted()
        self.leases.restarted()
        self.spectators.restarted()
        self.reviews.restarted()
        self.orders.restarted()

    def flag_at(self, turn: wire.Turn) -> float:
        asked = self.asked.get((turn.game, turn.ply))
        return self.trace.now() if asked is None else asked.flag

    def _question(self, turn: wire.Turn, credit_s: float) -> None:
        now, former = self.trace.now(), self.asked.get((turn.game, turn.ply))
        asked = OpenQuestion(now, now + turn.deadline_ms / 1000, credit_s)
        asked.provisional = [] if former is None else former.provisional
        self.asked[turn.game, turn.ply] = self._last[turn.game] = asked

    def _moved(self, move: wire.Moved) -> None:
        said = (move.player, move.pit)
        known = self.moves.setdefault((move.game, move.ply), said)
        if known != said:
            broken(Promise.REMEMBERED, f"{move.game} ply {move.ply}: {known}, then {said}")
        asked = self.asked.get((move.game, move.ply))
        if asked is None or asked.is_settled:
            return
        asked.is_settled = True
        if move.forced:
            self.trace.count(RareEvent.FORCED, move.game)
            detail = f"{move.game} ply {move.ply}: {asked}"
            asked.check_flag(self.trace.now(), detail)
            asked.check_forced(move.pit, self.hearing.timeout(move.game), detail)
        elif asked.answered is not None and asked.answered > asked.flag + INSTANT_S:
            broken(Promise.LATE, f"{move.game} ply {move.ply}: {asked}")

    def _over(self, over: wire.GameOver) -> None:
        said = (over.winner, over.stores, over.reason)
        known = self.results.get(over.game)
        if known is not None:
            if (known.winner, known.stores, known.reason) != said:
                broken(Promise.FINAL, f"{over.game}: {known}, then {over}")
            return
        self.results[over.game] = over
        self.trace.count(RareEvent.OVER, over.game)
        self.sessions.over(over.game, self.players.get(over.game, ()))
        if over.game in self._last:
            self._last[over.game].is_settled = True
        self._check_loser(over)

    def _check_loser(self, over: wire.GameOver) -> None:
        if over.reason is wire.Reason.ABORTED:
            self.trace.count(RareEvent.ABORTED, over.game)
            if over.evidence is not None and over.evidence.spared is not None:
                self.trace.count(RareEvent.VOID, over.game)
                names = self.players.get(over.game, ("", ""))
                self.days.void(over.game, names[over.evidence.spared])
        if over.winner is None or over.reason not in OWN_FAULT or over.game not in self.players:
            return
        loser = self.players[over.game][1 - over.winner]
        if over.reason is wire.Reason.TIMEOUT:
            self._check_flag(over, loser)
        elif over.reason is wire.Reason.DISCONNECTED:
            self._check_grace(over, loser)
        detail = f"{loser} lost {over.game}: {over.reason}, {over.evidence}"
        was_away = over.evidence is not None and "away" in over.evidence.detail
        if loser in self.house and (over.reason is wire.Reason.DISCONNECTED or was_away):
            broken(Promise.OWN_PROGRAMS, detail)
        if loser in self.polite:
            broken(Promise.POLITE, detail)
        if over.reason not in self.deeds.get(loser, ()):
            broken(Promise.DESERVED, detail)

    def _check_flag(self, over: wire.GameOver, loser: str) -> None:
        self.trace.count(RareEvent.FLAG, over.game)
        ply = 0 if over.evidence is None else over.evidence.ply or 0
        now = self.trace.now()
        asked = self.asked.get((over.game, ply))
        since = self.seats.present_since(loser)
        detail = f"{loser} in {over.game} ply {ply}: {asked}"
        if since is not None and now - since > NOTICED_S and (asked is None or asked.at < since):
            broken(Promise.ASKED, detail)
        if asked is None:
            return
        asked.check_flag(now, detail)
        self._check_doubt(asked, loser, detail)
        asked.check_forfeited(self.hearing.timeout(over.game), detail)
        if now > asked.flag + NOTICED_S:
            broken(Promise.PROMPT, detail)

    def _check_doubt(self, asked: OpenQuestion, loser: str, detail: str) -> None:
        """Check an answer of which a stall of the server hid when it arrived."""
        began, end = self.seats.last_stall
        is_hidden = began <= asked.flag <= end - HIDDEN_S and end - began > 2 * HIDDEN_S
        is_in_time = asked.answered is not None and asked.answered < asked.due
        if is_in_time and is_hidden and not asked.is_known and self.days.may_be_void(loser):
            broken(Promise.DOUBT, detail)

    def _check_grace(self, over: wire.GameOver, loser: str) -> None:
        evidence = over.evidence
        if evidence is None or evidence.elapsed_ms is None:  # it said goodbye
            return
        if evidence.elapsed_ms < 1000 * self.grace_s - 1:
            broken(Promise.GRACE, f"{over.game}: {evidence}")
        since = self.seats.present_since(loser)
        if since is not None and self.trace.now() - since > NOTICED_S:
            broken(Promise.PRESENT, f"{loser} in {over.game}: {evidence}")

    def _shown(self, start: wire.GameStart) -> None:
        if start.seat is None or not start.names:
            return
        self.players[start.game] = start.names
        self.sessions.shown(start.game)
        if start.game not in self.results:
            self.leases.shown(start)
        if start.match in self._matches:
            return
        self._matches[start.match] = start.game
        self.ladder.match_began(start.match, start.names)

    def _welcome(self, name: str, welcome: wire.Welcome) -> None:
        if not welcome.resumed:
            self.left(name)
        self.orders.heard(name, welcome)
        self.sessions.welcomed(name, welcome)
        self.ladder.came(name, welcome.matches)

    def _refused(self, name: str, error: wire.Error) -> None:
        if error.code is wire.ErrorCode.BAD_RESUME:
            self.sessions.refused(name)
        if error.code is wire.ErrorCode.DECLINED:
            self.leases.declined(error.ref or "")
        if error.code is wire.ErrorCode.QUARANTINED:
            self.ladder.quarantined(name, error)
        if error.code is wire.ErrorCode.LIMIT:
            self.ladder.paused(name)
        if error.code is wire.ErrorCode.FORBIDDEN:
            self.events.refused(name, error)
            self.reviews.refused(name)
        if error.code is wire.ErrorCode.INVALID:
            self.reviews.found_false(name)
        is_the_ladders = error.ref == LADDER and error.code in OF_A_RECORD
        may_be = self.days.has_record(name) or self.orders.has_ordered(CLOSING)
        if is_the_ladders and not may_be and IN_TURN not in error.message:
            broken(Promise.OWN_RECORD, f"{name}, which did nothing: {error.message}")

    def _check_list(self, listing: wire.Listing) -> None:
        coming, now = self.sessions.coming, self.trace.now()
        check_list(listing, self.seats, over=self.results, coming=coming, now=now)

    # While it runs

    def watch(self, running: Iterable[str]) -> None:
        games = frozenset(running)
        for game in sorted(games):
            self._watch_game(game)
        self.sessions.watch()
        self.ladder.watch()
        self.leases.watch(games)
        self.spectators.watch(games, self.results)
        self.orders.watch()

    def _watch_game(self, game: str) -> None:
        now = self.trace.now()
        if now - self._renounced.get(game, now) > NOTICED_S:
            broken(Promise.HEEDED, game)
        names = self.players.get(game, ())
        present = {name: self.seats.present_since(name) for name in names}
        for name, since in present.items():
            if since is None and name in self.house:
                continue
            if since is None:
                if now - self.seats.away_since(name) > self.grace_s + GIVEN_UP_S:
                    broken(Promise.ABSENT, f"{name} in {game}")
            elif now - since > NOTICED_S and not self.seats.knows(name, game):
                broken(Promise.SHOWN, f"{name} in {game}")
        asked = self._last.get(game)
        if asked is None or asked.is_settled or asked.answered is not None:
            return
        if any(name in self.house and since is None for name, since in present.items()):
            asked.is_settled = True  # it is withdrawn until the server's program is back
            return
        is_heard = any(since is not None and since < asked.due for since in present.values())
        if is_heard and now > asked.flag + NOTICED_S:
            broken(Promise.PROMPT, f"{game}: {asked}")

    def check_alarms(self) -> None:
        """Report what the server should never have logged."""
        if self.trace.alarms:
            broken(Promise.RUNNING, self.trace.alarms[0])
