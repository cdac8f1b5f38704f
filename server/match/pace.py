"""How many turns a second are put to one bot, and how often very short games follow one another.

A turn prepays its answer, so a bot's moves cost it nothing, and one that answers immediately at all
its tables would take the whole server. Beyond ``limits.moves_per_s`` its next turn waits. It is not
put before, so no clock runs meanwhile. A bot at a single table is not paced: each of its turns
waits for its opponent. Guests of one address have the pace of ``BOTS`` bots together, unless they
play on the server's own machine.

The beginning and the end of a game cost the server as much as ten moves, and the players pay for
neither: a game's moves outweigh them. In games of a few plies, such as those on the smallest boards
or on a clock of a millisecond, they do not. So a bot whose last game was short begins its next one
from a budget, which guests of one address share.
"""

from collections.abc import Iterable
from typing import Final

from ..config.settings import LiveConfig
from ..net.limits.costs import LOOPBACK, AddressBudgets, TokenBucket, network_of
from .participant import Participant

BURST_S: Final = 4.0
"""Seconds' worth of turns that may follow one another without a pause."""
BOTS: Final = 20
SHORT_PLIES: Final = 5
"""Games of fewer plies are short; on boards of three pits and two seeds there is none."""
SHORT_GAMES_PER_S: Final = 20.0
"""How many may follow one another, of one bot or one address; a fiftieth of a core."""
SHORT_GAMES_BURST: Final = 200


class Pace:
    """The budgets of all bots, and of the addresses of guests; times are in seconds."""

    def __init__(self, config: LiveConfig) -> None:
        self._bots = _turns(config, 1)
        self._addresses = _turns(config, BOTS)
        self._short_games = AddressBudgets(lambda: (SHORT_GAMES_PER_S, SHORT_GAMES_BURST))

    def turn_wait_s(self, player: Participant, now: float) -> float:
        """Count a turn that is to be put to a bot; return how long it has to wait."""
        wait_s = 0.0
        if len(player.matches) > 1:
            wait_s = _counted(self._bots.of(f"bot {player.name}", now), now)
        if player.is_guest and network_of(player.address) != LOOPBACK:
            wait_s = max(wait_s, _counted(self._addresses.of(player.payer, now), now))
        return wait_s

    def game_wait_s(self, players: Iterable[Participant], now: float) -> float:
        """Count a game that is to begin; return how long it has to wait."""
        payers = sorted({player.payer for player in players if player.was_short})
        return max((_counted(self._short_games.of(key, now), now) for key in payers), default=0.0)

    def ended(self, players: Iterable[Participant], plies: int) -> None:
        for player in players:
            player.was_short = plies < SHORT_PLIES


def _turns(config: LiveConfig, bots: int) -> AddressBudgets:
    def rate() -> tuple[float, float]:
        per_s = bots * config.now.limits.moves_per_s
        return per_s, BURST_S * per_s

    return AddressBudgets(rate)


def _counted(budget: TokenBucket, now: float) -> float:
    budget.take(1.0, now)
    return budget.wait_s(now)
