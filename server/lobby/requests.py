"""Match requests: the messages about seeks and challenges, and the matches that follow."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Final

from mancala.protocol import messages as wire
from mancala.protocol.rules import Board, InvalidPositionError, Rules
from mancala.protocol.text import quantity

from ..config.games import board_of
from ..match.context import Context
from ..match.participant import Participant, RequestError
from ..model.leases import Turns
from ..model.match import OpenChallenge, OpenSeek, Terms
from ..net.limits.costs import LOOPBACK, AddressBudgets, network_of
from .directory import Directory
from .house import House, challenged
from .request_book import RequestBook
from .tables import Tables

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
    """What each name and each address has asked of each bot.

    A bot that one name challenges too often says nothing and that name is refused. Behind one
    address there may be a school, so what its guests do together refuses no one: their challenges
    reach the bot one after another. Meanwhile they are open, and can be withdrawn.
    """

    def __init__(self, book: RequestBook, directory: Directory) -> None:
        self._book = book
        self._directory = directory
        self._names = AddressBudgets(lambda: (CHALLENGES_PER_S, CHALLENGES_BURST))
        self._addresses = AddressBudgets(lambda: (CHALLENGES_PER_S, CHALLENGES_BURST))
        self._turns = Turns(apart_s=APART_S, longest_s=LONGEST_DELAY_S)

    def excess(self, player: Participant, other: Participant, now: float) -> str | None:
        """Return why a bot's challenge of another is one too many; or count it, and return None."""
        budget = self._names.of(f"{player.own_key} to {other.name}", now)
        if budget.pays(1, now):
            return None
        return f"you challenged {other.name} too often; try again in a second"

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


class MatchRequests:
    def __init__(
        self,
        context: Context,
        book: RequestBook,
        directory: Directory,
        tables: Tables,
        house: House,
    ) -> None:
        self._context = context
        self._book = book
        self._directory = directory
        self._tables = tables
        self._house = house
        self._pace = ChallengePace(book, directory)

    # Seeks

    def seek(self, player: Participant, seek: wire.Seek) -> None:
        """Open a seek, or refuse it."""
        terms = self._terms(player, seek)
        if seek.opponent == player.name:
            raise RequestError(wire.ErrorCode.UNKNOWN_OPPONENT, "a bot can't play itself")
        self._open_seek(player, OpenSeek(player.name, terms, seek.opponent))

    def is_seeking(self, player: Participant) -> bool:
        return self._book.open_seek(player.name) is not None

    def next_matches(self, name: str) -> list[wire.NextMatch]:
        """Return what a bot has asked for, or is asked for, and what each request waits for."""
        found = [self._challenged(opened) for opened in self._book.open_of(name)]
        seek = self._book.open_seek(name)
        if seek is not None:
            why = f"{seek.opponent or 'a bot'} to seek the same"
            asked = wire.MatchOrigin.SEEK, "", seek.opponent, seek.terms.games
            found.append(wire.NextMatch(*asked, waits_for=why))
        return found

    def _challenged(self, opened: OpenChallenge) -> wire.NextMatch:
        why = self._house.wait_of(opened) or f"{opened.to} to accept"
        asked = wire.MatchOrigin.CHALLENGE, "", opened.to, opened.terms.games
        return wire.NextMatch(*asked, waits_for=why)

    def unseek(self, player: Participant, _message: wire.Unseek) -> None:
        self._book.unseek(player.name)

    def on_reconnect(self, player: Participant) -> None:
        """Renew the seek that a bot had when its connection was lost."""
        if player.seek is not None and not self._tables.is_draining:
            self._open_seek(player, player.seek)

    def on_disconnect(self, player: Participant) -> None:
        """Close the requests of a bot that is gone; its seek is kept for its return."""
        player.seek = self._book.unseek(player.name)
        for challenge in self._book.withdraw(player.name):
            self._report_declined(challenge, player.name, f"{player.name} is gone")
            self._house.look(challenge.to)

    def _open_seek(self, player: Participant, seek: OpenSeek) -> None:
        player.seek = None
        pairing = self._book.seek(seek)
        others = [] if pairing is not None else self._book.others(seek)
        player.send(_seeking(seek, others))
        if pairing is not None:
            self._tables.open_request(*pairing)
        elif len(others) == 1:
            (waiting,) = others  # it hears in what the new seek differs
            self._tables.send(waiting.name, _seeking(waiting, [seek]))

    # Challenges

    def challenge(self, player: Participant, challenge: wire.Challenge) -> None:
        """Open a challenge and send it to both sides."""
        terms = self._terms(player, challenge)
        other = self._directory.find_here(challenge.opponent)
        if other is None:
            raise RequestError(wire.ErrorCode.UNKNOWN_OPPONENT, f"{challenge.opponent} is not here")
        if (excess := self._excess(player, other, terms)) is not None:
            raise RequestError(wire.ErrorCode.LIMIT, excess)
        seat, code = challenge.seat, challenge.code
        opened = self._book.challenge(player.name, other.name, terms, seat=seat, code=code)
        player.send(challenged(opened))
        if self._house.lends(other.name):
            self._house.ask(opened, player)
        else:
            self._pass_on(opened, player, other)

    def _excess(self, player: Participant, other: Participant, terms: Terms) -> str | None:
        """Return why a challenge is one too many, or None; then it is counted."""
        if self._house.lends(other.name):
            refusal = self._house.refusal(player, other.name, terms)
        else:
            refusal = self._pace.matches_excess(player, other)
        return refusal or self._pace.excess(player, other, self._context.now())

    def _pass_on(self, opened: OpenChallenge, player: Participant, other: Participant) -> None:
        now = self._context.now()
        delay_s = self._pace.delay_s(player, other, opened.id, now)
        if delay_s > 0:
            self._context.call_at(now + delay_s, partial(self._pass_on_late, opened))
        else:
            other.send(challenged(opened))

    def _pass_on_late(self, opened: OpenChallenge) -> None:
        other = self._directory.find(opened.to)
        if other is not None and opened in self._book.open_to(opened.to):
            other.send(challenged(opened))

    def accept(self, player: Participant, accept: wire.Accept) -> None:
        self._expect_room(player)
        self._tables.open_request(*self._book.accept(accept.challenge, player.name))
        self._house.look(player.name)

    def decline(self, player: Participant, decline: wire.Decline) -> None:
        declined = self._book.decline(decline.challenge, player.name)
        reason = decline.reason or f"{player.name} declined"
        self._report_declined(declined, player.name, reason)
        self._house.look(declined.to)

    def _report_declined(self, challenge: OpenChallenge, by: str, detail: str) -> None:
        other = self._directory.find(challenge.by if by == challenge.to else challenge.to)
        if other is not None:
            other.send_error(wire.ErrorCode.DECLINED, detail, challenge.id)

    # Terms

    def _terms(self, player: Participant, wanted: wire.Seek | wire.Challenge) -> Terms:
        config = self._context.config.now
        most = config.limits.games
        self._expect_room(player)
        if wanted.games > most:
            raise RequestError(
                wire.ErrorCode.LIMIT, f"a match has at most {quantity(most, 'game')}"
            )
        try:
            rules = self._rules(wanted.rules)
            opening = _opening(wanted, rules)
        except InvalidPositionError as error:
            raise RequestError(wire.ErrorCode.INVALID, str(error)) from None
        clock = wanted.clock or config.clock
        return Terms(rules, clock, wanted.rated, wanted.games, opening)

    def _expect_room(self, player: Participant) -> None:
        most = self._context.config.now.limits.tables
        if self._tables.is_draining:
            detail = "no new match: the server is about to stop"
            raise RequestError(wire.ErrorCode.SHUTTING_DOWN, detail)
        if len(player.matches) >= most:
            detail = f"a bot plays at most {quantity(most, 'match')} at the same time"
            raise RequestError(wire.ErrorCode.LIMIT, detail)

    def _rules(self, wanted: Rules | str | None) -> Rules:
        if isinstance(wanted, Rules):
            return wanted
        return Rules.parse(wanted) if wanted is not None else self._context.config.now.default_rules


def _opening(wanted: wire.Seek | wire.Challenge, rules: Rules) -> Board | None:
    """Return the position that a challenge asks for; InvalidPositionError when it may not."""
    if not isinstance(wanted, wire.Challenge) or wanted.opening is None:
        return None
    if wanted.rated:
        raise InvalidPositionError("only unrated games may start from an opening of one's own")
    return board_of(wanted.opening, rules)


def _seeking(seek: OpenSeek, others: Sequence[OpenSeek]) -> wire.Seeking:
    differing = Counter[str]()
    for other in others:
        differing.update(seek.differences(other))
    known = wire.OtherSeeks(len(others), **differing) if others else None
    rules, clock, rated, games, _ = seek.terms
    return wire.Seeking(rules, clock, rated, games, seek.opponent, known)
