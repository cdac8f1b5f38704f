"""How often very short games may follow one another.

The beginning and the end of a game cost the server as much as ten moves, and the players pay for
neither: a game's moves outweigh them. In games of a few plies, such as those on the smallest boards
or on a clock of a millisecond, they do not. So a bot whose last game was short begins its next one
from a budget, which guests of one address share. It costs nothing but time: a bot that plays longer
games does not notice it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..net.limits.costs import AddressBudgets
from .participant import Participant

SHORT_PLIES: Final = 5
"""Games of fewer plies are short; on boards of three pits and two seeds there is none."""
SHORT_GAMES_PER_S: Final = 20.0
"""How many may follow one another, of one bot or one address; a fiftieth of a core."""
SHORT_GAMES_BURST: Final = 200


class ShortGames:
    """The budgets of all bots and addresses."""

    def __init__(self) -> None:
        self._budgets = AddressBudgets(lambda: (SHORT_GAMES_PER_S, SHORT_GAMES_BURST))

    def ended(self, players: Iterable[Participant], plies: int) -> None:
        """Note the length of a game that ended."""
        for player in players:
            player.was_short = plies < SHORT_PLIES

    def wait_s(self, players: Iterable[Participant], now: float) -> float:
        """Count a game that is to begin; return how long it has to wait.

        Args:
            players: its players.
            now: the time, in seconds.
        """
        waits = [0.0]
        for key in sorted({player.payer for player in players if player.was_short}):
            budget = self._budgets.of(key, now)
            budget.take(1.0, now)
            waits.append(budget.wait_s(now))
        return max(waits)
