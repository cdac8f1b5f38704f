"""What spectators are shown, who pay for it: less once they have overdrawn, and the end always."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final

from mancala.protocol.messages import GameOver, GameStart, Message, Moved, Welcome
from mancala.server.match.audience import LEAST_PAUSE_S
from tests.simulate.promises import NOTICED_S, Promise, broken
from tests.simulate.seats import Seats
from tests.simulate.trace import RareEvent, Trace

SHOWN_S: Final = LEAST_PAUSE_S + NOTICED_S
"""A spectator that can pay for a game is shown it within this time."""


def _always(_name: str) -> bool:
    return True


@dataclass(slots=True)
class SpectatorWatch:
    """The spectators of the present server.

    Attributes:
        can_pay: returns whether a bot can pay for what it is shown.
    """

    trace: Trace
    seats: Seats
    can_pay: Callable[[str], bool] = _always
    _shown: set[tuple[str, str]] = field(default_factory=set)
    """Spectators, each with a game whose beginning it was shown, and whose end it has to hear."""
    _behind: dict[tuple[str, str], float] = field(default_factory=dict)
    """Those that are shown nothing of a game, with the time since when they can pay again."""

    def told(self, name: str, message: Message) -> None:
        match message:
            case GameStart(seat=None):
                self._behind.pop((name, message.game), None)
                self._shown.add((name, message.game))
            case Moved() if (name, message.game) in self._behind:
                broken(Promise.SHOWN_LESS, f"{name} in {message.game}")
            case GameOver():
                self._behind.pop((name, message.game), None)
                self._shown.discard((name, message.game))
            case Welcome():
                self.forget(name)

    def overdrew(self, name: str, game: str) -> None:
        if (name, game) in self._shown:
            self.trace.count(RareEvent.OVERDRAWN, name)
            self._behind[name, game] = self.trace.now()

    def forget(self, name: str) -> None:
        """Note a bot that is no spectator of anything any more, as far as it is known."""
        self._shown = {each for each in self._shown if each[0] != name}
        self._behind = {each: at for each, at in self._behind.items() if each[0] != name}

    def restarted(self) -> None:
        self._shown.clear()
        self._behind.clear()

    def watch(self, running: Collection[str], over: Collection[str]) -> None:
        for name in sorted({name for name, _ in self._shown}):
            if self.seats.present_since(name) is None:
                self.forget(name)
        if left := sorted(each for each in self._shown if each[1] in over):
            broken(Promise.HEARS_END, f"{left}")
        now = self.trace.now()
        for (name, game), since in self._behind.items():
            if not self.can_pay(name) or game not in running:
                self._behind[name, game] = now
            elif now - max(since, self.seats.calm_since) > SHOWN_S:
                broken(Promise.CAUGHT_UP, f"{name} in {game}, since {since:g}")
