"""What is announced of an event: its steps, rounds, games and standings."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from mancala.protocol import results

from ...config.events import EventSettings
from ...match.context import Context
from ...model.contests import EventGameRow
from ...model.journal import Announced, Announcement
from ...model.timestamps import in_utc
from .admission import is_entrant
from .state import ARBITER, ContestState, tie_breaks_of

ROWS: Final = 100
"""Rows of the standings in an announcement; the API has the others."""


class EventAnnouncer:
    def __init__(self, settings: EventSettings, context: Context) -> None:
        self._settings = settings
        self._context = context

    def status(self, state: ContestState, why: str = "") -> Announced:
        settings, phase = self._settings, state.phase
        starts = None if phase.has_begun else settings.starts
        payload = results.EventStatus(
            *self._head(f"status-{self._context.new_id()}"),
            event=settings.name,
            format=settings.format,
            state=phase.state.value,
            round=phase.round,
            entrants=sum(is_entrant(state.entrants, each.name) for each in state.entrants),
            at=self._context.utc(),
            starts=None if starts is None else in_utc(starts),
            why=why or None,
            ends=None if phase.is_over else state.regulations.ends,
            next_round=state.next_round_at(settings.interval_s),
        )
        topic = self._context.events.topics.event_status(settings.name)
        return _announced(topic, payload)

    def standings(self, state: ContestState) -> Announced:
        name, tie_breaks = self._settings.name, tie_breaks_of(self._settings)
        table = state.standings(self._settings)
        rows = tuple(
            results.EventRow(
                *(row.rank, row.name, row.games, row.points, row.wins, row.draws, row.losses),
                {
                    each.value: value
                    for each in tie_breaks
                    if (value := getattr(row, each.column)) is not None
                },
            )
            for row in table[:ROWS]
        )
        payload = results.EventTable(
            *self._head(f"standings-{self._context.new_id()}"),
            event=name,
            round=state.tabled_rounds(self._settings),
            at=self._context.utc(),
            tie_breaks=tuple(each.value for each in tie_breaks),
            standings=rows,
            total=len(table),
            more=f"/api/v1/events/{quote(name)}",
        )
        topic = self._context.events.topics.event_standings(name)
        return _announced(topic, payload)

    def paired(self, state: ContestState) -> Announced:
        """Return the announcement of the last round."""
        paired = state.rounds[-1]
        payload = results.EventRoundPaired(
            *self._head(f"round-{paired.number}"),
            event=self._settings.name,
            round=paired.number,
            encounters=tuple((one, two) for one, two in paired.round.encounters),
            byes=paired.round.byes,
            inputs=paired.inputs_shown(state.shown_rounds(self._settings)),
            at=self._context.utc(),
        )
        return _announced(self._context.events.topics.event_rounds(self._settings.name), payload)

    def games(
        self, number: int, rows: Sequence[EventGameRow], *, is_new: bool = True
    ) -> list[Announced]:
        """Return the announcements of games of a round, which is given by its number."""
        topic = self._context.events.topics.event_games(self._settings.name)
        return [_announced(topic, self._game(number, row, is_new=is_new)) for row in rows]

    def _game(self, number: int, row: EventGameRow, *, is_new: bool) -> results.EventGameResult:
        return results.EventGameResult(
            *self._head(f"game-{row.number}-{self._id_of(row, is_new=is_new)}"),
            event=self._settings.name,
            round=number,
            number=row.number,
            names=(row.first, row.second),
            winner=row.winner,
            margin=row.margin,
            reason=row.reason,
            at=self._context.utc(),
            game=row.game,
            note=row.note or None,
        )

    def _id_of(self, row: EventGameRow, *, is_new: bool) -> str:
        """Return what tells an announcement from those of other results of the same game."""
        played = row.game if is_new and row.reason != ARBITER else None
        return played or self._context.new_id()

    def _head(self, which: str) -> tuple[str, int, str]:
        return self._context.events.head(f"event-{self._settings.name}-{which}")


def _announced(topic: str, payload: results.Payload) -> Announced:
    return Announced(Announcement.of(topic, payload))
