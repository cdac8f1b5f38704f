"""How many new entrants a ladder takes in a day: versions of a name, and names of an address; pure.

Every entrant costs a row of the standings and a parameter of the joint fit, for good, and a bot
without a record escapes what its former record would bring it. Counts are kept in memory: a restart
forgets them.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

DAY_S: Final = 86_400.0


class Newcomers:
    """What each key brought in the last 24 hours: a name its versions, an address its names."""

    def __init__(self) -> None:
        self._brought: OrderedDict[str, dict[str, float]] = OrderedDict()

    def admit(self, key: str, newcomer: str, now: float, *, most: int) -> bool:
        """Count a newcomer, once a day; return False if the key has brought too many others.

        Args:
            key: a bot's name, or a guest's address.
            newcomer: the version, or the name.
            now: the time, in seconds.
            most: newcomers a key may bring in 24 hours.
        """
        self._forget(now)
        brought = self._brought.setdefault(key, {})
        for other in [other for other, since in brought.items() if since <= now - DAY_S]:
            del brought[other]
        if newcomer in brought:
            return True
        if len(brought) >= most:
            return False
        brought[newcomer] = now
        self._brought.move_to_end(key)
        return True

    def _forget(self, now: float) -> None:
        while self._brought:
            oldest = next(iter(self._brought.values()))
            if any(since > now - DAY_S for since in oldest.values()):
                return
            self._brought.popitem(last=False)
