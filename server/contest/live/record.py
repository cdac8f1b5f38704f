"""An event as it is in memory, and what becomes durable with each change of it.

A change returns journal entries, of which nothing may follow before they are durable. It starts
nothing, waits for nothing and sends nothing.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from mancala.protocol import codec
from mancala.protocol.messages import Entered, Outcome, Reason, Withdrawn

from ...config.events import EventSettings, Format
from ...match.context import Context
from ...model.contests import (
    EventDeleted,
    EventEdited,
    EventGameCounted,
    EventGameRow,
    EventMade,
    EventStepped,
    KeptEvent,
)
from ...model.journal import Announced, Entry, Revealed
from ...model.match import EventContext, Match, Terms
from ...model.timestamps import in_utc
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
from .admission import Candidate, admitted, is_entrant
from .announcements import EventAnnouncer
from .starter import ContestStarter
from .state import entrants_changed, prepared, problem_of_size, regulations_of, restored

ROUNDS: Final = frozenset({EventState.PAIRING, EventState.PLAYING, EventState.CLOSED})
"""The states in which rounds are played."""
TABLE_STEPS: Final = frozenset({EventStep.CLOSE, EventStep.PUBLISH})
"""The steps after which the standings are announced."""


class ContestRecord:
    """An event: its settings, its state, and how each change of them is written.

    Attributes:
        context: what it has of the server.
        starter: what it asks the server to do.
        terms: what its matches are played under.
        openings: the positions that pairs of games begin from; none for the usual one.
        origin: the server that it was imported from; such an event is over, and only shown.
        is_gone: whether it is being deleted.
        make_next: returns what becomes durable of the next edition of its series, once it is over.
    """

    settings: EventSettings

    def __init__(self, settings: EventSettings, context: Context, starter: ContestStarter) -> None:
        self.origin: str | None = None
        self._may_hide = settings.hides_results
        """Whether the store may hide results: settings of before a restart may have done so."""
        self.is_gone = False
        self.context = context
        self.starter = starter
        self._use(settings)
        self.state = prepared(settings)
        self._stored: Entrants = ()
        self._pairing: int | None = None
        self._latest = object()
        self.make_next: Callable[[ContestRecord], list[Entry]] = lambda _over: []
        self._stepped_at = context.now()

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def ranked(self) -> list[str]:
        """Who had entered and not withdrawn, the best first; before the first round, as seeded."""
        table = self.state.standings(self.settings) or self.state.entrants
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

    def restore(self, kept: KeptEvent) -> None:
        self.state, self._stored = restored(kept, self.settings), kept.entrants
        self.origin = kept.origin
        self._may_hide = True

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
        changed = self.changed("edit", self.state.entrants, by, why)
        return [EventEdited(self.name, text), *changed, announced]

    def _use(self, settings: EventSettings) -> None:
        self.settings = settings
        self.terms = Terms(settings.parsed_rules, settings.clock, rated=False, games=0)
        self.openings = settings.positions
        self._announcer = EventAnnouncer(settings, self.context)

    def deleted(self, why: str) -> list[Entry]:
        """Return what becomes durable when it goes; for those who listen, it is cancelled."""
        self._latest = object()
        self.state.phase, self.is_gone = Phase(EventState.CANCELLED), True
        status = self._announcer.status(self.state, why)
        return [EventDeleted(self.name), status, *self.make_next(self)]

    def noted(self, step: str, why: str) -> list[Entry]:
        """Return a line of its log about something that changes nothing of it."""
        return [self._entry_of(step, "", why)]

    def stepped(self, step: EventStep, by: str = "", why: str = "") -> list[Entry]:
        """Take a step; return what becomes durable with it."""
        entries: list[Entry] = []
        self._latest = object()
        state, phase = self.state, self.state.phase.after(step)
        before, was_settled = state.shown_rounds(self.settings), self.is_settled
        if step is EventStep.PAIR and not state.phase.has_begun:
            state.entrants = self._filled(self.started())
            began = self.context.utc()
            state.regulations = regulations_of(self.settings, state.entrants, began)
            entries.append(self._entrants_changed())
        state.phase = phase
        self._stepped_at = self.context.now()
        if step is EventStep.CLOSE:
            state.closed = self.context.utc()
        announced = [self._announcer.status(state, why), *self._games_since(before)]
        if step in TABLE_STEPS:
            announced.append(self._announcer.standings(state))
        following = [] if was_settled else self.make_next(self)
        return [self._entry_of(step, by, why), *entries, *self._revealed(), *announced, *following]

    def started(self) -> Entrants:
        """Return the entrants when a round is to be paired; refuse too few, or too many games."""
        state = self.state
        entrants = started(state.entrants, state.phase)
        if not state.phase.has_begun and (problem := problem_of_size(self.settings, entrants)):
            raise EntryError(problem)
        return entrants

    def reveal(self, by: str, why: str) -> list[Entry]:
        """Show the next round that is frozen; return what becomes durable with it."""
        self._latest = object()
        before, was_settled = self.state.shown_rounds(self.settings), self.is_settled
        self.state.revealed += 1
        standings = self._announcer.standings(self.state)
        step = self._entry_of("reveal", by, why)
        following = [] if was_settled else self.make_next(self)
        return [step, *self._revealed(), *self._games_since(before), standings, *following]

    def _revealed(self) -> list[Entry]:
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
        if number > self.state.shown_rounds(self.settings):
            return []
        rows = self.state.rows_of(number) if rows is None else rows
        return self._announcer.games(number, rows, is_new=is_new)

    def _filled(self, entrants: Entrants) -> Entrants:
        """Return the entrants with the bot that makes their number even, if it is there."""
        name = self.settings.fill
        if name is None or not self.starter.is_here(name):
            return entrants
        return filled(entrants, name)

    def _entry_of(self, step: str, by: str, why: str) -> EventStepped:
        phase = self.state.phase
        held = codec.to_json(self.state.regulations).decode() if phase.has_begun else None
        at, resumes = self.context.utc(), phase.resumes and phase.resumes.value
        values = str(step), phase.state.value, phase.round, resumes, held, at
        return EventStepped(self.name, *values, by, why)

    @property
    def _entry_phase(self) -> Phase:
        """Where it stands for those who come or go: a round that is being paired has begun."""
        phase = self.state.phase
        return phase if self._pairing is None else replace(phase, round=self._pairing)

    def enter(self, candidate: Candidate) -> list[Entry]:
        """Take an entry, or note that an entrant is there; return what becomes durable with it."""
        before, rules = self.state.entrants, self.state.regulations
        after = admitted(before, self._entry_phase, candidate, self.settings, rules)
        return [] if after == before else self.changed("enter", after, candidate.name)

    def withdraw(self, name: str, by: str = "", why: str = "") -> list[Entry]:
        """Withdraw an entrant after the present round; return what becomes durable with it."""
        after = withdrawn(self.state.entrants, self._entry_phase, name)
        return self.changed("withdraw", after, by or name, why)

    def excused(self, name: str, number: int, *, has_bye: bool) -> Entrants:
        """Return the entrants with a half-point bye for one of them, or without it."""
        rounds = self._swiss_rounds("byes that are asked for")
        return excused(
            *(self.state.entrants, self._entry_phase, name, number), rounds=rounds, has_bye=has_bye
        )

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

    def reinstated(self, name: str) -> Entrants:
        format_ = self.state.regulations.format
        return reinstated(self.state.entrants, self._entry_phase, name, format_=format_)

    def changed(self, step: str, entrants: Entrants, by: str, why: str = "") -> list[Entry]:
        """Take other entrants; return what becomes durable with them."""
        self.state.entrants = entrants
        return [self._entry_of(step, by, why), self._entrants_changed()]

    def _entrants_changed(self) -> Entry:
        self._latest = object()
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
            *(self.name, self.terms.rules, self.terms.clock, state.regulations.games),
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

    def count(self, match: Match, context: EventContext, ended: Outcome) -> list[Entry]:
        """Count the present game of a match; return what becomes durable with its end."""
        number = context.game + match.number
        return self.counted([self.state.counted(number, match.seat_names, ended, match.game)])

    def counted(self, rows: Sequence[EventGameRow]) -> list[Entry]:
        """Take results of the present round; return what becomes durable with them."""
        return [*self._taken(rows), *self._games(self.state.phase.round, rows)]

    def _taken(self, rows: Sequence[EventGameRow]) -> list[EventGameCounted]:
        self._latest = object()
        self.state.rows.update((row.number, row) for row in rows)
        return [EventGameCounted(self.name, row) for row in rows]

    def replayed(self, places: Mapping[int, Collection[int]], by: str, why: str) -> list[Entry]:
        """Let games of the present round be played again; return what becomes durable."""
        rows = [
            self.state.anew(place, number)
            for place, numbers in places.items()
            for number in sorted(numbers)
        ]
        return [self._entry_of("replay", by, why), *self.counted(rows)]

    def ruled(self, rows: Sequence[EventGameRow], round_: int, by: str, why: str) -> list[Entry]:
        """Set results by hand, or as they were before; return what becomes durable with them."""
        return [
            self._entry_of("result", by, why),
            *self._taken(rows),
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
        step = "reinstate" if counts else "annul"
        void = [row for row in rows if row.reason == Reason.ABORTED.value]
        return [
            self._entry_of(step, by, why),
            *self._taken(rows),
            *self._games(self.state.phase.round, void),
            self._announcer.standings(self.state),
        ]

    def has_any(self, games: Collection[str]) -> bool:
        """Return whether any of these games, by id, is among its results."""
        return any(row.game in games for row in self.state.rows.values())
