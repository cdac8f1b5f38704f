"""How much of what bots report about their moves is kept on disk.

A report holds up to 8 kB of comment, and a guest that plays as fast as it can would fill 30 GB an
hour with it. So what is stored is bounded for a move, for a game, and for a bot by the hour; all
guests together count as one bot, since a guest may take as many names as it likes. Beyond that
moves are stored without the report. The opponent and spectators see it all the same.

The store bounds the rest: it drops the oldest reports when all of them exceed ``info_bytes``.
"""

from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from mancala.protocol import codec
from mancala.protocol.messages import Info

from ..config.settings import LiveConfig
from .participant import Participant

HOUR_S: Final = 3600.0
GUESTS: Final = ""
"""The name under which all guests are counted; no bot can have it."""


@dataclass(slots=True)
class _Bucket:
    """Bytes that may still be stored, refilled evenly over the hour."""

    left: float
    filled_at: float

    def take(self, size: int, capacity: int, now: float) -> bool:
        """Take bytes if there are enough left, and return whether there were."""
        refilled = self.left + (now - self.filled_at) / HOUR_S * capacity
        self.left, self.filled_at = min(float(capacity), refilled), now
        if size > self.left:
            return False
        self.left -= size
        return True


class InfoQuota:
    """Decides what is stored of the reports of all bots."""

    def __init__(self, config: LiveConfig) -> None:
        self._config = config
        self._buckets: dict[str, _Bucket] = {}

    def keep(self, info: Info, player: Participant, in_game: int, now: float) -> Info | None:
        """Return what is stored of a report: all of it, all but its texts, or None."""
        kept, limits = info, self._config.now.limits
        if size_of(kept) > limits.info_move_bytes:
            kept = replace(info, comment=None, dialogue=None)
        size = size_of(kept)
        is_small = size <= limits.info_move_bytes
        if is_small and in_game + size <= limits.info_game_bytes:
            return kept if self._take(player, size, now) else None
        return None

    def _take(self, player: Participant, size: int, now: float) -> bool:
        key = GUESTS if player.is_guest else player.name
        limits = self._config.now.limits
        capacity = limits.info_guests_bytes if player.is_guest else limits.info_bot_bytes
        bucket = self._buckets.setdefault(key, _Bucket(capacity, now))
        return bucket.take(size, capacity, now)


def size_of(info: Info) -> int:
    """Return the bytes that a report takes in the store."""
    return len(codec.to_json(info))
