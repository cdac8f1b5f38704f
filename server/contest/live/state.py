"""What an event under way consists of: its phase, entrants, rounds and results; pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Any, Final

import msgspec
from msgspec import structs

from mancala.protocol import codec
from mancala.protocol.messages import Outcome, Reason

from ...config.annotations import MOST_GAMES, MOST_ROUNDS
from ...config.events import EventSettings, Format, TieBreak
from ...model.contests import EntrantRow, EventEntrantsChanged, EventGameRow, KeptEvent, PairingRow
from ...model.game import Encounter, Forfeit, RatedGame, Round
from ...model.timestamps import later, seconds_between
from ..events.arena import MOST_WAVES
from ..events.dutch import PairingFailedError
from ..events.entry import Entrants, after_round, filled, players
from ..events.knockout import lot
from ..events.lifecycle import EventState, Phase
from ..events.pairings import PairedRound, Regulations, forfeited, missing
from ..events.plan import MOST_EVENT_GAMES, due, plan, table_of, usual_rounds, usual_tie_breaks
from ..events.standings import EventStanding
from ..events.terms import BRACKETS, BY_SCORES, Terms, seats_of

ABSENT: Final = "absent"
LOT: Final = "lot"
ARBITER: Final = "arbiter"
"""Why a game ended whose result was set by hand."""
MOST_VOIDS: Final = 2
"""Games without a result after which the lot decides: a void game is played again once."""


@dataclass(slots=True)
class ContestState:
    """An event under way; the rows of games are by their number in the event."""

    regulations: Regulations
    entrants: Entrants
    phase: Phase = field(default_factory=Phase)
    rounds: list[PairedRound] = field(default_factory=list)
    rows: dict[int, EventGameRow] = field(default_factory=dict)
    closed: str | None = None
    revealed: int = 0

    @property
    def present_round(self) -> PairedRound:
        """The round that is being played, or was played last; there must be one."""
        return self.rounds[-1]

    @property
    def results(self) -> dict[int, RatedGame]:
        """The results that pairings follow from, by the number of the game."""
        return {
            number: result_of(row)
            for number, row in self.rows.items()
            if row.reason != Reason.ABORTED.value
        }

    @property
    def annulled(self) -> frozenset[int]:
        """The games that the table leaves out, by number."""
        return frozenset(number for number, row in self.rows.items() if row.annulled)

    @property
    def missing(self) -> dict[int, list[int]]:
        """The games of the present round without a result, by the place of their encounter."""
        if not self.rounds:
            return {}
        return missing(self.present_round, self.regulations.games, self.results)

    def encounter(self, place: int) -> Encounter:
        return self.present_round.round.encounters[place]

    def seats(self, place: int, number: int) -> tuple[str, str]:
        """Return who has which seat in a game of an encounter of the present round."""
        return seats_of(self.encounter(place), self.regulations.games, number)

    def is_out_of_time(self, now: str) -> bool:
        """Return whether no further wave of an arena is to be paired; ``now`` is RFC 3339."""
        rules = self.regulations
        wave = len(players(self.entrants)) // 2 * rules.games
        is_full = rules.format is Format.ARENA and len(self.rows) + wave > MOST_EVENT_GAMES
        return is_full or (rules.ends is not None and seconds_between(now, rules.ends) <= 0)

    # What came of a game

    def counted(
        self, number: int, seats: tuple[str, str], ended: Outcome, game: str
    ) -> EventGameRow:
        """Return the row of a game that ended."""
        is_void = ended.reason is Reason.ABORTED
        former = self.rows.get(number)
        return EventGameRow(
            number,
            *seats,
            winner=None if is_void else ended.winner,
            margin=0 if is_void else ended.stores[0] - ended.stores[1],
            reason=ended.reason.value,
            game=game,
            voids=(former.voids if former is not None else 0) + is_void,
        )

    def is_for_the_lot(self, number: int) -> bool:
        """Return whether a game was void as often as it may be."""
        row = self.rows.get(number)
        return row is not None and row.voids >= MOST_VOIDS

    def drawn(self, event: str, place: int, number: int) -> EventGameRow:
        """Return the row of a game that the lot decides."""
        winner = lot(event, self.regulations.seed, number)
        voids = self.rows[number].voids
        return EventGameRow(number, *self.seats(place, number), winner, 0, LOT, None, voids)

    def forfeited(self, place: int, absent: Collection[str]) -> list[EventGameRow]:
        """Return the rows of the games of an encounter that those who are absent lose."""
        rows = []
        for number in self.missing.get(place, ()):
            seats = self.seats(place, number)
            winner = forfeited(seats, absent).winner
            rows.append(EventGameRow(number, *seats, winner, 0, ABSENT, None, 0))
        return rows

    def ruled(
        self, number: int, seats: tuple[str, str], winner: int | None, why: str
    ) -> EventGameRow:
        """Return the row of a game whose result is set by hand, played or not."""
        former = self.rows.get(number)
        game, voids = (None, 0) if former is None else (former.game, former.voids)
        return EventGameRow(number, *seats, winner, 0, ARBITER, game, voids, note=why)

    def anew(self, place: int, number: int) -> EventGameRow:
        """Return the row of a game that the organiser lets play again, as if it had not been."""
        return EventGameRow(
            *(number, *self.seats(place, number), None, 0), *(Reason.ABORTED.value, None, 0)
        )

    def without(self, games: Collection[str], *, counts: bool) -> list[EventGameRow]:
        """Return rows of games that the operator annulled, by id, or lets count again.

        A game of the round that is being played is to be played again. One of an earlier round is
        left out of the table; the pairings and the bracket that followed from it stand.
        """
        played = {} if counts else self._places_played
        return [
            self.anew(played[number], number)
            if number in played
            else row._replace(annulled=not counts)
            for number, row in self.rows.items()
            if row.game in games and row.annulled == counts and row.reason != Reason.ABORTED.value
        ]

    @property
    def _places_played(self) -> dict[int, int]:
        """The encounter of each game of the round that is being played, by the game's number."""
        if EventState.PLAYING not in {self.phase.state, self.phase.resumes}:
            return {}
        numbers = self.present_round.numbers(self.regulations.games)
        return {number: place for place, its in enumerate(numbers) for number in its}

    def numbers_of(self, place: int) -> range:
        """Return the numbers in the event of the games of an encounter of the present round."""
        return self.present_round.numbers(self.regulations.games)[place]

    def next_round_at(self, interval_s: float) -> str | None:
        """Return when the next round is paired, RFC 3339; None while nothing waits for that."""
        if self.phase.state is not EventState.CLOSED or not interval_s or self.closed is None:
            return None
        return later(self.closed, interval_s) if self.phase.round < self.all_rounds else None

    @property
    def all_rounds(self) -> int:
        """How many rounds the event has, as far as results decide that, and its format can say."""
        terms = self.terms()
        if terms.format in BY_SCORES:
            return terms.rounds
        try:
            return len(plan(terms, self.results).rounds)
        except PairingFailedError:
            return len(self.rounds)

    # Entrants

    def half_byes(self, number: int) -> tuple[str, ...]:
        """Return who has a half-point bye in a round: by order, or before a late entry."""
        terms = self.regulations.terms(self.entrants)
        is_swiss = terms.format is Format.SWISS  # waves before an entry to an arena bring nothing
        return tuple(
            name
            for name, each in terms.attendance.items()
            if number in each.byes or (is_swiss and number < each.joins)
        )

    def ordered(self, number: int) -> set[tuple[str, str]]:
        """Return who meets by the organiser's order in a round, and who moves first."""
        meetings = ((each.name, each.meetings.get(number)) for each in self.entrants)
        return {(name, other) for name, other in meetings if other is not None}

    def due(self, number: int) -> tuple[str, ...]:
        """Return who is paired in a round if it is connected then."""
        return due(self.regulations.terms(self.entrants), number)

    @property
    def left_out(self) -> dict[int, tuple[str, ...]]:
        """Who was not connected when a round was paired, by the round's number."""
        found: dict[int, tuple[str, ...]] = {}
        if not self.rounds:  # there may be too few players for terms
            return found
        terms = self.regulations.terms(self.entrants)
        for paired in self.rounds if terms.format in BY_SCORES else ():
            there = paired.names.union(paired.round.byes)
            found[paired.number] = tuple(
                name for name in due(terms, paired.number) if name not in there
            )
        return found

    def terms(self, away: Collection[str] = ()) -> Terms:
        """Return what decides the pairings; ``away`` are left out of the round to be paired."""
        missed = defaultdict[str, list[int]](list)
        for number, names in {**self.left_out, len(self.rounds) + 1: away}.items():
            for name in names:
                missed[name].append(number)
        return self.regulations.terms(self.entrants, missed)

    def has_withdrawn(self, name: str) -> bool:
        """Return whether an entrant plays no more: it withdrew in an earlier round."""
        return any(
            each.name == name and each.leaves is not None and each.leaves < self.phase.round
            for each in self.entrants
        )

    def after_round(self) -> Entrants:
        rows = self.rows_of(len(self.rounds))
        absent = {name for row in rows for name in _absent(row)}
        return after_round(self.entrants, self.phase.round, self.present_round.names, absent)

    # The table

    def standings(
        self, settings: EventSettings, *, frozen: int | None = None
    ) -> tuple[EventStanding, ...]:
        """Return the table; before it is published, without the last rounds that are frozen."""
        if not self.phase.has_begun:
            return ()
        frozen = settings.freeze_rounds if frozen is None else frozen
        terms, results = self.terms(), self.results
        shown = self.rounds[: self._tabled(frozen)]
        return table_of(
            *(terms, [each.round for each in shown], results, tie_breaks_of(settings)),
            reached=plan(terms, results).reached if terms.format in BRACKETS else {},
            annulled=self.annulled,
        )

    def tabled_rounds(self, settings: EventSettings) -> int:
        """Return how many rounds are in the table that all see."""
        if not self.rounds:  # there may be too few players for terms
            return 0
        return min(len(self.rounds), self._tabled(settings.freeze_rounds))

    def is_decided(self, settings: EventSettings) -> bool:
        """Return whether the table that all see is the last one."""
        is_over = self.phase.state in {EventState.FINISHED, EventState.PUBLISHED}
        return is_over and self.tabled_rounds(settings) == len(self.rounds)

    def shown_rounds(self, settings: EventSettings) -> int:
        """Return how many rounds have results that all see."""
        return self.tabled_rounds(settings) if settings.hides_results else len(self.rounds)

    def first_hidden(self, settings: EventSettings) -> int | None:
        """Return the number of the first game whose result is hidden; None if there is none."""
        shown = self.shown_rounds(settings)
        return (
            None if shown == len(self.rounds) else self.rounds[shown].first * self.regulations.games
        )

    def rows_of(self, number: int) -> list[EventGameRow]:
        """Return what came of the games of a round so far."""
        numbers = chain.from_iterable(self.rounds[number - 1].numbers(self.regulations.games))
        return [self.rows[it] for it in numbers if it in self.rows]

    def _tabled(self, frozen: int) -> int:
        """Return how many rounds of an event with a known number of them are in the table."""
        if not frozen or self.phase.state in {EventState.PUBLISHED, EventState.CANCELLED}:
            return len(self.rounds)
        return max(0, self.all_rounds - frozen) + self.revealed


def settings_of(text: str) -> EventSettings:
    """Return the settings of an event that the store has, from JSON.

    Those of an older version, which knew no such bounds, have the most rounds and games of this
    one; an event that began keeps what it began with.
    """
    try:
        return codec.from_json(text, EventSettings)
    except ValueError:
        given = codec.from_json(text, dict[str, Any])
        for name, most in (("rounds", MOST_ROUNDS), ("games", MOST_GAMES)):
            if (given.get(name) or 0) > most:
                given[name] = most
        return msgspec.convert(given, EventSettings)


def prepared(settings: EventSettings) -> ContestState:
    """Return an event that has not begun."""
    entrants = tuple(map(EntrantRow.entering, settings.entrants))
    return ContestState(_regulations_before(settings, entrants), entrants)


def regulations_of(
    settings: EventSettings, entrants: Entrants, began: str | None = None
) -> Regulations:
    """Return what decides the pairings of those who play, besides entrants and results.

    Raises:
        PairingFailedError: when the format of a plug-in fails.
    """
    format_, rounds = Format(settings.format), settings.rounds
    if not rounds and format_ is Format.ARENA:
        rounds = MOST_WAVES
    rounds = rounds or max(1, usual_rounds(format_, len(players(entrants))))
    lasts = settings.duration_s
    return Regulations(
        *(format_, settings.games, rounds, settings.seed, settings.replays),
        accelerated=settings.accelerated,
        pairing="fide",
        apart=settings.apart,
        ends=None if began is None or lasts is None else later(began, lasts),
    )


def _regulations_before(settings: EventSettings, entrants: Entrants) -> Regulations:
    """Return those of an event that has not begun, nor will while its format fails."""
    try:
        return regulations_of(settings, entrants)
    except PairingFailedError:
        return regulations_of(structs.replace(settings, rounds=1), entrants)


def problem_of_size(settings: EventSettings, entrants: Entrants) -> str | None:
    """Return why an event can't begin: too many games, or a format that fails; None if it can."""
    playing = entrants if settings.fill is None else filled(entrants, settings.fill)
    try:
        return regulations_of(settings, playing).problem_of_size(playing)
    except PairingFailedError as error:
        return str(error)


def tie_breaks_of(settings: EventSettings) -> tuple[TieBreak, ...]:
    """Return what decides between equal points: as configured, or as is usual for the format."""
    return settings.tie_breaks or usual_tie_breaks(Format(settings.format))


def restored(kept: KeptEvent, settings: EventSettings) -> ContestState:
    """Return an event as the journal kept it; what was stored at the start goes before settings."""
    entrants = kept.entrants
    if kept.regulations is None:
        entrants = listed_first(settings, entrants)
        regulations = _regulations_before(settings, entrants)
    else:
        regulations = codec.from_json(kept.regulations, Regulations)
    resumes = None if kept.resumes is None else EventState(kept.resumes)
    phase = Phase(EventState(kept.state), kept.round, resumes)
    rounds = _rounds(kept.pairings)
    rows = {row.number: row for row in kept.games}
    return ContestState(
        *(regulations, entrants, phase, rounds, rows, kept.closed), revealed=kept.revealed
    )


def listed_first(settings: EventSettings, stored: Entrants) -> Entrants:
    """Return the entrants of an event that has not begun, by its settings of now."""
    if settings.format != Format.SWISS:
        stored = tuple(each._replace(byes="", meets="") for each in stored)
    by_name = {each.name: each for each in stored}
    listed = tuple(by_name.get(name) or EntrantRow.entering(name) for name in settings.entrants)
    others = () if settings.enter == "list" else stored
    return (*listed, *(each for each in others if each.name not in settings.entrants))


def entrants_changed(event: str, stored: Entrants, entrants: Entrants) -> EventEntrantsChanged:
    """Return what is to be stored of entrants: the rows from the first one that differs."""
    pairs = enumerate(zip(stored, entrants, strict=False))
    same = min(len(stored), len(entrants))
    first = next((place for place, (former, now) in pairs if former != now), same)
    names = {each.name for each in entrants}
    gone = tuple(each.name for each in stored if each.name not in names)
    return EventEntrantsChanged(event, entrants[first:], first, gone)


def pairing_rows(paired: PairedRound) -> tuple[PairingRow, ...]:
    encounters: list[tuple[str, str | None]] = [*paired.round.encounters]
    encounters += [(name, None) for name in paired.round.byes]
    return tuple(
        PairingRow(paired.number, place, first, second, paired.inputs)
        for place, (first, second) in enumerate(encounters)
    )


def _rounds(rows: Iterable[PairingRow]) -> list[PairedRound]:
    rounds: list[PairedRound] = []
    first = 0
    for number, group in groupby(rows, key=lambda row: row.round):
        its = [*group]
        encounters = tuple(Encounter(it.first, it.second) for it in its if it.second is not None)
        byes = tuple(it.first for it in its if it.second is None)
        rounds.append(PairedRound(number, first, Round(encounters, byes), its[0].inputs))
        first += len(encounters)
    return rounds


def result_of(row: EventGameRow) -> RatedGame:
    """Return what came of a game as pairings and points take it."""
    kind = Forfeit if row.reason == ABSENT else RatedGame
    return kind(row.first, row.second, row.winner, row.margin)


def _absent(row: EventGameRow) -> tuple[str, ...]:
    if row.reason != ABSENT:
        return ()
    seats = row.first, row.second
    return seats if row.winner is None else (seats[1 - row.winner],)
