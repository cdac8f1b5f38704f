"""The page of a rating: one HTML file that can be shown, readable offline."""

from __future__ import annotations

from mancala.protocol.levels import LEVEL_ELO

from ..console.views.document import document
from .rating import PlayerRating


def page(rating: PlayerRating) -> str:
    """Return a player's rating as HTML."""
    data = {**rating.summary(), "scale": LEVEL_ELO}
    return document("rating", f"How strong is {rating.player}?", data)


def faults_text(rating: PlayerRating) -> str:
    """Return how often each reason ended a game that the player forfeited."""
    return ", ".join(f"{count} {reason}" for reason, count in rating.faults.items()) or "none"


def void_texts(rating: PlayerRating) -> list[str]:
    """Return how often each level forfeited a game, one text a level."""
    return [
        f"{level} forfeited {', '.join(f'{count} {reason}' for reason, count in reasons.items())}"
        for level, reasons in rating.void.items()
    ]
