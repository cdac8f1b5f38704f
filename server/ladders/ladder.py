"""One ladder of a running server: it pairs free members, counts games and announces standings.

Nothing is polled. Members are paired when one arrives or comes free, and again when a member has
waited long enough for a new opponent. The joint fit runs in the background some seconds after a
game, and not again until there was another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random  # noqa: TID251  # only with a fixed seed
from typing import Final, NamedTuple, Protocol

from numpy.linalg import LinAlgError

from protocol.messages import ErrorCode, Joined, Left, Reason
from protocol.referee import Ended
from protocol.rules import Board
from server.config.ladders import LadderSettings
from server.context import Context
from server.ladders.day_limits import DayLimits
from server.ladders.membership import Membership
from server.ladders.state import (
    PENALTIES_PER_FORFEIT,
    FittedLadder,
    LadderState,
    Outcome,
    Superiority,
    fit_ladder,
)
from server.match.participant import Participant
from server.model.day_counts import Counted
from server.model.entrant import Entrant, Quarantine, entrant_name
from server.model.game import Encounter
from server.model.journal import (
    Announced,
    Announcement,
    EntrantRated,
    Entry,
    KeptLadder,
    LadderJoined,
    LadderLeft,
    PairsCounted,
    SeatsTallied,
    StandingsAnnounced,
)
from server.model.match import LadderContext, Match, Terms
from server.model.standings import Standing
from server.model.timers import Timer
from server.model.timestamps import later
from server.net.seat import Seat
from server.rating.information import Share

FORFEITS: Final = {
    Reason.TIMEOUT,
    Reason.ILLEGAL,
    Reason.DISCONNECTED,
    Reason.PROTOCOL,
    Reason.WEDGED,
}


ANNOUNCED_ROWS: Final = 100
"""Rows of the standings in an announcement, some 15 kB; the API has the others."""


class MatchStarter(Protocol):
    """Starts the matches of a ladder."""

    @property
    def is_draining(self) -> bool:
        """Whether no match may begin."""

    def has_time(self, name: str) -> bool:
        """Return whether a bot may play one more match on this server."""

    def open_match(
        self, names: tuple[str, str], terms: Terms, ladder_context: LadderContext
    ) -> None:
        """Start a match between two bots that are present."""


class Refusal(NamedTuple):
    """Why a bot may not join."""

    code: ErrorCode
    message: str


class Ladder:
    """A running ladder: its members and its state.

    Attributes:
        settings: its settings.
        terms: the terms of its matches.
        watchers: connections that watch every game.
        standings_at: when the standings last changed; None before the first game.
    """

    def __init__(self, settings: LadderSettings, context: Context, starter: MatchStarter) -> None:
        """Open an empty ladder.

        Args:
            settings: its settings.
            context: clock, journal and the rest of what the server hands out.
            starter: starts its matches.
        """
        self.settings = settings
        self.terms = Terms(settings.parsed_rules, settings.clock, rated=True, games=settings.games)
        self.watchers: set[Seat] = set()
        self.standings_at: str | None = None
        self._context = context
        self._starter = starter
        self._openings = shuffled(settings.boards, settings.seed)
        self._matches = 0
        self._state = LadderState(settings.anchors, house=settings.house)
        self._limits = DayLimits(settings.name, context)
        self._members = Membership(
            patience_s=settings.patience_s,
            house=settings.house,
            pulse_s=settings.pulse_s,
            parts_guests=settings.parts_guests,
            has_time=starter.has_time,
        )
        self._pairing_timer: Timer | None = None
        self._pairing_due = float("inf")
        self._fit_timer: Timer | None = None
        self._is_fitting = False
        self._is_closed = False

    @property
    def name(self) -> str:
        """The ladder's name."""
        return self.settings.name

    @property
    def present(self) -> int:
        """The number of members whose connection stands."""
        return self._members.present

    def __contains__(self, name: object) -> bool:
        """Return whether a bot is a member."""
        return name in self._members

    def standings(self) -> tuple[Standing, ...]:
        """Return the standings, best first."""
        return self._state.standings()

    def rests_on(self, bot: str) -> dict[str, tuple[Share, ...]]:
        """Return, for each version of a bot, the opponents that its rating rests on most."""
        return self._state.rests_on(bot)

    @property
    def superiority(self) -> Superiority:
        """Who of the best is how likely stronger than whom, as the last fit found it."""
        return self._state.superiority

    # Members come and go

    def join(self, who: Participant, matches: int | None = None) -> Refusal | None:
        """Add a bot; return the reason when it may not join, else None.

        Args:
            who: the bot.
            matches: after how many matches it leaves; None for never.
        """
        entrant = entrant_name(who.name, who.agent)
        refusal = self._refusal(who, entrant)
        if refusal is None and who.name in self._members:
            self._members.bound(who.name, matches)
            who.send(self._joined(matches))
            return None
        if refusal is not None:
            return refusal
        is_playing = any(match.ladder == self.name for match in who.matches.values())
        self._members.join(
            who.name,
            entrant,
            self._context.now(),
            is_playing=is_playing,
            is_guest=who.is_guest,
        )
        self._members.bound(who.name, matches)
        joined = LadderJoined(self.name, who.secret_hash)
        self._commit(
            [joined], partial(self._undo_join, who), partial(who.send, self._joined(matches))
        )
        self._pause(who)
        self._pair_by(self._context.now())
        return None

    def _joined(self, matches: int | None) -> Joined:
        terms = self.terms
        return Joined(self.name, terms.rules, terms.clock, terms.games, matches)

    def _undo_join(self, who: Participant) -> None:
        self._members.leave(who.name)
        unstored = Refusal(ErrorCode.INTERNAL, "the server could not store that; try again later")
        refuse(who, unstored, self.name)

    def leave(self, who: Participant) -> None:
        """Remove a bot; a match under way is played to its end."""
        if who.name in self._members:
            self._members.leave(who.name)
            left = LadderLeft(self.name, who.secret_hash)
            self._commit([left], done=partial(who.send, Left(self.name)))

    def forget(self, who: Participant) -> None:
        """Remove a bot whose session is over, which the journal knows already."""
        self._members.leave(who.name)

    def came(self, who: Participant) -> None:
        """Note that a bot's connection stands; one that came as a quarantined version leaves."""
        if who.name not in self._members:
            return
        entrant = entrant_name(who.name, who.agent)
        self._members.came(who.name, entrant, self._context.now())
        self._pause(who)
        self._keep_or_dismiss(who)

    def went(self, who: Participant) -> None:
        """Note that a bot's connection is gone."""
        self._members.went(who.name)

    def done(self, who: Participant) -> None:
        """Note that a bot's match is over."""
        if who.name in self._members:
            self._members.done(who.name, self._context.now())
            if self._members.has_finished(who.name):
                self.leave(who)
            else:
                self._keep_or_dismiss(who)

    def _keep_or_dismiss(self, who: Participant) -> None:
        """Pair a member, unless the version that it plays as is quarantined."""
        entrant = self._members.entrant(who.name)
        refusal = self._quarantine_of(entrant) or self._excess_of(who, entrant)
        if refusal is None:
            self._pair_by(self._context.now())
        else:
            self.leave(who)
            refuse(who, refusal, self.name)

    def found_time(self, who: Participant) -> None:
        """Note that a match of a bot is over, here or elsewhere."""
        if who.name in self._members:
            self._pair_by(self._context.now())

    def restore(self, kept: KeptLadder, members: Sequence[Participant]) -> None:
        """Restore what the journal kept; the members are still away."""
        self._state = LadderState(
            self.settings.anchors, kept.entrants, kept.tallies, self.settings.house, kept.pairs
        )
        for who in members:
            entrant = entrant_name(who.name, who.agent)
            self._members.join(who.name, entrant, self._context.now(), is_guest=who.is_guest)
            self._members.went(who.name)
        self._members.recall(kept.met)
        if kept.tallies:
            self._matches = sum(map(sum, kept.tallies.values())) // self.terms.games
            self.standings_at = self._context.utc()
            self._begin_fit()

    def recall(self, counted: Counted, since: float) -> None:
        """Count again what a former server counted; ``since`` is when, on the loop's clock."""
        self._limits.recall(counted, since)

    def resumed(self, match: Match) -> None:
        """Note that a match restored from the journal goes on."""
        self._members.begun(*match.names)

    def close(self) -> None:
        """Start no further match and no further fit."""
        self._is_closed = True
        for timer in (self._pairing_timer, self._fit_timer):
            if timer is not None:
                timer.cancel()

    def left_early(self, who: Participant, match: str) -> bool:
        """Note that a bot left a match before its first move; return whether it loses the game.

        Args:
            who: the bot.
            match: the match, which counts once.
        """
        count = self._limits.left_early(who, match)
        self._context.log.info("left early", ladder=self.name, name=who.name, times=count)
        self._members.pause(who.name, self._limits.not_before(who.keys[:1], self.settings))
        return count > self.settings.early_departures

    def _pause(self, who: Participant) -> None:
        """Let a bot wait that keeps leaving.

        A guest that is new, or has left early itself, waits for its address as well.
        """
        keys, limits = who.keys, self._limits
        is_known = self._state.games(self._members.entrant(who.name)) > 0
        if is_known and not limits.departures(keys[:1]):
            keys = keys[:1]
        until = limits.not_before(keys, self.settings)
        self._members.pause(who.name, until)
        if (wait_s := until - self._context.now()) > 0:
            detail = (
                f"{limits.departures(keys)} matches were left before the first move: "
                f"no match for {wait_s:.0f} s, and the next one left so is lost"
            )
            refuse(who, Refusal(ErrorCode.LIMIT, detail), self.name)

    def _refusal(self, who: Participant, entrant: str) -> Refusal | None:
        if self._starter.is_draining:
            return Refusal(ErrorCode.SHUTTING_DOWN, "no new match: the server is about to stop")
        if who.is_guest and not self.settings.guests:
            detail = f"the ladder {self.name} takes bots with a token only"
            return Refusal(ErrorCode.FORBIDDEN, detail)
        if not self.settings.admits(who.name):
            detail = f"the ladder {self.name} isn't open to {who.name}"
            return Refusal(ErrorCode.FORBIDDEN, detail)
        return self._quarantine_of(entrant) or self._excess_of(who, entrant)

    def _excess_of(self, who: Participant, entrant: str) -> Refusal | None:
        """Return why a new entrant is one too many today, or None."""
        if self._state.games(entrant):
            return None
        excess = self._limits.excess_of(who, entrant, self.settings)
        if excess is None:
            return None
        detail = f"{excess}: the ladder {self.name} takes no other"
        return Refusal(ErrorCode.FORBIDDEN, detail)

    def _quarantine_of(self, entrant: str) -> Refusal | None:
        quarantine = self._state.entrant(entrant).quarantine
        if quarantine is None or quarantine.until <= self._context.utc():
            return None
        detail = f"{entrant} is out of {self.name} until {quarantine.until}: {quarantine.reason}"
        return Refusal(ErrorCode.QUARANTINED, detail)

    # Pairing

    def _pair_by(self, when: float) -> None:
        if self._is_closed or when >= self._pairing_due:
            return
        if self._pairing_timer is not None:
            self._pairing_timer.cancel()
        self._pairing_due = when
        self._pairing_timer = self._context.call_at(when, self._pair)

    def _pair(self) -> None:
        self._pairing_timer, self._pairing_due = None, float("inf")
        if self._starter.is_draining:
            return
        now = self._context.now()
        for encounter in self._members.pair(self._state, now):
            self._start(encounter)
        again = self._members.next_look(self._state, now)
        if again < float("inf"):
            self._pair_by(again)

    def _start(self, encounter: Encounter) -> None:
        first, second = encounter
        entrants = self._members.entrant(first), self._members.entrant(second)
        self._members.begun(first, second)
        ladder_context = LadderContext(self.name, entrants, self._next_openings())
        self._starter.open_match((first, second), self.terms, ladder_context)

    def _next_openings(self) -> tuple[Board, ...]:
        pairs, everything = self.terms.games // 2, self._openings
        begin = self._matches * pairs
        self._matches += 1
        count = min(pairs, len(everything))
        return tuple(everything[(begin + place) % len(everything)] for place in range(count))

    # Games that ended

    def count(
        self, match: Match, ladder_context: LadderContext, ended: Ended, result: Announcement
    ) -> list[Entry]:
        """Count a game; return what becomes durable with its end."""
        announced = Announced(self._context.events.ladder_game(self.name, result))
        if ended.reason is Reason.ABORTED:
            return [announced]
        entrants = ladder_context.entrants
        seats = entrants[match.side(0)], entrants[match.side(1)]
        both = self._state.count(Outcome(seats, ended.winner, forfeited_by(ended)))
        tallied = SeatsTallied(self.name, seats, self._state.tally(seats))
        paired = self._paired(match, entrants)
        rated = [EntrantRated(self.name, self._judged(entrant, ended)) for entrant in both]
        self._fit_soon()
        return [announced, tallied, *paired, *rated, self._announced_standings()]

    def _paired(self, match: Match, entrants: tuple[str, str]) -> list[Entry]:
        """Return what becomes durable when a side-swapped pair of games is complete."""
        points = match.counted_pair
        if points is None:
            return []
        seats = min(entrants), max(entrants)
        seen = points if seats == entrants else (1 - points[0], 1 - points[1])
        return [PairsCounted(self.name, seats, self._state.count_pair(seats, seen))]

    def ratings(self, match: Match, ladder_context: LadderContext) -> dict[str, float]:
        """Return the ratings of both bots of a match, by name."""
        elos = (round(self._state.entrant(name).live.elo, 1) for name in ladder_context.entrants)
        return dict(zip(match.names, elos, strict=True))

    def _judged(self, entrant: Entrant, ended: Ended) -> Entrant:
        settings = self.settings
        if entrant.penalties < PENALTIES_PER_FORFEIT * settings.quarantine_after:
            return entrant
        until = later(self._context.utc(), settings.quarantine_s)
        detail = ended.evidence.detail if ended.evidence is not None else ""
        reason = f"too many games forfeited, the last one by {ended.reason}: {detail}"
        self._context.log.warning("quarantine", ladder=self.name, entrant=entrant.name, why=reason)
        quarantine = Quarantine(until, reason)
        return self._state.quarantine(entrant.name, quarantine)

    def _announced_standings(self) -> StandingsAnnounced:
        self.standings_at = self._context.utc()
        rows, total = self._state.standings(ANNOUNCED_ROWS), self._state.ranked
        facts = self.name, self._context.new_id(), self.standings_at, rows
        result = partial(self._context.events.standings, *facts, total=total)
        return StandingsAnnounced(self.name, tuple(row.name for row in rows), result)

    def _commit(
        self,
        entries: Sequence[Entry],
        refused: Callable[[], None] = lambda: None,
        done: Callable[[], None] = lambda: None,
    ) -> None:
        self._context.journal.commit(entries, done, refused)

    # The joint fit

    def _fit_soon(self) -> None:
        if self._fit_timer is None and not (self._is_fitting or self._is_closed):
            due = self._context.now() + self.settings.refit_s
            self._fit_timer = self._context.call_at(due, self._begin_fit)

    def _begin_fit(self) -> None:
        self._fit_timer, self._is_fitting = None, True
        work = partial(_fitted, partial(fit_ladder, self._state.begin_fit()))
        self._context.in_background(work, self._adopt)

    def _adopt(self, fitted: FittedLadder | None) -> None:
        self._is_fitting = False
        if self._is_closed:
            return
        if fitted is None:
            self._context.log.warning("no joint fit", ladder=self.name)
        elif changed := self._state.adopt(fitted):
            rated = [EntrantRated(self.name, entrant) for entrant in changed]
            self._commit([*rated, self._announced_standings()])
        if self._state.has_news:
            self._fit_soon()


def refuse(who: Participant, refusal: Refusal, ladder: str) -> None:
    """Send a bot the reason of a refusal, if it is present."""
    if who.seat is not None:
        who.seat.refuse(refusal.code, refusal.message, ladder)


def forfeited_by(ended: Ended) -> int | None:
    """Return the player that forfeited the game, or None."""
    if ended.reason not in FORFEITS or ended.winner is None:
        return None
    return 1 - ended.winner


def shuffled(openings: Sequence[Board], seed: int) -> tuple[Board, ...]:
    """Return the openings in an order fixed by a seed."""
    order = list(openings)
    Random(seed).shuffle(order)  # noqa: S311  # a fixed order, no secret
    return tuple(order)


def _fitted(work: Callable[[], FittedLadder]) -> FittedLadder | None:
    try:
        return work()
    except LinAlgError:
        return None
