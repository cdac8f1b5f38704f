"""The encounters of an event's present round: which are played, decided without play, or awaited.

A game that does not count is played again once, then a lot decides. A player that is absent when
its encounter could begin has `absent_s` seconds to come, which begin for one that the server cut
off when it could be back; then it loses its games of the round, as one does immediately that has
withdrawn and said goodbye. No match begins while a player is in one of a ladder.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mancala.protocol.messages import NextMatch
from mancala.protocol.rules import Board

from ...model.contests import EventGameRow
from ...model.match import EventContext, Match
from .admission import is_entrant
from .next_match import EntrantPresence, next_match
from .record import ContestRecord
from .state import ContestState

AGAIN_S: Final = 1.0
"""After a match that brought no result, the next one waits this long."""


class Encounters:
    """What of a round is under way; ``look_by`` takes when there may be more to do."""

    def __init__(self, record: ContestRecord, look_by: Callable[[float], None]) -> None:
        self._record = record
        self._starter = record.starter
        self._look_by = look_by
        self._places: dict[str, int] = {}
        self._absent_since: dict[int, float] = {}

    @property
    def _state(self) -> ContestState:
        return self._record.state

    @property
    def running(self) -> int:
        return len(self._places)

    def is_playing(self, place: int) -> bool:
        return place in self._places.values()

    def next_match(self, name: str) -> NextMatch | None:
        """Return what a bot plays next here; None when no match is to come, or one runs."""
        starter = self._starter
        presence = EntrantPresence(starter.is_here, starter.is_free, self.is_playing)
        return next_match(name, self._record.settings, self._state, presence)

    def unplayed_of(self, name: str) -> list[EventGameRow]:
        """Return the games that a bot would lose by a forfeit."""
        if self._state.phase.is_over:
            return []
        return [
            row
            for place in self._state.missing
            if name in self._state.encounter(place) and not self.is_playing(place)
            for row in self._state.forfeited(place, {name})
        ]

    def await_anew(self) -> None:
        """Let all who are absent have their whole time again, since a round begins."""
        self._absent_since.clear()

    def go_on(self, left: Mapping[int, Sequence[int]]) -> list[EventGameRow]:
        """Begin what can be of games without a result; return results without play."""
        rows: list[EventGameRow] = []
        for place, numbers in left.items():
            if self.is_playing(place):
                continue
            if decided := self._decided(place, numbers):
                rows += decided
            else:
                self._begin(place, numbers)
        return rows

    def _decided(self, place: int, numbers: Sequence[int]) -> list[EventGameRow]:
        """Return the results of games of an encounter that are decided without play."""
        gone = {name for name in self._state.encounter(place) if self._is_gone(name)}
        if gone or (gone := self._overdue(place)):
            return self._state.forfeited(place, gone)
        return [
            self._state.drawn(self._record.name, place, number)
            for number in numbers
            if self._state.is_for_the_lot(number)
        ]

    def _is_gone(self, name: str) -> bool:
        """Return whether an entrant plays no more, or withdrew in this round and has left."""
        withdrew = not is_entrant(self._state.entrants, name)
        return self._state.has_withdrawn(name) or (withdrew and not self._starter.has_session(name))

    def _overdue(self, place: int) -> set[str]:
        """Return who of an encounter was absent for too long; look again when the time is over."""
        absent = {name for name in self._state.encounter(place) if not self._starter.is_here(name)}
        if not absent:
            self._absent_since.pop(place, None)
            return absent
        now = self._record.context.now()
        since = max(self._absent_since.get(place, now), *map(self._starter.back_by, absent))
        self._absent_since[place] = since
        due = since + self._record.settings.absent_s
        if now >= due:
            return absent
        self._look_by(due)
        return set()

    def _begin(self, place: int, numbers: Sequence[int]) -> None:
        record, state = self._record, self._state
        is_free = len(self._places) < record.settings.boards and all(
            self._starter.is_here(name) and self._starter.is_free(name)
            for name in state.encounter(place)
        )
        if is_free:
            games, first = state.regulations.games, numbers[0]
            count = games if len(numbers) == games else 1
            context = EventContext(record.name, first, self._openings_of(first, count))
            self._starter.open_event_match(
                *(state.seats(place, first), record.terms._replace(games=count), context),
                rated=record.settings.rated,
            )

    def _openings_of(self, number: int, count: int) -> tuple[Board, ...]:
        every, games = self._record.openings, self._state.regulations.games
        pairs = (games + 1) // 2
        first = number // games * pairs + number % games // 2
        count = (count + 1) // 2 if every else 0
        return tuple(every[(first + place) % len(every)] for place in range(count))

    def opened(self, match: Match, context: EventContext) -> None:
        first = self._state.present_round.first
        self._places[match.id] = context.game // self._state.regulations.games - first

    def ended(self, match: Match, context: EventContext) -> None:
        place = self._places.pop(match.id, None)
        last = self._state.rows.get(context.game)
        has_result = last is not None and place not in self._state.missing
        self._look_by(self._record.context.now() + (0.0 if has_result else AGAIN_S))
