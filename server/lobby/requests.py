"""Match requests: the messages about seeks and challenges, and the matches that follow.

The request book matches; this module checks requests against the limits, answers both sides, and
starts the match.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from protocol.messages import (
    Accept,
    Challenge,
    Challenged,
    Decline,
    ErrorCode,
    Seek,
    Seeking,
    Unseek,
)
from protocol.rules import InvalidPositionError, Rules
from server.config.settings import Config
from server.lobby.request_book import RequestBook, RequestError
from server.match.participant import Participant
from server.model.match import Terms
from server.model.requests import OpenChallenge, OpenSeek
from server.net.prices import LOOPBACK, AddressBudgets, network_of

CHALLENGES_PER_S: Final = 4.0
"""How often one bot may be challenged by another, or by the guests of one address."""
MATCHES_WITH_ONE: Final = 3
"""Matches that guests of one address play with the same bot at the same time by challenges, open
ones included; so that one of a house bot's four places is left for others."""
CHALLENGES_BURST: Final = 64
"""How often in a burst: a class that challenges the same bot at the start of a lesson."""


class Participants(Protocol):
    """Finds bots by name, and starts their matches."""

    @property
    def is_draining(self) -> bool:
        """Whether no further match may begin."""

    def find(self, name: str) -> Participant | None:
        """Return the participant of that name, present or with its seat kept."""

    def open_match(self, names: tuple[str, str], terms: Terms) -> None:
        """Start a match between two bots."""


class MatchRequests:
    """Handles seeks and challenges."""

    def __init__(
        self,
        config: Config,
        book: RequestBook,
        participants: Participants,
        now: Callable[[], float],
    ) -> None:
        """Create the handler.

        Args:
            config: defaults and limits.
            book: matches seeks, keeps challenges.
            participants: finds bots, and starts their matches.
            now: the clock, in seconds.
        """
        self._now = now
        self._pace = AddressBudgets(per_s=CHALLENGES_PER_S, burst=CHALLENGES_BURST)
        self._config = config
        self._book = book
        self._participants = participants

    # Seeks

    def seek(self, who: Participant, seek: Seek) -> None:
        """Open a seek, or answer with the reason why not."""
        terms = self._terms(who, seek)
        if terms is None:
            return
        if seek.opponent == who.name:
            who.refuse(ErrorCode.UNKNOWN_OPPONENT, "a bot can't play itself")
            return
        self._open_seek(who, OpenSeek(who.name, terms, seek.opponent))

    def is_seeking(self, who: Participant) -> bool:
        """Return whether a bot has an open seek."""
        return self._book.open_seek(who.name) is not None

    def reconfigure(self, config: Config) -> None:
        """Take new defaults and limits."""
        self._config = config
        self._book.challenges = config.limits.challenges

    def unseek(self, who: Participant, _message: Unseek) -> None:
        """Withdraw a bot's seek."""
        self._book.unseek(who.name)

    def came_back(self, who: Participant) -> None:
        """Renew the seek that a bot had when its connection was lost."""
        if who.seek is not None and not self._participants.is_draining:
            self._open_seek(who, who.seek)

    def went(self, who: Participant) -> None:
        """Close the requests of a bot that is gone; its seek is kept for its return."""
        who.seek = self._book.unseek(who.name)
        for challenge in self._book.withdraw(who.name):
            self._report_declined(challenge, who.name, f"{who.name} is gone")

    def _open_seek(self, who: Participant, seek: OpenSeek) -> None:
        who.seek = None
        who.send(Seeking(*seek.terms, seek.opponent))
        pairing = self._book.seek(seek)
        if pairing is not None:
            self._participants.open_match(*pairing)

    # Challenges

    def challenge(self, who: Participant, challenge: Challenge) -> None:
        """Open a challenge and send it to both sides."""
        terms = self._terms(who, challenge)
        if terms is None:
            return
        other = self._participants.find(challenge.opponent)
        if other is None or not other.is_welcome:
            who.refuse(ErrorCode.UNKNOWN_OPPONENT, f"{challenge.opponent} is not here")
            return
        excess = self._excess(who, other)
        if excess is not None:
            who.refuse(ErrorCode.LIMIT, excess)
            return
        try:
            opened = self._book.challenge(who.name, other.name, terms, seat=challenge.seat)
        except RequestError as error:
            who.refuse(error.code, str(error))
            return
        for side in (who, other):
            side.send(Challenged(opened.id, opened.by, opened.to, *terms, opened.seat))

    def _excess(self, who: Participant, other: Participant) -> str | None:
        """Return why a challenge is one too many, or None; then it is counted."""
        if who.is_guest and network_of(who.address) != LOOPBACK:
            names = [name for match in other.matches.values() for name in match.names]
            names += [opened.by for opened in self._book.open_to(other.name)]
            theirs = sum(name != other.name and self._is_of(name, who) for name in names)
            if theirs >= MATCHES_WITH_ONE:
                return f"{other.name} plays {theirs} matches with guests of your address already"
        now = self._now()
        budget = self._pace.of(f"{who.payer} to {other.name}", now)
        if budget.left(now) < 1:
            return f"{other.name} was challenged from here too often; try again in a second"
        budget.take(1, now)
        return None

    def _is_of(self, name: str, who: Participant) -> bool:
        """Return whether a bot is counted together with another one."""
        found = self._participants.find(name)
        return found is not None and found.payer == who.payer

    def accept(self, who: Participant, accept: Accept) -> None:
        """Start the match that was offered."""
        if not self._may_play(who):
            return
        try:
            pairing = self._book.accept(accept.challenge, who.name)
        except RequestError as error:
            who.refuse(error.code, str(error), error.ref)
        else:
            self._participants.open_match(*pairing)

    def decline(self, who: Participant, decline: Decline) -> None:
        """Close a challenge and inform the other side."""
        try:
            declined = self._book.decline(decline.challenge, who.name)
        except RequestError as error:
            who.refuse(error.code, str(error), error.ref)
        else:
            self._report_declined(declined, who.name, decline.reason or f"{who.name} declined")

    def _report_declined(self, challenge: OpenChallenge, by: str, detail: str) -> None:
        other = self._participants.find(challenge.by if by == challenge.to else challenge.to)
        if other is not None:
            other.refuse(ErrorCode.DECLINED, detail, challenge.id)

    # Terms

    def _terms(self, who: Participant, wanted: Seek | Challenge) -> Terms | None:
        most = self._config.limits.games
        if not self._may_play(who):
            return None
        if wanted.games > most:
            who.refuse(ErrorCode.LIMIT, f"a match has at most {most} games")
            return None
        try:
            rules = self._rules(wanted.rules)
        except InvalidPositionError as error:
            who.refuse(ErrorCode.INVALID, str(error))
            return None
        return Terms(rules, wanted.clock or self._config.clock, wanted.rated, wanted.games)

    def _may_play(self, who: Participant) -> bool:
        most = self._config.limits.tables
        if self._participants.is_draining:
            who.refuse(ErrorCode.SHUTTING_DOWN, "no new match: the server is about to stop")
        elif len(who.matches) >= most:
            who.refuse(ErrorCode.LIMIT, f"a bot plays at most {most} matches at the same time")
        else:
            return True
        return False

    def _rules(self, wanted: Rules | str | None) -> Rules:
        if isinstance(wanted, Rules):
            return wanted
        return Rules.parse(wanted) if wanted is not None else self._config.default_rules
