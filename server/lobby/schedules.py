"""When a bot plays next: its matches under way, and what it waits for elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from mancala.protocol.messages import MatchOrigin, NextMatch, Schedule, Scheduled

from ..contest.live.registry import Contests
from ..ladders.registry import Ladders
from ..match.participant import Participant
from ..model.match import Match
from .requests import MatchRequests

MOST: Final = 60
"""Matches in an answer, which fit into a frame."""


class Schedules:
    """Answers `schedule`."""

    def __init__(
        self,
        find: Callable[[str], Participant | None],
        *,
        contests: Contests,
        ladders: Ladders,
        requests: MatchRequests,
    ) -> None:
        """Read from the lobby as it stands at each request.

        Args:
            find: returns the participant of a name, present or with its seat kept.
            contests: the events.
            ladders: the ladders.
            requests: seeks and challenges.
        """
        self._find = find
        self._contests = contests
        self._ladders = ladders
        self._requests = requests

    def answer(self, player: Participant, request: Schedule) -> None:
        """Send what the bot that was asked about plays next."""
        name = request.bot or player.name
        player.send(Scheduled(name, self.of(name)))

    def of(self, name: str) -> tuple[NextMatch, ...]:
        """Return what a bot plays next: matches under way first, then events and ladders."""
        return tuple(islice(self._of(name), MOST))

    def _of(self, name: str) -> Iterator[NextMatch]:
        player = self._find(name)
        matches = player.matches.values() if player is not None else ()
        yield from (_under_way(match, name) for match in matches)
        yield from self._contests.next_matches(name)
        yield from self._ladders.next_matches(name)
        yield from self._requests.next_matches(name)


def _under_way(match: Match, name: str) -> NextMatch:
    (opponent,) = (other for other in match.names if other != name)
    event = match.event_context.event if match.event_context is not None else None
    left = match.terms.games - max(0, match.number)
    return NextMatch(MatchOrigin.MATCH, match.ladder or event or "", opponent, left)
