"""How fast one bot is challenged: a name is held to its own challenges, an address only slows.

A bot that is challenged too often by one name says nothing and that name is refused. Behind one
address there may be a school, so what the guests of an address do together refuses no one: their
challenges reach the bot one after another. Meanwhile they are open, and can be withdrawn.
"""

from __future__ import annotations

from typing import Final

from mancala.protocol.text import quantity

from ..match.participant import Participant
from ..model.leases import Turns
from ..net.limits.costs import LOOPBACK, AddressBudgets, network_of
from .directory import Directory
from .request_book import RequestBook

CHALLENGES_PER_S: Final = 4.0
"""How often one bot may be challenged by another, or without a wait by the guests of an address."""
CHALLENGES_BURST: Final = 64
"""How often in a burst: a class that challenges the same bot at the start of a lesson."""
MATCHES_WITH_ONE: Final = 3
"""Matches that a guest plays with the same bot at the same time by challenges, open ones included.
Of the guests of one address, further challenges of it follow one another at a distance. The places
of house bots are lent instead (``house.py``)."""
APART_S: Final = 2.0
"""The distance of those further challenges."""
LONGEST_DELAY_S: Final = 60.0
"""A challenge reaches its bot by then, however many others of its address wait."""


class ChallengePace:
    """What each name and each address has asked of each bot."""

    def __init__(self, book: RequestBook, directory: Directory) -> None:
        self._book = book
        self._directory = directory
        self._names = AddressBudgets(lambda: (CHALLENGES_PER_S, CHALLENGES_BURST))
        self._addresses = AddressBudgets(lambda: (CHALLENGES_PER_S, CHALLENGES_BURST))
        self._turns = Turns(apart_s=APART_S, longest_s=LONGEST_DELAY_S)

    def excess(self, player: Participant, other: Participant, now: float) -> str | None:
        """Return why a bot's challenge of another is one too many; or count it, and return None."""
        budget = self._names.of(f"{player.own_key} to {other.name}", now)
        if budget.left(now) < 1:
            return f"you challenged {other.name} too often; try again in a second"
        budget.take(1, now)
        return None

    def matches_excess(self, player: Participant, other: Participant) -> str | None:
        """Return why a guest may not challenge a bot yet another time, or None."""
        if not _is_counted(player):
            return None
        own = self._names_with(other).count(player.name)
        if own < MATCHES_WITH_ONE:
            return None
        return (
            f"you play {quantity(own, 'match')} with {other.name} already, open challenges included"
        )

    def delay_s(self, player: Participant, other: Participant, item: str, now: float) -> float:
        """Count an open challenge under its address; return in how long it reaches its bot."""
        if not _is_counted(player):
            return 0.0
        key = f"{player.payer} to {other.name}"
        budget = self._addresses.of(key, now)
        budget.take(1, now)
        delay_s = min(LONGEST_DELAY_S, budget.wait_s(now))
        if sum(self._is_of(name, player) for name in self._names_with(other)) > MATCHES_WITH_ONE:
            delay_s = max(delay_s, self._turns.turn(key, item, now) - now)
            self._turns.release(item)
        return delay_s

    def _names_with(self, other: Participant) -> list[str]:
        names = [name for match in other.matches.values() for name in match.names]
        names += [opened.by for opened in self._book.open_to(other.name)]
        return [name for name in names if name != other.name]

    def _is_of(self, name: str, player: Participant) -> bool:
        found = self._directory.find(name)
        return found is not None and found.payer == player.payer


def _is_counted(player: Participant) -> bool:
    """Return whether a bot is a guest from another machine."""
    return player.is_guest and network_of(player.address) != LOOPBACK
