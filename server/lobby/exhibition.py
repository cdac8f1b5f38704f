"""Games that the house bots play with one another, so that there is always something to see.

One such game at a time, not rated, in pairs that vary: the pair that has met least begins next.
It takes a place of both bots like a challenge, and only places that are free.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Final

from mancala.protocol.clock import TimeControl

from ..match.context import Context
from ..match.participant import Participant
from ..model.match import Terms
from ..model.timers import Timer
from .directory import Directory
from .tables import Tables

CLOCK: Final = TimeControl(move_ms=60_000)
"""Ample: the levels take their time, so that people can follow the game."""


class Exhibition:
    """Starts a game of two house bots now and then."""

    def __init__(self, context: Context, directory: Directory, tables: Tables) -> None:
        """Begin, if the settings want it."""
        self._context = context
        self._directory = directory
        self._tables = tables
        self._met: Counter[tuple[str, str]] = Counter()
        self._timer: Timer | None = None
        config = context.config.now
        if config.play.exhibition_s > 0 and len(config.house_names) > 1:
            self._arm()

    def close(self) -> None:
        """Start no further game."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        due = self._context.now() + self._context.config.now.play.exhibition_s
        self._timer = self._context.call_at(due, self._look)

    def _look(self) -> None:
        self._arm()
        config = self._context.config.now
        here = [player for player in self._directory.present if player.name in config.house_names]
        if self._tables.is_draining or any(map(self._is_playing, here)):
            return
        pair = self._next_pair([player.name for player in here if self._is_free(player)])
        if pair is not None:
            self._met[pair] += 1
            self._tables.open_match(pair, Terms(config.default_rules, CLOCK, rated=False, games=1))

    def _is_playing(self, player: Participant) -> bool:
        house, matches = self._context.config.now.house_names, player.matches.values()
        return any(match.ladder is None and house.issuperset(match.names) for match in matches)

    def _is_free(self, player: Participant) -> bool:
        most = self._context.config.now.play.challenges
        return player.takes_challenges and len(player.matches) < most

    def _next_pair(self, names: list[str]) -> tuple[str, str] | None:
        """Return one of the pairs that have met least, who begins first; None without a pair."""
        pairs = list(permutations(sorted(names), 2))
        if not pairs:
            return None
        fewest = min(self._met[pair] for pair in pairs)
        new = [pair for pair in pairs if self._met[pair] == fewest]
        return new[self._context.pick(tuple(range(len(new))))]
