"""How many games were voided for a bot's sake today; pure.

Bots with a token count by name, guests by name and by address. The tally is kept in memory and
begins anew each day; after a restart, :meth:`VoidTally.restore` takes the names from the store,
which does not know addresses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


class VoidTally:
    """The voided games of one day."""

    def __init__(self) -> None:
        self._day = ""
        self._voids: Counter[tuple[str, str]] = Counter()

    def count(self, name: str, address: str | None, day: str, *, most: int) -> bool:
        """Count a void unless there were enough today; return whether it was counted.

        Args:
            name: the bot that benefits.
            address: its address if it is a guest; otherwise None.
            day: the date.
            most: maximum number of voids a day, for the name and for the address.
        """
        self._turn_to(day)
        keys = [("name", name)]
        if address is not None:
            keys.append(("address", address))
        if any(self._voids[key] >= most for key in keys):
            return False
        self._voids.update(keys)
        return True

    def restore(self, names: Iterable[str], day: str) -> None:
        """Count the bots that benefited from the voids of a day, one name a void."""
        self._turn_to(day)
        self._voids.update(("name", name) for name in names)

    def _turn_to(self, day: str) -> None:
        if day != self._day:
            self._day = day
            self._voids.clear()
