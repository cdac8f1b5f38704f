"""One event of a running server: it plays its rounds and survives what happens between them.

The journal comes first: each step, round and result is durable before anything follows from it. A
server that was killed re-reads its rounds and pairs none again; its matches go on as all others do.
An event whose entry the store refused stops until the server is started again.

Nothing is polled. The event looks for what it can do when a step was taken, a match ended, an
entrant connected, or the time of an absent one is over. A game that does not count is played again
once, then a lot decides. A player that is absent when its encounter could begin has `absent_s`
seconds to come; then it loses its games of the round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol

from mancala.protocol import codec
from mancala.protocol.referee import Ended
from mancala.protocol.rules import Board
from mancala.server.config.events import EventSettings
from mancala.server.contests.state import entrant_rows, pairing_rows, prepared, restored
from mancala.server.context import Context
from mancala.server.events.entry import started, withdrawn
from mancala.server.events.lifecycle import EventState, EventStep
from mancala.server.events.pairings import PairedRound, pair
from mancala.server.model.contests import (
    EventEntrantsChanged,
    EventGameCounted,
    EventGameRow,
    EventPaired,
    EventStepped,
    KeptEvent,
)
from mancala.server.model.journal import Entry
from mancala.server.model.match import EventContext, Match, Terms
from mancala.server.model.timers import Timer
from mancala.server.model.timestamps import seconds_between

AGAIN_S: Final = 1.0
"""After a match that brought no result, the next one waits this long."""


class ContestStarter(Protocol):
    """Starts the matches of an event."""

    @property
    def is_draining(self) -> bool:
        """Whether no match may begin."""

    def is_here(self, name: str) -> bool:
        """Return whether a bot is connected."""

    def has_time(self, name: str) -> bool:
        """Return whether a bot may play one more match on this server."""

    def open_event_match(
        self, names: tuple[str, str], terms: Terms, event_context: EventContext
    ) -> None:
        """Start a match between two bots that are connected."""


class Contest:
    """An event of a running server.

    Attributes:
        settings: its settings.
        state: where it stands.
    """

    def __init__(self, settings: EventSettings, context: Context, starter: ContestStarter) -> None:
        """Prepare an event that has not begun.

        Args:
            settings: its settings.
            context: clock, journal and the rest of what the server hands out.
            starter: starts its matches.
        """
        self.settings = settings
        self._context = context
        self._starter = starter
        self._terms = Terms(settings.parsed_rules, settings.clock, rated=False, games=0)
        self._openings = settings.positions
        self.state = prepared(settings)
        self._places: dict[str, int] = {}
        self._absent_since: dict[int, float] = {}
        self._timer: Timer | None = None
        self._due = float("inf")
        self._is_pairing = self._is_closed = False

    @property
    def name(self) -> str:
        """The event's name."""
        return self.settings.name

    @property
    def running(self) -> int:
        """The number of its matches under way."""
        return len(self._places)

    # It begins and stops with the server

    def restore(self, kept: KeptEvent) -> None:
        """Take up what the journal kept; :meth:`look` goes on from there."""
        self.state = restored(kept, prepared(self.settings))

    def close(self) -> None:
        """Start no further match."""
        self._is_closed = True
        self._cancel_timer()

    # Steps

    def stepped(self, step: EventStep, by: str = "", why: str = "") -> list[Entry]:
        """Take a step; return what becomes durable with it.

        Raises:
            StepError: when the step can't be taken.
            EntryError: when there are too few entrants to begin.
        """
        entries: list[Entry] = []
        state, phase = self.state, self.state.phase.after(step)
        if step is EventStep.PAIR and not state.phase.has_begun:
            state.entrants = started(state.entrants, state.phase)
            entries.append(EventEntrantsChanged(self.name, entrant_rows(state.entrants)))
        state.phase = phase
        return [self._entry_of(step, by, why), *entries]

    def _entry_of(self, step: EventStep, by: str, why: str) -> EventStepped:
        phase = self.state.phase
        held = codec.to_json(self.state.regulations).decode() if phase.has_begun else None
        at, resumes = self._context.utc(), phase.resumes and phase.resumes.value
        values = step.value, phase.state.value, phase.round, resumes, held, at
        return EventStepped(self.name, *values, by, why)

    def withdraw(self, name: str) -> list[Entry]:
        """Withdraw an entrant after the present round; return what becomes durable with it.

        Raises:
            EntryError: when it is no entrant, or the event is over.
        """
        self.state.entrants = withdrawn(self.state.entrants, self.state.phase, name)
        return [EventEntrantsChanged(self.name, entrant_rows(self.state.entrants))]

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

    # What can be done next

    def look(self) -> None:
        """Do what the event's state and the presence of its entrants allow."""
        if self._is_closed or self._is_pairing:
            return
        self._cancel_timer()
        match self.state.phase.state:
            case EventState.DRAFT if self.settings.starts is not None:
                self._start_at(self.settings.starts)
            case EventState.PAIRING | EventState.CLOSED:
                self._pair_next()
            case EventState.PLAYING:
                self._play()

    def _start_at(self, starts: str) -> None:
        wait_s = seconds_between(self._context.utc(), starts)
        if wait_s > 0:
            self._look_by(self._context.now() + wait_s)
        elif not self._starter.is_draining:
            self._commit(self.stepped(EventStep.PAIR, why="it is time"), self.look)

    def _pair_next(self) -> None:
        state = self.state
        number = state.phase.round + (state.phase.state is EventState.CLOSED)
        terms, results = state.regulations.terms(state.entrants), state.results
        self._is_pairing = True
        self._context.in_background(partial(pair, terms, results, number), self._paired)

    def _paired(self, paired: PairedRound | None) -> None:
        self._is_pairing = False
        state = self.state.phase.state
        if self._is_closed or state not in {EventState.PAIRING, EventState.CLOSED}:
            return  # paused or cancelled meanwhile; the same round follows when it is resumed
        if paired is None:
            self._commit(self.stepped(EventStep.FINISH), self._log_step)
            return
        entries = self.stepped(EventStep.PAIR) if state is EventState.CLOSED else []
        self.state.rounds.append(paired)
        entries += [*self.stepped(EventStep.PLAY), EventPaired(self.name, pairing_rows(paired))]
        self._absent_since.clear()
        self._commit(entries, self.look)
        self._log_step()

    def _play(self) -> None:
        """Begin, forfeit or draw what can be in the present round; close it when it is over."""
        if self._starter.is_draining:
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
        self.state.entrants = self.state.after_round()
        changed = EventEntrantsChanged(self.name, entrant_rows(self.state.entrants))
        self._commit([changed, *self.stepped(EventStep.CLOSE)], self.look)
        self._log_step()

    def _decided(self, place: int, numbers: Sequence[int]) -> list[EventGameRow]:
        """Return the results of games of an encounter that are decided without play."""
        encounter = self.state.encounter(place)
        gone = {name for name in encounter if self.state.has_withdrawn(name)}
        if gone or (gone := self._overdue(place)):
            return self.state.forfeited(place, gone)
        return [
            self.state.drawn(self.name, place, number)
            for number in numbers
            if self.state.is_for_the_lot(number)
        ]

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
            self._starter.is_here(name) and self._starter.has_time(name) for name in encounter
        )
        if is_free:
            games, first = self.state.regulations.games, numbers[0]
            count = games if len(numbers) == games else 1
            context = EventContext(self.name, first, self._openings_of(first, count))
            self._starter.open_event_match(
                self.state.seats(place, first), self._terms._replace(games=count), context
            )
        return []

    def _openings_of(self, number: int, count: int) -> tuple[Board, ...]:
        """Return the opening of each pair of a match's games; both games of a pair have the same.

        Args:
            number: the number in the event of its first game.
            count: how many games it has.
        """
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

    def count(self, match: Match, context: EventContext, ended: Ended) -> list[Entry]:
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
        self.state.rows.update((row.number, row) for row in rows)
        return [EventGameCounted(self.name, row) for row in rows]

    def _commit(self, entries: Sequence[Entry], done: Callable[[], None]) -> None:
        self._context.journal.commit(entries, done, self.stop)

    def stop(self) -> None:
        """Stop an event that can't be stored; what it holds in memory is ahead of the store."""
        self._context.log.warning("event stopped", name=self.name)
        self.close()

    def _log_step(self) -> None:
        phase = self.state.phase
        self._context.log.info("round", name=self.name, state=phase.state, number=phase.round)
