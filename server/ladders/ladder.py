"""One ladder of a running server: its ratings, and the members that it pairs.

Nothing is polled. Members are paired when one arrives or comes free, and again when a member has
waited long enough for a new opponent.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from math import inf
from random import Random  # noqa: TID251  # only with a fixed seed
from typing import Final, Protocol

from mancala.protocol.messages import ErrorCode, Joined, Left, MatchOrigin, NextMatch
from mancala.protocol.rules import Board, Rules

from ..config.games import board_of
from ..config.ladders import LadderSettings
from ..match.context import Context
from ..match.deadline_timer import EarliestTimer
from ..match.participant import Participant, RequestError
from ..model.day_counts import Counted
from ..model.entrant import LiveRating, entrant_name
from ..model.journal import NOTHING_ELSE, Along, KeptLadder, LadderJoined, LadderLeft, SwitchedOff
from ..model.match import LadderContext, Match, Terms
from ..model.orders import Replay, SwitchKind
from ..model.timestamps import later
from ..net.seat import Seat
from .day_limits import DayLimits, Newcomer
from .membership import Member, Membership
from .ratings import LadderRatings
from .state import NO_SEEDS

NEVER_ASKED: Final = (
    "this ladder plays the pie rule; your hello does not say swap, so you are never asked to swap, "
    "but your opponent may be"
)


class MatchStarter(Protocol):
    @property
    def is_draining(self) -> bool:
        """Whether no match may begin."""

    def has_time(self, name: str) -> bool:
        """Return whether a ladder may give a bot one more match: events go first."""

    def open_match(
        self,
        names: tuple[str, str],
        terms: Terms,
        ladder_context: LadderContext,
        along: Along = NOTHING_ELSE,
    ) -> None:
        """Start a match between two bots, the first-named first, together with ``along``."""


class Ladder(LadderRatings):
    """A running ladder: its ratings, and the members that it pairs."""

    def __init__(self, settings: LadderSettings, context: Context, starter: MatchStarter) -> None:
        super().__init__(settings, context)
        self.watchers: set[Seat] = set()
        self.is_opening = False
        self._starter = starter
        self._limits = DayLimits(lambda: self.settings, context)
        self._members = Membership(lambda: self.settings, starter.has_time, self._parts_guests)
        self._pairing = EarliestTimer(context, self._pair)

    @property
    def terms(self) -> Terms:
        settings = self.settings
        return Terms(settings.parsed_rules, settings.clock, rated=True, games=settings.games)

    @property
    def present(self) -> int:
        return self._members.present

    @property
    def waiting(self) -> int:
        return self._members.free

    def _parts_guests(self) -> bool:
        """Return whether guests play only one another and house bots."""
        return self.settings.parts_guests(has_claims=self._context.config.now.kgp.claim_names)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    # Members come and go

    def join(self, player: Participant, matches: int | None = None) -> None:
        """Add a bot, which leaves after some matches or never; RequestError when it may not."""
        if self.settings.requests:
            detail = f"the ladder {self.name} is for requests: challenge a bot, and it counts"
            raise self._refused(ErrorCode.FORBIDDEN, detail)
        entrant = entrant_name(player.name, player.agent)
        if (refusal := self._refusal(player, entrant)) is not None:
            raise refusal
        if (known := self._members.get(player.name)) is not None:
            known.matches_left = matches
            player.send(self._joined(player, matches))
            return
        member = Member(player.name, entrant, self._context.now(), matches_left=matches)
        member.is_playing = any(match.ladder == self.name for match in player.matches.values())
        member.is_guest, member.address = player.is_guest, player.address_key
        self._members.join(member)
        self._context.log.info("joined", ladder=self.name, name=player.name, entrant=entrant)
        joined = LadderJoined(self.name, player.secret_hash)
        tell = partial(player.send, self._joined(player, matches))
        self._context.journal.commit([joined], tell, partial(self._undo_join, player))
        self._pause(player)
        self.look_again()

    def _joined(self, player: Participant, matches: int | None) -> Joined:
        terms = self.terms
        warning = NEVER_ASKED if terms.rules.pie and not player.knows_swap else ""
        return Joined(self.name, terms.rules, terms.clock, terms.games, matches, warning)

    def _undo_join(self, player: Participant) -> None:
        self.forget(player)
        self._refuse_unstored(player)

    def _refuse_unstored(self, player: Participant) -> None:
        detail = "the server could not store that; try again later"
        player.refuse(self._refused(ErrorCode.INTERNAL, detail))

    def leave(self, player: Participant) -> None:
        """Remove a bot; a match under way is played to its end."""
        if player.name in self._members:
            self.forget(player)
            left = LadderLeft(self.name, player.secret_hash)
            tell = partial(player.send, Left(self.name))
            self._context.journal.commit([left], tell, partial(self._refuse_unstored, player))

    def forget(self, player: Participant) -> None:
        """Remove a bot whose session is over, which the journal knows already."""
        self._members.leave(player.name)
        self._limits.release(player.name)

    def on_connect(self, player: Participant) -> None:
        """Note that a bot's connection stands; one that came as a quarantined version leaves."""
        if player.name in self._members:
            entrant = entrant_name(player.name, player.agent)
            self._members.on_connect(player.name, entrant, self._context.now(), player.address_key)
            self._pause(player)
            self._keep_or_dismiss(player)

    def on_disconnect(self, player: Participant) -> None:
        self._members.on_disconnect(player.name)

    def on_match_end(self, player: Participant) -> None:
        if (member := self._members.get(player.name)) is not None:
            self._members.on_match_end(player.name, self._context.now())
            if member.matches_left == 0:
                self.leave(player)
            else:
                self._keep_or_dismiss(player)

    def dismiss_quarantined(self, player: Participant) -> None:
        """Remove a member that plays as a quarantined version."""
        if player.name in self._members:
            self._keep_or_dismiss(player)

    def _keep_or_dismiss(self, player: Participant) -> None:
        """Pair a member, unless the version that it plays as is quarantined."""
        entrant = self._members[player.name].entrant
        refusal = self._quarantine_refusal(entrant) or self._excess_of(player, entrant)
        if refusal is None:
            self.look_again()
        else:
            self.leave(player)
            player.refuse(refusal)

    def found_time(self, player: Participant) -> None:
        """Note that a match of a bot is over, here or elsewhere."""
        if player.name in self._members:
            self.look_again()

    def restore(
        self,
        kept: KeptLadder,
        members: Sequence[Participant],
        seeds: Mapping[str, LiveRating] = NO_SEEDS,
    ) -> None:
        """Restore what the journal kept; the members are still away."""
        for player in members:
            entrant, now = entrant_name(player.name, player.agent), self._context.now()
            is_guest = player.is_guest
            self._members.join(
                Member(player.name, entrant, now, is_present=False, is_guest=is_guest)
            )
        self._members.restore_opponents(kept.met)
        self.restore_ratings(kept, seeds)

    def restore_count(self, counted: Counted, since: float) -> None:
        self._limits.restore_count(counted, since)

    def resumed(self, match: Match) -> None:
        """Note that a match restored from the journal goes on, from the openings that it has."""
        self._members.begun(*match.names)
        self._matches += 1

    def close(self) -> None:
        """Start no further match and no further fit."""
        super().close()
        self._pairing.cancel()

    def left_early(self, player: Participant, match: str) -> bool:
        """Note that a bot left a match before its first move; return whether it loses the game."""
        count = self._limits.left_early(player, match)
        self._context.log.info("left early", ladder=self.name, name=player.name, times=count)
        if (member := self._members.get(player.name)) is not None:
            member.not_before = self._limits.pause(player).until
        return count > self.settings.early_departures

    def _pause(self, player: Participant) -> None:
        """Pause a bot that keeps leaving, and a new name whose address does."""
        pauses = [self._limits.pause(player)]
        if (newcomer := self._newcomer(player.name)) is not None:
            pauses.append(self._limits.wait(newcomer))
        longest = max(pauses, key=lambda pause: pause.until)
        self._members[player.name].not_before = longest.until
        if longest.until > self._context.now():
            player.refuse(self._refused(ErrorCode.LIMIT, longest.reason))

    def _newcomer(self, name: str) -> Newcomer | None:
        """Return a guest that has no record; None for any other member."""
        address = self._members[name].address
        if address is None or self.state.has_played(name):
            return None
        return Newcomer(name, address)

    # Who may join

    def held(self) -> str | None:
        opening = f"the ladder {self.name} is being opened" if self.is_opening else None
        return opening or self._context.orders.held(self.name)

    def _refused(self, code: ErrorCode, detail: str) -> RequestError:
        return RequestError(code, detail, self.name)

    def _refusal(self, player: Participant, entrant: str) -> RequestError | None:
        if self._starter.is_draining:
            stopping = "no new match: the server is about to stop"
            return self._refused(ErrorCode.SHUTTING_DOWN, stopping)
        detail = None
        if self._context.orders.is_closed(self.name):
            detail = self.held() or f"{self.name} is closed"
        elif player.is_guest and not self.settings.guests:
            detail = f"the ladder {self.name} takes bots with a token only"
        elif not self.settings.admits(player.name):
            detail = f"the ladder {self.name} isn't open to {player.name}"
        if detail is not None:
            return self._refused(ErrorCode.FORBIDDEN, detail)
        return self._quarantine_refusal(entrant) or self._excess_of(player, entrant)

    def _excess_of(self, player: Participant, entrant: str) -> RequestError | None:
        """Return why a new entrant is one too many today, or None."""
        excess = None if self.state.games(entrant) else self._limits.excess_of(player, entrant)
        if excess is None:
            return None
        detail = f"{excess}: the ladder {self.name} takes no other"
        return self._refused(ErrorCode.FORBIDDEN, detail)

    def _quarantine_refusal(self, entrant: str) -> RequestError | None:
        if (quarantine := self.quarantine_of(entrant)) is None:
            return None
        detail = f"{entrant} is out of {self.name} until {quarantine.until}: {quarantine.reason}"
        return self._refused(ErrorCode.QUARANTINED, detail)

    # Pairing

    def look_again(self) -> None:
        """Pair those that wait."""
        self._pair_by(self._context.now())

    def _pair_by(self, when: float) -> None:
        if not self._is_closed:
            self._pairing.set(when)

    def _pair(self) -> None:
        if self._starter.is_draining or self.held() is not None:
            return
        now = self._context.now()
        for replay in self._context.orders.owed(self.name):
            if all(self._members.is_free(name, now) for name in replay.names):
                self._start_again(replay)
        for first, second in self._members.pair(self.state, now):
            new = [it for name in (first, second) if (it := self._newcomer(name)) is not None]
            terms = self.terms._replace(rated=self._limits.may_be_rated(new))
            self._start((first, second), terms, self._next_openings())
        self._pair_by(self._members.next_look(self.state, now))

    def _start_again(self, replay: Replay) -> None:
        boards = tuple(board_of(text, self.terms.rules) for text in replay.openings)
        off = SwitchedOff(SwitchKind.REPLAY, replay.match)
        settle = partial(self._context.orders.settle, replay.match)
        self._start(replay.names, self.terms, boards, Along((off,), settle))

    def _start(
        self,
        names: tuple[str, str],
        terms: Terms,
        openings: tuple[Board, ...],
        along: Along = NOTHING_ELSE,
    ) -> None:
        first, second = names
        entrants = self._members[first].entrant, self._members[second].entrant
        self._members.begun(first, second)
        ladder_context = LadderContext(self.name, entrants, openings)
        self._starter.open_match(names, terms, ladder_context, along)

    def counting(
        self, players: tuple[Participant, Participant], openings: tuple[Board, ...]
    ) -> LadderContext | None:
        """Return what lets the ladder count a match that it did not pair, if it does."""
        if self.held() is not None:
            return None
        first, second = (entrant_name(player.name, player.agent) for player in players)
        takes = [
            self._refusal(player, entrant) is None
            for player, entrant in zip(players, (first, second), strict=True)
        ]
        new = [
            Newcomer(player.name, address)
            for player in players
            if (address := player.address_key) and not self.state.has_played(player.name)
        ]
        if all(takes) and self._limits.may_be_rated(new):
            return LadderContext(self.name, (first, second), openings)
        return None

    def is_played_by(self, terms: Terms) -> bool:
        """Return whether a match of these terms may be rated with the ladder's games."""
        return (terms.rules, terms.clock) == (self.terms.rules, self.terms.clock)

    def _next_openings(self) -> tuple[Board, ...]:
        settings = self.settings
        pairs = settings.games // 2
        everything = _shuffled(settings.openings, settings.parsed_rules, settings.seed)
        begin = self._matches * pairs
        self._matches += 1
        count = min(pairs, len(everything))
        return tuple(everything[(begin + place) % len(everything)] for place in range(count))

    def next_match(self, name: str) -> NextMatch:
        """Return what a member waits for, and when it can be paired if that is known."""
        now = self._context.now()
        why, until = self._members.wait_of(name, self.state, now)
        at = later(self._context.utc(), until - now) if now < until < inf else None
        if (held := self.held()) is not None:
            why = f"the organiser: {held}"
        games = self.settings.games
        return NextMatch(MatchOrigin.LADDER, self.name, games=games, at=at, waits_for=why)

    def reload(self, settings: LadderSettings) -> None:
        """Take new settings for matches to come; those of ratings call for another fit."""
        former, self.settings = self.settings, settings
        fixed = settings.fixed_ratings
        if fixed != former.fixed_ratings:
            self.state.anchor_at(fixed)
        if (fixed, settings.leave_out_unusual) != (former.fixed_ratings, former.leave_out_unusual):
            self.refit(lambda: None)
        self.look_again()


@lru_cache
def _shuffled(openings: tuple[str, ...], rules: Rules, seed: int) -> tuple[Board, ...]:
    order = [board_of(text, rules) for text in openings]
    Random(seed).shuffle(order)  # noqa: S311  # a fixed order, no secret
    return tuple(order)
