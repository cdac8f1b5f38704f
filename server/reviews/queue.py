"""The games that wait for a review, in memory: the most urgent first, then the newest. Pure.

The store has them all. So the queue may be short: what does not fit is read again later.
"""

from bisect import insort
from collections.abc import Iterable

from ..model.review.reviews import QueuedReview


class ReviewQueue:
    def __init__(self, most: int) -> None:
        self.is_cut = False
        self._most = most
        self._waiting: list[QueuedReview] = []  # ascending: the next one is the last

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, waiting: Iterable[QueuedReview]) -> None:
        """Add games that are not in it yet; beyond the bound, the last in line are left out."""
        games = {each.game for each in self._waiting}
        for each in waiting:
            if each.game not in games:
                insort(self._waiting, each, key=lambda it: (-it.urgency, it.ended_at))
                games.add(each.game)
        excess = len(self._waiting) - self._most
        if excess > 0:
            self.is_cut = True
            del self._waiting[:excess]

    def take(self, version: int) -> QueuedReview | None:
        """Remove and return the next game for a reviewer of a version; None if there is none.

        A game that has a review already is only for a reviewer of a higher version.
        """
        for place in range(len(self._waiting) - 1, -1, -1):
            if self._waiting[place].version < version:
                return self._waiting.pop(place)
        return None
