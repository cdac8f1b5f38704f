"""A question to a bot: what came in time, and what may be played when its flag falls."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mancala.protocol.clock import TimeoutPolicy
from tests.simulate.promises import Promise, broken

INSTANT_S: Final = 0.001
"""Differences of times below this are those of rounding."""


class ProvisionalAnswer(NamedTuple):
    """A provisional answer."""

    pit: int
    at: float
    is_known: bool


@dataclass(slots=True)
class OpenQuestion:
    """A question of the present server.

    Attributes:
        credit_s: by how much later it falls at the latest: the round trip.
        answered: when the first final answer arrived at the server; None before.
        is_known: whether the server could know when the answer arrived.
    """

    at: float
    due: float
    credit_s: float
    answered: float | None = None
    is_known: bool = True
    provisional: list[ProvisionalAnswer] = field(default_factory=list)
    is_settled: bool = False

    @property
    def flag(self) -> float:
        return self.due + self.credit_s

    def cut_off(self) -> None:
        """Note that no one knows whether the server has the answers, and that its clock stands."""
        self.answered, self.is_settled = None, True
        self.provisional = [each._replace(is_known=False) for each in self.provisional]

    def check_flag(self, now: float, detail: str) -> None:
        """Check a flag that falls now: no answer came before it, and it is not early."""
        is_in_time = self.answered is not None and self.answered < self.due - INSTANT_S
        if is_in_time and self.is_known:
            broken(Promise.IN_TIME, detail)
        if now < self.due - INSTANT_S:
            broken(Promise.EARLY, detail)

    def check_forced(self, pit: int, timeout: TimeoutPolicy, detail: str) -> None:
        """Check that the move at the flag is a provisional one that may have come before it."""
        is_drawn = timeout is TimeoutPolicy.RANDOM and self._last_in_time is None
        if pit not in {each.pit for each in self._playable()} and not is_drawn:
            broken(Promise.AS_GIVEN, f"pit {pit}: {detail}")

    def check_forfeited(self, timeout: TimeoutPolicy, detail: str) -> None:
        """Check that a game is not lost whose clock plays a provisional move that came in time."""
        if timeout is not TimeoutPolicy.FORFEIT and self._last_in_time is not None:
            broken(Promise.AS_GIVEN, detail)

    @property
    def _last_in_time(self) -> ProvisionalAnswer | None:
        """The last provisional answer of which the server knew that it was in time."""
        known = (each for each in reversed(self.provisional) if each.is_known)
        return next((each for each in known if each.at < self.due - INSTANT_S), None)

    def _playable(self) -> Iterator[ProvisionalAnswer]:
        for each in reversed(self.provisional):
            if each.at <= self.flag + INSTANT_S or not each.is_known:
                yield each
            if each is self._last_in_time:
                return
