"""One ladder of a running server: it seats whoever is free, keeps the books and tells the table.

Nothing is polled. Who is to meet whom is looked at when a member comes, or comes free, and once
more when somebody's patience with new opponents ends. The joint fit runs in the background some
seconds after a game, and not again until there was another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Final, NamedTuple, Protocol

from numpy.linalg import LinAlgError

from protocol.messages import ErrorCode, Reason
from protocol.referee import Ended
from protocol.rules import Board
from server.config.ladders import LadderSettings
from server.health.log import Log
from server.ladders.membership import Roster
from server.ladders.state import STRIKES_A_FORFEIT, Books, Line, Outcome
from server.match.participant import Participant
from server.model.journal import (
    Announced,
    Announcement,
    EntrantRated,
    Entry,
    Journal,
    KeptLadder,
    LadderJoined,
    LadderLeft,
    SeatsTallied,
)
from server.model.match import Match, Occasion, Terms
from server.model.timers import Timer
from server.net.seat import Seat
from server.publish.events import Herald
from server.rating.entrant import Entrant, Quarantine, entrant_name
from server.rating.game import Encounter
from server.rating.ratings import Ratings, fit

FORFEITS: Final = {
    Reason.TIMEOUT,
    Reason.ILLEGAL,
    Reason.DISCONNECTED,
    Reason.PROTOCOL,
    Reason.WEDGED,
}


Background = Callable[[Callable[[], Ratings | None], Callable[[Ratings | None], None]], None]


class Arena(Protocol):
    """Where matches are played."""

    @property
    def is_draining(self) -> bool:
        """Whether no match may begin."""

    def has_time(self, name: str) -> bool:
        """Tell whether a bot may play one more match, whatever it plays."""

    def open_match(self, names: tuple[str, str], terms: Terms, occasion: Occasion) -> None:
        """Seat two bots who are here."""


@dataclass(frozen=True, slots=True)
class World:
    """What a ladder takes from the world.

    Attributes:
        arena: where its matches are played.
        journal: makes things durable.
        herald: words the announcements.
        now: the clock, in seconds.
        call_at: calls back at an instant on that clock.
        utc: the time of day, RFC 3339.
        new_id: names events.
        in_background: does the first without holding up the loop, then hands the second what it
            gave.
        log: where events are told.
    """

    arena: Arena
    journal: Journal
    herald: Herald
    now: Callable[[], float]
    call_at: Callable[[float, Callable[[], None]], Timer]
    utc: Callable[[], str]
    new_id: Callable[[], str]
    in_background: Background
    log: Log


class Refusal(NamedTuple):
    """Why a bot may not join."""

    code: ErrorCode
    message: str


class LadderRoom:
    """A ladder, its members and its books.

    Attributes:
        settings: what the organiser has set.
        terms: what its matches are played on.
        watchers: connections that look on at every game.
        table_at: when the table was last drawn up; None before the first game.
    """

    def __init__(self, settings: LadderSettings, world: World) -> None:
        """Open an empty ladder.

        Args:
            settings: what the organiser has set.
            world: what it stands on.
        """
        self.settings = settings
        self.terms = Terms(settings.parsed_rules, settings.clock, rated=True, games=settings.games)
        self.watchers: set[Seat] = set()
        self.table_at: str | None = None
        self._world = world
        self._openings = shuffled(settings.boards, settings.seed)
        self._matches = 0
        self._books = Books(settings.anchors)
        self._roster = Roster(
            patience_s=settings.patience_s,
            house=settings.house,
            has_time=world.arena.has_time,
        )
        self._look_timer: Timer | None = None
        self._look_due = float("inf")
        self._fit_timer: Timer | None = None
        self._is_fitting = False
        self._is_closed = False

    @property
    def name(self) -> str:
        """The ladder's name."""
        return self.settings.name

    @property
    def present(self) -> int:
        """How many members are here."""
        return self._roster.present

    def __contains__(self, name: object) -> bool:
        """Tell whether a bot is a member."""
        return name in self._roster

    def table(self) -> tuple[Line, ...]:
        """Give the table, best first."""
        return self._books.table()

    # Members come and go

    def join(self, who: Participant) -> Refusal | None:
        """Take a bot in; gives why not, when it may not."""
        entrant = entrant_name(who.name, who.agent)
        refusal = self._refusal(who, entrant)
        if refusal is not None or who.name in self._roster:
            return refusal
        self._books.entrant(entrant)
        is_playing = any(table.match.ladder == self.name for table in who.tables)
        self._roster.join(who.name, entrant, self._world.now(), is_playing=is_playing)
        self._commit([LadderJoined(self.name, who.secret_hash)])
        self._look_by(self._world.now())
        return None

    def leave(self, who: Participant) -> None:
        """Let a bot go; a match under way is played to its end."""
        if who.name in self._roster:
            self._roster.leave(who.name)
            self._commit([LadderLeft(self.name, who.secret_hash)])

    def forget(self, who: Participant) -> None:
        """Let a bot go whose session is over, which the journal knows already."""
        self._roster.leave(who.name)

    def came(self, who: Participant) -> None:
        """Note that a bot's connection stands."""
        if who.name in self._roster:
            entrant = entrant_name(who.name, who.agent)
            self._roster.came(who.name, entrant, self._world.now())
            self._look_by(self._world.now())

    def went(self, who: Participant) -> None:
        """Note that a bot's connection is gone."""
        self._roster.went(who.name)

    def done(self, who: Participant) -> None:
        """Note that a bot's match is over."""
        if who.name not in self._roster:
            return
        refusal = self._quarantine_of(self._roster.entrant(who.name))
        if refusal is None:
            self._roster.done(who.name, self._world.now())
            self._look_by(self._world.now())
        else:
            self.leave(who)
            refuse(who, refusal, self.name)

    def found_time(self, who: Participant) -> None:
        """Note that a match of a bot is over, here or elsewhere."""
        if who.name in self._roster:
            self._look_by(self._world.now())

    def restore(self, kept: KeptLadder, members: Sequence[Participant]) -> None:
        """Take up what a former server left; the members are away as yet."""
        self._books = Books(self.settings.anchors, kept.entrants, kept.tallies)
        for who in members:
            entrant = entrant_name(who.name, who.agent)
            self._roster.join(who.name, entrant, self._world.now())
            self._roster.went(who.name)
        self._roster.recall(kept.met)
        if kept.tallies:
            self._matches = sum(map(sum, kept.tallies.values())) // self.terms.games
            self.table_at = self._world.utc()
            self._begin_fit()

    def resumed(self, match: Match) -> None:
        """Note that a match of a former server goes on."""
        self._roster.begun(*match.names)

    def close(self) -> None:
        """Seat nobody and fit nothing any more."""
        self._is_closed = True
        for timer in (self._look_timer, self._fit_timer):
            if timer is not None:
                timer.cancel()

    def _refusal(self, who: Participant, entrant: str) -> Refusal | None:
        if self._world.arena.is_draining:
            return Refusal(ErrorCode.SHUTTING_DOWN, "no new match: the server is about to stop")
        if who.is_guest and not self.settings.guests:
            detail = f"the ladder {self.name} takes bots with a token only"
            return Refusal(ErrorCode.FORBIDDEN, detail)
        if not self.settings.admits(who.name):
            detail = f"the ladder {self.name} isn't open to {who.name}"
            return Refusal(ErrorCode.FORBIDDEN, detail)
        return self._quarantine_of(entrant)

    def _quarantine_of(self, entrant: str) -> Refusal | None:
        quarantine = self._books.entrant(entrant).quarantine
        if quarantine is None or quarantine.until <= self._world.utc():
            return None
        detail = f"{entrant} is out of {self.name} until {quarantine.until}: {quarantine.reason}"
        return Refusal(ErrorCode.QUARANTINED, detail)

    # Who meets whom

    def _look_by(self, when: float) -> None:
        if self._is_closed or when >= self._look_due:
            return
        if self._look_timer is not None:
            self._look_timer.cancel()
        self._look_due = when
        self._look_timer = self._world.call_at(when, self._look)

    def _look(self) -> None:
        self._look_timer, self._look_due = None, float("inf")
        if self._world.arena.is_draining:
            return
        now = self._world.now()
        for encounter in self._roster.pair(self._books, now):
            self._seat(encounter)
        again = self._roster.next_look(self._books, now)
        if again < float("inf"):
            self._look_by(again)

    def _seat(self, encounter: Encounter) -> None:
        first, second = encounter
        entrants = self._roster.entrant(first), self._roster.entrant(second)
        self._roster.begun(first, second)
        occasion = Occasion(self.name, entrants, self._next_openings())
        self._world.arena.open_match((first, second), self.terms, occasion)

    def _next_openings(self) -> tuple[Board, ...]:
        pairs, everything = self.terms.games // 2, self._openings
        begin = self._matches * pairs
        self._matches += 1
        count = min(pairs, len(everything))
        return tuple(everything[(begin + place) % len(everything)] for place in range(count))

    # The books

    def book(
        self, match: Match, occasion: Occasion, ended: Ended, result: Announcement
    ) -> list[Entry]:
        """Count a game; gives what becomes durable with its end."""
        announced = Announced(self._world.herald.ladder_game(self.name, result))
        if ended.reason is Reason.ABORTED:
            return [announced]
        seats = occasion.entrants[match.side(0)], occasion.entrants[match.side(1)]
        both = self._books.book(Outcome(seats, ended.winner, forfeited_by(ended)))
        tallied = SeatsTallied(self.name, seats, self._books.tallies[seats])
        rated = [EntrantRated(self.name, self._judged(entrant, ended)) for entrant in both]
        self._fit_soon()
        return [announced, tallied, *rated, self._announced_table()]

    def ratings(self, match: Match, occasion: Occasion) -> dict[str, float]:
        """Tell how strong both bots of a match are thought to be."""
        elos = (round(self._books.entrant(name).live.elo, 1) for name in occasion.entrants)
        return dict(zip(match.names, elos, strict=True))

    def _judged(self, entrant: Entrant, ended: Ended) -> Entrant:
        settings = self.settings
        if entrant.strikes < STRIKES_A_FORFEIT * settings.quarantine_after:
            return entrant
        until = datetime.fromisoformat(self._world.utc()) + timedelta(seconds=settings.quarantine_s)
        detail = ended.evidence.detail if ended.evidence is not None else ""
        reason = f"too many games forfeited, the last one by {ended.reason}: {detail}"
        self._world.log.warning("quarantine", ladder=self.name, entrant=entrant.name, why=reason)
        quarantine = Quarantine(until.isoformat(timespec="milliseconds"), reason)
        return self._books.quarantine(entrant.name, quarantine)

    def _announced_table(self) -> Announced:
        self.table_at = self._world.utc()
        event, table = self._world.new_id(), self.table()
        return Announced(self._world.herald.standings(self.name, event, self.table_at, table))

    def _commit(self, entries: Sequence[Entry]) -> None:
        self._world.journal.commit(entries, lambda: None)

    # The joint fit

    def _fit_soon(self) -> None:
        if self._fit_timer is None and not (self._is_fitting or self._is_closed):
            due = self._world.now() + self.settings.refit_s
            self._fit_timer = self._world.call_at(due, self._begin_fit)

    def _begin_fit(self) -> None:
        self._fit_timer, self._is_fitting = None, True
        tallies, players, anchors = self._books.begin_fit()
        work = partial(_fitted, partial(fit, tallies, players=players, anchors=anchors))
        self._world.in_background(work, self._adopt)

    def _adopt(self, ratings: Ratings | None) -> None:
        self._is_fitting = False
        if self._is_closed:
            return
        if ratings is None:
            self._world.log.warning("no joint fit", ladder=self.name)
        elif changed := self._books.adopt(ratings):
            rated = [EntrantRated(self.name, entrant) for entrant in changed]
            self._commit([*rated, self._announced_table()])
        if self._books.has_news:
            self._fit_soon()


def refuse(who: Participant, refusal: Refusal, ladder: str) -> None:
    """Tell a bot why not, if it is here."""
    if who.seat is not None:
        who.seat.refuse(refusal.code, refusal.message, ladder)


def forfeited_by(ended: Ended) -> int | None:
    """Tell which player lost the game outside of it."""
    if ended.reason not in FORFEITS or ended.winner is None:
        return None
    return 1 - ended.winner


def shuffled(openings: Sequence[Board], seed: int) -> tuple[Board, ...]:
    """Give the openings in the order that goes with a seed."""
    order = list(openings)
    Random(seed).shuffle(order)  # noqa: S311  # a fixed order, no secret
    return tuple(order)


def _fitted(work: Callable[[], Ratings]) -> Ratings | None:
    try:
        return work()
    except LinAlgError:
        return None
