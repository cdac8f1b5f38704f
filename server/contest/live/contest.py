"""One event of a running server: it plays its rounds and survives what happens between them.

The journal comes first: each step, round and result is durable before anything follows from it. A
server that was killed re-reads its rounds and pairs none again; its matches go on as all others do.
An event whose entry the store refused is what the store has of it, and paused: the organiser
resumes it.

Bots enter while it is open, and check in by being connected; its own times lead it from one of
these states to the next. A server that was down at the time of the check-in leaves entrants
``absent_s`` seconds to come before it pairs.

Nothing is polled. The event looks for what it can do when a step was taken, a match ended, an
entrant connected, or the time of an absent one is over. A game that does not count is played again
once, then a lot decides. Who is not connected when a round of a Swiss event or an arena is paired
is left out of it; the first round waits `absent_s` seconds for all, a later one as long for those
whose sessions are kept, and none is paired while fewer than two are there. A player that is absent
when its encounter could begin has `absent_s` seconds to come; then it loses its games of the round,
as one does immediately that has withdrawn and said goodbye. While rounds are played no ladder pairs
an entrant, and no match of the event begins while a player is in one of a ladder.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final, Protocol

from msgspec.structs import replace

from mancala.protocol import codec
from mancala.protocol.messages import Entered, Message, NextMatch, Outcome, Reason, Withdrawn
from mancala.protocol.rules import Board

from ...config.events import EventSettings, Format
from ...match.context import Context
from ...match.participant import Participant
from ...model.contests import (
    EventDeleted,
    EventEdited,
    EventGameCounted,
    EventGameRow,
    EventMade,
    EventPaired,
    EventStepped,
    KeptEvent,
)
from ...model.game import RatedGame, Round
from ...model.journal import Announced, Entry, Revealed
from ...model.match import EventContext, Match, Terms
from ...model.timers import Timer
from ...model.timestamps import in_utc, seconds_between
from ..events.dutch import PairingFailedError, paired_here
from ..events.entry import (
    Entrants,
    EntryError,
    excused,
    filled,
    meeting,
    reinstated,
    started,
    withdrawn,
)
from ..events.lifecycle import EventState, EventStep, Phase
from ..events.pairings import PairedRound, pair
from ..events.plan import BY_SCORES
from ..events.plan import Terms as EventTerms
from ..events.swiss import Asked
from .admission import Candidate, admitted, is_entrant
from .announcements import EventAnnouncer
from .next_match import EntrantPresence, next_match
from .state import entrants_changed, pairing_rows, prepared, regulations_of, restored

ROUNDS: Final = frozenset({EventState.PAIRING, EventState.PLAYING, EventState.CLOSED})
"""The states in which rounds are played."""
TABLE_STEPS: Final = frozenset({EventStep.CLOSE, EventStep.PUBLISH})
"""The steps after which the standings are announced."""
YIELDED: Final = "all places are taken, and its address held more of them than another's"
"""Why an entrant lost its place to a bot that entered later."""
UNSTORED: Final = "the store refused an entry; the server's log says why"
"""Why an event was paused that could not be stored."""
UNRATED: Final = "the ladder {} that rates its games is not in the settings"
"""Why an event was paused whose games would not be rated."""
AGAIN_S: Final = 1.0
"""After a match that brought no result, the next one waits this long."""


class ContestStarter(Protocol):
    """Starts the matches of an event."""

    @property
    def is_draining(self) -> bool:
        """Whether no match may begin."""

    def is_here(self, name: str) -> bool:
        """Return whether a bot is connected."""

    def has_session(self, name: str) -> bool:
        """Return whether a bot is connected, or its session is kept for it."""

    def is_free(self, name: str) -> bool:
        """Return whether a bot may play one more match, and is in no match of a ladder."""

    def can_rate(self, ladder: str | None) -> bool:
        """Return whether the ladder that is to count an event's games is there, if any is to."""

    def standing_in(self, ladder: str | None, player: Participant) -> tuple[float | None, int]:
        """Return a bot's rating in a ladder, None without games there, and how many it has."""

    def send(self, name: str, message: Message) -> None:
        """Send a message to a bot, if it is connected."""

    def review_revealed(self) -> None:
        """Have games reviewed that were hidden until now."""

    def release(self, names: Collection[str]) -> None:
        """Let ladders pair bots again, which they did not while the event was played."""

    def read_event(self, name: str, answer: Callable[[KeptEvent | None], None]) -> None:
        """Call ``answer`` with an event as the store has it, None before its first step."""

    def open_event_match(
        self,
        names: tuple[str, str],
        terms: Terms,
        event_context: EventContext,
        rated: str | None = None,
    ) -> None:
        """Start a match between two bots that are connected; a ladder may count it too."""


class Contest:
    """An event of a running server.

    Attributes:
        origin: the server that it was imported from; such an event is over, and only shown.
        is_gone: whether it is being deleted.
        make_next: returns what becomes durable of the next edition of its series, once it is over.
        add_made: called with what became durable, adds that edition.
    """

    settings: EventSettings

    def __init__(self, settings: EventSettings, context: Context, starter: ContestStarter) -> None:
        self.origin: str | None = None
        self._may_hide = settings.hides_results
        """Whether the store may hide results: settings of before a restart may have done so."""
        self.is_gone = False
        self._context = context
        self._starter = starter
        self._use(settings)
        self.state = prepared(settings)
        self._stored: Entrants = ()
        self._places: dict[str, int] = {}
        self._absent_since: dict[int, float] = {}
        self._timer: Timer | None = None
        self._due = float("inf")
        self._pairing: int | None = None
        self._is_closed = self._holds = self._is_told = self._is_stopped = False
        self._changes = 0
        self.early: dict[str, Callable[[], None]] = {}
        self.make_next: Callable[[Contest], list[Entry]] = lambda _contest: []
        self.add_made: Callable[[Sequence[Entry]], None] = lambda _entries: None
        self._stepped_at = context.now()

    @property
    def name(self) -> str:
        """The event's name."""
        return self.settings.name

    @property
    def running(self) -> int:
        """The number of its matches under way."""
        return len(self._places)

    @property
    def ranked(self) -> list[str]:
        """Who had entered and not withdrawn, the best first; before the first round, as seeded."""
        table = self.state.standings(self.settings, frozen=0) or self.state.entrants
        return [row.name for row in table if is_entrant(self.state.entrants, row.name)]

    @property
    def is_settled(self) -> bool:
        """Whether it is over, and no round of it is frozen any more."""
        is_over = self.state.phase.is_over
        return is_over and self.state.tabled_rounds(self.settings) == len(self.state.rounds)

    @property
    def holds_entrants(self) -> bool:
        """Whether its rounds are being played, so that no ladder pairs its entrants."""
        return self.state.phase.state in ROUNDS

    # It begins and stops with the server

    def restore(self, kept: KeptEvent) -> None:
        """Take up what the journal kept; :meth:`look` goes on from there."""
        self.state, self._stored = restored(kept, self.settings), kept.entrants
        self.origin = kept.origin
        self._may_hide = True

    def close(self) -> None:
        """Start no further match."""
        self._is_closed = True
        self._cancel_timer()

    def made(self, by: str, why: str) -> list[Entry]:
        """Return what becomes durable when it is made while the server runs."""
        settings = codec.to_json(self.settings).decode()
        step = self._entry_of("new", by, why)
        return [EventMade(self.name, settings), step, self._announcer.status(self.state, why)]

    def edited(self, settings: EventSettings, by: str, why: str) -> list[Entry]:
        """Take other settings before the first round; return what becomes durable with it."""
        phase = self.state.phase
        kept = KeptEvent(
            *(phase.state, phase.round, phase.resumes, None), entrants=self.state.entrants
        )
        self._use(settings)
        self.state = restored(kept, settings)
        text = codec.to_json(settings).decode()
        announced = self._announcer.status(self.state, why)
        return [EventEdited(self.name, text), *self._changed("edit", by, why), announced]

    def keep(self, settings: EventSettings) -> None:
        """Go on with former settings, since the store refused others."""
        self._use(settings)
        self.stop()

    def _use(self, settings: EventSettings) -> None:
        self.settings = settings
        self._terms = Terms(settings.parsed_rules, settings.clock, rated=False, games=0)
        self._openings = settings.positions
        self._announcer = EventAnnouncer(settings, self._context)

    def deleted(self, why: str) -> list[Entry]:
        """Return what becomes durable when it goes; for those who listen, it is cancelled."""
        self._changes += 1
        self.state.phase, self.is_gone = Phase(EventState.CANCELLED), True
        status = self._announcer.status(self.state, why)
        return [EventDeleted(self.name), status, *self.make_next(self)]

    def noted(self, step: str, why: str) -> list[Entry]:
        """Return a line of its log about something that changes nothing of it."""
        return [self._entry_of(step, "", why)]

    # Steps

    def stepped(self, step: EventStep, by: str = "", why: str = "") -> list[Entry]:
        """Take a step; return what becomes durable with it."""
        entries: list[Entry] = []
        self._changes += 1
        state, phase = self.state, self.state.phase.after(step)
        before, was_settled = state.shown_rounds(self.settings), self.is_settled
        if step is EventStep.PAIR and not state.phase.has_begun:
            state.entrants = self._filled(started(state.entrants, state.phase))
            began = self._context.utc()
            state.regulations = regulations_of(self.settings, state.entrants, began)
            entries.append(self._entrants_changed())
        state.phase = phase
        self._stepped_at = self._context.now()
        if step is EventStep.CLOSE:
            state.closed = self._context.utc()
        announced = [self._announcer.status(state, why), *self._games_since(before)]
        if step in TABLE_STEPS:
            announced.append(self._announcer.standings(state))
        following = [] if was_settled else self.make_next(self)
        return [self._entry_of(step, by, why), *entries, *self._revealed(), *announced, *following]

    def reveal(self, by: str, why: str) -> list[Entry]:
        """Show the next round that is frozen; return what becomes durable with it."""
        self._changes += 1
        before, was_settled = self.state.shown_rounds(self.settings), self.is_settled
        self.state.revealed += 1
        standings = self._announcer.standings(self.state)
        step = self._entry_of("reveal", by, why)
        following = [] if was_settled else self.make_next(self)
        return [step, *self._revealed(), *self._games_since(before), standings, *following]

    def _revealed(self) -> list[Entry]:
        """Return what becomes durable of results that are not hidden any more."""
        if not self._may_hide:
            return []
        return [Revealed(self.name, self.state.first_hidden(self.settings))]

    def hides(self, number: int) -> bool:
        """Return whether what comes of a game is hidden, which is given by its number."""
        hidden = self.state.first_hidden(self.settings)
        return hidden is not None and number >= hidden

    def _games_since(self, before: int) -> list[Announced]:
        """Return the announcements of games of the rounds that were not shown before."""
        shown = range(before, self.state.shown_rounds(self.settings))
        return [each for at in shown for each in self._games(at + 1)]

    def _games(
        self, number: int, rows: Sequence[EventGameRow] | None = None, *, is_new: bool = True
    ) -> list[Announced]:
        """Return the announcements of games of a round, by default all; none while hidden."""
        if number > self.state.shown_rounds(self.settings):
            return []
        rows = self.state.rows_of(number) if rows is None else rows
        return self._announcer.games(number, rows, is_new=is_new)

    def _filled(self, entrants: Entrants) -> Entrants:
        """Return the entrants with the bot that makes their number even, if it is there."""
        name = self.settings.fill
        if name is None or not self._starter.is_here(name):
            return entrants
        return filled(entrants, name)

    def _entry_of(self, step: str, by: str, why: str) -> EventStepped:
        phase = self.state.phase
        held = codec.to_json(self.state.regulations).decode() if phase.has_begun else None
        at, resumes = self._context.utc(), phase.resumes and phase.resumes.value
        values = str(step), phase.state.value, phase.round, resumes, held, at
        return EventStepped(self.name, *values, by, why)

    # Entrants

    @property
    def _entry_phase(self) -> Phase:
        """Where it stands for those who come or go: a round that is being paired has begun."""
        phase = self.state.phase
        return phase if self._pairing is None else replace(phase, round=self._pairing)

    def enter(self, candidate: Candidate) -> list[Entry]:
        """Take an entry, or note that an entrant is there; return what becomes durable with it.

        Another entrant may have lost its place to it; :meth:`dismiss` sends it word.
        """
        state, before = self.state, self.state.entrants
        state.entrants = admitted(
            *(before, self._entry_phase, candidate, self.settings, state.regulations)
        )
        return [] if state.entrants == before else self._changed("enter", candidate.name)

    def dismiss(self, names: Collection[str], why: str) -> None:
        """Send bots word of their withdrawal, once that is durable, and look what follows."""
        for name in names:
            self._starter.send(name, Withdrawn(self.name, why))
        self.look()

    def withdraw(self, name: str, by: str = "", why: str = "") -> list[Entry]:
        """Withdraw an entrant after the present round; return what becomes durable with it."""
        self.state.entrants = withdrawn(self.state.entrants, self._entry_phase, name)
        return self._changed("withdraw", by or name, why)

    def excuse(
        self, name: str, number: int, by: str = "", why: str = "", *, has_bye: bool = True
    ) -> list[Entry]:
        """Give an entrant a half-point bye, or take it back; return what becomes durable."""
        self.state.entrants = self.excused(name, number, has_bye=has_bye)
        return self._changed("bye" if has_bye else "no-bye", by, why)

    def excused(self, name: str, number: int, *, has_bye: bool) -> Entrants:
        """Return the entrants with a half-point bye for one of them, or without it."""
        rounds = self._swiss_rounds("byes that are asked for")
        return excused(
            *(self.state.entrants, self._entry_phase, name, number), rounds=rounds, has_bye=has_bye
        )

    def meet(
        self, pair: tuple[str, str], number: int, by: str, why: str, *, is_set: bool
    ) -> list[Entry]:
        """Let two meet in a round to come, or not after all; return what becomes durable."""
        self.state.entrants = self.meeting(pair, number, is_set=is_set)
        return self._changed("pair-by-hand" if is_set else "no-pair-by-hand", by, why)

    def meeting(self, pair: tuple[str, str], number: int, *, is_set: bool) -> Entrants:
        """Return the entrants with two who meet by order in a round, or do not after all."""
        rounds = self._swiss_rounds("pairings by hand")
        return meeting(
            *(self.state.entrants, self._entry_phase, pair, number), rounds=rounds, is_set=is_set
        )

    def _swiss_rounds(self, what: str) -> int | None:
        """Return the rounds of a Swiss event, None while they are not known; refuse others."""
        if self.state.regulations.format is not Format.SWISS:
            raise EntryError(f"only a Swiss event has {what}")
        has_begun = self._entry_phase.has_begun
        return self.state.regulations.rounds if has_begun else self.settings.rounds

    def reinstate(self, name: str, by: str, why: str) -> list[Entry]:
        """Take one back that had withdrawn; return what becomes durable with it."""
        self.state.entrants = self.reinstated(name)
        return self._changed("reinstate", by, why)

    def reinstated(self, name: str) -> Entrants:
        """Return the entrants with one back that had withdrawn."""
        format_ = self.state.regulations.format
        return reinstated(self.state.entrants, self._entry_phase, name, format_=format_)

    def _changed(self, step: str, by: str, why: str = "") -> list[Entry]:
        return [self._entry_of(step, by, why), self._entrants_changed()]

    def _entrants_changed(self) -> Entry:
        """Return what becomes durable of the entrants as they are now."""
        self._changes += 1
        stored, self._stored = self._stored, self.state.entrants
        return entrants_changed(self.name, stored, self._stored)

    def entered(self, name: str) -> Entered | Withdrawn:
        """Return what an entrant is answered, also one that has withdrawn."""
        state, settings = self.state, self.settings
        if state.phase.is_over:
            return Withdrawn(self.name, self._end)
        entrant = next(each for each in state.entrants if each.name == name)
        if entrant.has_withdrawn:
            return Withdrawn(self.name, f"{name} has withdrawn")
        begin, check_in = (
            None if at is None or state.phase.has_begun else in_utc(at)
            for at in (settings.starts, settings.check_in)
        )
        return Entered(
            *(self.name, self._terms.rules, self._terms.clock, state.regulations.games),
            joins=entrant.joins,
            check_in=check_in,
            starts=begin,
        )

    def is_final(self, name: str) -> bool:
        """Return whether an entry changes nothing more: it, or the event, is over."""
        phase = self.state.phase
        own = next((each for each in self.state.entrants if each.name == name), None)
        if own is None:
            return False
        return phase.has_begun if own.has_withdrawn else phase.is_over

    @property
    def _end(self) -> str:
        return f"the event is {self.state.phase.state}"

    def unplayed_of(self, name: str) -> list[EventGameRow]:
        """Return the games of the present round that a bot would lose by a forfeit.

        There is none while its match is under way, or when all of them have results.
        """
        if self.state.phase.is_over:
            return []
        return [
            row
            for place in self.state.missing
            if name in self.state.encounter(place) and place not in self._places.values()
            for row in self.state.forfeited(place, {name})
        ]

    def forfeit(self, name: str) -> list[Entry]:
        """Forfeit what a bot has not played of the present round; return what becomes durable."""
        return self._noted(self.unplayed_of(name))

    def replayed(self, places: Mapping[int, Collection[int]], by: str, why: str) -> list[Entry]:
        """Let games of the present round be played again; return what becomes durable.

        The games are named by their numbers in the event, by the place of their encounter.
        """
        rows = [
            self.state.anew(place, number)
            for place, numbers in places.items()
            for number in sorted(numbers)
        ]
        return [self._entry_of("replay", by, why), *self._noted(rows)]

    def ruled(self, rows: Sequence[EventGameRow], round_: int, by: str, why: str) -> list[Entry]:
        """Set results by hand, or as they were before; return what becomes durable with them."""
        self._changes += 1
        self.state.rows.update((row.number, row) for row in rows)
        return [
            self._entry_of("result", by, why),
            *(EventGameCounted(self.name, row) for row in rows),
            *self._games(round_, rows, is_new=False),
            self._announcer.standings(self.state),
        ]

    @property
    def rests(self) -> bool:
        """Whether it rests before its next round."""
        return not self.is_pairing and self._next_round_at is not None

    @property
    def _next_round_at(self) -> str | None:
        return self.state.next_round_at(self.settings.interval_s)

    @property
    def is_pairing(self) -> bool:
        """Whether a round is being paired, from the results so far."""
        return self._pairing is not None

    def corrected(self, games: Collection[str], *, counts: bool, by: str, why: str) -> list[Entry]:
        """Leave out annulled games, by id, or count them again; return what becomes durable."""
        rows = self.state.without(games, counts=counts)
        self.state.rows.update((row.number, row) for row in rows)
        step = "reinstate" if counts else "annul"
        void = [row for row in rows if row.reason == Reason.ABORTED.value]
        return [
            self._entry_of(step, by, why),
            *(EventGameCounted(self.name, row) for row in rows),
            *self._games(self.state.phase.round, void),
            self._announcer.standings(self.state),
        ]

    def has_any(self, games: Collection[str]) -> bool:
        """Return whether any of these games, by id, is among its results."""
        return any(row.game in games for row in self.state.rows.values())

    def is_playing(self, place: int) -> bool:
        """Return whether a match of an encounter of the present round is under way."""
        return place in self._places.values()

    def next_match(self, name: str) -> NextMatch | None:
        """Return what a bot plays next here; None when no match is to come, or one runs."""
        starter = self._starter
        presence = EntrantPresence(starter.is_here, starter.is_free, self.is_playing)
        return next_match(name, self.settings, self.state, presence)

    # What can be done next

    def ordered(self, durable: Sequence[Entry]) -> None:
        """Look what follows from an order, once it is durable."""
        self.add_made(durable)
        if self._may_hide:
            self._starter.review_revealed()
        self.look()

    def look(self) -> None:
        """Do what the event's state and the presence of its entrants allow."""
        if self._is_closed or self._is_stopped:
            return
        self._tell()
        self._admit_early()
        if self._pairing is not None:
            return
        self._cancel_timer()
        match self.state.phase.state:
            case EventState.DRAFT | EventState.OPEN | EventState.CHECK_IN:
                self._prepare()
            case EventState.PAIRING | EventState.CLOSED:
                self._pair_next()
            case EventState.PLAYING:
                self._play()

    def _tell(self) -> None:
        """Release the entrants once no round is played, and tell them when the event is over."""
        held, self._holds = self._holds, self.holds_entrants
        names = [each.name for each in self.state.entrants if not each.has_withdrawn]
        if held and not self._holds:
            self._starter.release(names)
        if self.state.phase.is_over and not self._is_told:
            self._is_told = True
            for name in names:
                self._starter.send(name, Withdrawn(self.name, self._end))

    def _admit_early(self) -> None:
        """Enter the bots that came early, in that order, once the event is open."""
        phase = self.state.phase
        if EventState.DRAFT not in {phase.state, phase.resumes}:
            early, self.early = self.early, {}
            for enter in early.values():
                enter()

    def _prepare(self) -> None:
        """Check in who is there; take the next step that has a time, or wait for it."""
        if self._check_in():
            return
        times = {
            EventStep.OPEN: self.settings.opens,
            EventStep.CHECK_IN: self.settings.check_in,
            EventStep.PAIR: self.settings.starts,
        }
        for step, at in times.items():
            if at is not None and step in self.state.phase.steps():
                self._step_at(step, at)
                return

    def _check_in(self) -> bool:
        """Check in the entrants that are connected; return whether there were any."""
        if self.state.phase.state is not EventState.CHECK_IN:
            return False
        present = tuple(
            each._replace(checked_in=True)
            if not each.has_withdrawn and self._starter.is_here(each.name)
            else each
            for each in self.state.entrants
        )
        if present == self.state.entrants:
            return False
        self.state.entrants = present
        self._commit([self._entrants_changed()], self.look)
        return True

    def _step_at(self, step: EventStep, at: str) -> None:
        wait_s = seconds_between(self._context.utc(), at)
        if self.state.phase.state is EventState.CHECK_IN:
            fair = self._stepped_at + self.settings.absent_s
            wait_s = max(wait_s, min(fair - self._context.now(), self._check_in_s))
        if wait_s > 0:
            self._look_by(self._context.now() + wait_s)
        elif not self._starter.is_draining:
            self._take(step)

    @property
    def _check_in_s(self) -> float:
        """How long the check-in lasts, if the settings give it both its times."""
        begin, end = self.settings.check_in, self.settings.starts
        return 0.0 if begin is None or end is None else seconds_between(begin, end)

    def _take(self, step: EventStep) -> None:
        """Take a step because it is time; a start waits for two entrants."""
        before = self.state.entrants
        try:
            entries = self.stepped(step, why="it is time")
        except EntryError as error:
            self._context.log.info("event waits", name=self.name, why=str(error))
            return
        self._step(entries, partial(self._drop, before, "it missed the check-in"))

    def _drop(self, before: Entrants, why: str) -> None:
        """Send word to those who are withdrawn now and were not before, and look what follows."""
        entrants = self.state.entrants
        former = {each.name for each in before if not each.has_withdrawn}
        gone = [it.name for it in entrants if it.has_withdrawn and it.name in former]
        self.dismiss(gone, why)

    def _pair_next(self) -> None:
        state = self.state
        if self._is_out_of_time():
            self._finish()
            return
        if (at := self._next_round_at) is not None:
            wait_s = seconds_between(self._context.utc(), at)
            if wait_s > 0:
                self._look_by(self._context.now() + wait_s)
                return
        number = state.phase.round + (state.phase.state is EventState.CLOSED)
        away = self._left_out(number)
        if away is None:
            if (ends := state.regulations.ends) and state.phase.state is EventState.CLOSED:
                self._look_by(self._context.now() + seconds_between(self._context.utc(), ends))
            return
        terms, results = state.terms(away), state.results
        self._pairing = number
        kept = [each.round for each in state.rounds]
        asked = self._context.swiss_pairs or paired_here
        work = partial(_pair, terms, results, number, kept, asked)
        self._context.in_background(work, self._paired)

    def _left_out(self, number: int) -> Collection[str] | None:
        """Return who is left out of a round that is to be paired; None to wait for more of them.

        All of the first round have some time to come, then those whose connections broke. Who
        withdrew meanwhile is awaited no longer. A Swiss event that one is left of begins once that
        one is there; an arena that has begun and ends by time waits for others to enter.
        """
        rules = self.state.regulations
        if rules.format not in BY_SCORES:
            return ()
        due = self.state.due(number)
        gone = {each.name for each in self.state.entrants if each.has_withdrawn}
        stay = [name for name in due if name not in gone]
        away = [name for name in stay if not self._starter.is_here(name)]
        awaited = any(number == 1 or self._starter.has_session(name) for name in away)
        until = self._stepped_at + self.settings.absent_s
        if awaited and self._context.now() < until:
            self._look_by(until)
            return None
        if len(stay) > 1:
            is_short = len(stay) - len(away) < 2  # a pair
        elif number > 1:
            is_short = rules.ends is not None and number <= rules.rounds
        else:
            is_swiss = rules.format is Format.SWISS
            is_short = is_swiss and stay == away and not self._has_no_entrant
        return None if is_short else [*away, *gone.intersection(due)]

    @property
    def _has_no_entrant(self) -> bool:
        return all(each.has_withdrawn for each in self.state.entrants)

    def _paired(self, paired: PairedRound | PairingFailedError | None) -> None:
        self._pairing = None
        state = self.state.phase.state
        if (
            self._is_closed
            or self._is_stopped
            or state not in {EventState.PAIRING, EventState.CLOSED}
        ):
            return  # paused or cancelled meanwhile; the same round follows when it is resumed
        if isinstance(paired, PairingFailedError):
            self._pause(str(paired))
            return
        if paired is None and state is EventState.PAIRING:
            why = "all entrants" if self._has_no_entrant else "all entrants but one"
            self._finish(EventStep.CANCEL, f"{why} withdrew")
            return
        if paired is None or self._is_out_of_time():
            self._finish()
            return
        entries = self.stepped(EventStep.PAIR) if state is EventState.CLOSED else []
        self.state.rounds.append(paired)
        entries += [*self.stepped(EventStep.PLAY), EventPaired(self.name, pairing_rows(paired))]
        entries.append(self._announcer.paired(paired))
        self._absent_since.clear()
        self._step(entries, self.look)

    def _is_out_of_time(self) -> bool:
        """Return whether an arena's time is over between two waves; the first is always paired."""
        is_between = self.state.phase.state is EventState.CLOSED
        return is_between and self.state.is_out_of_time(self._context.utc())

    def _finish(self, step: EventStep = EventStep.FINISH, why: str = "") -> None:
        entries = self.stepped(step, why=why)
        self._step(entries, partial(self._over, entries))

    def _over(self, durable: Sequence[Entry]) -> None:
        self.add_made(durable)
        self.look()

    def _play(self) -> None:
        if self._starter.is_draining:
            return
        if not self._starter.can_rate(self.settings.rated):
            self._pause(UNRATED.format(self.settings.rated))
            return
        left = self.state.missing
        rows: list[EventGameRow] = []
        for place, numbers in left.items():
            if place not in self._places.values():
                rows += self._decided(place, numbers) or self._begun(place, numbers)
        if rows:
            self._commit(self._noted(rows), self.look)
        elif not left and not self._places:
            self._close_round()

    def _close_round(self) -> None:
        before, self.state.entrants = self.state.entrants, self.state.after_round()
        entries = [self._entrants_changed(), *self.stepped(EventStep.CLOSE)]
        self._step(entries, partial(self._drop, before, "it was absent twice in a row"))

    def _decided(self, place: int, numbers: Sequence[int]) -> list[EventGameRow]:
        """Return the results of games of an encounter that are decided without play."""
        encounter = self.state.encounter(place)
        gone = {name for name in encounter if self._is_gone(name)}
        if gone or (gone := self._overdue(place)):
            return self.state.forfeited(place, gone)
        return [
            self.state.drawn(self.name, place, number)
            for number in numbers
            if self.state.is_for_the_lot(number)
        ]

    def _is_gone(self, name: str) -> bool:
        """Return whether an entrant plays no more, or withdrew in this round and has left."""
        withdrew = not is_entrant(self.state.entrants, name)
        return self.state.has_withdrawn(name) or (withdrew and not self._starter.has_session(name))

    def _overdue(self, place: int) -> set[str]:
        """Return who of an encounter was absent for too long; look again when the time is over."""
        absent = {name for name in self.state.encounter(place) if not self._starter.is_here(name)}
        if not absent:
            self._absent_since.pop(place, None)
            return absent
        now = self._context.now()
        due = self._absent_since.setdefault(place, now) + self.settings.absent_s
        if now >= due:
            return absent
        self._look_by(due)
        return set()

    def _begun(self, place: int, numbers: Sequence[int]) -> list[EventGameRow]:
        """Begin a match for the games of an encounter, if there is room; return no results."""
        encounter = self.state.encounter(place)
        is_free = len(self._places) < self.settings.boards and all(
            self._starter.is_here(name) and self._starter.is_free(name) for name in encounter
        )
        if is_free:
            games, first = self.state.regulations.games, numbers[0]
            count = games if len(numbers) == games else 1
            context = EventContext(self.name, first, self._openings_of(first, count))
            self._starter.open_event_match(
                *(self.state.seats(place, first), self._terms._replace(games=count), context),
                rated=self.settings.rated,
            )
        return []

    def _openings_of(self, number: int, count: int) -> tuple[Board, ...]:
        """Return the opening of each pair of a match's games, the first of which has a number."""
        if not self._openings:
            return ()
        games = self.state.regulations.games
        pairs = (games + 1) // 2
        first = number // games * pairs + number % games // 2
        every = self._openings
        return tuple(every[(first + place) % len(every)] for place in range((count + 1) // 2))

    def _look_by(self, when: float) -> None:
        """Look again at some time, or earlier if something else is due."""
        if self._is_closed or when >= self._due:
            return
        self._cancel_timer()
        self._due, self._timer = when, self._context.call_at(when, self.look)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._due, self._timer = float("inf"), None

    # Matches

    def opened(self, match: Match, context: EventContext) -> None:
        """Note that a match was set up."""
        self._places[match.id] = self._place_of(context.game)

    def count(self, match: Match, context: EventContext, ended: Outcome) -> list[Entry]:
        """Count the present game of a match; return what becomes durable with its end."""
        number = context.game + match.number
        row = self.state.counted(number, match.seat_names, ended, match.game)
        return self._noted([row])

    def on_match_end(self, match: Match, context: EventContext) -> None:
        """Note that a match is over."""
        place = self._places.pop(match.id, None)
        last = self.state.rows.get(context.game)
        has_result = last is not None and place not in self.state.missing
        self._look_by(self._context.now() + (0.0 if has_result else AGAIN_S))

    def _place_of(self, number: int) -> int:
        return number // self.state.regulations.games - self.state.present_round.first

    # The journal

    def _noted(self, rows: Sequence[EventGameRow]) -> list[Entry]:
        self._changes += 1
        self.state.rows.update((row.number, row) for row in rows)
        counted = [EventGameCounted(self.name, row) for row in rows]
        return [*counted, *self._games(self.state.phase.round, rows)]

    def _step(self, entries: Sequence[Entry], done: Callable[[], None]) -> None:
        self._commit(entries, done)
        self._log_step()

    def _commit(self, entries: Sequence[Entry], done: Callable[[], None]) -> None:
        self._context.journal.commit(entries, done, self.stop)

    def stop(self) -> None:
        """Pause an event that the store refused something of: memory is ahead of the store."""
        if not self._is_stopped:
            self._is_stopped = True
            self._cancel_timer()
            self._context.log.warning("event stopped", name=self.name)
            self._read_again()

    def _read_again(self) -> None:
        self._starter.read_event(self.name, partial(self._take_up, self._changes))

    def _take_up(self, changes: int, kept: KeptEvent | None) -> None:
        """Take up what the store has, unless more was handed in since it was asked; pause."""
        if changes != self._changes:
            self._read_again()
            return
        if kept is None:
            self.state, self._stored = prepared(self.settings), ()
        else:
            self.restore(kept)
        self._is_stopped = self.is_gone = False
        if EventStep.PAUSE in self.state.phase.steps():
            self._pause(UNSTORED)
        else:
            self.look()

    def _pause(self, why: str) -> None:
        entries = self.stepped(EventStep.PAUSE, why=why)
        self._context.journal.commit(entries, self.look, self._give_up)
        self._log_step()

    def _give_up(self) -> None:
        """Begin nothing more until the server is started again: not even a pause was stored."""
        self._context.log.warning("event given up", name=self.name)
        self.close()

    def _log_step(self) -> None:
        phase = self.state.phase
        self._context.log.info("round", name=self.name, state=phase.state, number=phase.round)


def _pair(
    terms: EventTerms,
    results: Mapping[int, RatedGame],
    number: int,
    kept: Sequence[Round],
    asked: Asked,
) -> PairedRound | PairingFailedError | None:
    """Return a round as `pair` does, or why it could not be paired."""
    try:
        return pair(terms, results, number, kept, asked)
    except PairingFailedError as error:
        return error
