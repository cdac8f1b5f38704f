"""Who wants to play whom: seeks and challenges, matched without input or output.

A seek is matched with the longest-waiting one that wants the same rules, clock, rating and number
of games; a seek that names an opponent is matched with nobody else, and only if that opponent's
seek allows it too. Nobody is matched with themselves. A bot has one seek at a time: a new one
takes the place of the old.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from protocol.messages import ErrorCode
from server.model.match import Terms


class LobbyError(Exception):
    """What was asked for can't be had.

    Attributes:
        code: for an ``error`` in answer.
        ref: the challenge it is about, if any.
    """

    def __init__(self, code: ErrorCode, message: str, ref: str | None = None) -> None:
        self.code = code
        self.ref = ref
        super().__init__(message)


class Wish(NamedTuple):
    """A seek that stands.

    Attributes:
        name: who seeks.
        terms: what is wanted.
        opponent: the only opponent wanted, or None for anyone.
    """

    name: str
    terms: Terms
    opponent: str | None = None

    def suits(self, other: Wish) -> bool:
        """Tell whether the two seeks can be matched."""
        return (
            self.name != other.name
            and self.terms == other.terms
            and self.opponent in (None, other.name)
            and other.opponent in (None, self.name)
        )


class Offer(NamedTuple):
    """A challenge that stands.

    Attributes:
        id: its id.
        by: who made it.
        to: who may accept it.
        terms: what is offered.
    """

    id: str
    by: str
    to: str
    terms: Terms


class Pairing(NamedTuple):
    """Two bots that are to play.

    Attributes:
        names: the one who asked first comes first.
        terms: what they agreed on.
    """

    names: tuple[str, str]
    terms: Terms


class Lobby:
    """All seeks and challenges.

    Attributes:
        challenges: most that one bot may have standing.
    """

    def __init__(self, new_id: Callable[[], str], *, challenges: int = 16) -> None:
        """Open an empty lobby.

        Args:
            new_id: names challenges.
            challenges: most that one bot may have standing.
        """
        self._new_id = new_id
        self.challenges = challenges
        self._wishes: dict[str, Wish] = {}
        self._offers: dict[str, Offer] = {}

    def wish(self, name: str) -> Wish | None:
        """Tell what the bot seeks."""
        return self._wishes.get(name)

    def seek(self, wish: Wish) -> Pairing | None:
        """Match the seek, or let it stand."""
        self._wishes.pop(wish.name, None)
        for other in self._wishes.values():
            if other.suits(wish):
                del self._wishes[other.name]
                return Pairing((other.name, wish.name), wish.terms)
        self._wishes[wish.name] = wish
        return None

    def unseek(self, name: str) -> Wish | None:
        """Withdraw the bot's seek; gives what it was."""
        return self._wishes.pop(name, None)

    def challenge(self, by: str, to: str, terms: Terms) -> Offer:
        """Let a challenge stand.

        Raises:
            LobbyError: when a bot challenges itself, or has too many challenges standing.
        """
        if by == to:
            raise LobbyError(ErrorCode.UNKNOWN_OPPONENT, "a bot can't play itself")
        if sum(offer.by == by for offer in self._offers.values()) >= self.challenges:
            raise LobbyError(ErrorCode.LIMIT, f"{self.challenges} challenges stand already")
        offer = Offer(self._new_id(), by, to, terms)
        self._offers[offer.id] = offer
        return offer

    def accept(self, challenge: str, name: str) -> Pairing:
        """Take a challenge up.

        Raises:
            LobbyError: when no such challenge waits for this bot's answer.
        """
        offer = self._offers.get(challenge)
        if offer is None or offer.to != name:
            raise _unknown(challenge)
        del self._offers[challenge]
        return Pairing((offer.by, offer.to), offer.terms)

    def decline(self, challenge: str, name: str) -> Offer:
        """Refuse a challenge, or take back one's own.

        Raises:
            LobbyError: when no such challenge concerns this bot.
        """
        offer = self._offers.get(challenge)
        if offer is None or name not in (offer.by, offer.to):
            raise _unknown(challenge)
        return self._offers.pop(challenge)

    def withdraw(self, name: str) -> list[Offer]:
        """Drop every challenge that concerns the bot, and give them."""
        dropped = [offer for offer in self._offers.values() if name in (offer.by, offer.to)]
        for offer in dropped:
            del self._offers[offer.id]
        return dropped


def _unknown(challenge: str) -> LobbyError:
    return LobbyError(ErrorCode.UNKNOWN_CHALLENGE, "no such challenge waits for you", challenge)
