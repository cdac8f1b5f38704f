"""How many turns a second are put to one bot, so that one at many tables leaves room for others.

A turn prepays its answer, so a bot's moves cost it nothing, and one that answers immediately at all
its tables would take the whole server. Beyond ``limits.moves_per_s`` its next turn waits. It is not
put before, so no clock runs meanwhile. A bot at a single table is not paced: each of its turns
waits for its opponent. Guests of one address have the pace of ``BOTS`` bots together, unless they
play on the server's own machine.
"""

from __future__ import annotations

from typing import Final

from ..config.settings import LiveConfig
from ..net.limits.costs import LOOPBACK, AddressBudgets, network_of
from .participant import Participant

BURST_S: Final = 4.0
"""Seconds' worth of turns that may follow one another without a pause."""
BOTS: Final = 20


class MovePace:
    """The budgets of all bots, and of the addresses of guests."""

    def __init__(self, config: LiveConfig) -> None:
        self._bots = _budgets(config, 1)
        self._addresses = _budgets(config, BOTS)

    def wait_s(self, player: Participant, now: float) -> float:
        """Count a turn that is to be put to a bot; return how long it has to wait, in seconds.

        Args:
            player: the bot.
            now: the time, in seconds.
        """
        budgets = []
        if len(player.matches) > 1:
            budgets.append(self._bots.of(f"bot {player.name}", now))
        if player.is_guest and network_of(player.address) != LOOPBACK:
            budgets.append(self._addresses.of(player.payer, now))
        for budget in budgets:
            budget.take(1.0, now)
        return max((budget.wait_s(now) for budget in budgets), default=0.0)


def _budgets(config: LiveConfig, bots: int) -> AddressBudgets:
    def rate() -> tuple[float, float]:
        per_s = bots * config.now.limits.moves_per_s
        return per_s, BURST_S * per_s

    return AddressBudgets(rate)
