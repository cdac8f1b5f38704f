"""Which moves lost the games of an event, from their reviews.

Each review is read once. A request reads a few at most, so that an event of many games costs its
viewers no more than a small one; those that are left follow with the next requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mancala.protocol.review import LosingMove

from ...contest.live.views import EventLosingMove, EventLosingMoves
from ...model.contests import EventGameRow
from ...store.reading.archive import Archive

READ: Final = 24
"""Reviews that one request reads at most."""
KEPT: Final = 20_000
"""Games whose losing moves are remembered."""


class LosingMoves:
    """Finds the losing moves of games, and remembers them."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._known: dict[str, LosingMove | None] = {}
        self._begin = 0

    async def of(self, rows: Sequence[EventGameRow]) -> EventLosingMoves:
        """Return what is known of an event's games, after reading some more reviews."""
        games = {row.game: row.number for row in rows if row.game is not None}
        await self._read([game for game in games if game not in self._known])
        moves = tuple(
            EventLosingMove(number=number, game=game, move=move)
            for game, number in games.items()
            if (move := self._known.get(game)) is not None
        )
        waiting = sum(game not in self._known for game in games)
        return EventLosingMoves(moves=moves, waiting=waiting)

    async def _read(self, games: Sequence[str]) -> None:
        """Read the reviews of a few games, of others than the last time if there are more."""
        if len(self._known) > KEPT:
            self._known.clear()
        begin = self._begin % max(1, len(games))
        self._begin = begin + READ
        for game in (*games[begin:], *games[:begin])[:READ]:
            try:
                review = await self._archive.review(game)
            except LookupError:
                continue  # it has none, and waits for none yet
            if review is not None:
                self._known[game] = review.losing
