"""Turns of those who wait behind one key, such as the new names of one address; pure."""

from __future__ import annotations


class Turns:
    """Turns that follow one another at a distance, none of them far away."""

    def __init__(self, *, apart_s: float, longest_s: float) -> None:
        """Create it, with no turn given.

        Args:
            apart_s: seconds between two turns of one key.
            longest_s: the longest wait for a turn, in seconds, however many wait.
        """
        self._apart_s = apart_s
        self._longest_s = longest_s
        self._next: dict[str, float] = {}
        self._given: dict[str, float] = {}

    def turn(self, key: str, name: str, now: float) -> float:
        """Return when it is a name's turn; it keeps that turn until :meth:`release`.

        Args:
            key: what it waits behind, together with others.
            name: the one that waits.
            now: the time, in seconds.
        """
        if name not in self._given:
            self._next = {each: at for each, at in self._next.items() if at > now}
            at = min(self._next.get(key, now), now + self._longest_s)
            self._next[key] = at + self._apart_s
            self._given[name] = at
        return self._given[name]

    def release(self, name: str) -> None:
        """Forget the turn of a name, which is gone."""
        self._given.pop(name, None)
