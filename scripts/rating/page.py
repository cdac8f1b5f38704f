"""The page of a rating: one HTML file that can be shown, readable offline."""

from __future__ import annotations

from engine.skill import LEVEL_ELO
from scripts.rating.rating import Rating
from scripts.views.document import document


def page(rating: Rating) -> str:
    """Return a player's rating as HTML."""
    data = {**rating.summary(), "scale": LEVEL_ELO}
    return document("rating", f"How strong is {rating.player}?", data)


def faults_text(rating: Rating) -> str:
    """Return the faults as text."""
    return ", ".join(f"{count} {reason}" for reason, count in rating.faults.items()) or "none"
