"""Where bots ask for opponents: what they say of seeks and challenges, and what comes of it.

The lobby matches; the desk checks what is asked for against the limits, tells everybody concerned,
and has the hall seat whoever was matched.
"""

from __future__ import annotations

from typing import Protocol

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
from server.lobby.request_book import Lobby, LobbyError, Offer, Pairing, Wish
from server.match.participant import Participant
from server.model.match import Terms


class Front(Protocol):
    """The hall, as the desk sees it."""

    @property
    def is_draining(self) -> bool:
        """Whether no further match may begin."""

    def find(self, name: str) -> Participant | None:
        """Find somebody who is here, or whose seat is kept."""

    def open_match(self, names: tuple[str, str], terms: Terms) -> None:
        """Seat two bots who are here."""


class Desk:
    """Takes what is said of seeks and challenges."""

    def __init__(self, config: Config, lobby: Lobby, front: Front) -> None:
        """Open it.

        Args:
            config: defaults and limits.
            lobby: matches seeks, keeps challenges.
            front: finds bots and seats them.
        """
        self._config = config
        self._lobby = lobby
        self._front = front

    # Seeks

    def seek(self, who: Participant, seek: Seek) -> None:
        """Let a bot seek, or tell it why not."""
        terms = self._terms(who, seek)
        if terms is None:
            return
        if seek.opponent == who.name:
            who.refuse(ErrorCode.UNKNOWN_OPPONENT, "a bot can't play itself")
            return
        self._let_seek(who, Wish(who.name, terms, seek.opponent))

    def is_seeking(self, who: Participant) -> bool:
        """Tell whether a bot's seek stands."""
        return self._lobby.wish(who.name) is not None

    def reconfigure(self, config: Config) -> None:
        """Take new defaults and limits."""
        self._config = config
        self._lobby.challenges = config.limits.challenges

    def unseek(self, who: Participant, _message: Unseek) -> None:
        """Withdraw a bot's seek."""
        self._lobby.unseek(who.name)

    def came_back(self, who: Participant) -> None:
        """Take up again what a bot sought when its connection was lost."""
        if who.wish is not None and not self._front.is_draining:
            self._let_seek(who, who.wish)

    def went(self, who: Participant) -> None:
        """Let a bot that is gone be matched with nobody; its seek is kept for its return."""
        who.wish = self._lobby.unseek(who.name)
        for offer in self._lobby.withdraw(who.name):
            self._tell_declined(offer, who.name, f"{who.name} is gone")

    def _let_seek(self, who: Participant, wish: Wish) -> None:
        who.wish = None
        who.send(Seeking(*wish.terms, wish.opponent))
        pairing = self._lobby.seek(wish)
        if pairing is not None:
            self._front.open_match(*pairing)

    # Challenges

    def challenge(self, who: Participant, challenge: Challenge) -> None:
        """Let a challenge stand, and tell both sides."""
        terms = self._terms(who, challenge)
        if terms is None:
            return
        other = self._front.find(challenge.opponent)
        if other is None or not other.is_present:
            who.refuse(ErrorCode.UNKNOWN_OPPONENT, f"{challenge.opponent} is not here")
            return
        try:
            offer = self._lobby.challenge(who.name, other.name, terms)
        except LobbyError as error:
            who.refuse(error.code, str(error))
            return
        for side in (who, other):
            side.send(Challenged(offer.id, offer.by, offer.to, *terms))

    def accept(self, who: Participant, accept: Accept) -> None:
        """Begin the match that was offered."""
        if not self._may_play(who):
            return
        try:
            pairing: Pairing = self._lobby.accept(accept.challenge, who.name)
        except LobbyError as error:
            who.refuse(error.code, str(error), error.ref)
        else:
            self._front.open_match(*pairing)

    def decline(self, who: Participant, decline: Decline) -> None:
        """Drop a challenge, and tell the other side."""
        try:
            offer = self._lobby.decline(decline.challenge, who.name)
        except LobbyError as error:
            who.refuse(error.code, str(error), error.ref)
        else:
            self._tell_declined(offer, who.name, decline.reason or f"{who.name} declined")

    def _tell_declined(self, offer: Offer, by: str, detail: str) -> None:
        other = self._front.find(offer.by if by == offer.to else offer.to)
        if other is not None:
            other.refuse(ErrorCode.DECLINED, detail, offer.id)

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
        if self._front.is_draining:
            who.refuse(ErrorCode.SHUTTING_DOWN, "no new match: the server is about to stop")
        elif len(who.tables) >= most:
            who.refuse(ErrorCode.LIMIT, f"a bot plays at most {most} matches at once")
        else:
            return True
        return False

    def _rules(self, wanted: Rules | str | None) -> Rules:
        if isinstance(wanted, Rules):
            return wanted
        return Rules.parse(wanted) if wanted is not None else self._config.default_rules
