"""The limits that ``welcome`` names."""

from __future__ import annotations

from mancala.protocol import codec
from mancala.protocol.messages import Limits

from ..config.settings import Config


def announced(config: Config) -> Limits:
    """Return what the settings allow one connection, as its client reads it."""
    limits = config.limits
    return Limits(
        frame_bytes=codec.FRAME_LIMIT,
        games=limits.games,
        grace_s=config.grace_s,
        tables=limits.tables,
        challenges=limits.challenges,
        watched=limits.watched,
        connections_per_address=limits.connections_per_address,
        messages_per_s=limits.messages_per_s,
        messages_burst=limits.messages_burst,
        address_per_s=limits.address_per_s,
        address_burst=limits.address_burst,
        flood_s=limits.flood_s,
        moves_per_s=limits.moves_per_s,
        handshake_s=limits.handshake_s,
        idle_s=limits.idle_s,
        outgoing_bytes=limits.outgoing_bytes,
        info_move_bytes=limits.info_move_bytes,
        info_game_bytes=limits.info_game_bytes,
    )
