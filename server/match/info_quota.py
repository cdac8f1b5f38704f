"""How much of what bots report about their moves is kept on disk.

A report holds up to 8 kB of comment, and a guest that plays as fast as it can would fill 30 GB an
hour with it. So what is stored is bounded for a move, for a game, and for a bot by the hour; all
guests together count as one bot, since a guest may take as many names as it likes. Beyond that
moves are stored without the report. The opponent and spectators see it all the same.

The store bounds the rest: it drops the oldest reports when all of them exceed ``info_bytes``.
"""

from typing import Final

from msgspec.structs import replace

from mancala.protocol import codec
from mancala.protocol.messages import Info

from ..config.settings import LiveConfig
from ..net.limits.costs import AddressBudgets
from .participant import Participant

HOUR_S: Final = 3600.0
GUESTS: Final = "guests"
"""What all guests together are counted under."""


class InfoQuota:
    """Decides what is stored of the reports of all bots."""

    def __init__(self, config: LiveConfig) -> None:
        self._config = config
        self._bots = AddressBudgets(lambda: _by_the_hour(config.now.limits.info_bot_bytes))
        self._guests = AddressBudgets(lambda: _by_the_hour(config.now.limits.info_guests_bytes))

    def keep(self, info: Info, player: Participant, in_game: int, now: float) -> Info | None:
        """Return what is stored of a report: all of it, all but its texts, or None."""
        kept, limits = info, self._config.now.limits
        if size_of(kept) > limits.info_move_bytes:
            kept = replace(info, comment=None, dialogue=None)
        size = size_of(kept)
        is_small = size <= limits.info_move_bytes
        if is_small and in_game + size <= limits.info_game_bytes:
            budgets, key = (self._guests, GUESTS) if player.is_guest else (self._bots, player.payer)
            return kept if budgets.of(key, now).pays(size, now) else None
        return None


def _by_the_hour(most: int) -> tuple[float, float]:
    return most / HOUR_S, most


def size_of(info: Info) -> int:
    """Return the bytes that a report takes in the store."""
    return len(codec.to_json(info))
