"""What is limited to a few a day: what bots have done, and games that were void for their sake."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from mancala.server.model.day_counts import DAY_S
from tests.simulate.promises import Promise, broken
from tests.simulate.trace import Trace

BOTS_OF_ADDRESS: Final = 10
"""After as many void games as N bots may have, each name of an address is granted one."""
COUNTED_S: Final = 60.0
"""What a bot does is counted at the end of its game at the latest, and a seat is kept till then."""


@dataclass(slots=True)
class DayWatch:
    """What counts for a day, over all restarts.

    Attributes:
        most_voids: games a day that may be void for one bot's sake.
        house: the organiser's bots, whose void games are not counted.
    """

    trace: Trace
    most_voids: int
    house: frozenset[str]
    _did_at: dict[str, float] = field(default_factory=dict)
    _voids: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def did(self, name: str) -> None:
        self._did_at[name] = self.trace.now()

    def has_record(self, name: str) -> bool:
        at = self._did_at.get(name)
        return at is not None and at > self.trace.now() - DAY_S - COUNTED_S

    def void(self, game: str, name: str) -> None:
        """Note a game that is void for a bot's sake, or for that of an unknown one."""
        self._voids[name].append(self.trace.now())
        count = self._count(name, DAY_S - COUNTED_S)
        if name and name not in self.house and count > self.most_voids:
            broken(Promise.FEW_VOIDS, f"{game} is the {count}th of {name}")

    def may_be_void(self, name: str) -> bool:
        """Return whether a game in doubt must be void for a bot's sake."""
        voids = sum(self._count(each, DAY_S + COUNTED_S) for each in tuple(self._voids))
        most = 1 if voids >= BOTS_OF_ADDRESS * self.most_voids else self.most_voids
        return self._count(name, DAY_S + COUNTED_S) < most

    def _count(self, name: str, seconds: float) -> int:
        since = self.trace.now() - seconds
        return sum(at > since for at in self._voids.get(name, ()))
