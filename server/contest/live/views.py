"""What is shown of an event: to visitors by the API, to the organiser by the command."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Name
from mancala.protocol.review import LosingMove
from mancala.protocol.rules import Rules

from ...config.events import Entry, EventSettings, TieBreak
from ...model.contests import EventBoard, EventGameRow, EventStands, KeptEvent
from ...model.schemas.views import View
from ..events.lifecycle import EventState
from ..events.pairings import PairedRound
from ..events.standings import EventStanding
from .admission import EventCondition, conditions_of
from .state import ContestState, prepared, restored, settings_of, tie_breaks_of


class EventSummary(View, frozen=True):
    """An event in the list of events.

    Attributes:
        state: where it stands.
        round: the round that is played, or was played last; 0 before the first.
        starts: when it begins, if that is known.
        entrants: how many bots play.
    """

    name: Name
    format: str
    state: EventState
    round: int
    starts: str | None
    entrants: int


class EventList(View, frozen=True):
    """The events.

    Attributes:
        events: in the order of the settings.
    """

    events: tuple[EventSummary, ...]


class EventEntrantView(View, frozen=True):
    """An entrant of an event.

    Attributes:
        withdrawn: whether it plays no further round.
        byes: the rounds for which it has a half-point bye by the organiser's order.
    """

    name: Name
    withdrawn: bool
    byes: tuple[int, ...] = ()


class EventGame(View, frozen=True):
    """What came of a game of an event.

    Attributes:
        number: its number in the event, from 0.
        first: who moved first.
        second: the opponent.
        winner: 0 or 1; None for a draw, for two absent players, and while there is no result.
        margin: seeds ahead of the one who moved first.
        reason: how it ended; ``absent`` or ``lot`` for one that was not played, ``aborted`` for one
            that does not count and is to be played again, ``arbiter`` for one set by hand.
        game: the game's id; None for one that was not played.
        annulled: whether the operator annulled it after its round: the table leaves it out.
        note: the reason for a result that was set by hand; empty for others.
    """

    number: int
    first: Name
    second: Name
    winner: int | None
    margin: int
    reason: str
    game: str | None
    voids: int
    annulled: bool = False
    note: str = ""


class EventEncounter(View, frozen=True):
    """Two entrants that meet in a round.

    Attributes:
        first: who moves first in the first game.
        second: the opponent.
        games: their games with a result, or that were void.
        by_hand: whether the organiser let them meet.
    """

    first: Name
    second: Name
    games: tuple[EventGame, ...]
    by_hand: bool = False


class EventRound(View, frozen=True):
    """A round that was paired.

    Attributes:
        number: its number, from 1.
        inputs: a digest of what its encounters follow from; empty where that was forgotten, and
            while results among it are hidden.
        byes: who has no opponent.
        encounters: who meets whom.
        half_byes: who has a half-point bye, by the organiser's order or before a late entry.
        left_out: who was not connected when the round was paired, and has no points for it.
        hidden: whether its results are hidden until the organiser reveals them.
    """

    number: int
    inputs: str
    byes: tuple[Name, ...]
    encounters: tuple[EventEncounter, ...]
    half_byes: tuple[Name, ...] = ()
    left_out: tuple[Name, ...] = ()
    hidden: bool = False


class EventLosingMove(View, frozen=True):
    """The move that lost a game of an event.

    Attributes:
        number: the game's number in the event, from 0.
        move: the move, as the game's review has it.
    """

    number: int
    game: str
    move: LosingMove


class EventLosingMoves(View, frozen=True):
    """The moves that decided the games of an event, as far as reviews know them.

    Attributes:
        moves: by the number of the game; games that no single move lost are left out.
        waiting: games that were not looked at yet, or have no review yet.
    """

    moves: tuple[EventLosingMove, ...]
    waiting: int


class EventView(View, frozen=True):
    """An event: its table and its rounds.

    Attributes:
        state: where it stands.
        round: the round that is played, or was played last; 0 before the first.
        opens: when bots may enter by themselves, if that is known.
        check_in: when the check-in begins, if it has one.
        starts: when it begins, if that is known.
        entrants: who plays, in order of seeding.
        tie_breaks: what decides between equal points, in order.
        standings: the table as it stands, without frozen rounds; empty before the first round.
        rounds: the rounds that were paired.
        rated: the ladder that counts its games too, or None.
        boards: the games that are being played.
        ends: when an arena that has begun pairs no further wave, or None.
        duration_s: how long an arena lasts, in seconds, or None.
        games: games of an encounter.
        enter: who may enter by themselves: ``list`` for none, ``tokens`` or ``open``.
        absent_s: how long who is away when it is to play is waited for, in seconds.
        pairing: how a Swiss event is paired: ``fide`` (FIDE's Dutch system), or ``fast`` for one
            that began when the server had a simplified system of its own.
        apart: entrants who are not to meet while that can be helped, by groups.
        next_round_at: when the next round is paired, while the event rests; None otherwise.
        freeze_rounds: how many of the last rounds are frozen until the organiser reveals them.
        freeze: what is frozen of them: ``table``, or ``results``, whose games are hidden.
        revealed: how many of them the organiser revealed one by one.
        about: what the organiser says of the event, in lines.
        conditions: what a bot that enters by itself needs.
        series: the series that it is an edition of, or None.
        edition: which edition of the series it is, from 1.
        division: its division in the series, 1 for the strongest.
        after_round: the last round whose games count in the table, over or not; 0 for none.
        is_report: whether it was imported from FIDE's report, which has no rules, clock or moves.
    """

    name: Name
    format: str
    state: EventState
    round: int
    opens: str | None
    check_in: str | None
    starts: str | None
    entrants: tuple[EventEntrantView, ...]
    tie_breaks: tuple[TieBreak, ...]
    standings: tuple[EventStanding, ...]
    rounds: tuple[EventRound, ...]
    rules: Rules
    clock: TimeControl
    games: int
    enter: Entry
    rated: str | None = None
    origin: str | None = None
    boards: tuple[EventBoard, ...] = ()
    ends: str | None = None
    duration_s: float | None = None
    absent_s: float = 120.0
    pairing: str = "fide"
    apart: tuple[tuple[Name, ...], ...] = ()
    next_round_at: str | None = None
    freeze_rounds: int = 0
    freeze: str = "table"
    revealed: int = 0
    about: str = ""
    conditions: tuple[EventCondition, ...] = ()
    series: str | None = None
    edition: int = 1
    division: int = 1
    after_round: int = 0
    is_report: bool = False


class SeriesRow(View, frozen=True):
    """A line of the standings of a series.

    Attributes:
        rank: its place, from 1.
        name: the entrant.
        division: the one it played in last.
        editions: how many of them it played in.
        points: in all of them together.
        first: how often it was first in one that is finished, and all of whose rounds are shown.
    """

    rank: int
    name: Name
    division: int
    editions: int
    points: float
    first: int


class SeriesView(View, frozen=True):
    """A series of events.

    Attributes:
        series: its name.
        events: its events of the latest 30 editions, the latest first.
        standings: by the division of the last edition, points, and first places; as each event's
            table stands, without frozen rounds.
    """

    series: Name
    events: tuple[EventSummary, ...]
    standings: tuple[SeriesRow, ...]


REPORT: Final = "a report of FIDE's format"
"""Where an event was held that was read from a report."""


def event_summary(settings: EventSettings, stands: EventStands | None) -> EventSummary:
    """Return an event's line of the list; it stands nowhere before its first step."""
    stands = stands or EventStands(EventState.DRAFT, 0, 0)
    return EventSummary.of(
        settings,
        state=EventState(stands.state),
        round=stands.round,
        entrants=stands.entrants or len(settings.entrants),
    )


def events_of(
    configured: Mapping[str, EventSettings], stands: Mapping[str, EventStands]
) -> dict[str, EventSettings]:
    """Return the settings of all events by name: those configured, then those made later."""
    made = {
        name: settings_of(each.settings)
        for name, each in stands.items()
        if name not in configured and each.settings is not None
    }
    return {**configured, **made}


def stored_event(
    settings: EventSettings, kept: KeptEvent | None, boards: Iterable[EventBoard] = ()
) -> EventView:
    """Return an event as it is stored, with the games that are being played."""
    if kept is None:
        return event_view(settings, prepared(settings))
    state = restored(kept, settings)
    view = event_view(settings, state, origin=kept.origin)
    hidden = state.first_hidden(settings)
    shown = tuple(each for each in boards if hidden is None or each.number < hidden)
    return replace(view, boards=shown)


def series_view(
    series: str,
    held: Sequence[tuple[EventSettings, KeptEvent | None]],
    stands: Mapping[str, EventStands],
) -> SeriesView:
    """Return a series, from its events, what is stored of each, and where each stands."""
    events = sorted(held, key=lambda each: (-each[0].edition, each[0].division))
    found: dict[str, SeriesRow] = {}
    for settings, kept in events:
        state = prepared(settings) if kept is None else restored(kept, settings)
        for row in state.standings(settings):
            before = found.get(row.name) or SeriesRow(
                rank=0, name=row.name, division=settings.division, editions=0, points=0, first=0
            )
            found[row.name] = replace(
                before,
                editions=before.editions + 1,
                points=before.points + row.points,
                first=before.first + (row.rank == 1 and state.is_decided(settings)),
            )
    rows = sorted(found.values(), key=lambda each: (each.division, -each.points, -each.first))
    return SeriesView(
        series=series,
        events=tuple(event_summary(each, stands.get(each.name)) for each, _ in events),
        standings=tuple(replace(row, rank=rank) for rank, row in enumerate(rows, start=1)),
    )


def shown_games(settings: EventSettings, kept: KeptEvent | None) -> tuple[EventGameRow, ...]:
    """Return what came of the games of an event whose results are not hidden."""
    if kept is None:
        return ()
    hidden = restored(kept, settings).first_hidden(settings)
    return tuple(row for row in kept.games if hidden is None or row.number < hidden)


def hides_results(settings: EventSettings, kept: KeptEvent) -> bool:
    """Return whether results of an event are hidden."""
    return restored(kept, settings).first_hidden(settings) is not None


def event_view(
    settings: EventSettings,
    state: ContestState,
    *,
    frozen: int | None = None,
    origin: str | None = None,
) -> EventView:
    """Return an event as it stands; by default its table leaves out as many rounds as set."""
    left_out = state.left_out
    every = len(state.rounds)
    shown = state.shown_rounds(settings) if frozen is None else every
    return EventView.of(
        settings,
        state=state.phase.state,
        round=state.phase.round,
        entrants=tuple(
            EventEntrantView(name=each.name, withdrawn=each.has_withdrawn, byes=each.bye_rounds)
            for each in state.entrants
        ),
        tie_breaks=tie_breaks_of(settings),
        standings=state.standings(settings, frozen=frozen),
        rounds=tuple(_round(state, paired, left_out, shown) for paired in state.rounds),
        rules=settings.parsed_rules,
        boards=(),  # those of the settings are a number
        games=state.regulations.games,
        origin=origin,
        ends=state.regulations.ends,
        pairing=state.regulations.pairing,
        conditions=conditions_of(settings),
        next_round_at=state.next_round_at(settings.interval_s),
        revealed=state.revealed,
        after_round=state.tabled_rounds(settings) if frozen is None else every,
        is_report=origin == REPORT,
    )


def _round(
    state: ContestState, paired: PairedRound, left_out: Mapping[int, tuple[str, ...]], shown: int
) -> EventRound:
    is_hidden = paired.number > shown
    rows, ordered = {} if is_hidden else state.rows, state.ordered(paired.number)
    return EventRound(
        number=paired.number,
        inputs=paired.inputs_shown(shown),
        byes=paired.round.byes,
        encounters=tuple(
            EventEncounter(
                first=first,
                second=second,
                games=tuple(EventGame(**rows[it]._asdict()) for it in its if it in rows),
                by_hand=(first, second) in ordered,
            )
            for (first, second), its in zip(
                paired.round.encounters, paired.numbers(state.regulations.games), strict=True
            )
        ),
        half_byes=state.half_byes(paired.number),
        left_out=left_out.get(paired.number, ()),
        hidden=is_hidden,
    )
